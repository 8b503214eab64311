"""Replies of jobs to prices, and plans that fit what is left, against all that a job could do."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.priced_tree import Split, Window, leaves_of, prove_leaves
from farkas.decomposition.protocol import Demand, Tree
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.offline.methods import searches
from farkas.online.gadget.plans import GadgetPlans
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.relaxations.gadget.offline_bound import OfflineBound
from farkas.relaxations.gadget.pricing import GadgetPricing, horizon_certificate
from farkas.solvers import solve
from tests.generators.gadget import job, star, table


def clusters(number=12, seed=3, **options):
    for concave in (True, False):
        yield from random_clusters(number, seed, network="any", concave=concave, **options)


def every_plan(problem, owner):
    """Each plan of a job: worker-slots by block and class, within rings, servers and budget."""
    cluster, timeline, held = problem.cluster, problem.timeline, problem.program.held[owner]
    most = int(cluster.reachable_slots[owner])
    slots = np.where(timeline.start >= cluster.arrival[owner], timeline.length, 0)
    rooms = [range(min(int(n * h), most) + 1) for n in slots for h in held]
    for counts in itertools.product(*rooms):
        plan = np.array(counts).reshape(len(slots), len(held))
        inside = (plan.sum(axis=1) <= slots * cluster.max_workers[owner]).all()
        if inside and plan.sum() <= most:
            yield plan


def earned(problem, owner, plan, prices, worth):
    unit = (problem.priced(prices) * problem.cluster.demand[owner]).sum(axis=2)
    return worth[plan.sum()] - float((plan * unit).sum())


@pytest.mark.parametrize("pooled", [True, False])
def test_replies_are_the_best_of_all_plans_in_every_window(pooled):
    rng, inside = np.random.default_rng(1), 0
    for cluster in clusters(6, servers=2, jobs=2, horizon=2, resources=2):
        problem = GadgetPricing(cluster, pooled=pooled)
        for trial in range(6):
            prices = rng.choice([0.0, 0.5, 1.0, 3.0], len(problem.rows))
            case = {}
            if trial % 2 and problem.owners:
                owner = int(rng.integers(problem.owners))
                values = np.unique(problem.gain(owner))  # at which the search splits
                low, high = sorted(rng.choice(values, 2).tolist())
                case = {owner: Window(max(low, 0.0), max(high, low, 0.0))}
            payoff, plans = problem.replies(prices, case)
            exact = problem.program.replies(problem.fine(prices), case, range(problem.owners))
            for owner in range(problem.owners):
                worth = problem.gain(owner)
                worth = case[owner].worth(worth) if owner in case else worth
                best = max(
                    (earned(problem, owner, plan, prices, worth)
                     for plan in every_plan(problem, owner)), default=0.0,
                )  # fmt: skip
                assert payoff[owner] == pytest.approx(max(best, 0.0), rel=1e-12, abs=1e-12)
                assert float(exact[owner]) == pytest.approx(payoff[owner], rel=1e-9, abs=1e-9)
                assert exact[owner] >= Fraction(payoff[owner]) - Fraction(1, 10**12)
                inside += owner in case and payoff[owner] > 0
            rent = plans.use @ prices
            for owner, value, cost in zip(plans.owner, plans.value, rent, strict=True):
                counted = case[owner].worth(value) if owner in case else value
                assert counted - cost == pytest.approx(payoff[owner], rel=1e-12, abs=1e-12)
    assert inside > 5


def test_prices_of_the_horizon_are_as_good_as_the_linear_program():
    for cluster in clusters(15, 1, resources=2, horizon=5):
        relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        bound = float(Fraction(horizon_certificate(cluster).bound))
        assert best - 1e-9 <= bound <= relaxed + 1e-7 * (1 + abs(relaxed))


def test_cases_cover_every_schedule():
    rng, split = np.random.default_rng(4), 0
    for cluster in clusters(8, 9, jobs=3):
        problem = GadgetPricing(cluster)
        best = Fraction(offline_optimum(FeasibleCounts.of(cluster))[0])
        owner = int(problem.most.argmax())
        values = problem.program.values(owner)
        if not values.max() > 0:
            continue
        tree = [Split(owner, float(rng.choice(values[values > 0]))), None, None]
        prices = [rng.random(len(problem.rows)) for _ in leaves_of(problem.program, tree)]
        made = problem.certificate(Tree(tree, [0, 1], prices))
        assert Fraction(made.bound) >= best - Fraction(1, 10**9)
        assert made.prove_bound(cluster) == Fraction(made.bound)
        apart = prove_leaves(
            problem.program, tree, np.array([problem.fine(one) for one in prices]), [0, 1]
        )
        assert max(apart) == Fraction(made.bound)
        split += 1
    assert split > 8


def test_plans_fit_what_is_left_and_stay_where_they_are_planned():
    rng, fitted = np.random.default_rng(2), 0
    for cluster in clusters(8, 5, servers=3, jobs=4):
        problem = GadgetPlans(cluster)
        prices = rng.random(len(problem.rows))
        _, plans = problem.replies(prices * 0.1, {})
        used, noise = np.zeros(len(problem.hard)), np.ones(problem.place_of.max(initial=0) + 1)
        found = {}
        for at, owner in enumerate(plans.owner.tolist()):
            like = plans.use[[at]]
            for fit in problem.fits(owner, Demand(used, prices, noise, 0.0, like)):
                np.add.at(used, fit.limit, fit.amount)
                found[owner] = fit
                row = problem.row_of[fit.limit]
                taken = np.bincount(row[row >= 0], fit.amount[row >= 0], len(problem.rows))
                assert (taken <= like.toarray()[0] + 1e-9).all()
        assert (used <= problem.hard * (1 + 1e-9)).all()
        run = searches["gadget.optimum"].run(cluster, problem.decisions(found))
        assert not run.violations
        value = problem.offset + sum(fit.value for fit in found.values())
        assert run.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        fitted += len(found)
    assert fitted > 20


def test_a_block_is_spread_evenly_and_a_ring_fills_the_fullest_server_that_holds_it():
    # servers of 2 and 3 GPUs, one GPU of the first is taken in slot 0
    cluster = star(2, 3, horizon=2, jobs=[job(max_workers=2, **table(0, 5, 9, 12, 14))])
    problem = GadgetPlans(cluster)
    _, plans = problem.replies(np.zeros(len(problem.rows)), {})
    noise = np.ones(problem.place_of.max() + 1)
    used = np.zeros(len(problem.hard))
    (fit,) = problem.fits(0, Demand(used, np.zeros(len(problem.rows)), noise, 0.0, plans.use[[0]]))
    servers = np.flatnonzero(cluster.is_server)
    small, large = servers[np.argsort(cluster.capacity[servers, 0])].tolist()
    assert [(slot, hosts.tolist(), counts.tolist()) for slot, hosts, counts, _ in fit.what] == [
        (0, [small], [2]), (1, [small], [2])
    ]  # fmt: skip
    used[fit.limit[:1]] = 1.0
    (fit,) = problem.fits(0, Demand(used, np.zeros(len(problem.rows)), noise, 0.0, plans.use[[0]]))
    assert [hosts.tolist() for _, hosts, _, _ in fit.what] == [[large], [small]]


def test_a_ring_without_links_stays_on_one_server():
    cluster = star(1, 1, horizon=1, jobs=[job(max_workers=2, bandwidth=1.0, **table(0, 5, 9))],
                   bandwidth=0.0)  # fmt: skip
    problem = GadgetPlans(cluster)
    noise = np.ones(problem.place_of.max() + 1)
    used, prices = np.zeros(len(problem.hard)), np.zeros(len(problem.rows))
    (fit,) = problem.fits(0, Demand(used, prices, noise))
    assert fit.value == pytest.approx(5.0)
    assert [counts.tolist() for _, _, counts, _ in fit.what] == [[1]]
    assert not problem.fits(0, Demand(used, prices, noise, 5.0))


def test_values_are_what_jobs_earn_beyond_never_running():
    cluster = star(1, horizon=3, jobs=[job(max_workers=1, **table(3, 5, 9, 7))])
    program = GadgetPricing(cluster).program
    assert program.values(0).tolist() == [0, 2, 6, 4]
    assert program.most(0) == 6
    assert [program.below(0, value) for value in (6.0, 4.0, 2.0, 1.0)] == [4, 2, 0, 0]
    free = np.zeros(program.width)
    assert program.rent(free) == 3
    (served,) = program.replies(free, {0: Window(2.0, 4.0)}, [0])  # 4 at most, and 4 as served
    assert 8 <= served <= 8 + Fraction(1, 2**40)


def test_a_planned_ring_grows_no_larger_than_the_largest():
    # four worker-slots planned in two slots of two servers; of the first slot nothing is left
    cluster = star(3, 3, horizon=2, jobs=[job(max_workers=2, **table(0, 5, 9, 12, 14))])
    problem = GadgetPlans(cluster)
    prices, noise = np.zeros(len(problem.rows)), np.ones(problem.place_of.max() + 1)
    _, plans = problem.replies(prices, {})
    used = np.zeros(len(problem.hard))
    (fit,) = problem.fits(0, Demand(used, prices, noise, 0.0, plans.use[[0]]))
    assert fit.value == pytest.approx(14)
    used[(problem.row_of >= 0) & (problem.place_of < 2)] = 3.0
    (fit,) = problem.fits(0, Demand(used, prices, noise, 0.0, plans.use[[0]]))
    assert [(slot, counts.tolist()) for slot, _, counts, _ in fit.what] == [(1, [2])]
