"""The offline optimum through pooled servers, against complete search and the whole program."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.dps.offline import Offline
from farkas.proofs.dps.formulation import best_by_search
from farkas.relaxations.dps import pooled
from farkas.relaxations.dps.pooled import best_served, can_serve, pooled_form
from farkas.solvers import solve
from tests.generators.dps import empty_market, forced_jobs, posted, random_market
from tests.tools.samples import seeds


def worth(market, prices: str) -> float:
    return Offline(prices=prices).rewards(market)[best_served(market, prices)].sum()


@seeds(12, 30)
def test_the_served_jobs_are_worth_what_complete_search_finds(seed):
    market = random_market(seed, jobs=4, servers=2)
    assert worth(market, "free") == pytest.approx(best_by_search(market, market.budget))
    if market.price_cap is None:
        with pytest.raises(NotApplicable, match="needs a price_cap"):
            best_served(market, "capped")
        return
    reward = market.capped_reward
    assert worth(market, "capped") == pytest.approx(best_by_search(market, reward))
    forced = best_by_search(market, reward, forced=forced_jobs(market))
    assert worth(market, "forced") == pytest.approx(forced)


def test_jobs_that_fit_the_pool_but_no_servers_are_cut_off():
    # The pooled program alone is worth more: its jobs cannot all be placed.
    market = library.load("dps/aggregate_gap")
    above = solve(pooled_form(market, "free"), gap=0.0).require_optimal().objective
    assert above > worth(market, "free") + 1.0


def test_a_refused_set_is_smallest(monkeypatch):
    market = library.load("dps/aggregate_gap")
    form = Offline().form(market)
    found = []
    monkeypatch.setattr(
        pooled,
        "_smallest_refused",
        lambda plain, served, real=pooled._smallest_refused: (
            found.append(real(plain, served)) or found[-1]
        ),
    )
    best_served(market, "free")
    assert found
    for refused in found:
        assert not can_serve(form, refused)
        for job in np.flatnonzero(refused):
            smaller = refused.copy()
            smaller[job] = False
            assert can_serve(form, smaller)


def test_a_choice_only_forcing_refuses_is_cut_off_alone():
    # The first job's price is out of reach of refusal, so serving the second alone is not allowed,
    # although its units are free.
    market = library.load("dps/forced_acceptance")
    only_second = np.array([False, True])
    assert can_serve(Offline(prices="capped").form(market), only_second)
    assert not can_serve(Offline(prices="forced").form(market), only_second)


def test_nothing_is_served_without_jobs_or_servers():
    assert best_served(empty_market(), "free").shape == (0,)
    market = random_market(3).replace(server_workers=[], server_ps=[])
    assert not best_served(market, "free").any()


def test_a_refused_choice_takes_no_other_with_it(monkeypatch):
    # the first job pays 9 for all units, the others 2 each for half of them: refused, 4 are left
    jobs = [(0, 1.0, 2, 9.0), (0, 1.0, 1, 2.0), (0, 1.0, 1, 2.0)]
    market = posted(*jobs, units=2, price_cap=9.0)
    real = pooled.can_serve

    def refused(form, served):
        forced = any(block.name == "served_unless_blocked" for block in form.rows)
        return real(form, served) and not (forced and served.tolist() == [True, False, False])

    assert best_served(market, "forced").tolist() == [True, False, False]
    dear = market.replace(price_cap=4.0)
    form = Offline(prices="forced").form(dear)
    assert any(block.name == "served_unless_blocked" for block in form.rows)
    monkeypatch.setattr(pooled, "can_serve", refused)
    assert best_served(dear, "forced").tolist() == [False, True, True]


def test_a_job_that_no_server_holds_alone_runs_as_long_as_a_spread_one_in_the_pool():
    # two workers on two servers of one: 1 slot together, 2 x 60 / (1 x 60 / 2) more when spread,
    # so that the first still runs when the second arrives
    job = {"worker_type": 0, "workers": 2, "ps_type": 0, "ps": 1, "model_size": 60.0,
           "epochs": 1.0, "epoch_compute": 1.0, "budget": 3.0}  # fmt: skip
    market = posted().replace(
        jobs=[{**job, "arrival": 0}, {**job, "arrival": 2}],
        server_workers=[[1], [1]], server_ps=[[1], [1]],
        worker_bandwidth=[1.0], ps_bandwidth=[1.0],
    )  # fmt: skip
    assert (market.colocated_runtime[0], market.spread_runtime[0]) == (1.0, 5.0)
    for prices, worth in (("free", 3.0), ("capped", 3.0), ("forced", 3.0)):
        form = pooled_form(market, prices)
        assert solve(form, gap=0.0).require_optimal().objective == pytest.approx(worth)
        assert not form.upper[form.column_block("whole").where].any()


@pytest.mark.parametrize("seed", range(6))
def test_what_cannot_be_served_together_leaves_all_but_one_of_it(seed, monkeypatch):
    # Three jobs of 2 workers on two servers of 3: the third is spread, and runs for 5 slots instead
    # of 1.  Pooled all are over when the last comes, who wants all workers.
    budgets = np.random.default_rng(seed).permutation([2.0, 3.0, 5.0, 7.0])
    job = {"worker_type": 0, "ps_type": 0, "ps": 1, "model_size": 60.0, "epochs": 1.0,
           "epoch_compute": 1.0}  # fmt: skip
    asks = [(0, 2), (0, 2), (0, 2), (2, 6)]
    market = posted().replace(
        jobs=[
            {**job, "arrival": arrival, "workers": workers, "budget": budget}
            for (arrival, workers), budget in zip(asks, budgets.tolist(), strict=True)
        ],
        server_workers=[[3], [3]], server_ps=[[4], [4]],
        worker_bandwidth=[1.0], ps_bandwidth=[2.0],
    )  # fmt: skip
    cut = []
    monkeypatch.setattr(
        pooled,
        "_smallest_refused",
        lambda plain, served, real=pooled._smallest_refused: (
            cut.append(real(plain, served)) or cut[-1]
        ),
    )
    assert worth(market, "free") == pytest.approx(best_by_search(market, market.budget))
    assert [refused.tolist() for refused in cut] == [[True] * 4]
    assert worth(market, "free") == 15.0


@pytest.mark.parametrize("first", [True, False])
def test_a_choice_that_forcing_refuses_leaves_those_with_more_jobs(first, monkeypatch):
    # one of two jobs pays nothing, so that it is worth as much to serve it as not to
    jobs = [(0, 1.0, 1, 4.0), (0, 1.0, 1, 0.0)]
    market = posted(*(jobs if first else jobs[::-1]), units=2, price_cap=2.0)
    real = pooled.can_serve

    def only_both(form, served):
        forced = any(block.name == "served_unless_blocked" for block in form.rows)
        return real(form, served) and (not forced or bool(served.all()))

    monkeypatch.setattr(pooled, "can_serve", only_both)
    assert best_served(market, "forced").tolist() == [True, True]
