"""Ragged families of index sets: a set for every member of another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from farkas.algebra.cells import Cells, join
from farkas.algebra.expressions import Trace
from farkas.algebra.sets import (
    Members,
    Set,
    indices_along,
    locate_product,
    refuse_loop,
    table_of,
    words_of,
)
from farkas.algebra.tracing import current
from farkas.errors import RuleError


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
