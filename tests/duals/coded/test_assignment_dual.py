"""coded.assignment_dual: prices of masters and wages of workers."""

import numpy as np
import pytest

from farkas.duals.coded.assignment_dual import AssignmentDual, LoadsDual
from farkas.errors import NotApplicable
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.loads import Owned
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


def test_worth_in_units_of_theorem_1():
    # speeds 1 + 3 for the first master, 2 for the second: 1/4 + 1/2, an idle worker counts nothing
    data = by_speed([[1, 3, 9, 9], [1, 1, 2, 9]])
    form = LoadsDual().form(Owned(data, np.array([0, 0, 1, -1])))
    assert form.cost == pytest.approx([0.25, 0.5])
    assert row(form, "more_load_gains_nothing[1]") == "+1 worth[1] <= 1"
    assert form.sense == "max"
    assert solve(form).objective == pytest.approx(0.75)


def test_an_instance_is_split_in_blocks():
    # two workers each: 1 + 3 and 2 + 9
    form = LoadsDual().form(by_speed([[1, 3, 9, 9], [1, 1, 2, 9]]))
    assert form.cost == pytest.approx([1 / 4, 1 / 11])


def test_the_master_that_waits_for_ever_is_named():
    with pytest.raises(NotApplicable, match="master 0 has no worker"):
        LoadsDual().form(Owned(by_speed([[1, 3], [1, 1]]), np.array([1, 1])))
