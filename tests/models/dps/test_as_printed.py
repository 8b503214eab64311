"""dps.as_printed: the letter of problem (2), beside the linear program and complete search."""

from __future__ import annotations

import pyomo.environ as pyo
import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.proofs.dps.search import best_by_search
from tests.generators.dps import empty_market, random_market
from tests.tools.quadratic import scip_optimum


def printed(market) -> pyo.ConcreteModel:
    return programs.build("dps.as_printed").to_pyomo(market)


@pytest.mark.parametrize(
    ("name", "payments"),
    # 1 + 0.9; all three; a price beyond the cap turns the first job away, so the second pays 9
    [("one_server", 1.9), ("one_server_half_open", 3.1), ("forced_acceptance", 9.0)],
)
def test_shipped_markets_are_worth_what_the_linear_program_finds(name, payments):
    assert scip_optimum(printed(library.load(f"dps/{name}"))) == pytest.approx(payments)


@pytest.mark.parametrize("seed", range(8))
def test_the_letter_is_the_search_over_acceptance_and_placement(seed):
    market = random_market(seed, jobs=3, servers=2)
    found = scip_optimum(printed(market))
    assert found == pytest.approx(best_by_search(market, market.budget), abs=1e-5)


def test_it_is_not_linear():
    from pyomo.repn import generate_standard_repn

    repn = generate_standard_repn(printed(library.load("dps/tiny")).payments.expr, quadratic=True)
    assert repn.quadratic_vars


def test_a_market_without_jobs_has_no_constraints():
    model = printed(empty_market())
    assert not list(model.component_data_objects(pyo.Constraint))
