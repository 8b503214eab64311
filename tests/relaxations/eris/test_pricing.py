"""Schedules at prices of slots: rows, replies and certificates, held against exact proofs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.eris import PricedAuction, payoffs_by_job
from farkas.certificates.priced_tree import Window
from farkas.decomposition.cases import CaseTree
from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Tree
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.pricing import SchedulePricing
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


def drawn(seed):
    """A pricing with prices of its rows."""
    auction = random_auction(seed, most_chunks=4, jobs=6)
    pricing = SchedulePricing(auction)
    rng = np.random.default_rng(seed)
    prices = rng.choice([0.0, 0.5, 3.0, 9.0], len(pricing.rows))
    return pricing, np.where(rng.random(len(prices)) < 0.3, 0.0, prices), rng


@pytest.mark.parametrize("seed", range(30))
def test_replies_earn_what_is_proved(seed):
    pricing, prices, _ = drawn(seed)
    payoff, plans = pricing.replies(prices, {})
    program = PricedAuction(pricing.auction)
    proved = payoffs_by_job(pricing.auction, *program.parts(pricing.fine(prices)))
    assert payoff == pytest.approx([float(one) for one in proved], rel=1e-9, abs=1e-9)
    earned = np.zeros(pricing.owners)
    earned[plans.owner] = plans.value - plans.use @ prices
    busy = pricing.auction.chunks > 0
    assert earned[busy] == pytest.approx(payoff[busy], abs=1e-9)
    start = pricing.start()
    assert start.owner.tolist() == np.flatnonzero(~busy).tolist()
    assert start.value == pytest.approx(payoff[~busy])
    assert start.use.nnz == 0


@pytest.mark.parametrize("seed", range(30))
def test_cases_raise_who_is_served_and_count_early_as_late(seed):
    pricing, prices, rng = drawn(seed)
    case = {}
    for owner in range(pricing.owners):
        low, high = sorted(rng.choice([0.0, *pricing.auction.jobs[owner].utility], 2))
        if high > 0 and rng.random() < 0.7:
            case[owner] = Window(float(low), float(high))
    payoff, plans = pricing.replies(prices, case)
    program = PricedAuction(pricing.auction)
    proved = program.replies(pricing.fine(prices), case, range(pricing.owners))
    assert payoff == pytest.approx([float(one) for one in proved], rel=1e-9, abs=1e-9)
    earned = plans.value - plans.use @ prices
    for k, owner in enumerate(plans.owner.tolist()):
        if owner in case:  # a plan keeps its own value
            earned[k] += case[owner].worth(plans.value[[k]])[0] - plans.value[k]
        assert earned[k] == pytest.approx(payoff[owner], abs=1e-9)


def test_rows_pool_the_sites_of_a_slot():
    auction = random_auction(7, most_sites=3)
    pricing = SchedulePricing(auction)
    slots = auction.slots
    assert pricing.rows[:slots].tolist() == [auction.transfer_budget] * slots
    pooled = pricing.rows[slots:].reshape(auction.num_resources, slots)
    assert pooled == pytest.approx(np.repeat(auction.capacity.sum(axis=0)[:, None], slots, axis=1))
    sites = auction.used.size // pooled.size
    assert np.bincount(pricing.row_of)[slots:].tolist() == [sites] * pooled.size
    assert np.unique(pricing.place_of[slots:]).tolist() == list(range(sites * len(pooled)))


@pytest.mark.ids(3)
@pytest.mark.parametrize("seed", range(24))
def test_certificates_of_trees_bound_the_optimum(seed):
    auction = random_auction(seed, most_chunks=4, jobs=6)
    pricing = SchedulePricing(auction)
    master = Master(pricing, Pool(pricing))
    *_, settled = price_rows(pricing, master, gap=0.0, left=lambda: 60.0)
    tree = CaseTree(pricing, master, settled)
    single = pricing.certificate(Tree.of(settled.prices))
    # prices in a file have 30 bits
    assert float(Fraction(single.bound)) == pytest.approx(settled.bound, rel=1e-7, abs=1e-6)
    tree.expand(lambda: 0.0, 6, 0.0, lambda: 60.0)
    made = pricing.certificate(tree.tree())
    assert made.prove_bound(auction) == Fraction(made.bound) <= Fraction(single.bound)
    assert float(Fraction(made.bound)) == pytest.approx(tree.bound, rel=1e-7, abs=1e-6)
    best = optimum("eris.offline", auction)
    assert float(Fraction(made.bound)) >= best * (1 - 1e-9) - 1e-9


def test_what_is_occupied_is_not_sold_again():
    jobs = [{"utility": [10.0, 7.0, 0.0]} for _ in range(3)]
    auction = one_resource(*jobs)

    def prices(**settings):
        pricing = SchedulePricing(auction, **settings)
        rounds = price_rows(pricing, Master(pricing, Pool(pricing)), gap=0.0, left=lambda: 60.0)
        return pricing.prices_of(list(rounds)[-1].prices)

    assert prices().resource == pytest.approx(0.0, abs=1e-6)
    occupied = np.zeros(3 + 2 * 3)
    occupied[3] = occupied[6] = 1.0  # one unit of each site in slot 0
    assert prices(occupied=occupied).resource[:, 0, 0] == pytest.approx([3.0, 3.0])
    # three jobs that come twice fill four places of slot 0 and wait as two
    assert prices(times=np.full(3, 2.0)).resource[:, 0, 0] == pytest.approx([3.0, 3.0])


@pytest.mark.parametrize("seed", range(10))
def test_jobs_that_come_more_often_earn_and_use_as_much_more(seed):
    pricing, prices, rng = drawn(seed)
    times = rng.uniform(0.5, 4.0, pricing.owners)
    several = SchedulePricing(pricing.auction, times=times)
    payoff, plans = pricing.replies(prices, {})
    more, larger = several.replies(prices, {})
    assert more == pytest.approx(times * payoff)
    assert larger.owner.tolist() == plans.owner.tolist()
    assert larger.value == pytest.approx(times[plans.owner] * plans.value)
    assert larger.use.toarray() == pytest.approx(times[plans.owner, None] * plans.use.toarray())
    assert several.most == pytest.approx(times * pricing.most)


def test_prices_of_sites_are_taken_together_as_their_mean():
    auction = random_auction(7, most_sites=3)
    pricing, rng = SchedulePricing(auction), np.random.default_rng(0)
    prices = Prices(rng.random(auction.slots), rng.random(auction.used.shape))
    rows = pricing.pooled(prices)
    assert rows[: auction.slots] == pytest.approx(prices.transfer)
    assert rows[auction.slots :] == pytest.approx(prices.resource.mean(axis=0).ravel())
