"""A seller that posts by what it believes: answers by hand, hidden budgets, any unit of money."""

from __future__ import annotations

import numpy as np
import pytest

import farkas
from farkas.errors import InvalidOption
from farkas.online.dps.beliefs import HIGHEST, LOWEST, STEPS, Believer, normalised
from farkas.online.dps.environment import Known, Offer
from tests.generators.dps import empty_market, random_market
from tests.references.dps_sellers import by_steps


def asked(market, seller=None, job: int = 0):
    seller = seller or Believer()
    return seller, seller.start(Known.of(market), 0), Offer.of(market, job)


def accepts(price: float, level: float, steep: float) -> float:
    return 1.0 / (1.0 + (price / level) ** steep)


def test_the_first_price_earns_most_where_nothing_is_known():
    market = random_market(0, jobs=3).replace(server_workers=[[9, 9]], server_ps=[[9, 9]])
    market = market.replace(worker_bandwidth=[None, None], ps_bandwidth=[None, None])
    seller, state, ask = asked(market)
    quote = seller.quote(state, ask)
    levels = 2.0 ** (np.arange(LOWEST * STEPS, HIGHEST * STEPS + 1) / STEPS)
    earned = {
        p: p * np.mean([accepts(p, w, seller.steep) for w in levels])
        for p in 2.0 ** (np.arange(LOWEST * STEPS, 1) / STEPS)
    }
    assert quote.worker_price == quote.ps_price
    assert quote.worker_price == pytest.approx(max(earned, key=earned.get))
    assert quote.payment == pytest.approx(quote.worker_price * (ask.workers + ask.ps))


def test_beliefs_are_multiplied_by_how_likely_answers_are():
    market = random_market(0, jobs=3)
    seller, state, ask = asked(market)
    levels = 2.0 ** (np.arange(LOWEST * STEPS, HIGHEST * STEPS + 1) / STEPS)
    weight = np.ones(len(levels))
    for accepted in (True, False, False, True):
        quote = seller.quote(state, ask)
        share = np.array([accepts(quote.worker_price, w, seller.steep) for w in levels])
        weight *= share if accepted else 1.0 - share
        seller.answered(state, ask, quote, accepted)
    (belief,) = state.beliefs.values()
    assert normalised(belief) == pytest.approx(weight / weight.sum(), rel=1e-9)


def test_busy_servers_are_dearer_and_scarcity_says_how_much():
    market = random_market(0, jobs=3).replace(
        server_workers=[[4, 4]], server_ps=[[4, 4]],
        worker_bandwidth=[None, None], ps_bandwidth=[None, None],
    )  # fmt: skip

    def price(idle: int, **options) -> float:
        seller, state, ask = asked(market, Believer(**options))
        state.cluster.idle_ps[:] = idle
        return float(seller.quote(state, ask).worker_price)

    assert price(0, scarcity=0.3) >= price(2, scarcity=0.3) >= price(4)
    assert price(0, scarcity=0.3) > price(4) == price(4, scarcity=9.0)
    assert price(0, scarcity=0.0) == price(4, scarcity=0.0) == price(4)
    assert price(2, scarcity=1.0, late=9.0) < price(2, scarcity=1.0, late=0.5)


def test_a_new_pair_is_believed_to_be_half_like_the_others():
    seller, state, _ = asked(random_market(0, jobs=3))
    first = np.log(np.arange(1.0, len(state.sold) + 1))
    state.beliefs[7, 7] = first.copy()
    half = 0.5 / len(first) + 0.5 * normalised(first)
    assert normalised(seller._belief(state, (0, 0))) == pytest.approx(half, rel=1e-9)
    assert (state.beliefs[7, 7] == first).all()


@pytest.mark.parametrize("seed", range(8))
def test_budgets_and_runtimes_show_in_answers_only(seed):
    """Budgets that answer alike, and runtimes that end alike, change no decision."""
    market = random_market(seed, jobs=20)
    known = by_steps(Believer(), market)
    jobs = []
    for job, decision in zip(market.jobs, known, strict=True):
        fields = {name: getattr(job, name) for name in job.__struct_fields__}
        if decision.outcome == "sold":
            fields["budget"] = job.budget + 7.0
        elif decision.worker_price is not None and decision.outcome == "declined":
            fields["budget"] = 0.0
        jobs.append(fields)
    assert by_steps(Believer(), market.replace(jobs=jobs)) == known


@pytest.mark.parametrize("option", [{"steep": 0.0}, {"late": 0.0}, {"scarcity": -1.0}])
def test_options_are_checked(option):
    with pytest.raises(InvalidOption):
        farkas.run("dps/tiny", "dps.beliefs", **option)


def test_a_market_that_nobody_visits():
    assert by_steps(Believer(), empty_market()) == []
