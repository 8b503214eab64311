"""What bounds dedicated assignments is beyond no optimum, and has the same one."""

import itertools

import numpy as np
import pytest

import farkas
from farkas.models.coded.assignment import level
from farkas.models.coded.kernel import Pairs
from tests.offline.bounds import bounds, closed


@pytest.mark.parametrize("instance", ["coded/tiny", "coded/demo"])
def test_workers_by_type_have_the_same_optimum(instance):
    found, best, _ = bounds(instance, "coded.assignment")
    assert closed(found, best) == {"coded.assignment_by_type"}


def test_what_is_proved_by_type_is_no_faster_than_the_fastest_assignment():
    data = farkas.load("coded/demo")
    solution = farkas.solve(data, "coded.assignment", certify=True)
    assert solution.proved_by == "coded.assignment_by_type"
    assert abs(solution.gap) <= 1e-9
    # every assignment of the demo, one by one
    speed = Pairs.of(data).speed
    owners = itertools.product(range(len(speed)), repeat=speed.shape[1])
    masters = np.arange(len(speed))[:, None]
    best = max(level(speed, (masters == np.array(owner)).astype(float)) for owner in owners)
    assert float(solution.bound) == pytest.approx(best / speed.max(), rel=1e-12)
