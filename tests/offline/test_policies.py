"""What algorithms decide and prove, as rungs: the same as their runs."""

from fractions import Fraction

import pytest

import farkas
from farkas.exact.bounding import Deadline
from farkas.offline import Ascent, ladders
from farkas.offline.climbing import decided, policies

NAMES = ["mlbroker.fractional", "mlbroker.opt", "eris.tiresias", "dps.bfp_coord", "gadget.las"]


def ascent(seconds=60.0):
    return Ascent("min", Deadline(seconds), Fraction(0))


@pytest.mark.parametrize("name", NAMES)
def test_a_rung_is_what_the_run_is(name):
    kind = name.partition(".")[0]
    instance = farkas.load(f"{kind}/tiny" if kind == "mlbroker" else f"{kind}/demo")
    (found,) = policies(name)(instance, ascent())
    run = farkas.run(instance, name)
    assert found.bound == run.certificate
    if name != "mlbroker.fractional":  # whose decisions are no placements
        assert ladders[f"{kind}.optimum"].run(instance, found.decisions).value == run.value


def test_after_the_deadline_an_algorithm_begins_only_where_nothing_is_decided():
    market, late = farkas.load("dps/demo"), ascent(0.0)
    climber = policies("dps.simple", "dps.bfp_coord")(market, late)
    first = next(climber)
    late.run = ladders["dps.optimum"].run(market, first.decisions)
    assert list(climber) == []


def test_an_algorithm_alone_proves_nothing():
    auction = farkas.load("eris/demo")
    _, bound = decided("eris.tiresias", auction)
    _, proved = decided("eris.tiresias", auction, certify=True)
    assert bound is None
    assert proved == farkas.run(auction, "eris.tiresias").certificate
