"""eris.as_printed: the letter of problem (2), beside the corrected program."""

from __future__ import annotations

import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.solvers import solve
from tests.tools.quadratic import scip_optimum


def corrected(name: str) -> float:
    form = programs.build("eris.offline").form(library.load(name))
    return solve(form).require_optimal().objective


def test_a_job_that_arrives_late_is_never_accepted_as_printed() -> None:
    model = programs.build("eris.as_printed").to_pyomo(library.load("eris/late_arrival"))
    assert scip_optimum(model) == pytest.approx(0.0, abs=1e-6)
    assert corrected("eris/late_arrival") == pytest.approx(10.0)


def test_chunks_that_stay_are_charged_as_printed() -> None:
    # one_chunk_twice has no transfer budget, and θ = 1: even data that stay cannot be processed
    model = programs.build("eris.as_printed").to_pyomo(library.load("eris/one_chunk_twice"))
    assert scip_optimum(model) == pytest.approx(0.0, abs=1e-6)
    assert corrected("eris/one_chunk_twice") == pytest.approx(20.0)


def test_a_budget_for_chunks_that_stay_lets_the_job_run_as_printed() -> None:
    # θ = 1 for each of two chunks that stay: with 2 MB a slot the printed program pays for them
    auction = library.load("eris/one_chunk_twice").replace(transfer_budget=2.0)
    model = programs.build("eris.as_printed").to_pyomo(auction)
    assert scip_optimum(model) == pytest.approx(20.0, abs=1e-6)
