"""Random auctions: published sites and models, and what the settings change."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances.generate import generate
from farkas.instances.generate.eris import TABLE_II, Published, worth_by_delay


def test_published_auctions_have_the_published_sites_and_models():
    data = generate("eris", seed=1)
    assert (data.sites, data.slots, data.num_jobs) == (50, 150, 100)
    assert data.resource_names == ("gpu", "cpu", "ram")
    assert data.capacity.tolist() == [[4.0, 24.0, 32.0]] * 50
    assert data.transfer_budget == 20 * 1024
    drawn = set(zip(data.chunks.tolist(), (job.parameter_size for job in data.jobs), strict=True))
    assert drawn == {(model.chunks, model.parameter_size) for model in TABLE_II}
    for job in data.jobs:
        # f(0) = 3000 τ / 2 with τ in [1, 2]; a chunk needs at most three workers for all passes.
        assert 1500 <= job.utility[0] <= 3000
        assert job.epochs in (20, 30)
        assert job.epochs <= 3 * job.worker_rate


def test_the_testbed_of_eris_lets_one_worker_process_a_chunk_in_a_slot():
    data = generate("eris", "testbed", 2)
    assert (data.sites, data.slots, data.num_jobs) == (9, 50, 10)
    assert all(job.worker_rate == job.epochs for job in data.jobs)
    assert data.arrival.max() <= 39


def test_late_arrivals_are_refused_before_drawing():
    with pytest.raises(InvalidOption, match=r"arrivals = \(0, 9\); slots run from 0 to 3"):
        generate("eris", "small", arrivals=[0, 9])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"latency": [2.0, 1.0]}, r"latency = \[2\.0, 1\.0\]; the lower end comes first"),
        ({"workers_per_chunk": [3, 1]}, r"workers_per_chunk = \[3, 1\]; the lower end comes first"),
        ({"worker_demand": [[0, 1], [3, 1], [0, 1]]}, "the lower end comes first"),
        (
            {"site_capacity": [1.0]},
            "site_capacity has 1 entries and resource_names 3",
        ),
        ({"epochs": []}, r"epochs = \[\]; give at least one"),
        ({"models": []}, r"models = \[\]; give at least one"),
        ({"arrivals": [2, 1]}, r"arrivals = \(2, 1\); slots run from 0 to 3"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(InvalidOption, match=f"generator eris: .*{message}"):
        generate("eris", "small", **settings)


def test_epochs_are_choices_and_no_range():
    # 30 before 20 is no range that runs backwards
    auction = generate("eris", "small", 3, epochs=[30, 20])
    assert {job.epochs for job in auction.jobs} <= {20, 30}


def test_worth_is_half_at_once_and_falls_to_nothing():
    worth = worth_by_delay(Published(worth=3000.0, worth_decay=3.0), 2.0, 10_000)
    # 3000 x 2 / (1 + e^(k/3)) at k = 0, 3, and far beyond where e^(k/3) overflows
    assert worth[0] == 3000.0
    assert worth[3] == pytest.approx(6000.0 / (1.0 + np.exp(1.0)), rel=1e-14)
    assert worth[-1] == 0.0
    assert np.all(np.diff(worth) <= 0)


def test_passes_a_slot_are_rounded_up():
    # 20 epochs by 3 workers: 7 passes each
    auction = generate("eris", "small", epochs=[20], workers_per_chunk=[3, 3])
    assert {job.worker_rate for job in auction.jobs} == {7}
