"""Nothing depends on the unit of money, data, capacity or time: results scale exactly."""

from __future__ import annotations

import functools
import itertools
import typing
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from farkas.instances import Instance, library
from tests.metamorphic.compared import agree, leaves, times
from tests.metamorphic.effects import power, share, told
from tests.metamorphic.instances import few
from tests.metamorphic.objects import Measured, Values, objects
from tests.metamorphic.units import NUMBERS, UNIT_OF, in_units, same, units

POWERS = (-60, -40, -10, 10, 40, 60)
OBJECTS = list(objects())


@functools.cache
def plainly(what: Measured, instance: Instance) -> Values:
    return what.on(same(instance))


def differences(
    what: Measured, instance: Instance, unit: str, exponents: Sequence[int]
) -> Iterator[str]:
    """Results that do not scale as the table says, in words."""
    known = plainly(what, instance)
    if not any(told(path, unit) for path, _ in results(what, known)):
        return
    for exponent in exponents:
        found = what.on(in_units(instance, unit, 2.0**exponent))
        where = f"{what}, {instance.name}, {unit} x 2^{exponent}"
        pairs = [*results(what, known)], [*results(what, found)]
        if [path for path, _ in pairs[0]] != [path for path, _ in pairs[1]]:
            yield f"{where}: {pairs[1]} instead of {pairs[0]}"
            continue
        for (path, one), (_, other) in zip(*pairs, strict=True):
            wanted = times(one, exponent * power(path, what.kind, unit))
            if told(path, unit) and not agree(other, wanted, share(path)):
                yield f"{where}: {path} is {other}, not {wanted}"


def results(what: Measured, values: Values) -> Iterator[tuple[str, Any]]:
    """Every number and word among results, with the sort of the object and all names above it."""
    for key, value in sorted(values.items()):
        for inside, leaf in leaves(value):
            yield f"{what.sort} {what.path(key)}{inside}", leaf


@pytest.mark.parametrize("what", OBJECTS, ids=str)
def test_results_scale_with_the_unit(what: Measured) -> None:
    turn = OBJECTS.index(what)  # every object meets every unit at two powers, far and near
    wrong = [
        said
        for instance in few(what.kind)
        for place, unit in enumerate(units(what.kind))
        for said in differences(what, instance, unit, [POWERS[(turn + place) % 6]])
    ]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize(("name", "unit"), [
    ("mlbroker.relaxed[tight,printed]", "money"),
    ("mlbroker.regularized[printed,printed]", "capacity"),
    ("gadget.worker_relaxation", "capacity"),
    ("eris.offline[compact]", "all"),
    ("mlbroker.offline[printed,two,global]", "data"),
])  # fmt: skip
def test_programs_that_once_had_another_optimum_or_bound_in_other_units(
    name: str, unit: str
) -> None:
    # 41.6 for 13.4 at 2^-60; models that HiGHS refused at 2^60; bounds that moved by 1e-9
    (what,) = (each for each in OBJECTS if each.name == name and each.sort != "quantity")
    for instance in few(what.kind):
        assert not list(differences(what, instance, unit, (-60, -10, 10, 60)))


@pytest.mark.parametrize("kind", UNIT_OF)
def test_every_number_of_an_instance_has_a_unit_or_is_said_to_have_none(kind: str) -> None:
    known = {path for paths in UNIT_OF[kind].values() for path in paths} | {*NUMBERS[kind]}
    assert set(real_fields(type(library.load(f"{kind}/tiny")))) == known


def real_fields(record: Any, above: str = "") -> Iterator[str]:
    """Paths of the fields below a record in which a schema allows numbers that are not whole."""
    for field in msgspec.structs.fields(record):
        types, path = list(parts(field.type)), f"{above}{field.encode_name}"
        if float in types:
            yield path
        for inner in types:
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                yield from real_fields(inner, f"{path}.")


def parts(annotation: Any) -> Iterator[Any]:
    """What a type is made of."""
    inside = typing.get_args(annotation)
    yield from [annotation] if not inside else itertools.chain(*map(parts, inside))
