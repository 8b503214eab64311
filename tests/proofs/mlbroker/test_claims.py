"""Every claim of mlBroker: its verdict, its numbers, and that its counterexample can be had."""

import pytest

from farkas.instances import library
from farkas.proofs import Standing, claims

PROVED = {
    "mlbroker.chord",
    "mlbroker.deployments_below_presence",
    "mlbroker.entropy_convex",
    "mlbroker.log_inequality",
    "mlbroker.relaxed_price",
    "mlbroker.trade_keeps_weight",
}
HELD = {
    "mlbroker.capacity_growth",
    "mlbroker.corrected_dual_objective",
    "mlbroker.cost_below_certificate",
    "mlbroker.deployment_grows",
    "mlbroker.fractional_ratio",
    "mlbroker.independent_rounding_fails",
    "mlbroker.lemma1",
    "mlbroker.np_hard",
    "mlbroker.p2_corrected",
    "mlbroker.price_with_switches",
    "mlbroker.relaxation_order",
    "mlbroker.round2_total",
    "mlbroker.static_below_dual",
    "mlbroker.step_12a_12b",
    "mlbroker.step_13b_13c",
    "mlbroker.step_13c_13d_corrected",
    "mlbroker.theorem2",
    "mlbroker.theorem3_corrected",
    "mlbroker.trade_settles",
}
REFUTED = {
    "mlbroker.alpha_below_beta": "set_cover",
    "mlbroker.deployments_telescope": "return_trip",
    "mlbroker.entropy_increases": None,
    "mlbroker.expected_price": None,
    "mlbroker.lambda_finite": "tiny",
    "mlbroker.lemma1_round1": None,
    "mlbroker.p1": None,
    "mlbroker.p2": None,
    "mlbroker.presence_counts_workers": "unit_scaling",
    "mlbroker.printed_dual": "tiny",
    "mlbroker.printed_dual_objective": "tiny",
    "mlbroker.reentry_is_charged": "return_trip",
    "mlbroker.rounding_ratio": None,
    "mlbroker.server_share": "set_cover",
    "mlbroker.smallest_deployment": None,
    "mlbroker.step_12b_12c": "unit_scaling",
    "mlbroker.step_12c_12d": "surplus_worker",
    "mlbroker.step_13b_13f": "set_cover",
    "mlbroker.step_13b_13f_corrected_dual": "set_cover",
    "mlbroker.step_13c_13d": "quiet_slot",
    "mlbroker.step_13d_13e": "set_cover",
    "mlbroker.sync_below_transfer": "surplus_worker",
    "mlbroker.theorem3": "harmonic",
    "mlbroker.theorem3_many_jobs": "harmonic_copies",
    "mlbroker.theorem4": "unit_scaling",
    "mlbroker.theorem5": "unit_scaling",
    "mlbroker.usage_growth": "surplus_worker",
    "mlbroker.weightless_items": None,
    "mlbroker.workers_pay_for_the_server": "surplus_worker",
}
NOT_APPLICABLE = {"mlbroker.theorem3_assumption"}


def test_every_claim_has_an_expected_verdict():
    assert set(claims.names("mlbroker.")) == PROVED | HELD | set(REFUTED) | NOT_APPLICABLE


@pytest.mark.parametrize("name", sorted(PROVED))
def test_proved(name, verdict_of):
    assert verdict_of(name).standing is Standing.PROVED


@pytest.mark.parametrize("name", sorted(HELD))
def test_held(name, verdict_of):
    verdict = verdict_of(name)
    assert verdict.standing is Standing.HELD
    assert verdict.runs >= 6
    assert verdict.slack >= 0


@pytest.mark.parametrize("name", sorted(REFUTED))
def test_refuted_by_a_counterexample_that_ships_or_is_given_in_full(name, verdict_of):
    verdict = verdict_of(name)
    assert verdict.standing is Standing.REFUTED
    if REFUTED[name] is None:
        assert not isinstance(verdict.counterexample, str)
    else:
        assert verdict.counterexample == f"mlbroker/{REFUTED[name]}"
        assert library.load(verdict.counterexample).kind == "mlbroker"


@pytest.mark.parametrize("name", sorted(NOT_APPLICABLE))
def test_not_applicable(name, verdict_of):
    assert verdict_of(name).standing is Standing.NOT_APPLICABLE


def test_theorem_3_fails_in_three_sizes(verdict_of):
    # r₁ = 2 + (1+ε) ln(1+1/ε): 3.048 at ε = 10, 3.151 at ε = 3, 3.386 at ε = 1.
    numbers = verdict_of("mlbroker.theorem3").numbers
    for name, ratio, bound in [
        ("harmonic", 3.073, 3.0484),
        ("harmonic_fifteen", 3.286, 3.1507),
        ("harmonic_seventeen", 3.4057, 3.3863),
    ]:
        assert numbers[f"ratio_{name}"] == pytest.approx(ratio, abs=2e-3)
        assert numbers[f"r1_{name}"] == pytest.approx(bound, abs=1e-4)


def test_twelve_harmonic_jobs_cost_36_876(verdict_of):
    numbers = verdict_of("mlbroker.theorem3_many_jobs").numbers
    assert numbers["cost"] == pytest.approx(36.876, abs=5e-3)


def test_theorem_4_falls_with_the_unit_of_money(verdict_of):
    # λ = 100·2/1000 = 0.2: ϱ₂ = 1.2/100, ϱ₃ = 2.2/1000, together 0.0142; in cents a hundredth.
    numbers = verdict_of("mlbroker.theorem4").numbers
    assert numbers["r2"] == pytest.approx(0.0142)
    assert numbers["r2_in_cents"] == pytest.approx(0.000142)
    assert numbers["ratio"] == numbers["ratio_in_cents"] == pytest.approx(1.0)


def test_last_item_up_distorts_probabilities(verdict_of):
    # p = (0.3, 0.4): s₁ = 0.4, s₂ = 0.3, so item 1 goes up with 3/7, item 2 with 4/7.
    numbers = verdict_of("mlbroker.p1").numbers
    assert numbers["chance_0"] == pytest.approx(3 / 7)
    assert numbers["chance_1"] == pytest.approx(4 / 7)


def test_exact_outcomes_agree_with_the_rounding_itself():
    import numpy as np

    from farkas.proofs.mlbroker.rounding import Fraction, marginals, outcomes
    from farkas.rounding import round_keeping_weight

    shares, weights = [Fraction(2, 10), Fraction(5, 10), Fraction(9, 10)], (2, 1, 3)
    rng = np.random.default_rng(0)
    draws = [round_keeping_weight([0.2, 0.5, 0.9], weights, rng) for _ in range(4000)]
    exact = [float(chance) for chance in marginals(outcomes(shares, weights))]
    # Three standard deviations of a mean of 4000 draws.
    np.testing.assert_allclose(np.mean(draws, axis=0), exact, atol=3 * 0.5 / np.sqrt(4000))


def test_comparison_of_runs_reports_the_worst_shipped_violation():
    from farkas.proofs.mlbroker.runs import compare, traced_runs

    runs = traced_runs("tight")[:3]
    verdict = compare(runs, lambda run: run.outcome.total, lambda run: 0.0)
    assert verdict.standing is Standing.REFUTED
    assert verdict.note == "violated in 3 of 3 runs"
    assert compare(runs, lambda run: 0.0, lambda run: 1.0).slack == 1.0
