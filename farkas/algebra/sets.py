"""Index sets: of integers, of tuples of integers, and ragged families of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from farkas.algebra.cells import Cells, Dim, Index, as_cells, current, join
from farkas.algebra.expressions import Trace
from farkas.errors import RuleError
from farkas.forms import Axis
from farkas.numbers import Array

_TABLE_LIMIT = 1 << 22  # largest dense inverse; beyond, members are found by bisection


def table_of(members: Iterable[Any], width: int) -> Array:
    """Members as whole numbers, shape (members, width)."""
    if not isinstance(members, np.ndarray):
        members = list(members)
    table = np.asarray(members, dtype=np.int64) if len(members) else np.zeros((0, width), np.int64)
    table = table.reshape(len(table), -1) if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] != width:
        raise RuleError(f"a set labelled with {width} word(s) holds members of another length")
    return table


def words_of(label: str | Sequence[str]) -> tuple[str, ...]:
    """One word a component of a member."""
    return (label,) if isinstance(label, str) else tuple(label)


class Members:
    """What all index sets are: tables of members, one column a component; named when declared."""

    def __init__(self, table: Array, labels: tuple[str, ...]) -> None:
        self.table = table
        self.labels = labels
        self.name = ""

    @property
    def width(self) -> int:
        return len(self.labels)


class Set(Members):
    """An index set, in the order given.

    Parameters
    ----------
    members
        Integers, or tuples of integers of one length; shape (size,) or (size, width) as array.
    label
        Word for a member in messages, one per component: ``"site"`` or ``("job", "slot")``.
    """

    def __init__(self, members: Iterable[Any], label: str | Sequence[str] = "index") -> None:
        labels = words_of(label)
        super().__init__(table_of(members, len(labels)), labels)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def axis(self) -> Axis:
        return Axis(self.labels, self.table)

    def members(self) -> list[Any]:
        """Members as plain integers or tuples."""
        rows = self.table.tolist()
        return [row[0] for row in rows] if self.width == 1 else [tuple(row) for row in rows]

    def __iter__(self) -> Iterator[Any]:
        reader = current()
        if reader is None:
            yield from self.members()
            return
        yield reader.enter(self)
        if not reader.draining:
            refuse_loop()

    def opened(self, trace: Trace) -> Any:
        """Open a dimension for this set and return the index (or tuple of indices) along it."""
        return indices_along(self.table, trace.push(len(self)), self)

    @cached_property
    def _span(self) -> tuple[Array, tuple[int, ...]]:
        low = self.table.min(axis=0)
        return low, tuple(int(n) for n in self.table.max(axis=0) - low + 1)

    @cached_property
    def _consecutive(self) -> bool:
        if self.width != 1 or len(self) == 0:
            return False
        return bool((np.diff(self.table[:, 0]) == 1).all())

    @cached_property
    def _inverse(self) -> tuple[Array, Array | None]:
        """Dense table of positions, or sorted keys with their order."""
        low, shape = self._span
        keys = np.ravel_multi_index(tuple((self.table - low).T), shape)
        order = np.argsort(keys, kind="stable")
        if (np.diff(keys[order]) == 0).any():
            raise RuleError(f"set {self.name or self.labels} holds a member twice")
        if math.prod(shape) <= max(_TABLE_LIMIT, 4 * len(self)):
            dense = np.full(math.prod(shape), -1, np.int64)
            dense[keys] = np.arange(len(self))
            return dense, None
        return keys[order], order

    def locate(self, parts: Sequence[Any], where: str) -> Cells:
        """Positions of the members ``parts``, one array (or integer) per component.

        Raises `RuleError` when a member is not in the set; names it and ``where``.
        """
        if all(isinstance(p, Index) and p.origin == (self, j) for j, p in enumerate(parts)):
            dims = parts[0].dims
            if all(p.dims == dims for p in parts):
                return Cells(np.arange(len(self)), dims)
        cells = [_whole(part, where) for part in parts]
        dims = join(*(c.dims for c in cells))
        places = np.broadcast_arrays(*(c.onto(dims) for c in cells))
        if len(self) == 0:
            if places[0].size:
                self._outside(places, np.ones(places[0].shape, bool), where)
            return Cells(np.zeros(places[0].shape, np.int64), dims)
        low, shape = self._span
        shifted = [p - int(lo) for p, lo in zip(places, low, strict=True)]
        bad = np.zeros(places[0].shape, bool)
        for part, length in zip(shifted, shape, strict=True):
            bad |= (part < 0) | (part >= length)
        if bad.any():
            self._outside(places, bad, where)
        if self._consecutive:
            return Cells(shifted[0], dims)
        found = self._find(np.ravel_multi_index(tuple(shifted), shape))
        if found.size and found.min() < 0:
            self._outside(places, found < 0, where)
        return Cells(found, dims)

    def check_unique(self) -> None:
        """Raise when a member stands twice: its rows would be doubled, not merged."""
        if not self._consecutive and len(self):
            self._inverse  # noqa: B018  (building it refuses repeated members)

    def _find(self, keys: Array) -> Array:
        table, order = self._inverse
        if order is None:
            return table[keys]
        place = np.minimum(np.searchsorted(table, keys), len(table) - 1)
        return np.where(table[place] == keys, order[place], -1)

    def _outside(self, places: Sequence[Array], bad: Array, where: str) -> None:
        first = tuple(np.argwhere(bad)[0])
        member = ", ".join(
            f"{word}={int(part[first])}" for word, part in zip(self.labels, places, strict=True)
        )
        raise RuleError(
            f"index {member} of {where} is outside its set {self.name or 'of ' + self.labels[0]}"
        )


def indices_along(table: Array, dim: Dim, origin: Set | None) -> Any:
    """Index along a dimension, or one a component, over the members of ``table``."""
    made = tuple(
        Index(table[:, j], (dim,), None if origin is None else (origin, j))
        for j in range(table.shape[1])
    )
    return made if len(made) > 1 else made[0]


def _whole(part: Any, where: str) -> Cells:
    if isinstance(part, Index | int | np.integer):
        return as_cells(part)
    if isinstance(part, Cells) and part.values.dtype.kind == "i":
        return part
    raise RuleError(f"an index of {where} is {type(part).__name__}, not an index or integer")


def locate_product(sets: Sequence[Set], parts: Sequence[Any], where: str) -> Cells:
    """Position in the product of ``sets`` (last fastest) of the indices ``parts``."""
    width = sum(s.width for s in sets)
    if len(parts) != width:
        raise RuleError(f"{where} takes {width} index(es), got {len(parts)}")
    position: Any = None
    at = 0
    for one in sets:
        found = one.locate(parts[at : at + one.width], where)
        at += one.width
        position = found if position is None else position * len(one) + found
    return position if position is not None else Cells(np.zeros((), np.int64), ())


def refuse_loop() -> None:
    """Raise `RuleError`: a rule went on where a sum would have stopped."""
    raise RuleError(
        "the rule loops over an index set itself; sum with Sum(... for i in m.set), "
        "not with sum(), a list or a for statement"
    )


class IndexedSet(Members):
    """A set for every member of another: ``m.jobs_at[t]``.  Ragged, stored without padding.

    Parameters
    ----------
    over
        Index set, or tuple of index sets, of the keys.
    members
        One list of members per key, in the order of ``over`` (of the product, for a tuple).
    label
        As for :class:`Set`.
    """

    def __init__(
        self,
        over: Set | tuple[Set, ...],
        members: Sequence[Iterable[Any]],
        label: str | Sequence[str] = "index",
    ) -> None:
        self.over = over if isinstance(over, tuple) else (over,)
        labels = words_of(label)
        width = len(labels)
        groups = [table_of(group, width) for group in members]
        table = np.concatenate(groups) if groups else np.zeros((0, width), np.int64)
        super().__init__(table, labels)
        self.counts = np.array([len(g) for g in groups], np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)])
        self._check_unique()
        expected = math.prod(len(s) for s in self.over)
        if len(groups) != expected:
            raise RuleError(f"an indexed set has {len(groups)} groups for {expected} keys")

    def _check_unique(self) -> None:
        """Raise when a group holds a member twice; all groups are sorted at once."""
        keys = np.repeat(np.arange(len(self.counts)), self.counts)
        order = np.lexsort((*self.table.T, keys))
        rows = np.column_stack([keys, self.table])[order]
        twice = (np.diff(rows, axis=0) == 0).all(axis=1)
        if twice.any():
            key = rows[int(twice.argmax()), 0]
            raise RuleError(f"group {key} of an indexed set holds a member twice")

    def group(self, key: int) -> list[Any]:
        """Members for key number ``key``, as plain integers or tuples."""
        rows = self.table[self.starts[key] : self.starts[key + 1]].tolist()
        return [row[0] for row in rows] if self.width == 1 else [tuple(row) for row in rows]

    def __getitem__(self, key: Any) -> _Group:
        parts = key if isinstance(key, tuple) else (key,)
        return _Group(self, locate_product(self.over, parts, self.name or "an indexed set"))


class _Group:
    """``jobs_at[t]`` inside a rule: iterating opens a dimension that refines that of t."""

    def __init__(self, family: IndexedSet, key: Cells) -> None:
        self.family = family
        self.key = key

    def __iter__(self) -> Iterator[Any]:
        reader = current()
        if reader is None:
            yield from self.family.group(int(self.key.values))
            return
        yield reader.enter(self)
        if not reader.draining:
            refuse_loop()

    def opened(self, trace: Trace) -> Any:
        """Open a dimension with one place per (key, member) pair that occurs."""
        family, key = self.family, self.key
        dims = join(key.dims, *((trace.finest(d),) for d in key.dims))
        shape = [d.size for d in dims]
        keys = np.broadcast_to(key.onto(dims), shape).ravel()
        counts = family.counts[keys]
        parent = np.repeat(np.arange(len(keys)), counts)
        first = np.cumsum(counts) - counts
        rows = family.starts[keys][parent] + np.arange(len(parent)) - first[parent]
        places = np.unravel_index(parent, shape) if len(dims) > 1 else (parent,) * len(dims)
        dim = trace.push(len(parent), dict(zip(dims, places, strict=True)))
        return indices_along(family.table[rows], dim, None)
