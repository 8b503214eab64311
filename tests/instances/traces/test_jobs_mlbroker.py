"""Philly jobs as a brokerage: windows, prices of regions, and data that fill the GPUs."""

from __future__ import annotations

import numpy as np
import pytest

from farkas import instances
from farkas.errors import InvalidOption
from farkas.instances.traces import import_trace
from farkas.instances.traces.csv_jobs import PhillyBrokerage
from tests.instances.traces.made import PHILLY
from tests.tools.shared import shared


def brokerage(folder, **options):
    given = {"prices": str(folder / "prices.csv"), "instance": "g4.big", "slots": 3, **options}
    return import_trace("philly", folder / "philly.csv", "mlbroker", **given)


def test_jobs_outside_the_window_are_counted(folder):
    imported = brokerage(folder)
    assert imported.kept == imported.instance.num_jobs == 3
    assert imported.dropped == {"outside the window": 1, "without a GPU": 1}
    told = "3 jobs imported; 2 jobs left out: 1 outside the window, 1 without a GPU"
    assert imported.report() == told


def test_windows_come_from_submit_time_and_duration(folder):
    data = brokerage(folder).instance
    # 7,200 s are two slots, 7,201 s three (cut at the horizon), 60 s one.
    assert data.arrival.tolist() == [0, 0, 2]
    assert data.departure.tolist() == [1, 2, 2]


def test_gpu_prices_are_per_gpu_and_slot_in_regions_with_both_prices(folder):
    data = brokerage(folder, slot_seconds=1800.0, slots=6).instance
    # Sites east, west by name: 6/4 and 8/4 USD per GPU hour, half of it per slot.
    assert data.base_price[0][0] == 0.75
    assert data.base_price[1][0] == 1.0
    assert [row[0] for row in data.discount_price] == [0.625, 0.5]
    # Other resources cost the published daily price for half an hour.
    assert all(0.13 / 48 <= row[1] <= 0.24 / 48 for row in data.base_price)


def test_data_fill_the_workers_of_all_gpus(folder):
    data = brokerage(folder, load=[1.0, 1.0]).instance
    assert data.workers_needed.tolist() == [4, 4, 1, 1, 1, 2]
    assert data.worker_demand[:, 0].tolist() == [1.0, 1.0, 1.0]
    assert data.server_demand[:, 0].tolist() == [0.0, 0.0, 0.0]


def test_an_import_is_repeatable_and_tells_its_choices(folder):
    first, again = brokerage(folder, seed=5).instance, brokerage(folder, seed=5).instance
    assert first == again
    assert brokerage(folder, seed=6).instance.sha256 != first.sha256
    assert instances.read_bytes(instances.to_bytes(first)) == first
    for word in ("east, west", "g4.big", "seed 5", "slot_seconds", "outside the window"):
        assert word in first.description
    assert str(folder) not in first.description


def test_an_empty_trace_gives_an_instance_without_jobs(folder):
    (folder / "philly.csv").write_text(PHILLY.splitlines()[0] + "\n")
    assert brokerage(folder).instance.num_jobs == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"instance": "g4.bog"}, "no prices for instance 'g4.bog'; did you mean g4.big"),
        ({"prices": ""}, r"name the price table \(prices\)"),
        ({"load": [1.0, 0.6]}, r"load = \[1.0, 0.6\]; the lower end comes first"),
    ],
)
def test_wrong_options_are_refused(folder, options, message):
    with pytest.raises(InvalidOption, match=message):
        brokerage(folder, **options)


def test_the_public_trace_becomes_a_brokerage_of_23_regions():
    prices = shared("data", "prices", "gpu_prices.csv")
    imported = import_trace(
        "philly", shared("data", "philly", "philly.csv"), "mlbroker", seed=1,
        prices=str(prices), start="2017-10-09 07:00", slots=12, jobs=40,
    )  # fmt: skip
    data = imported.instance
    assert (data.num_sites, data.num_jobs, data.num_slots) == (23, 40, 12)
    assert imported.kept + imported.dropped.total() == 82_247
    gpu = data.list_price[:, 0]
    assert np.all(data.reduced_price[:, 0] < gpu)
    assert np.all((gpu > 0.5) & (gpu < 2.0))  # g4dn.12xlarge: about 4 to 7 USD per hour for 4 GPUs


def test_gpu_thresholds_are_drawn_last_and_scaled(folder):
    options = {"prices": str(folder / "prices.csv"), "instance": "g4.big", "slots": 3}
    one, two = (
        PhillyBrokerage(**options, threshold_scale=scale).run("mlbroker", folder / "philly.csv", 4)
        for scale in (1.0, 2.0)
    )
    threshold = one.instance.threshold
    assert np.all((threshold[:, 0] >= 500) & (threshold[:, 0] <= 600))
    assert np.all((threshold[:, 1] >= 800) & (threshold[:, 1] <= 1000))
    assert np.array_equal(two.instance.threshold, 2 * threshold)
    assert np.array_equal(two.instance.transfer, one.instance.transfer)


def test_options_reach_the_instance(folder):
    data = brokerage(folder, sites=1, epsilon=0.75).instance
    assert (data.num_sites, data.epsilon) == (1, 0.75)
    assert data.base_price[0][0] == 1.5  # east, the first by name
    assert brokerage(folder).instance.num_sites == 2
