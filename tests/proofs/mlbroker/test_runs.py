"""Runs that inequalities are evaluated on, and how they are compared."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from farkas.proofs import Standing
from farkas.proofs.mlbroker.runs import (
    Inequality,
    compare,
    cost,
    proved_where_held,
    shipped,
    trace,
    traced_runs,
)


def runs(*sides: tuple[float, float], unit: float = 1.0, shipped: int = 2) -> Any:
    """Runs of cost 10 with two sides each; the first few are shipped."""
    return tuple(
        SimpleNamespace(
            example="mlbroker/tiny" if k < shipped else {"seed": k},
            outcome=SimpleNamespace(total=10.0 * unit),
            low=low * unit,
            high=high * unit,
        )
        for k, (low, high) in enumerate(sides)
    )


def verdict(*sides: tuple[float, float], **how: Any) -> Any:
    sides_of = Inequality(left=lambda run: run.low, right=lambda run: run.high)
    return compare(runs(*sides, **how), sides_of)


@pytest.mark.parametrize("unit", [2.0**-40, 1.0, 2.0**40])
def test_the_unit_of_money_decides_nothing(unit):
    fine = verdict((3.0, 4.0), (0.5, 1.0), unit=unit)
    assert (fine.standing, fine.runs, fine.slack) == (Standing.HELD, 2, 0.25)
    wrong = verdict((3.0, 4.0), (1.01, 1.0), unit=unit)
    assert (wrong.standing, wrong.counterexample) == (Standing.REFUTED, "mlbroker/tiny")
    assert (wrong.fails[0].left, wrong.fails[0].right) == (1.01 * unit, unit)


def test_sides_that_are_nothing_against_the_cost_are_noise():
    # 1e-6 of the cost of 10 is 1e-5: 1e-11 more than 0 is 1e-6 of that, 1e-9 more is too much
    assert verdict((1e-11, 0.0)).slack == pytest.approx(-1e-6)
    assert verdict((1e-9, 0.0)).standing is Standing.REFUTED


def test_the_worst_shipped_finite_violation_is_shown():
    found = verdict((math.inf, 1.0), (2.0, 1.0), (3.0, 1.0))
    assert found.note == "violated in 3 of 3 runs"
    assert (found.fails[0].left, found.fails[0].right) == (2.0, 1.0)
    assert verdict((1.0, 2.0), (2.0, 3.0), (3.0, 1.0)).counterexample == {"seed": 2}


def test_noise_does_not_choose_between_equal_violations():
    found = verdict((1.0, -1.0), (2.0, -2.0 * (1 + 1e-12)))
    assert (found.fails[0].left, found.fails[0].right) == (1.0, -1.0)


def test_what_is_not_a_number_cannot_be_compared():
    with pytest.raises(ValueError, match="not a number"):
        verdict((math.nan, 1.0))


def test_costs_of_real_runs_exceed_nothing():
    found = compare(traced_runs("tight")[:3], Inequality(left=cost, right=lambda run: 0.0))
    assert found.standing is Standing.REFUTED
    assert found.note == "violated in 3 of 3 runs"


def test_deployments_before_are_those_of_the_slot_before():
    broker = shipped("return_trip")
    run = trace("mlbroker/return_trip", broker, "tight")
    first = broker.previous_pair < 0
    assert not run.before[first].any()
    assert np.array_equal(run.before[1:], run.deployed[:-1])  # one job in every slot
    assert float(run.point.bound) <= cost(run)


def test_a_run_that_contradicts_a_proof_refutes_it():
    kept = proved_where_held(verdict((1.0, 2.0)), "for all runs")
    assert (kept.standing, kept.note) == (Standing.PROVED, "for all runs")
    assert proved_where_held(verdict((2.0, 1.0)), "for all runs").standing is Standing.REFUTED


def test_what_sides_say_of_a_broker_is_what_they_say_of_its_run() -> None:
    sides = Inequality(left=cost, right=lambda run: 2.0, size=lambda run: 0.0)
    broker = shipped("surplus_worker")
    assert sides.says(broker).relations == (sides.of(trace("", broker, "printed")),)
