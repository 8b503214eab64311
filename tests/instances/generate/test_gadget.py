"""Random clusters: the tree, budgets, and what the settings change."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances.generate import generate
from farkas.instances.generate.eris import TABLE_II, Published, worth_by_delay
from farkas.instances.utilities import LinearUtility, Log1p, QuadraticCost, Sigmoid


def test_a_published_cluster_is_a_tree_of_equal_duplex_links():
    data = generate("gadget", seed=4)
    switches = data.num_nodes - 50
    assert 3 <= switches <= 6  # two to five racks and the core
    assert data.num_links == 2 * (data.num_nodes - 1)
    width = {(k.source, k.target): k.bandwidth for k in data.links}
    assert all(width[target, source] == bandwidth for (source, target), bandwidth in width.items())
    assert set(data.capacity[:50, 0]) <= {1.0, 2.0, 4.0, 8.0}
    assert np.all(np.isinf(data.capacity[:50, 1]))
    # Iterations over iterations per worker-slot: F / ζ between 1000/500 and 6000/50.
    assert np.all((data.budget_slots >= 2) & (data.budget_slots <= 120))
    assert np.all((data.max_workers >= 1) & (data.max_workers <= 5))


@pytest.mark.parametrize(
    ("utility", "family"),
    [("sigmoid", Sigmoid), ("log1p", Log1p), ("linear", LinearUtility), ("energy", QuadraticCost)],
)
def test_every_shape_of_utility_has_the_drawn_height(utility, family):
    heights = [job.utility.scale for job in generate("gadget", "small", 2).jobs]  # square roots
    made = [job.utility for job in generate("gadget", "small", 2, utility=utility).jobs]
    assert {type(one) for one in made} == {family}
    field = {"sigmoid": "height", "linear": "slope", "energy": "quadratic"}.get(utility, "scale")
    assert [getattr(one, field) for one in made] == heights


def test_a_budget_of_worker_slots_meters_gpus_alone():
    data = generate("gadget", "small", 1, budget="worker_slots", iterations=[7, 7])
    assert data.resources == ("gpu",)
    assert data.most_slots.tolist() == [7.0] * data.num_jobs
    metered = generate("gadget", "small", 1, iterations=[7, 7], efficiency=[2.0, 2.0])
    # 7 iterations at 2 a worker-slot: three whole ones
    assert metered.most_slots.tolist() == [3.0] * metered.num_jobs


@pytest.mark.parametrize("law", ["uniform", "poisson", "start"])
def test_jobs_arrive_in_order_and_within_the_horizon(law):
    arrival = generate("gadget", "reduced", 4, arrivals=law).arrival
    assert np.all(np.diff(arrival) >= 0)
    assert arrival.min() >= 0
    assert arrival.max() < 30
    assert (arrival.max() == 0) == (law == "start")


def test_gpus_are_choices_and_no_range():
    assert set(generate("gadget", "small", gpus=[8, 1]).capacity[:4, 0]) <= {1.0, 8.0}
    with pytest.raises(InvalidOption, match=r"gpus = \[\]; give at least one value"):
        generate("gadget", "small", gpus=[])
    with pytest.raises(InvalidOption, match=r"racks = \[3, 2\]; the lower end comes first"):
        generate("gadget", "small", racks=[3, 2])


def test_the_published_generator_draws_the_rates_first():
    data = generate("coded", seed=9)
    expected = np.random.default_rng(9).uniform(1.0, 5.0, (4, 50))
    assert np.array_equal(data.rates, expected)
    assert np.array_equal(data.shifts, 1.0 / expected)
    assert data.rows.tolist() == [1e5] * 4
    assert data.success_probability == 0.98


def test_integers_stay_within_ends_that_are_none():
    # whole numbers from 1.5 to 3.5 are 2 and 3
    rates = generate("coded", "figure2", 1, law="integers", rate=[1.5, 3.5]).rates
    assert set(np.unique(rates)) == {2.0, 3.0}


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
