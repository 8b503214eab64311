from __future__ import annotations

import numpy as np
import pytest

from farkas import instances
from farkas.errors import InvalidInstance, InvalidOption, UnknownName
from farkas.instances.generate import generate, generators, presets, settings_of
from farkas.instances.generate.eris import TABLE_II

PAIRS = [(kind, preset) for kind in generators() for preset in presets(kind) if preset != "large"]


@pytest.mark.parametrize(("kind", "preset"), PAIRS)
def test_a_generated_instance_is_valid_and_repeatable(kind, preset):
    first, again = generate(kind, preset, 3), generate(kind, preset, 3)
    assert first == again
    assert instances.read_bytes(instances.to_bytes(first)) == first
    assert generate(kind, preset, 4).sha256 != first.sha256
    assert first.seed == 3
    assert settings_of(kind, preset).text() in first.description


def test_every_kind_has_a_generator_with_a_published_and_a_small_preset():
    assert set(generators()) <= set(instances.kinds())
    for kind in generators():
        assert {"published", "small"} <= set(presets(kind))


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


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="unknown generator 'mlbrokr'; did you mean mlbroker"):
        generate("mlbrokr")
    with pytest.raises(InvalidOption, match="no preset 'smal'; did you mean small"):
        generate("mlbroker", "smal")
    with pytest.raises(InvalidOption, match="seed = -1; give an integer >= 0"):
        generate("mlbroker", seed=-1)


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


def test_scaling_a_cluster_multiplies_capacities_and_nothing_else():
    one, two = generate("gadget", "small", 1), generate("gadget", "small", 1, server_scale=2.0)
    assert np.array_equal(two.capacity[:4, 0], 2 * one.capacity[:4, 0])
    assert two.jobs == one.jobs
    assert two.links == one.links
