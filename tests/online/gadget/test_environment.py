"""What decisions of ring schedulers are worth; no scheduler breaks any rule."""

import numpy as np
import pytest

from farkas.online import algorithms
from farkas.online.gadget.environment import Environment, received, totals
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.replay.gadget import Ring
from tests.generators.gadget import any_networks, job, star

RUNS = [
    ("gadget.fifo", {}),
    ("gadget.las", {}),
    ("gadget.drf", {}),
    ("gadget.greedy_exact", {}),
    ("gadget.gadget", {}),
    ("gadget.gadget", {"gains": "envelope"}),
    ("gadget.gadget", {"slots": "exact"}),
    ("gadget.gadget", {"slots": "lp_rs_mde", "rounds": 20}),
]


@pytest.mark.ids(5)
@pytest.mark.parametrize(("name", "options"), RUNS, ids=str)
def test_runs_are_feasible_and_below_their_certified_bound(name, options):
    for cluster in random_clusters(6, 1, network="any", servers=3, jobs=4, resources=2):
        run = algorithms[name].run(cluster, **options)
        assert run.violations == []
        assert run.value <= float(run.certificate) + 1e-9


def test_nobody_to_schedule_is_worth_nothing():
    cluster = star(1, horizon=2)
    for name, options in RUNS:
        run = algorithms[name].run(cluster, **options)
        assert run.value == 0.0
        assert run.ratio == 1.0


@pytest.mark.parametrize("of", [1, -1])
def test_a_job_that_is_none_is_a_violation_and_worth_nothing(of):
    outcome = Environment().evaluate(star(1, 1, jobs=[job()]), [[Ring(job=of, workers=((0, 1),))]])
    assert outcome.violations == [f"slot 0: there is no job {of}"]
    assert np.isnan(outcome.total)


def test_a_slot_is_worth_what_it_adds():
    # sqrt: 1, then sqrt 3 - 1
    cluster = star(4, horizon=2, jobs=[job(utility={"kind": "sqrt", "scale": 1})])
    rings = [[Ring(job=0, workers=((0, 1),))], [Ring(job=0, workers=((0, 2),))]]
    found = Environment().evaluate(cluster, rings)
    assert [slot["reward"] for slot in found.costs] == pytest.approx([1.0, np.sqrt(3) - 1])
    assert found.total == pytest.approx(np.sqrt(3))
    assert found.numbers == {"rings": 2.0, "worker_slots": 3.0}
    assert received(cluster, rings).tolist() == [[0], [1], [3]]


def test_totals_slot_by_slot_are_those_of_all_jobs_to_the_last_bit():
    rng = np.random.default_rng(4)
    for cluster in any_networks(30, 17):
        steps = rng.integers(0, 3, (5, cluster.num_jobs)) * (rng.random((5, 1)) < 0.7)
        given = np.concatenate([np.zeros((1, cluster.num_jobs)), steps]).cumsum(axis=0)
        assert totals(cluster, given) == [cluster.total_reward(z) for z in given]
