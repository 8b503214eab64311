"""What bounds the welfare is beyond no optimum, and closes what its relaxation leaves."""

import pytest

import farkas
from tests.offline.bounds import bounds, closed
from tests.tools.shared import shared


def test_prices_and_listed_schedules_bound_the_welfare():
    found, best, _ = bounds("eris/tiny", "eris.offline[explicit]")
    assert list(found) == ["eris.pooled_prices", "eris.column_prices", "eris.schedule_ilp"]
    assert "eris.schedule_ilp" in closed(found, best)
    found, best, _ = bounds("eris/integrality_gap", "eris.offline")
    assert closed(found, best) == {"eris.schedule_ilp"}


@pytest.mark.slow
def test_the_medium_case_is_proved():
    path = shared("cases", "eris", "eris-medium-public.json")
    solution = farkas.solve(str(path), "eris.offline", certify=True)
    assert abs(float(solution.bound) - 69.759) < 1e-3
    assert solution.gap <= 1e-9
    assert farkas.check(solution.certificate, str(path)).bound == solution.bound
