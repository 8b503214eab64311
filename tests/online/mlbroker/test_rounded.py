"""Rounding the fractional decisions of every slot."""

import itertools

import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.models.mlbroker.one_shot import snapshot
from farkas.online import algorithms
from farkas.online.mlbroker.bound import tight_bound
from farkas.online.mlbroker.fractional import FractionalSlot, Lanes
from farkas.online.mlbroker.rounded import GreedyRounding, IndependentRounding, clean
from tests.generators.mlbroker import single


@pytest.mark.parametrize("name", ["mlbroker", "ir", "local"])
def test_same_seed_same_run(name):
    instance = generate("mlbroker", "small", seed=2, deploy_rate=[1.0, 2.0], transfer_scale=30.0)
    first, again = (algorithms[f"mlbroker.{name}"].run(instance, seed=5) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("name", ["mlbroker", "ir", "gr"])
def test_a_run_ends_with_the_better_of_its_own_bound_and_the_tight_one(name, relax):
    instance = generate("mlbroker", "small", seed=0)
    run = algorithms[f"mlbroker.{name}"].run(instance, relax=relax)
    own = algorithms["mlbroker.fractional"].run(instance, relax=relax).certificate
    assert run.certificate.fraction == max(own.fraction, tight_bound(instance).fraction)
    assert run.certificate.fraction > own.fraction  # 6.4 of 146.2 with one constant M


def test_rounding_moves_no_worker_total_below_need():
    instance = generate("mlbroker", "small", seed=1, transfer_scale=40.0, data_volume=60.0)
    for seed, combine in itertools.product(range(4), ("max", "round2")):
        run = algorithms["mlbroker.mlbroker"].run(instance, seed=seed, combine=combine)
        assert run.violations == []


def test_round2_buys_less_than_one_worker_more_than_needed():
    instance = generate("mlbroker", "small", seed=1, transfer_scale=40.0, data_volume=60.0)
    run = algorithms["mlbroker.mlbroker"].run(instance, combine="round2")
    for slot, decision in enumerate(run.decisions):
        total = np.array(decision["workers"]).sum(axis=1)
        np.testing.assert_array_equal(total, instance.workers_needed[instance.pairs_at(slot)])


def decided(workers, server):
    empty = Lanes.of(np.zeros((1, 2, 2)))
    shares = np.array([server], float)
    return FractionalSlot(
        np.array([0]), np.array([workers], float), shares, shares, empty, empty, 0.0
    )


def test_nearest_rounding_repairs_jobs_left_with_too_few_workers():
    # 28 GB need 3 workers of 10: 1.4 + 1.6 are rounded to 1 + 2; 1.4 + 1.4 + noise to 1 + 1
    market, rng = snapshot(single([[13.0, 15.0]]), 0).market, np.random.default_rng(0)
    assert IndependentRounding().round(decided([1.4, 1.6], [1, 0]), market, rng).repaired == 0
    mended = IndependentRounding().round(decided([1.4, 1.4], [1, 0]), market, rng)
    assert mended.repaired == 1
    # 15 GB at site 1 are less trained by one worker than 13 GB at site 0
    assert mended.workers.tolist() == [[1, 2]]


def test_greedy_rounding_rounds_up_and_takes_the_first_of_equal_servers():
    market, rng = snapshot(single([[13.0, 15.0]]), 0).market, np.random.default_rng(0)
    placed = GreedyRounding().round(decided([1.4, 1.6], [0.5, 0.5]), market, rng)
    assert (placed.workers.tolist(), placed.server.tolist()) == ([[2, 2]], [0])
    placed = GreedyRounding().round(decided([0.0, 3.0], [0.4, 0.6]), market, rng)
    assert (placed.workers.tolist(), placed.server.tolist()) == ([[0, 3]], [1])


def test_noise_of_the_solver_is_no_worker():
    market = snapshot(single([[13.0, 15.0]]), 0).market
    workers, server = clean(decided([1e-9, 3 - 1e-9], [1 - 1e-10, 1e-10]), market)
    assert workers.tolist() == [[0, 3]]
    assert server.tolist() == [[1, 0]]
