"""Results do not depend on the order of what has no order, nor on what holds nothing."""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest

from farkas.instances import Instance
from tests.metamorphic.compared import agree, leaves
from tests.metamorphic.exceptions import exempt, share
from tests.metamorphic.instances import few, many
from tests.metamorphic.objects import Measured, Values, objects
from tests.metamorphic.symmetries import SYMMETRIES, Data, changed, plain

OBJECTS = list(objects())
Results = dict[str, list[Any]]


def results(what: Measured, values: Values) -> Results:
    """Sorted numbers and words by name, without places; what a run decided is left out."""
    found: Results = defaultdict(list)
    for key, value in values.items():
        if key == "decisions":
            continue
        for inside, leaf in leaves(value):
            path = f"{what.sort} {what.path(key)}{inside}"
            found[re.sub(r"\[[\d,]+\]", "[]", path)].append(leaf)
    for path, numbers in found.items():
        if path == "quantity dps.fixed_price.served":  # places of jobs
            found[path] = [len(numbers)]
        numbers.sort(key=lambda leaf: (leaf is None, str(leaf) if isinstance(leaf, str) else "",
                                       leaf if isinstance(leaf, int | float) else 0))  # fmt: skip
    return dict(found)


@functools.cache
def plainly(what: Measured, instance: Instance) -> Results:
    return results(what, what.on(plain(instance)))


def contained(found: Sequence[Any], wanted: Sequence[Any], tolerance: float) -> bool:
    """Whether the wanted are among the found, each once; as many unless places were added."""
    rest = list(found)
    for leaf in wanted:
        fits = [number for number, other in enumerate(rest) if agree(other, leaf, tolerance)]
        if not fits:
            return False
        rest.pop(fits[0])
    return not rest or bool(wanted)


def differences(
    what: Measured, instance: Instance, change: Callable[[Data], None]
) -> Iterator[tuple[str, str]]:
    """Results that a change does not leave as they are: their names, and in words."""
    other = changed(instance, change)
    if other is None:
        return
    known, found = plainly(what, instance), results(what, what.on(other))
    for path in sorted({*known, *found}):
        one, two = known.get(path, []), found.get(path, [])
        if not contained(two, one, share(path)):
            yield path, f"{what}, {instance.name}: {path} is {two}, not {one}"


def together(changes: Sequence[Callable[[Data], None]]) -> Callable[[Data], None]:
    """One change after the other."""

    def change(data: Data) -> None:
        for each in changes:
            each(data)
            apart = msgspec.json.decode(msgspec.json.encode(data))  # no list in two places
            data.clear()
            data.update(apart)

    return change


def free(what: Measured) -> list[Callable[[Data], None]]:
    """Changes from which nothing of an object is exempt."""
    paths = plainly(what, few(what.kind)[OBJECTS.index(what) % 2])
    return [
        change
        for name, change in SYMMETRIES[what.kind].items()
        if not any(exempt(path, name) for path in paths)
    ]


@pytest.mark.parametrize("what", OBJECTS, ids=str)
def test_results_stay_when_everything_is_written_otherwise_at_once(what: Measured) -> None:
    instance = few(what.kind)[OBJECTS.index(what) % 2]
    wrong = [said for _, said in differences(what, instance, together(free(what)))]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.slow
@pytest.mark.parametrize("what", OBJECTS, ids=str)
def test_results_stay_when_anything_is_written_otherwise(what: Measured) -> None:
    wrong = [
        f"{name}: {said}"
        for instance, (name, change) in itertools.product(
            many(what.kind), SYMMETRIES[what.kind].items()
        )
        for path, said in differences(what, instance, change)
        if not exempt(path, name)
    ]
    assert not wrong, "\n".join(wrong[:10])
