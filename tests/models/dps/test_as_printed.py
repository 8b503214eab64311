"""dps.as_printed: the letter of problem (2), beside the linear program and complete search."""

from __future__ import annotations

import pyomo.environ as pyo
import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.proofs.dps.formulation import best_by_search
from tests.conformance.oracle import variants
from tests.generators.dps import empty_market, random_market
from tests.tools.quadratic import scip_optimum


def printed(market) -> pyo.ConcreteModel:
    return programs.build("dps.as_printed").to_pyomo(market)


@pytest.mark.parametrize("seed", range(8))
def test_the_letter_is_the_search_over_acceptance_and_placement(seed):
    market = random_market(seed, jobs=3, servers=2)
    found = scip_optimum(printed(market))
    assert found == pytest.approx(best_by_search(market, market.budget), abs=1e-5)


def test_it_is_not_linear():
    from pyomo.repn import generate_standard_repn

    repn = generate_standard_repn(printed(library.load("dps/tiny")).payments.expr, quadratic=True)
    assert repn.quadratic_vars


def test_what_is_yes_or_no_is_binary_and_units_are_whole():
    model = printed(random_market(1, jobs=3, servers=2))
    kinds = {
        var.name: {one.domain.name for one in var.values()}
        for var in model.component_objects(pyo.Var)
    }
    for name in ("accepted", "alone", "short_of_workers", "short_of_ps", "dear"):
        assert kinds[name] <= {"Binary"}
    for name in ("workers", "ps"):
        assert all("Integers" in kind for kind in kinds[name])


def test_a_market_without_jobs_has_no_constraints():
    model = printed(empty_market())
    assert not list(model.component_data_objects(pyo.Constraint))


def holds(row) -> bool:
    body, lower, upper = pyo.value(row.body), pyo.value(row.lower), pyo.value(row.upper)
    return (lower is None or body >= lower) and (upper is None or body <= upper)


@pytest.mark.parametrize("side", ["workers", "ps"])
def test_too_few_units_are_idle_exactly_when_a_job_may_be_turned_away(side):
    market = random_market(3, jobs=4)
    model = printed(market)
    needs = model.needs if side == "workers" else model.needs_ps
    every = getattr(model, f"all_{side}")
    busy, short = getattr(model, f"busy_{side}"), getattr(model, f"short_of_{side}")
    fits, lacks = getattr(model, f"{side}_suffice"), getattr(model, f"{side}_short")
    for i in model.jobs:
        assert short[i].is_binary()
        assert model.accepted[i].is_binary()
        need, have = pyo.value(needs[i]), pyo.value(every[i])
        for taken in range(int(have) + 3):
            busy[i].set_value(taken, skip_validation=True)
            for one in (0, 1):
                model.accepted[i].set_value(one)
                short[i].set_value(one)
                assert holds(fits[i]) == (need * one + taken <= have)
                assert holds(lacks[i]) == (not one or taken > have - need)


def test_a_server_has_all_of_a_job_exactly_when_it_is_alone():
    market = random_market(5, jobs=4, servers=2)
    model = printed(market)
    for i in model.jobs:
        job = market.jobs[i]
        for workers in range(job.workers + 1):
            for ps in range(job.ps + 1):
                for alone in (0, 1):
                    model.workers[i, 0].set_value(workers)
                    model.ps[i, 0].set_value(ps)
                    model.alone[i, 0].set_value(alone)
                    both = holds(model.alone_has_all[i, 0]) and holds(model.all_is_alone[i, 0])
                    assert both == (alone == (workers + ps == job.workers + job.ps))


def test_rows_carry_the_number_under_which_the_paper_prints_their_side():
    # (2b), (2e), (2g) are about parameter servers, (2c), (2d), (2f) about workers
    sides = {"ps": {"2b", "2e", "2g"}, "worker": {"2c", "2d", "2f"}}
    seen = set()
    for name in programs.names("dps."):
        for family in (f for v in variants(programs[name]) for f in v.families()):
            labels = set(family.label.split(","))
            for side, numbers in sides.items():
                if labels & numbers:
                    assert side in family.name, f"{name}: {family.name} is ({family.label})"
                    seen |= labels & numbers
    assert seen == sides["ps"] | sides["worker"]
