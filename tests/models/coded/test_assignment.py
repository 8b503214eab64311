"""coded.assignment and the max-min structure that its relaxations share."""

import itertools

import numpy as np
import pytest

from farkas.models.coded.assignment import Assignment, level, tidy
from farkas.models.coded.kernel import Pairs
from farkas.solvers import solve
from tests.conformance.oracle import column, row
from tests.generators.coded import by_speed, random_coded_computing


def test_speeds_in_multiples_of_the_largest_written_out():
    # v = (4, 1) and (2, 0): 1, 1/4, 1/2, and a pair that is forbidden
    form = Assignment().form(by_speed([[4, 1], [2, 0]]))
    first = "0 <= +1 share[0,0] +0.25 share[0,1] -1 level"
    assert row(form, "every_master_reaches_the_level[0]") == first
    assert row(form, "every_master_reaches_the_level[1]") == "0 <= +0.5 share[1,0] -1 level"
    assert row(form, "one_master_per_worker[0]") == "+1 share[0,0] +1 share[1,0] <= 1"
    assert column(form, "share[1,0]") == "0 <= share[1,0] <= 1 integer"
    assert column(form, "share[1,1]") == "0 <= share[1,1] <= 0 integer"
    # the second master is no faster than 1/2, whoever serves it
    assert form.implied_upper[form.column_block("level").where].tolist() == [0.5]
    # the first worker for the second master, the second for the first: min(1/4, 1/2)
    assert solve(form).objective == pytest.approx(0.25)
    assert Assignment().scale(by_speed([[4, 1], [2, 0]])) == pytest.approx(4)


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_the_best_of_all_owners(seed):
    data = random_coded_computing(seed, masters=2, workers=5)
    speed = Pairs.of(data).speed
    best = max(
        min(sum(speed[m, n] for n in range(5) if owner[n] == m) for m in range(2))
        for owner in itertools.product(range(2), repeat=5)
    )
    assert solve(Assignment().form(data)).objective * speed.max() == pytest.approx(best)


def test_the_level_is_that_of_the_slowest_master():
    speed, share = np.array([[4.0, 1], [2, 8]]), np.array([[0.5, 0], [0.5, 0.25]])
    assert level(speed, share) == 2.0  # 4/2 against 2/2 + 8/4


def test_shares_of_a_solver_are_made_to_fit():
    # below 0 and above 1 are cut, a column of 1.25 is scaled, one of 0.75 is not, noise goes
    given = np.array([[-0.1, 1.5, 0.75, 0.25], [1.0, 1e-15, 0.5, 0.5]])
    assert tidy(given) == pytest.approx(np.array([[0, 1, 0.6, 0.25], [1, 0, 0.4, 0.5]]))
