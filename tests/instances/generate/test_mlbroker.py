"""Random brokerages: published ranges, and what the settings change."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidInstance, InvalidOption
from farkas.instances.generate import generate
from farkas.instances.generate.mlbroker import Published


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_site": 3}, "generator mlbroker has no setting 'num_site'; did you mean num_sites"),
        ({"num_sites": "3"}, r"Expected `int`, got `str` - at `\$\.num_sites`"),
        ({"duration": [8, 3]}, r"duration = \[8, 3\]; the lower end comes first"),
        ({"data_volume": float("nan")}, r"finite number, got nan - at `\$\.data_volume`"),
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


def test_the_image_may_be_the_synchronised_model():
    data = generate("mlbroker", "small", 2, image="sync_volume")
    rate = data.deploy_cost / data.sync_volume
    assert np.all((rate >= 0.05) & (rate <= 0.1))


def test_the_number_of_jobs_follows_from_their_mean_duration():
    # 10 jobs a slot, 50 slots, 5.5 slots each: 90.9; twice as many for half as long
    assert Published().count() == 91
    assert Published(duration=(1, 1), jobs_per_slot=2.0, num_slots=7).count() == 14
    assert Published(num_jobs=0).count() == 0


def test_scales_multiply_prices_and_nothing_else():
    one = generate("mlbroker", "small", 1)
    two = generate("mlbroker", "small", 1, price_scale=2.0, transfer_scale=4.0)
    assert np.all((one.list_price >= [1.2, 0.13]) & (one.list_price <= [9.6, 0.24]))
    assert np.array_equal(two.transfer, 4 * one.transfer)
    assert np.array_equal(two.list_price, 2 * one.list_price)
    assert np.array_equal(two.reduced_price, 2 * one.reduced_price)
    assert np.array_equal(two.threshold, one.threshold)
    assert two.jobs == one.jobs


def test_data_of_a_slot_sum_to_the_drawn_total():
    data = generate("mlbroker", "small", 2, data_volume=100.0, data_noise=[1.0, 1.0])
    assert data.volume.sum(axis=1) == pytest.approx(np.full(data.num_pairs, 100.0))
    assert data.departure.max() <= data.num_slots - 1
