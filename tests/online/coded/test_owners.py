"""What planners share: one step, and owners that become plans."""

import dataclasses

import numpy as np
import pytest

from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.surrogate import surrogate_times
from farkas.online.coded.owner_tree import OwnerPlanner, Planner
from tests.generators.coded import random_coded_computing


@dataclasses.dataclass
class Everybody(OwnerPlanner):
    """All workers for the master that the seed says."""

    def owner(self, speed, seed):
        return np.full(speed.shape[1], seed)


def test_owners_get_the_loads_of_theorem_1():
    data = random_coded_computing(1, forbid=0.0)
    policy = Everybody()
    state, plan = policy.step(policy.start(None, 1), data)
    assert state == 1
    assert plan.share.tolist() == [[0] * 4, [1] * 4]
    times = surrogate_times(data, plan.share, plan.loads)
    assert times[1] == pytest.approx(theorem1_times(Pairs.of(data).speed, np.ones(4, int))[1])
    assert np.isinf(times[0])


def test_a_plan_that_finishes_is_certified_with_its_bound():
    data = random_coded_computing(1, masters=1, forbid=0.0)
    policy = Everybody()
    _, plan = policy.step(policy.start(None, 0), data)
    bound = policy.certify(data, 0, [plan])
    # alone, the only master's best time is Theorem 1's
    value = surrogate_times(data, plan.share, plan.loads).max()
    assert float(bound) == pytest.approx(value, rel=1e-9)
    assert float(bound) <= value


def test_a_planner_without_a_plan_says_so():
    with pytest.raises(NotImplementedError, match="Planner plans nothing"):
        Planner().plan(random_coded_computing(0), 0)
    with pytest.raises(NotImplementedError, match="OwnerPlanner chooses no owners"):
        OwnerPlanner().owner(np.ones((1, 1)), 0)
