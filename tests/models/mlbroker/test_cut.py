"""The market of one slot: its jobs with the data of that slot, sites and prices as they were."""

import numpy as np

from farkas.models.mlbroker.slot import market_of
from tests.generators.mlbroker import random_brokerage


def test_every_slot_keeps_its_jobs_and_data_and_all_prices() -> None:
    data = random_brokerage(2, sites=3, jobs=4, resources=2)
    for slot in range(data.num_slots):
        jobs = data.jobs_at(slot)
        market = market_of(data, slot, jobs)
        assert (market.num_slots, market.num_jobs, market.big_m) == (1, len(jobs), None)
        assert market.volume.tolist() == data.volume[data.pairs_at(slot)].tolist()
        assert np.array_equal(market.list_price, data.list_price)
        assert np.array_equal(market.transfer, data.transfer)
        assert market.deploy_cost.tolist() == data.deploy_cost[jobs].tolist()
        assert market.arrival.tolist() == market.departure.tolist() == [0] * len(jobs)


def test_fewer_jobs_in_any_order() -> None:
    data = random_brokerage(2, sites=3, jobs=4, resources=2)
    slot = int(np.argmax([len(data.jobs_at(t)) for t in range(data.num_slots)]))
    jobs = data.jobs_at(slot)[::-1]
    assert len(jobs) > 1
    market = market_of(data, slot, jobs[:2])
    assert market.worker_capacity.tolist() == data.worker_capacity[jobs[:2]].tolist()
