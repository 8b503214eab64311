"""Lines of (12) and (13) on a run, against each other."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from farkas.instances import library
from farkas.proofs import Standing
from farkas.proofs.mlbroker import fractional
from farkas.proofs.mlbroker.chain import (
    decisions,
    line_12c,
    line_13c,
    line_13d,
    printed_dual,
    products,
    scaled,
    statements,
    usage,
)
from farkas.proofs.mlbroker.runs import (
    Inequality,
    compare,
    cost,
    dual_bound,
    proved_where_held,
    shipped,
    trace,
)
from farkas.proofs.verdict import Relation, said


@pytest.fixture(scope="module")
def by_name():
    names = ("mlbroker/tiny", "mlbroker/quiet_slot", "mlbroker/unit_scaling")
    return {name: trace(name, library.load(name), "printed") for name in names}


def test_the_corrected_line_13d_equals_13c_and_the_printed_one_is_its_opposite(by_name):
    run = by_name["mlbroker/quiet_slot"]
    assert line_13d(run) == pytest.approx(line_13c(run), rel=1e-3)


def test_the_printed_dual_objective_leaves_out_the_switches(by_name):
    for run in by_name.values():
        assert printed_dual(run) + run.point.xi.sum() == pytest.approx(dual_bound(run), rel=1e-9)


def test_a_site_without_data_makes_12c_infinite_and_a_slot_without_data_adds_nothing(by_name):
    assert line_12c(by_name["mlbroker/tiny"]) == np.inf
    assert not np.isnan(line_12c(by_name["mlbroker/quiet_slot"]))


@pytest.mark.parametrize(
    ("ratios", "standing", "words"),
    [
        ({8: 3.1, 12: 3.2}, Standing.REFUTED, ("mlbroker/harmonic", "R >= 8 sites")),
        ({17: 3.1}, Standing.REFUTED, ("mlbroker/harmonic_seventeen", "R >= 17 sites")),
        ({}, Standing.HELD, (None, "")),
    ],
)
def test_the_verdict_on_theorem_3_follows_from_the_ratios(monkeypatch, ratios, standing, words):
    def within(broker):
        ratio = ratios.get(broker.num_sites, 2.0)
        return said(Relation(ratio, "<=", 3.0), ratio=ratio, r1=3.0)

    monkeypatch.setattr(fractional, "_within_r1", within)
    found = fractional.fractional_runs_cost_at_most_r1_times_the_relaxation()
    assert found.standing is standing
    assert (found.counterexample, found.note) == words
    assert len(found.fails) == len(ratios)


def test_usage_counts_units_of_workers_and_servers(by_name):
    run = by_name["mlbroker/unit_scaling"]
    broker = run.instance
    workers = sum(float(d.workers.sum()) for d in run.decisions)
    servers = sum(float(d.server.sum()) for d in run.decisions)
    units = workers * broker.worker_demand[0] + servers * broker.server_demand[0]
    np.testing.assert_allclose(usage(run).sum(axis=(0, 1)), units)


def test_the_factor_of_13f(by_name):
    # σ (1 + ε) with σ = ln(1 + 1/ε)
    run = by_name["mlbroker/tiny"]
    epsilon = run.instance.epsilon
    assert scaled(run, 2.0) == pytest.approx(2 * (1 + epsilon) * np.log1p(1 / epsilon))


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


ROWS = {f"K{number}" for number in range(1, 23)} | {"v", "u"}


@pytest.fixture(scope="module")
def run():
    return trace("mlbroker/return_trip", shipped("return_trip"), "printed")


@pytest.fixture(scope="module")
def discounted():
    return trace("mlbroker/tiny", shipped("tiny"), "printed")


def broken(run) -> set[str]:
    return {row for row, relation in statements(run).items() if not relation.holds}


def test_all_rows_of_the_table_are_stated_and_hold(run, discounted):
    assert statements(run).keys() == ROWS
    assert broken(run) == broken(discounted) == set()


def test_products_are_money_of_each_row(discounted):
    found = dict(products(discounted))
    point, (y, s, q, g) = discounted.point, decisions(discounted)
    assert found["K10"].shape == point.beta.shape
    np.testing.assert_allclose(found["K13"], point.gamma * (s.sum(axis=1) - 1))
    np.testing.assert_allclose(q.sum(axis=2), discounted.instance.volume)
    np.testing.assert_allclose(g.sum(axis=2), y, atol=1e-12)
