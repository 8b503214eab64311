"""Schedules of all jobs at once: the same as job by job, and what they use."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.payoff_bound import evaluate, payoff_bounds
from farkas.relaxations.eris.priced_jobs import JobPricer
from tests.generators.eris import one_resource, random_auction


def random_prices(auction, seed):
    rng = np.random.default_rng(seed)
    transfer = rng.uniform(0, 3, auction.slots)
    return Prices(transfer, rng.uniform(0, 10, auction.used.shape))


@pytest.mark.parametrize("seed", range(30))
def test_jobs_at_once_and_in_turn_agree(seed):
    auction = random_auction(seed, most_chunks=7, jobs=6)
    prices = random_prices(auction, seed)
    pricer = JobPricer(auction)
    found = evaluate(auction, prices)
    assert pricer.bound(prices) == pytest.approx(found.bound)
    assert pricer.chosen.payoff == pytest.approx(payoff_bounds(auction, prices, full=True))
    usage = pricer.columns().usage.sum(axis=0)
    assert usage[: auction.slots] == pytest.approx(found.transfer)
    assert usage[auction.slots :] == pytest.approx(found.resource.ravel())


@pytest.mark.parametrize("seed", range(10))
def test_what_a_schedule_is_worth_pays_for_its_use(seed):
    auction = random_auction(seed, most_chunks=7, jobs=6)
    prices = random_prices(auction, seed)
    pricer = JobPricer(auction)
    pricer.bound(prices)
    found = pricer.columns()
    cost = found.usage @ np.concatenate([prices.transfer, prices.resource.ravel()])
    assert found.worth - cost == pytest.approx(pricer.chosen.payoff[found.job])
    last = np.array([slots.nonzero()[0].max() for slots in found.busy.toarray()], dtype=int)
    assert last.tolist() == (auction.arrival + pricer.chosen.finish)[found.job].tolist()


def test_every_schedule_is_joined_once():
    auction = one_resource({"utility": [5.0, 4.0, 3.0]}, {"utility": [6.0, 5.0, 4.0]})
    pricer = JobPricer(auction)
    pricer.bound(Prices.zero(auction))
    first = pricer.columns()
    dear = Prices.zero(auction)
    dear.resource[:, :, 0] = 5.5
    pricer.bound(dear)
    second = pricer.columns()
    both = first.join(second).join(first)
    assert first.job.tolist() == [0, 1] == second.job.tolist()
    assert both.job.tolist() == [0, 1, 0, 1]
    assert both.worth.tolist() == [5.0, 6.0, 4.0, 5.0]
    assert both.taken(np.array([3])).busy.toarray().tolist() == [[0.0, 1.0, 0.0]]


def test_an_auction_without_jobs_has_no_schedules():
    auction = one_resource()
    pricer = JobPricer(auction)
    assert pricer.bound(Prices.zero(auction)) == 0.0
    assert len(pricer.columns().job) == 0
