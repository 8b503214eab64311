"""Optima go the way that more of something lets them go, and relaxations bound what they relax."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from farkas.instances import Instance
from farkas.tolerances import SOLVER_GAP
from tests.metamorphic.growth import ANYWAY, GROWTH, LEVELS, ORDER, QUANTITIES, Growth
from tests.metamorphic.instances import few, many
from tests.metamorphic.objects import Measured, objects
from tests.metamorphic.symmetries import changed, plain

PROGRAMS = {
    each.name: each
    for each in objects()
    if each.sort in ("program", "convex") and each.kind != "coded"
} | {key: Measured("quantity", key) for key in QUANTITIES}


@functools.cache
def optimum(name: str, instance: Instance) -> float | None:
    """Optimum of a program as the instance stands; None where it has none."""
    return reached(PROGRAMS[name], plain(instance))


def reached(what: Measured, instance: Instance) -> float | None:
    """Optimum of a program, or value of a quantity."""
    return what.on(instance).get("optimum" if what.sort != "quantity" else what.name)


def beyond(small: float, large: float) -> bool:
    """Whether ``small`` exceeds ``large`` by more than solvers may."""
    return small - large > SOLVER_GAP * max(abs(small), abs(large))


def wrong_way(what: Measured, instance: Instance, name: str, growth: Growth) -> Iterator[str]:
    """Optima that go where they should not, in words."""
    old, other = optimum(what.name, instance), changed(instance, growth.change)
    if old is None or other is None:
        return
    new = reached(what, other)
    way, times = growth.way, growth.times
    if LEVELS.fullmatch(what.name):
        way, times = -way, 1 / times
    low, high = (times * old, new) if way > 0 else (new, times * old)
    if low is None or high is None or beyond(low, high):
        yield f"{what}, {instance.name}, {name}: {new} after {old}"


def growths(kind: str) -> Iterator[Any]:
    """Every program with every growth that is not said to go anyway."""
    for what, (name, growth) in itertools.product(PROGRAMS.values(), GROWTH[kind].items()):
        if what.kind == kind and not any(a.covers(str(what), name) for a in ANYWAY[kind]):
            yield what, name, growth


@pytest.mark.ids(1)
@pytest.mark.parametrize("kind", GROWTH)
def test_optima_go_the_way_of_what_grows(kind: str) -> None:
    # a third of the pairs, so that every program and every growth has its turn
    wrong = [
        said
        for turn, (what, name, growth) in enumerate(growths(kind))
        if turn % 3 == 0
        for said in wrong_way(what, few(kind)[turn % 2], name, growth)
    ]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("kind", GROWTH)
def test_every_growth_changes_an_instance(kind: str) -> None:
    for name, growth in GROWTH[kind].items():
        grown = [changed(each, growth.change) for each in many(kind)]  # of every one
        assert any(one is not None for one in grown), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", GROWTH)
def test_optima_go_the_way_of_what_grows_on_more_instances(kind: str) -> None:
    wrong = [
        said
        for (what, name, growth), instance in itertools.product(growths(kind), many(kind))
        for said in wrong_way(what, instance, name, growth)
    ]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.slow
@pytest.mark.parametrize("kind", GROWTH)
def test_what_goes_anyway_does(kind: str) -> None:
    for each in ANYWAY[kind]:
        for what, (name, growth) in itertools.product(PROGRAMS.values(), GROWTH[kind].items()):
            if what.kind == kind and each.covers(str(what), name):
                said = (s for i in many(kind) for s in wrong_way(what, i, name, growth))
                assert next(said, None), f"{what}, {name}: {each.why}: never seen"


@pytest.mark.parametrize("kind", ORDER)
def test_relaxations_bound_what_they_relax(kind: str) -> None:
    for chain, instance in itertools.product(ORDER[kind], few(kind)):
        known = [(name, optimum(name, instance)) for name in chain]
        found = [(name, value) for name, value in known if value is not None]
        for (one, low), (other, high) in itertools.pairwise(found):
            assert not beyond(low, high), f"{instance.name}: {one} {low}, {other} {high}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ORDER)
def test_relaxations_bound_what_they_relax_on_more_instances(kind: str) -> None:
    for chain, instance in itertools.product(ORDER[kind], many(kind)):
        known = [(name, optimum(name, instance)) for name in chain]
        found = [(name, value) for name, value in known if value is not None]
        for (one, low), (other, high) in itertools.pairwise(found):
            assert not beyond(low, high), f"{instance.name}: {one} {low}, {other} {high}"
