"""What counts as the cheapest placement of a broker: runs under strict semantics."""

import pytest

import farkas
from farkas.offline.ladder import ladders


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
