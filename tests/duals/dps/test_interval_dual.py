"""dps.interval_dual, written by hand, against the derived dual of dps.interval_lp."""

from __future__ import annotations

import pytest

from farkas.duals.dps.interval_dual import IntervalDual
from farkas.duals.dualize import dualize
from farkas.relaxations.dps.interval import IntervalLP
from farkas.solvers import solve
from tests.generators.dps import empty_market, random_market


@pytest.mark.parametrize("seed", range(25))
def test_primal_derived_dual_and_the_dual_by_hand_have_one_optimum(seed):
    market = random_market(seed, jobs=9)
    for rewards in ("budget", "capped"):
        if rewards == "capped" and market.price_cap is None:
            continue
        primal = IntervalLP(rewards=rewards).form(market)
        forms = [primal, dualize(primal).form, IntervalDual(rewards=rewards).form(market)]
        values = [solve(form).require_optimal().objective for form in forms]
        assert values == pytest.approx([values[0]] * 3, abs=1e-7)


def test_without_jobs_no_price_is_worth_anything():
    assert IntervalDual().full_name == "dps.interval_dual[budget]"
    assert solve(IntervalDual().form(empty_market())).require_optimal().objective == 0.0
