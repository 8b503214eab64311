"""What counts as the cheapest placement of a broker: runs under strict semantics."""

from __future__ import annotations

from fractions import Fraction

import pytest

import farkas
from farkas.exact.bounding import Deadline
from farkas.offline import Ladder, climb
from farkas.offline.ladder import Ascent, ladders
from farkas.offline.mlbroker.optimum import at_once
from tests.generators.mlbroker import edge_cases, random_brokerage
from tests.offline.bounds import bounds, closed


@pytest.mark.parametrize("semantics", ["strict", "printed"])
def test_bounds_under_either_semantics_hold_for_the_cheapest_placement(semantics):
    # strict semantics allow less than printed ones, so that bounds on either hold for strict runs
    data = farkas.load("mlbroker/tiny")
    best = farkas.optimum(data, gap=1e-6, time_limit=60)
    run = farkas.run(data, "mlbroker.fractional", semantics=semantics)
    assert run.certificate.certificate["program"] == f"mlbroker.relaxed[tight,{semantics}]"
    assert ladders["mlbroker.optimum"].bounds(run.certificate, best.run.decisions)
    assert run.certificate.fraction <= best.value
    assert best.run.options == {"semantics": "strict"}


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_relaxations_on_the_envelope_meet_the_tiny_optimum(semantics):
    # 16.8 by the sheet of the kind; its own relaxation proves 14.19
    found, best, _ = bounds("mlbroker/tiny", f"mlbroker.offline[{semantics}]")
    names = [f"mlbroker.relaxed[tight,{semantics}]", f"mlbroker.offline[{semantics},choice,split]"]
    if semantics == "strict":
        names.insert(1, "mlbroker.relaxed[sharp,strict]")
    assert list(found) == names
    assert closed(found, best) == set(names)


def test_a_variant_does_not_bound_itself():
    found, _, _ = bounds("mlbroker/tiny", "mlbroker.offline[printed,choice,split]")
    assert list(found) == ["mlbroker.relaxed[tight,printed]"]


@pytest.mark.slow
def test_the_tightest_variant_proves_the_demo():
    # the relaxation of the printed program proves 10.6, that on the envelope 146.2
    solution = farkas.solve("mlbroker/demo", "mlbroker.offline", certify=True)
    assert solution.proved_by == "mlbroker.offline[printed,choice,split]"
    assert abs(solution.gap) <= 1e-9 * float(solution.bound)


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
