"""dps.bfp: the best fixed prices on one server."""

import msgspec
import pytest

import farkas
from farkas.errors import NotApplicable
from farkas.forms.words import index_in
from farkas.instances import library
from farkas.models.dps.best_fixed_price import BestFixedPrice
from farkas.online.dps.best_fixed import best_exactly
from farkas.solvers import solve
from tests.conformance.oracle import column, row
from tests.generators.dps import empty_market, market_in, posted, random_market


def optimum(market):
    return solve(BestFixedPrice().form(market), gap=0.0).require_optimal().objective


@pytest.mark.parametrize("seed", range(6))
def test_it_agrees_with_the_search_over_cells(seed):
    market = random_market(seed, types=1, jobs=5, servers=1).replace(price_cap=1.0)
    assert optimum(market) == pytest.approx(float(best_exactly(market).profit), rel=1e-6)


def test_income_is_the_budget_or_the_cap_for_every_unit():
    # at most 1 for each of 3 + 3 units
    for budget, most in ((5.0, "5"), (6.0, "6"), (9.0, "6")):
        form = BestFixedPrice().form(posted((0, 1, 3, budget), units=4))
        assert row(form, "income_from_served[0]") == f"-{most} served[0] +1 income[0] <= 0"


def test_resources_are_short_when_too_few_are_idle_for_the_job():
    # 4 units; after 2 are taken a job of 3 is blocked: held >= 4 - 3 + 1 = 2
    form = BestFixedPrice().form(posted((0, 3, 2, 2.0), (1, 1, 3, 3.0), units=4))
    assert row(form, "workers_really_short[1]") == "0 <= +2 served[0] -2 short_of_workers[1]"


def test_who_can_pay_the_most_that_is_asked_always_can():
    # 1 + 1 for one unit a side: a budget of 2 cannot decline, one hair below it can
    market = posted((0, 1, 1, 2.0), (1, 1, 1, 2.0 * (1 - 2.0**-52)))
    form = BestFixedPrice().form(market)
    bounds = [column(form, f"affordable[{i}]").split(" ")[0] for i in range(2)]
    assert bounds == ["1", "0"]


def test_two_equal_jobs_pay_alike():
    # the first holds the server when the second arrives, or neither pays
    assert optimum(posted((0, 2, 1, 0.7), (1, 1, 1, 0.7))) == pytest.approx(0.7, abs=1e-4)
    assert optimum(posted((0, 1, 1, 0.7), (1, 1, 1, 0.7))) == pytest.approx(1.4, abs=1e-4)


def test_no_price_earns_more_than_the_program_proves():
    # budgets a hair above the cap: at the cap all four short jobs pay 1/2, though a decliner's
    # payment has no room above the first job's budget
    market = posted(
        (0, 1, 1, 0.5), *((i, 1, 1, 0.500001) for i in range(1, 5)), price_cap=0.2500005
    )
    assert optimum(market) == pytest.approx(float(best_exactly(market).profit), rel=1e-9)
    assert certified(market) >= best_exactly(market).profit


def certified(market):
    return farkas.solve(market, "dps.bfp", certify=True).bound


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
def test_the_best_price_does_not_depend_on_the_currency(unit):
    for seed in range(3):
        market = random_market(seed, types=1, jobs=5, servers=1).replace(price_cap=1.0)
        other = market_in(market, unit).replace(price_cap=unit)
        assert optimum(other) == unit * optimum(market)


def test_jobs_are_ranked_within_parallel_asks_only():
    # jobs ask for 1 + 1, 2 + 2, 2 + 1 and 1 + 1; the first two have 3/2 a unit, the last has 7/4
    market = posted((0, 1, 1, 3.0), (1, 1, 2, 6.0), (2, 1, 2, 9.0), (3, 1, 1, 3.5), units=9)
    jobs = msgspec.to_builtins(market.jobs)
    jobs[2]["ps"] = 1
    market = market.replace(jobs=jobs)
    form = BestFixedPrice().form(market)
    block = form.row_block("richer_pays_too")
    pairs = [index_in(block, i) for i in range(block.start, block.stop)]
    assert pairs == [(0, 1), (1, 0), (1, 3)]


def test_what_it_needs():
    with pytest.raises(NotApplicable, match=r"dps\.bfp needs one server, this market has 2"):
        BestFixedPrice().form(library.load("dps/tiny"))
    with pytest.raises(NotApplicable, match="price_cap"):
        BestFixedPrice().form(posted((0, 1, 1, 1.0), price_cap=None))
    one = {"server_workers": [[1]], "server_ps": [[1]], "worker_bandwidth": [None]}
    nobody = empty_market().replace(**one, ps_bandwidth=[None], price_cap=1.0)
    assert optimum(nobody) == 0.0
    assert BestFixedPrice().example().num_servers == 1
