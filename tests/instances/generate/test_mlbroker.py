"""Random brokerages: published ranges, and what the settings change."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidInstance, InvalidOption
from farkas.instances.generate import generate
from farkas.instances.generate.mlbroker import Published
from farkas.instances.variates import dirichlet


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_site": 3}, "generator mlbroker has no setting 'num_site'; did you mean num_sites"),
        ({"num_sites": "3"}, r"num_sites = '3'; expected a whole number, got text$"),
        ({"duration": [8, 3]}, r"duration = \[8, 3\]; the lower end comes first"),
        ({"data_volume": float("nan")}, "data_volume = nan; expected a finite number, got nan$"),
        ({"base_price": []}, "at least one resource is needed"),
        ({"discount_threshold": [[1, 2]]}, "give one per resource"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(InvalidOption, match=message):
        generate("mlbroker", **settings)


def test_a_constant_that_is_too_small_is_found_by_the_instance():
    with pytest.raises(InvalidInstance, match="smallest valid constant"):
        generate("mlbroker", "small", big_m=0.01)


def test_the_published_brokerage_keeps_to_the_published_ranges():
    data = generate("mlbroker", seed=1)
    # 10 jobs per slot x 50 slots / mean duration 5.5 = 90.9
    assert (data.num_sites, data.num_slots, data.num_resources, data.num_jobs) == (15, 50, 4, 91)
    off = data.transfer[~np.eye(15, dtype=bool)]
    assert off.min() >= 0.01
    assert off.max() <= 0.02
    ratio = data.reduced_price / data.list_price
    assert ratio.min() >= 0.7
    assert ratio.max() <= 0.8
    assert np.all(
        (data.threshold >= [500, 800, 1000, 1000]) & (data.threshold <= [600, 1000, 1050, 1050])
    )
    assert np.all((data.worker_demand >= [0, 1, 2, 5]) & (data.worker_demand <= [4, 10, 32, 10]))
    assert np.all(data.server_demand[:, 0] == 0)
    assert np.all((data.worker_capacity >= 16) & (data.worker_capacity <= 66))
    assert np.all((data.deploy_cost >= 0.05 * 4.32) & (data.deploy_cost <= 0.1 * 82.8))
    total = data.volume.sum(axis=1)
    assert total.min() >= 400 - 1e-9
    assert total.max() <= 600 + 1e-9
    windows = data.departure - data.arrival + 1
    assert windows.max() <= 8
    assert np.all((windows >= 3) | (data.departure == 49))


def test_the_number_of_jobs_follows_from_their_mean_duration():
    # 10 jobs a slot, 50 slots, 5.5 slots each: 90.9; twice as many for half as long
    assert Published().count() == 91
    assert Published(duration=(1, 1), jobs_per_slot=2.0, num_slots=7).count() == 14
    assert Published(num_jobs=0).count() == 0


CHOICES = {
    "published": {"num_slots": 6},
    "scaled": {"num_slots": 9, "price_scale": 0.5, "transfer_scale": 3.0, "epsilon": 0.7},
    "models as images": {"num_slots": 9, "image": "sync_volume", "num_jobs": 7, "num_sites": 4},
    "short": {"num_slots": 4, "duration": (2, 3), "num_jobs": 9, "share_concentration": 0.2},
}


@pytest.mark.parametrize("choice", CHOICES)
def test_every_number_is_drawn_in_the_stated_order(choice):
    """The same draws by numpy's own calls, job by job, in the order that the module states."""
    given = CHOICES[choice]
    data, it = generate("mlbroker", seed=11, **given), Published(**given)
    rng, sites, resources = np.random.default_rng(11), it.num_sites, len(it.base_price)

    def table(ranges):
        return np.array([[rng.uniform(*each) for each in ranges] for _ in range(sites)])

    transfer = it.transfer_scale * rng.uniform(*it.transfer_price, (sites, sites))
    base = it.price_scale * table(it.base_price)
    cut = base * rng.uniform(*it.discount, (sites, resources))
    threshold = table(it.discount_threshold)
    off = ~np.eye(sites, dtype=bool)
    assert data.transfer[off] == pytest.approx(transfer[off], rel=1e-14)
    assert not data.transfer[~off].any()
    for found, wanted in ((data.list_price, base), (data.reduced_price, cut)):
        assert found == pytest.approx(wanted, rel=1e-14)
    assert data.threshold == pytest.approx(threshold, rel=1e-14)
    assert data.epsilon == it.epsilon
    count = it.num_jobs or round(10.0 * it.num_slots / 5.5)
    arrival = sorted(rng.integers(0, it.num_slots, count).tolist())
    lasts = [int(rng.integers(*it.duration, endpoint=True)) for _ in range(count)]
    capacity = [rng.uniform(*it.worker_capacity) for _ in range(count)]
    demands = [
        [[int(rng.integers(*each, endpoint=True)) for each in ranges] for _ in range(count)]
        for ranges in (it.worker_demand, it.server_demand)
    ]
    sync = [rng.uniform(*it.sync_volume) for _ in range(count)]
    own = it.image == "independent"
    image = [rng.uniform(*it.image_size) for _ in range(count)] if own else sync
    rate = [rng.uniform(*it.deploy_rate) for _ in range(count)]
    assert data.num_jobs == count
    for place, job in enumerate(data.jobs):
        begin, end = arrival[place], min(arrival[place] + lasts[place], it.num_slots) - 1
        assert (job.arrival, job.departure) == (begin, end)
        assert [list(job.worker_demand), list(job.server_demand)] == [d[place] for d in demands]
        assert job.worker_capacity == pytest.approx(capacity[place], rel=1e-14)
        assert job.sync_volume == pytest.approx(sync[place], rel=1e-14)
        assert job.deploy_cost == pytest.approx(rate[place] * image[place], rel=1e-14)
        shares = dirichlet(rng, it.share_concentration, (end - begin + 1, sites))
        for row, share in zip(job.data, shares, strict=True):
            # all totals of a job are drawn after its shares
            assert np.array(row) / sum(row) == pytest.approx(share, rel=1e-9)
        totals = [it.data_volume * rng.uniform(*it.data_noise) for _ in job.data]
        assert [sum(row) for row in job.data] == pytest.approx(totals, rel=1e-12)
