"""What algorithms decide and prove, as rungs: the same as their runs."""

from fractions import Fraction

import pytest

import farkas
from farkas.exact.deadline import Deadline, OutOfTime
from farkas.offline import Ascent, ladders
from farkas.offline.policies import policies

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


def test_no_algorithm_begins_after_the_deadline():
    market = farkas.load("dps/demo")
    with pytest.raises(OutOfTime):
        list(policies("dps.simple")(market, ascent(0.0)))
