"""Plans in closed form: shares, real loads, and the whole loads that are sent."""

import numpy as np
import pytest

from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import Allocation, dedicated_plan, dedicated_share, shared_plan
from farkas.models.coded.surrogate import surrogate_times
from farkas.relaxations.coded.sharing import shared_optimum
from tests.generators.coded import by_speed, random_coded_computing


@pytest.mark.parametrize("seed", range(4))
def test_the_plan_of_the_linear_program_takes_its_time(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    found = shared_optimum(data)
    plan = shared_plan(data, found.share, found.time)
    assert surrogate_times(data, plan.share, plan.loads).max() == pytest.approx(
        found.time, rel=1e-12
    )


def test_whole_loads_round_up_but_not_for_noise():
    plan = Allocation(np.ones((1, 4)), np.array([[2.0, 2.0 + 1e-12, 2.001, 0.0]]))
    assert plan.whole_loads.tolist() == [[2, 2, 3, 0]]


def test_idle_workers_belong_to_nobody():
    assert dedicated_share(np.array([1, -1, 0]), 2).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_each_master_has_its_own_time():
    # speeds 1 + 3 and 2, times 1/4 and 1/2; a load is time / φ with φ = h / u
    data = by_speed([[1, 3, 5], [1, 1, 2]], rows=3)
    plan = dedicated_plan(data, np.array([0, 0, 1]))
    assert plan.share.tolist() == [[1, 1, 0], [0, 0, 1]]
    per_row = Pairs.of(data).time_per_row
    want = [[0.25 / per_row[0, 0], 0.25 / per_row[0, 1], 0], [0, 0, 0.5 / per_row[1, 2]]]
    assert plan.loads == pytest.approx(np.array(want))


def test_forbidden_workers_stay_idle():
    plan = dedicated_plan(by_speed([[0, 3], [1, 1]]), np.array([0, 0]))
    assert plan.share.tolist() == [[0, 1], [0, 0]]
    assert plan.loads[0, 0] == 0


def test_shared_workers_are_loaded_whatever_their_share_and_never_for_ever():
    data, share = by_speed([[1, 3], [1, 1]]), np.array([[0.5, 0], [0.01, 1]])
    plan = shared_plan(data, share, 2.0)
    assert plan.loads[0, 0] == pytest.approx(2.0 / Pairs.of(data).time_per_row[0, 0])
    assert plan.loads[0, 1] == 0
    assert plan.loads[1, 0] == pytest.approx(plan.loads[0, 0])
    assert not shared_plan(data, share, np.inf).loads.any()


def test_dedicated_plans_skip_masters_without_workers():
    data = by_speed([[1, 1, 1], [1, 1, 1]])
    plan = dedicated_plan(data, np.array([0, 0, -1]))
    assert plan.loads[1].tolist() == [0, 0, 0]
    assert plan.share.sum(axis=0).tolist() == [1, 1, 0]
