"""The best decisions with hindsight do not depend on units, order, or on what holds nothing."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from farkas.api.optimum import optimum
from farkas.instances import Instance
from farkas.offline import searches
from farkas.tolerances import OUTWARD_CLOSE, SIMPLEX
from tests.metamorphic.compared import agree
from tests.metamorphic.effects import VALUE, unit_parts
from tests.metamorphic.instances import few
from tests.metamorphic.symmetries import SYMMETRIES, changed, plain
from tests.metamorphic.units import JOINT, degree, in_units, same, units

POWERS = (-60, 10)
SLOW = ("coded.chance_optimum", "eris.optimum")
PRICES_TRIED = ("coded.chance_optimum",)
"""Searches whose bound is of the best prices that are found in turn, in the order of the file."""
SEARCHED = 0.05
"""Share by which such bounds may differ."""
LONG = 1e4
"""Seconds that no search here needs, so that none depends on how busy the machine is."""


class Found(NamedTuple):
    """Both sides of the optimum, exactly, and what moved them."""

    value: Fraction
    bound: Fraction
    methods: tuple[str, ...]
    sense: str

    def times(self, factor: Fraction) -> Found:
        return self._replace(value=self.value * factor, bound=self.bound * factor)


def search(name: str, instance: Instance) -> Found:
    found = optimum(instance, problem=searches[name].problem or None, time_limit=LONG)
    assert found.bound is not None
    methods = tuple(step.method for step in found.steps)
    return Found(found.value, found.bound, methods, found.sense)


@functools.cache
def known(name: str, instance: Instance, written: Any) -> Found:
    return search(name, written(instance))


def contradicted(one: Found, other: Found) -> bool:
    """Whether either has decisions that are better than what the other has proved."""
    better = (one.value - other.bound, other.value - one.bound)
    size = max(map(abs, (one.value, one.bound, other.value, other.bound)))
    worst = max(better) if one.sense == "max" else -min(better)
    return worst > OUTWARD_CLOSE * size


def cases() -> list[Any]:
    return [
        pytest.param(name, place, id=f"{name} {place}", marks=[pytest.mark.slow] * (name in SLOW))
        for name in searches.names()
        for place in range(len(few(searches[name].kind)))
    ]


@pytest.mark.ids(8)
@pytest.mark.parametrize(("name", "place"), cases())
def test_value_and_bound_scale_with_the_unit(name: str, place: int) -> None:
    kind = searches[name].kind
    instance = few(kind)[place]
    before = known(name, instance, same)
    for turn, unit in enumerate(units(kind)):
        exponent = POWERS[(turn + place) % 2]
        after = search(name, in_units(instance, unit, 2.0**exponent))
        power = exponent * degree(VALUE[kind], unit_parts(kind, unit))
        wanted = before.times(Fraction(2) ** power)
        where = f"{unit} x 2^{exponent}"
        if kind in JOINT and unit != "all":  # rules that post pure numbers find something else
            assert not contradicted(after, wanted), where
            assert agree(after.bound, wanted.bound, SIMPLEX), where
        elif any("branch and bound" in method for method in after.methods):
            # multipliers of a tree's leaves are rounded outwards, where their digits end
            assert agree(after.bound, wanted.bound, OUTWARD_CLOSE), where
            assert after._replace(bound=wanted.bound) == wanted, where
        else:
            assert after == wanted, where


@pytest.mark.ids(3)
@pytest.mark.parametrize(("name", "place"), cases())
def test_either_bound_holds_however_an_instance_is_written(name: str, place: int) -> None:
    kind = searches[name].kind
    instance = few(kind)[place]
    before, written = known(name, instance, plain), 0
    for symmetry, change in SYMMETRIES[kind].items():
        other = changed(instance, change)
        if other is not None:
            written += 1
            after = search(name, other)
            assert not contradicted(after, before), symmetry
            # a heuristic may find less in another order, but what is proved is of the instance
            room = SEARCHED if name in PRICES_TRIED else SIMPLEX
            assert agree(after.bound, before.bound, room), symmetry
    assert written >= 5
