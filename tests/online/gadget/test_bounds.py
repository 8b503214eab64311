"""Bounds of runs: above every schedule, and made of the prices they say."""

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import gadget as certificates
from farkas.certificates.priced_tree import PricedTree
from farkas.instances import library
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.slot import snapshot
from farkas.online import algorithms
from farkas.online.gadget.environment import Environment, default_bound
from farkas.online.gadget.gadget import Gadget, earned_so_far
from farkas.online.loop import drive
from farkas.online.run import Bound
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.relaxations.gadget.pricing import horizon_certificate
from farkas.replay.gadget import Ring
from tests.generators.gadget import job, star, table
from tests.tools.rings import certify_horizon, slot_certificate


def test_bounds_lie_above_the_offline_optimum_and_runs_below_it():
    for cluster in random_clusters(8, 5, network="any", servers=3, jobs=3, horizon=3):
        best, _ = offline_optimum(FeasibleCounts.of(cluster))
        run = drive(Gadget(), cluster)
        assert run.certificate.exact == default_bound(cluster).exact
        assert run.value <= best + 1e-9
        assert best - 1e-9 <= float(run.certificate)


def test_one_scarce_gpu_is_worth_what_the_second_job_pays():
    # one GPU, 3 slots, rewards of 2 and 1 a worker-slot: 6 for the better job all the time
    cluster = star(1, horizon=3, jobs=[job(efficiency=2), job()])
    assert Fraction(default_bound(cluster).exact) == pytest.approx(6)
    # what the other would pay is enough: the better one keeps the rest
    assert horizon_certificate(cluster).single_prices(cluster) == pytest.approx(1)


def test_a_slot_is_bounded_at_its_progress():
    cluster = star(2, horizon=3, jobs=[job(utility={"kind": "sqrt", "scale": 1})])
    found = slot_certificate(cluster, 1, np.array([2]))
    # two more workers after two: sqrt 4 - sqrt 2
    exact = FeasibleCounts.of(cluster).best(snapshot(cluster, 1, [2]))[0]
    assert exact == pytest.approx(2 - np.sqrt(2))
    assert float(Fraction(found.bound)) == pytest.approx(exact, rel=1e-6)
    assert float(Fraction(found.bound)) >= exact
    assert snapshot(cluster, 1, [2]).gains[0, 1] == pytest.approx(exact)


def test_the_prices_bound_what_ends_in_each_slot(monkeypatch):
    world, late = Environment(), 0
    for number, cluster in enumerate(random_clusters(12, 21, network="any", concave=False)):
        bound = world.bound(cluster)
        made = msgspec.convert(bound.certificate, PricedTree)
        program = made.stated(cluster)
        prices = made.single_prices(cluster).reshape(program.shape)
        found = world.bounds_so_far(cluster, bound)
        assert found[-1] == bound.fraction
        monkeypatch.setattr(certificates, "MOST_ENDS", 2)
        rough = program.bounds_so_far(prices)
        monkeypatch.undo()
        assert bound.fraction <= rough[-1] <= bound.fraction * (1 + Fraction(1, 2**90))
        for slot, (value, more) in enumerate(zip(found, rough, strict=True)):
            cut = world.so_far(cluster, slot + 1)
            blocks = int((program.starts <= slot).sum())
            same = certify_horizon(cut, program.starts[:blocks], program.classes, prices[:blocks])
            assert float(value) == pytest.approx(float(Fraction(same.bound)), rel=1e-9), number
            assert more >= value
            assert float(value) >= offline_optimum(FeasibleCounts.of(cut))[0] * (1 - 1e-12)
            late += value < found[-1]
    assert late > 12
    assert world.bounds_so_far(cluster, bound.of(1, "no certificate")) is None


def test_a_theorem_breaks_in_the_slot_in_which_half_of_the_bound_is_missed():
    cluster = library.load("gadget/step_greedy")
    run = algorithms["gadget.greedy_exact"].run(cluster)
    assert run.theorem == "GADGET Theorem 6"
    assert [step.holds for step in run.steps] == [True, False]
    for step, reached in zip(run.steps, (1, 2), strict=True):
        assert Fraction(step.left) == Fraction(step.bound_so_far) / 2
        assert Fraction(step.right) == reached
    most = max(one.max_workers for one in cluster.jobs)
    printed = algorithms["gadget.gadget"].run(cluster).steps[-1]
    assert Fraction(printed.left) == Fraction(printed.bound_so_far) / (3 * most + 1)
    near = algorithms["gadget.columns"].run(cluster, gap=0.5).steps[-1]
    assert Fraction(near.left) == Fraction(near.bound_so_far) / 3
    assert algorithms["gadget.columns"].run(cluster, gains="envelope").theorem == ""


def test_a_theorem_says_nothing_where_no_prices_of_the_horizon_are_known(monkeypatch):
    monkeypatch.setattr(Bound, "so_far", lambda bound, cluster: None)
    cluster = library.load("gadget/step_greedy")
    run = algorithms["gadget.greedy_exact"].run(cluster)
    assert (run.value, run.theorem, run.steps[0].left) == (2.0, "", None)


def test_what_jobs_have_earned_so_far_is_exact():
    cluster = star(2, horizon=3, jobs=[job(utility={"kind": "sqrt", "scale": 1}), job()])
    one, two = ([Ring(job=i, workers=((0, 1),))] for i in (0, 1))
    found = earned_so_far(cluster, [one, two, one + two])
    assert [float(x) for x in found] == pytest.approx([1, 2, np.sqrt(2) + 2], rel=1e-15)
    assert found[2] <= Fraction(np.nextafter(np.sqrt(2), 2)) + 2


def test_rewards_of_thousands_of_digits_are_written_in_fewer():
    far = {"kind": "sigmoid", "height": 1.0, "steepness": 1.0, "midpoint": 12_000.0}
    cluster = star(2, horizon=2, jobs=[job(utility=far), job(arrival=1)])
    run = algorithms["gadget.columns"].run(cluster)
    assert [float(Fraction(step.right)) for step in run.steps] == [0.0, run.value]
    assert 0 < Fraction(run.steps[0].bound_so_far) < 1e-9


@pytest.mark.parametrize("idle", [-5, 0, 7])
def test_what_jobs_are_worth_idle_counts_in_every_slot(idle):
    jobs = [job(max_workers=1, **table(idle, idle + 1, idle + 6)), job(arrival=1, **table(idle))]
    run = algorithms["gadget.greedy_exact"].run(star(1, horizon=2, jobs=jobs))
    assert [step.value_so_far for step in run.steps] == [2 * idle + 1, 2 * idle + 6]
    assert run.steps[-1].value_so_far == run.value
    for step in run.steps:
        assert Fraction(step.bound_so_far) >= step.value_so_far
        assert Fraction(step.right) == step.value_so_far
