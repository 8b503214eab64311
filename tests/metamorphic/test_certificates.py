"""What certificates of every type prove follows units, and holds however an instance is written.

Runs and searches write most types, but not on every small instance; here each is made by itself.
"""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from typing import Any

import pytest

from farkas.certificates import certificate_types, check, from_json
from farkas.instances import Instance
from farkas.tolerances import OUTWARD_CLOSE, SIMPLEX
from tests.fuzz import truth
from tests.fuzz.kinds import TARGETS, Target, of_payments
from tests.metamorphic.compared import agree
from tests.metamorphic.effects import VALUE, unit_parts
from tests.metamorphic.symmetries import SYMMETRIES, changed, plain
from tests.metamorphic.units import JOINT, degree, in_units, same, units

POWERS = (-60, -10, 40)

PROGRAMS = ("linear", "tree", "infeasible", "unbounded")
"""Tags of certificates about programs, whatever the kind; `objects` measures programs."""


def targets() -> list[Any]:
    """The last instance, mostly a drawn one, of every way to write a type for a kind."""
    ways = {
        (tag, target.instance.partition("/")[0], str(target.make.__qualname__)): (tag, place)
        for tag, of in TARGETS.items()
        for place, target in enumerate(of)
    }
    return [
        pytest.param(tag, place, id=f"{tag} {TARGETS[tag][place].instance} {way[2].split('.')[0]}")
        for way, (tag, place) in ways.items()
    ]


def test_every_type_of_a_kind_is_measured() -> None:
    known = {tag for tag in certificate_types.names() if not tag.startswith(PROGRAMS)}
    assert known == set(TARGETS)


def proved(target: Target, instance: Instance) -> Fraction:
    """What the certificate made for an instance proves, checked anew."""
    content = json.dumps(target.make(instance)).encode()
    bound = check(from_json(content), instance=instance).bound
    assert bound is not None
    return bound


@functools.cache
def plainly(tag: str, place: int, written: Any) -> Fraction:
    target = TARGETS[tag][place]
    return proved(target, written(truth.load(target.instance)))


@pytest.mark.ids(3)
@pytest.mark.parametrize(("tag", "place"), targets())
def test_bounds_scale_with_the_unit(tag: str, place: int) -> None:
    target = TARGETS[tag][place]
    instance = truth.load(target.instance)
    kind, before = instance.kind, plainly(tag, place, same)
    for turn, unit in enumerate(units(kind)):
        exponent = POWERS[(turn + place) % 3]
        after = proved(target, in_units(instance, unit, 2.0**exponent))
        power = exponent * degree(VALUE[kind], unit_parts(kind, unit))
        wanted = before * Fraction(2) ** power
        # rules that post pure numbers find other prices, but bounds of the same program
        room = SIMPLEX if kind in JOINT and unit != "all" else OUTWARD_CLOSE
        assert agree(after, wanted, room), f"{unit} x 2^{exponent}"


@pytest.mark.ids(3)
@pytest.mark.parametrize(("tag", "place"), targets())
def test_bounds_hold_however_an_instance_is_written(tag: str, place: int) -> None:
    target = TARGETS[tag][place]
    instance = truth.load(target.instance)
    before, written = plainly(tag, place, plain), 0
    for symmetry, change in SYMMETRIES[instance.kind].items():
        other = changed(instance, change)
        if other is not None:
            written += 1
            after = proved(target, other)
            if symmetry == "rows in pairs" and target.make is of_payments:
                assert before / 2 < after <= before, "whole loads are of half a row now"
            else:
                assert agree(after, before, SIMPLEX), symmetry
    assert written >= 4
