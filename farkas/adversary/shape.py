"""What a kind brings to the search for its worst instances, and the box that is searched.

A box holds sizes at most, and a range for every number.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from farkas.errors import InvalidInstance, InvalidOption
from farkas.instances import Instance
from farkas.instances.files import kind_class
from farkas.instances.generate import generate
from farkas.messages import named
from farkas.registry import Registry

Plain = dict[str, Any]  #: Fields of an instance as lists, mappings and numbers.


Ranges = Mapping[str, tuple[float, float]]  #: Lowest and highest value by family of numbers.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class KindShape:
    """How instances of a kind are drawn small, mended and made smaller."""

    preset: str = "small"  #: Of the generator, where a box names none.
    #: Setting of the generator by the word of ``--size``.
    sizes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    #: Sizes, by setting of the generator, of a box that names none.
    smallest: Mapping[str, int] = dataclasses.field(default_factory=dict)
    #: Families of fields, by a word of ``--range`` that is not the name of their field.
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    #: Changes fields in place so that they fit together again: order of arrivals, lengths.
    mend: Callable[[Plain], None] = lambda data: None
    #: Yields copies with one job, site, server, worker, slot or other part less.
    smaller: Callable[[Plain], Iterator[Plain]] = lambda data: iter(())
    #: Fills in place what the generator leaves open, with a share in (0, 1) that grows from one
    #: draw to the next.
    complete: Callable[[Plain, float], None] = lambda data, share: None
    #: Families whose numbers may also be null where draws have both, by moves.
    optional: tuple[str, ...] = ()
    #: Families whose numbers are null at 0, so that a range from 0 makes them optional, each with
    #: one that is null in the same places.
    null_at_zero: Mapping[str, str] = dataclasses.field(default_factory=dict)
    #: Ranges that follow from those that were asked for, both by family.
    implied: Callable[[Ranges], Ranges] = lambda given: {}
    records: str = "jobs"  #: Field that holds the jobs, or what else can be left out and doubled.
    #: Algorithms that are asked for better decisions first, because they are fast.
    witnesses: tuple[str, ...] = ()


#: By kind; a kind without one has boxes around instances only, and loses jobs only.
shapes: Registry[KindShape] = Registry("shape of instances", "farkas.adversary")


def shape_of(kind: str) -> KindShape:
    """Return the shape of a kind, or one that knows nothing of it."""
    return (shapes.get(kind) if kind else None) or KindShape()


def without(data: Plain, index: int, *paths: str, count: str = "") -> Plain:
    """Copy plain data without entry ``index`` of the lists at ``paths``, and count one less.

    In paths, fields from the top down, ``*`` stands for every entry of a list; what is null has no
    parts.

    >>> without({"n": 2, "a": [[1, 2], [3, 4]]}, 0, "a.*", count="n")
    {'n': 1, 'a': [[2], [4]]}
    """
    found: Plain = copied(data)
    for path in paths:
        for held in list(_reached(found, path.split("."))):
            del held[index]
    if count:
        found[count] -= 1
    return found


def _reached(data: Any, path: Sequence[str]) -> Iterator[list[Any]]:
    if not path:
        yield data
        return
    first, rest = path[0], path[1:]
    inside = data if first == "*" else [data[first]]
    for part in inside:
        if part is not None:
            yield from _reached(part, rest)


def copied(value: Any) -> Any:
    """Copy plain data, all the way down."""
    if isinstance(value, dict):
        return {name: copied(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [copied(part) for part in value]
    return value


DRAWS = 20  #: Draws of a generator between whose smallest and largest value a number may lie.

Entry = tuple[Any, Any]  #: A list or mapping, and the index or key of a number in it.


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """Numbers that a family of fields may hold."""

    #: low, high: both inclusive.
    low: float
    high: float
    whole: bool  #: Whether only integers.

    @property
    def open(self) -> bool:
        """Whether there is anything to choose."""
        return self.low < self.high

    def clipped(self, value: float) -> float:
        """Nearest number of the range."""
        near = min(max(value, self.low), self.high)
        return round(near) if self.whole else float(near)


@dataclasses.dataclass(frozen=True, slots=True)
class InstanceBox:
    """Instances to search among."""

    kind: str  #: Of all of them.
    #: Plain fields of the instances from which the search starts, inside the ranges.
    starts: tuple[Plain, ...]
    #: By family: the path of a number without indices, for example ``jobs[].utility[]``.
    ranges: Mapping[str, Range]
    most: int  #: Jobs, or whatever the kind leaves out and doubles, at most.
    optional: frozenset[str] = frozenset()  #: Families whose numbers may be null.
    fixed: bool = False  #: Whether sizes are those of a start: nothing is left out or doubled.

    @classmethod
    def drawn(
        cls,
        kind: str,
        *,
        preset: str | None = None,
        size: Mapping[str, int] | None = None,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        seed: int = 0,
    ) -> InstanceBox:
        """Return a box around draws of the kind's generator.

        ``preset`` is the generator's; by default that of the kind's shape with its smallest sizes,
        changed by ``size``, for example ``{"jobs": 3}``.  Numbers lie in ``ranges``, by name of a
        field or of its family, or between the ends of `DRAWS` draws from ``seed`` on.  Raises
        `UnknownName` or `InvalidOption`: there is no such preset, size or range.
        """
        shape = shape_of(kind)
        settings: dict[str, Any] = {} if preset is not None else dict(shape.smallest)
        for word, count in (size or {}).items():
            if word not in shape.sizes:
                wrong = f"kind {kind} has no size {named(word)}"
                raise InvalidOption.near(wrong, word, shape.sizes)
            if count < 1:
                raise InvalidOption(f"size {named(word)} = {count}; give at least 1")
            settings[shape.sizes[word]] = count
        chosen = preset or shape.preset
        drawn = [plain_of(generate(kind, chosen, seed + s, **settings)) for s in range(DRAWS)]
        for index, data in enumerate(drawn):
            shape.complete(data, (index + 1) / (DRAWS + 1))
        return cls.spanned(kind, drawn, ranges)

    @classmethod
    def around(
        cls, instance: Instance, *, ranges: Mapping[str, tuple[float, float]] | None = None
    ) -> InstanceBox:
        """Return a box around one instance; raises `InvalidOption`: a range names no number.

        Every number lies between the smallest and the largest of its family.  Where ranges are
        given, numbers that none of them names stay as they are.
        """
        return cls.spanned(instance.kind, [plain_of(instance)], ranges, only=bool(ranges))

    @classmethod
    def spanned(
        cls,
        kind: str,
        starts: Sequence[Plain],
        ranges: Mapping[str, tuple[float, float]] | None = None,
        *,
        only: bool = False,
    ) -> InstanceBox:
        """Return a box around plain fields; without a kind these are any numbers and lists.

        Where ``only`` the ranges that are given count, other numbers stay as they are.
        """
        shape = shape_of(kind)
        seen: dict[str, Range] = {}
        for start in starts:
            for family, holder, key in entries(start):
                value = holder[key]
                old = seen.get(family, Range(value, value, True))
                whole = old.whole and isinstance(value, int)
                seen[family] = Range(min(old.low, value), max(old.high, value), whole)
        asked: dict[str, tuple[float, float]] = {}
        for word, (low, high) in (ranges or {}).items():
            families = _families(word, shape, seen)
            if not families:
                wrong = f"range {named(word)}: kind {kind} has no such number"
                raise InvalidOption.near(wrong, word, {_last(family) for family in seen})
            if not (math.isfinite(low) and math.isfinite(high) and low <= high):
                raise InvalidOption(f"range {named(word)}: give finite numbers LOW..HIGH")
            for family in families:
                asked[family] = (low, high)
        asked = {**shape.implied(asked), **asked}
        chosen = {
            family: Range(low, high, seen[family].whole) for family, (low, high) in asked.items()
        }
        allowed = chosen if only else {**seen, **chosen}
        inside = [copied(start) for start in starts]
        for start in inside:
            for family, holder, key in entries(start):
                if family in chosen:
                    holder[key] = chosen[family].clipped(holder[key])
            shape.mend(start)
        optional = {
            family
            for family in shape.optional
            if family in allowed
            and any(f == family and h[k] is None for one in inside for f, h, k in leaves(one))
        }
        optional |= {
            family
            for family in shape.null_at_zero
            if family in allowed and allowed[family].low <= 0 < allowed[family].high
        }
        records = [start.get(shape.records) for start in starts] if kind else []
        most = max((len(held or ()) for held in records), default=0)
        return cls(kind, tuple(inside), allowed, most, frozenset(optional))

    def built(self, data: Plain) -> Instance | None:
        """Return the instance of plain data, mended; None where a rule of the kind refuses it."""
        try:
            shape_of(self.kind).mend(data)
            return kind_class(self.kind).build(**data)
        except (InvalidInstance, ArithmeticError, IndexError):
            return None


def plain_of(instance: Instance) -> Plain:
    """Fields of an instance as plain data, without what says nothing to an algorithm."""
    data = copied(msgspec.to_builtins(instance))
    for name in ("kind", *type(instance).bookkeeping, "seed"):
        data.pop(name, None)
    return dict(data)


def entries(data: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield every number of plain data: its family, what holds it, and its index or key."""
    for family, holder, key in leaves(data):
        if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            yield family, holder, key


def outside(data: Plain, ends: Plain, families: Collection[str]) -> str | None:
    """Say how plain data differ from others in more than numbers of some families in their ranges.

    These reach from the smallest to the largest number of a family in the others, ``ends``.

    >>> outside({"a": [2.5, 1], "b": 0}, {"a": [1, 3], "b": 0}, ("a[]",)) is None
    True
    >>> outside({"a": [4, 1], "b": 0}, {"a": [1, 3], "b": 0}, ("a[]",))
    'a[] = 4 is not in 1..3'
    """
    held: dict[str, list[float]] = {}
    for family, holder, key in entries(ends):
        held.setdefault(family, []).append(holder[key])
    near = copied(data)
    for (family, holder, key), (_, other, place) in zip(entries(near), entries(ends), strict=False):
        if family not in families or family not in held:
            continue
        low, high = min(held[family]), max(held[family])
        if not low <= holder[key] <= high:
            return f"{family} = {holder[key]!r} is not in {low!r}..{high!r}"
        holder[key] = other[place]
    return None if near == ends else f"more than {', '.join(families)} is different"


def leaves(data: Any, family: str = "") -> Iterator[tuple[str, Any, Any]]:
    """As `entries`, of everything that holds nothing itself."""
    named_keys = isinstance(data, dict)
    for key in data if named_keys else range(len(data)):
        here = f"{family}[]" if not named_keys else f"{family}.{key}" if family else str(key)
        if isinstance(data[key], dict | list):
            yield from leaves(data[key], here)
        else:
            yield here, data, key


def _last(family: str) -> str:
    return family.rpartition(".")[2].rstrip("[]")


def _families(word: str, shape: KindShape, known: Mapping[str, Range]) -> list[str]:
    wanted = shape.names.get(word, word)
    if wanted in known:
        return [wanted]
    return [family for family in known if _last(family) == wanted]
