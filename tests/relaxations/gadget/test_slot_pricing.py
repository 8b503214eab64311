"""Replies of the jobs of a slot, rings in the room that others leave, and dives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.certificates import check
from farkas.decomposition.cases import CaseTree
from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.packing import Packing
from farkas.decomposition.protocol import Demand, Exchanges
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.relaxations.gadget.slot_pricing import (
    FIRST_DIVES,
    MOST_LABELS,
    SlotPricing,
    priced_slot,
)
from farkas.solvers import solve
from tests.generators.gadget import any_networks, edges_of, scarce, small, table, wide_area
from tests.references.gadget_pricing import random_prices
from tests.relaxations.gadget.test_ring_search import best_listed
from tests.tools.rings import schedule_broken


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_prices_settle_at_the_relaxation_over_all_rings(network):
    for cluster in random_clusters(12, 4, network=network, servers=4, jobs=4):
        slot = snapshot(cluster)
        exact = solve(ColumnLP().form(slot)).require_optimal().objective
        found = priced_slot(slot, 1e-9, MOST_LABELS)[1]
        assert found.bound == pytest.approx(exact, rel=2e-6, abs=1e-6)
        assert found.bound >= exact - 1e-9 * abs(exact)


def test_replies_are_bounds_on_all_rings_and_plans_are_among_them():
    rng, taken = np.random.default_rng(1), 0
    for cluster in any_networks(40, 4):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        node, link = random_prices(cluster, rng)
        problem, best = SlotPricing(slot), best_listed(slot, node, link)
        rows = problem.fine(np.arange(1.0, len(problem.rows) + 1))  # where each row stands
        fine = np.append(node.ravel(), link)
        prices = np.zeros(len(problem.rows))
        prices[rows[rows > 0].astype(int) - 1] = fine[rows > 0]
        free = rows == 0  # what is unlimited, and switches, have no price
        node, link = (fine * ~free)[: node.size].reshape(node.shape), (fine * ~free)[node.size :]
        best = best_listed(slot, node, link)
        for _ in range(2):  # a second time rings of others are known
            payoff, plans = problem.replies(prices, {})
            assert (payoff[slot.jobs] >= best - 1e-9).all()
            earned = plans.value - plans.use @ prices
            assert (earned <= best[slot.jobs.searchsorted(plans.owner)] + 1e-9).all()
            taken += len(plans.owner)
    assert taken > 100


def test_a_ring_found_for_one_job_is_a_plan_of_others():
    alike = {"max_workers": 2} | table(0, 1, 9)
    thin = alike | {"bandwidth": 9.0}
    slot = snapshot(small([1, 1], [(0, 1, 3)], alike, alike, thin))
    problem = SlotPricing(slot)
    none = np.zeros(len(problem.rows))
    rings = problem.rings({0: problem.fits(0, Demand(none, none, np.ones(9)))[0]})
    assert rings.size.tolist() == [2]
    problem.known.add(rings)
    profit = problem.known.profit(problem.worth, np.zeros((2, 1)), np.zeros(2))
    assert profit.tolist() == [[9.0], [9.0], [-np.inf]]


def test_rings_are_laid_in_what_is_left_of_servers_and_links():
    cluster = scarce(12, edges_of(wide_area(12, seed=2, jobs=1)), "sigmoid", jobs=40, width=0.3)
    slot = snapshot(cluster)
    problem, found = priced_slot(slot, 1e-5, 0)
    packing = Packing(problem)
    packing.fill(found.prices, found.payoff, lambda: math.inf)
    rings = problem.rings(packing.plans)
    assert schedule_broken(cluster, [rings]) == []
    assert ((rings.workers > 0).sum(axis=1) > 1).sum() > 1
    assert packing.value == pytest.approx(sum(fit.value for fit in packing.plans.values()))
    # several plans of one job have several sizes, and are worth more than what is asked for
    job = int(slot.jobs[(slot.gains * slot.allowed > 0).sum(axis=1).argmax()])
    free = 0 * found.prices
    many = problem.fits(job, Demand(0 * packing.used, free, packing.plain, 0.0, None, 9))
    sizes = [int(fit.what[0].sum()) for fit in many]
    assert len(set(sizes)) == len(sizes) > 1
    most = max(fit.value for fit in many)
    for fit in problem.fits(job, Demand(0 * packing.used, free, packing.plain, most / 2, None, 9)):
        assert fit.value > most / 2
    assert not problem.fits(job, Demand(problem.hard, free, packing.plain))


def test_dives_keep_what_stays_and_break_nothing():
    cluster = scarce(12, edges_of(wide_area(12, seed=3, jobs=1)), "table", jobs=40, width=0.4)
    slot = snapshot(cluster)
    problem, found = priced_slot(slot, 1e-5, 0)
    rng, wanting = np.random.default_rng(0), np.zeros(0, np.int64)
    first = problem.exchange({}, Exchanges(wanting, found.prices, 1, rng))
    value = sum(fit.value for fit in first.values())
    assert found.bound * 0.9 <= value <= found.bound
    assert schedule_broken(cluster, [problem.rings(first)]) == []
    again = problem.exchange(first, Exchanges(wanting, found.prices, 1, rng))
    assert sum(fit.value for fit in again.values()) >= value
    assert schedule_broken(cluster, [problem.rings(again)]) == []
    kept = dict(list(first.items())[:3])
    for parts in FIRST_DIVES:
        beside = problem._dive(kept, found.prices, parts)
        assert all(beside[job] is fit for job, fit in kept.items())
        assert schedule_broken(cluster, [problem.rings(beside)]) == []


def test_cases_are_proved_at_the_values_of_the_program():
    split = 0
    for cluster in random_clusters(40, 8, network="any", servers=3, jobs=4, concave=False):
        slot = snapshot(cluster)
        problem = SlotPricing(slot)
        master = Master(problem, Pool(problem))
        *_, root = price_rows(problem, master, gap=1e-9, left=lambda: math.inf)
        tree = CaseTree(problem, master, root)
        tree.expand(lambda: 0.0, 6, 1e-9, lambda: math.inf)
        proof = check(problem.certificate(tree.tree()), instance=cluster)
        best = FeasibleCounts.of(cluster).best(snapshot(cluster))[0]
        assert best - 1e-9 <= proof.bound
        assert float(proof.bound) <= tree.bound * (1 + 1e-7) + 1e-8
        split += tree.leaves > 1
    assert split > 1
