"""What is there at once: a placement of its own kind, and a bound below the optimum."""

from __future__ import annotations

from fractions import Fraction

import pytest

import farkas
from farkas.exact.bounding import Deadline
from farkas.offline import Ladder, climb
from farkas.offline.ladder import Ascent
from farkas.offline.mlbroker.optimum import at_once
from tests.generators.mlbroker import edge_cases, random_brokerage

PROGRAM = "mlbroker.offline[strict,choice,split]"
CASES = {**edge_cases(), "random": random_brokerage(3, sites=3, jobs=3, resources=2)}


@pytest.mark.ids(9)
@pytest.mark.parametrize("name", CASES)
def test_the_optimum_lies_between(name):
    data = CASES[name]
    late = Ascent("min", Deadline(0.0), Fraction(0))
    bound, placed = at_once(data, late)
    optimum = farkas.prove(data, PROGRAM).value
    rounded = 1 + Fraction(1, 10**12)
    assert bound.bound.fraction <= optimum * rounded
    found = climb(data, Ladder("mlbroker.optimum", (at_once,)), gap=Fraction(0), time_limit=1e-9)
    assert optimum <= found.value * rounded
    assert found.value == Fraction(farkas.run(data, "mlbroker.local").reached)
    assert placed.method == "mlbroker.local"
