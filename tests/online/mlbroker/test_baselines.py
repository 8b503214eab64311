"""Integer algorithms of kind mlbroker: rounding, and the baselines of section 6.2."""

import itertools

import numpy as np
import pytest

from farkas.errors import InvalidInstance, NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.mlbroker.one_shot import snapshot
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.online import algorithms, environments
from farkas.online.mlbroker.bound import tight_bound
from farkas.online.mlbroker.central import site_costs
from farkas.online.mlbroker.environment import PlacedSlot, by_pair
from farkas.online.mlbroker.local import local_expected, local_total, local_workers
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.relaxations.mlbroker import Relaxed
from farkas.solvers import solve

INTEGER = [
    "mlbroker.central",
    "mlbroker.gr",
    "mlbroker.ir",
    "mlbroker.local",
    "mlbroker.mlbroker",
    "mlbroker.oasis",
    "mlbroker.one_shot",
    "mlbroker.opt",
]


@pytest.mark.parametrize("name", INTEGER)
@pytest.mark.parametrize("broker", ["tiny", "quiet_slot", "return_trip", "surplus_worker"])
def test_runs_are_feasible_and_certified(name, broker):
    instance = library.load(f"mlbroker/{broker}")
    run = algorithms[name].run(instance, seed=3)
    optimum = algorithms["mlbroker.opt"].run(instance).value
    assert run.violations == []
    assert run.value >= optimum - 1e-9
    assert float(run.certificate) <= optimum + 1e-9
    assert run.ratio >= 1.0


@pytest.mark.parametrize("name", INTEGER)
def test_value_is_the_recourse_cost_of_the_decisions(name):
    instance = generate("mlbroker", "small", seed=7)
    run = algorithms[name].run(instance, seed=1)
    slots = [
        PlacedSlot(
            np.array(d["jobs"], int), np.array(d["workers"], int), np.array(d["server"], int)
        )
        for d in run.decisions
    ]
    workers, server = by_pair(instance, slots)
    costs = recourse_costs(PlacedWorkers.of(instance, workers, server))
    assert run.value == pytest.approx(costs.total)
    assert run.numbers["total_sticky"] == pytest.approx(costs.total_sticky)


@pytest.mark.parametrize("name", ["mlbroker", "ir", "local"])
def test_same_seed_same_run(name):
    instance = generate("mlbroker", "small", seed=2, deploy_rate=[1.0, 2.0], transfer_scale=30.0)
    first, again = (algorithms[f"mlbroker.{name}"].run(instance, seed=5) for _ in range(2))
    assert first == again


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


def test_central_prefers_the_site_where_the_job_already_is():
    # Two free, equal sites: site 1 after the job was at site 1, although the first argmin is 0.
    broker = library.load("mlbroker/return_trip")
    fresh = site_costs(snapshot(broker, 0))
    there = site_costs(snapshot(broker, 1, [[False, True]]))
    assert fresh.argmin() == 0
    assert there.argmin() == 1
    # Moving 10 GB would cost 10 · d; staying saves c = 3.
    assert (there[0, 0] - there[0, 1]) > 3.0


def test_local_puts_workers_where_data_are():
    broker = library.load("mlbroker/tiny")
    # j0: (30, 10) GB at 20 a worker: (2, 1), then (0, 25): (0, 2); j1: 60 GB at 40 a worker.
    np.testing.assert_array_equal(local_workers(broker), [[2, 1], [0, 2], [0, 2]])


def test_local_expectation_is_the_mean_over_all_choices():
    broker = library.load("mlbroker/tiny")
    totals = [local_total(broker, sites) for sites in itertools.product(range(2), repeat=2)]
    assert local_expected(broker) == pytest.approx(np.mean(totals))
    many = generate("mlbroker", "small", seed=0, num_jobs=9)
    with pytest.raises(NotApplicable, match="19683"):
        local_expected(many)


def test_oasis_does_not_see_the_discount():
    broker = library.load("mlbroker/tiny")
    without = broker.replace(discount_price=None, discount_threshold=None)
    decisions = [algorithms["mlbroker.oasis"].run(b).decisions for b in (broker, without)]
    assert decisions[0] == decisions[1]


def test_one_slot_optimum_is_the_offline_optimum_of_one_slot():
    broker = generate("mlbroker", "small", seed=4)
    slot = max(range(broker.num_slots), key=lambda t: len(broker.jobs_at(t)))
    alone = snapshot(broker, slot).market
    myopic, opt = (algorithms[f"mlbroker.{n}"].run(alone).value for n in ("one_shot", "opt"))
    assert myopic == pytest.approx(opt, rel=1e-9)


def test_bound_of_baselines_is_the_tight_relaxation():
    for name in ("tiny", "quiet_slot", "set_cover", "harmonic"):
        broker = library.load(f"mlbroker/{name}")
        optimum = solve(Relaxed(relax="tight").form(broker)).objective
        bound = float(tight_bound(broker))
        assert optimum - 1e-7 * optimum <= bound <= optimum + 1e-9 * optimum


def test_too_few_workers_are_a_violation_and_give_no_ratio():
    broker = library.load("mlbroker/tiny")
    world = environments["mlbroker"]
    nobody = [
        PlacedSlot(j, np.zeros((len(j), 2), int), np.zeros(len(j), int))
        for j in (broker.jobs_at(t) for t in range(2))
    ]
    outcome = world.evaluate(broker, nobody)
    assert outcome.violations == ["3 job-slots have too few workers for their data"]
    assert np.isnan(outcome.total)


def test_decisions_about_other_jobs_are_refused():
    broker = library.load("mlbroker/tiny")
    wrong = PlacedSlot(np.array([1]), np.zeros((1, 2), int), np.array([0]))
    with pytest.raises(InvalidInstance, match="slot 0"):
        by_pair(broker, [wrong, wrong])


def test_brokers_without_jobs_cost_nothing():
    empty = library.load("mlbroker/tiny").replace(jobs=[])
    for name in algorithms.names("mlbroker."):
        run = algorithms[name].run(empty)
        assert (run.value, run.ratio) == (0.0, 1.0)
