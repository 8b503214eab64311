"""What a kind brings to the search for its worst instances."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

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
    #: As ``complete``, by name of the one algorithm that reads what is filled in: moves of others
    #: are not spent on it.
    needs: Mapping[str, Callable[[Plain, float], None]] = dataclasses.field(default_factory=dict)
    #: Families whose numbers may also be null where draws have both, by moves.
    optional: tuple[str, ...] = ()
    #: Families whose numbers are null at 0, so that a range from 0 makes them optional, each with
    #: one that is null in the same places.
    null_at_zero: Mapping[str, str] = dataclasses.field(default_factory=dict)
    #: Ranges that follow from those that were asked for, both by family.
    implied: Callable[[Ranges], Ranges] = lambda given: {}
    records: str = "jobs"  #: Field that holds the jobs, or what else can be left out and doubled.
    #: Fields whose numbers and lengths add up to the size of an instance.
    counted: tuple[str, ...] = ("jobs",)
    #: Algorithms that are asked for better decisions first, because they are fast.
    witnesses: tuple[str, ...] = ()


#: By kind; a kind without one has boxes around instances only, and loses jobs only.
shapes: Registry[KindShape] = Registry("shape of instances", "farkas.adversary")


def shape_of(kind: str) -> KindShape:
    """Return the shape of a kind, or one that knows nothing of it."""
    return (shapes.get(kind) if kind else None) or KindShape()


def without(data: Plain, index: int, *paths: tuple[str, ...], count: str = "") -> Plain:
    """Copy plain data without entry ``index`` of the lists at ``paths``.

    Parameters
    ----------
    paths
        Fields from the top down; ``*`` stands for every entry of a list.
    count
        Field that counts what is left out; none if empty.

    >>> without({"n": 2, "a": [[1, 2], [3, 4]]}, 0, ("a", "*"), count="n")
    {'n': 1, 'a': [[2], [4]]}
    """
    found: Plain = copied(data)
    for path in paths:
        for held in list(_reached(found, path)):
            del held[index]
    if count:
        found[count] -= 1
    return found


def _reached(data: Any, path: tuple[str, ...]) -> Iterator[list[Any]]:
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
