"""coded.assignment_dual: prices of masters and wages of workers."""

import pytest

from farkas.duals.coded.assignment_dual import AssignmentDual
from farkas.errors import NotApplicable
from farkas.models.coded.kernel import Pairs
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.coded import by_speed, random_coded_computing


def test_prices_and_wages_written_out():
    # v = (4, 0), (2, 1) in multiples of 4: 1, 0, 1/2, 1/4
    form = AssignmentDual().form(by_speed([[4, 0], [2, 1]]))
    assert row(form, "a_worker_earns_what_it_is_worth[0,0]") == "+1 price[0] -1 wage[0] <= 0"
    assert row(form, "a_worker_earns_what_it_is_worth[1,1]") == "+0.25 price[1] -1 wage[1] <= 0"
    assert row(form, "a_worker_earns_what_it_is_worth[0,1]") == "-1 wage[1] <= 0"
    assert row(form, "wages_are_normalised") == "+1 wage[0] +1 wage[1] <= 1"
    # worker 0 wholly for master 0 up to k: 4 (1 - k) = 2 k + 1 at k = 1/2, level 2, time 4/2
    assert solve(form).objective == pytest.approx(2.0)


@pytest.mark.parametrize("seed", range(4))
def test_every_point_is_a_bound_and_the_best_is_the_time(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    answer = solve(AssignmentDual().form(data)).require_optimal()
    top = Pairs.of(data).speed.max()
    assert answer.objective / top == pytest.approx(shared_optimum(data).time, rel=1e-9)


def test_a_master_without_worker_has_no_price():
    with pytest.raises(NotApplicable, match="infinite"):
        AssignmentDual().form(by_speed([[0, 0], [1, 1]]))
