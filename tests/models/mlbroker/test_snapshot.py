"""One slot cut out of an instance."""

from __future__ import annotations

import pytest

from farkas.errors import NotApplicable
from farkas.models.mlbroker.one_shot import snapshot
from tests.generators.mlbroker import random_brokerage, single


def test_a_slot_is_an_instance_with_its_jobs_and_their_data():
    data = single([[5.0, 0.0], [1.0, 4.0]], discount_price=None)
    now = snapshot(data, 1, [[False, True]])
    assert (now.slot, now.jobs.tolist(), now.deployed.tolist()) == (1, [0], [[False, True]])
    assert (now.market.num_slots, now.market.num_jobs) == (1, 1)
    assert now.market.volume.tolist() == [[1.0, 4.0]]
    assert now.market.big_m is None


def test_nothing_is_deployed_before_arrival():
    data = single([[5.0, 0.0], [0.0, 5.0]])
    assert not snapshot(data, 0, [[True, True]]).deployed.any()


def test_an_inactive_job_is_refused():
    data = random_brokerage(1)
    away = [i for i in range(data.num_jobs) if i not in data.jobs_at(0)]
    assert away == [0, 1]
    with pytest.raises(NotApplicable, match="job 0 is not active in slot 0"):
        snapshot(data, 0, jobs=away)
