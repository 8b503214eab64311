"""Every claim of kind coded: its verdict and, where refuted, the counterexample."""

from __future__ import annotations

import pytest

from farkas.proofs import Standing, claims

PROVED = {
    "coded.lemma1", "coded.theorem1", "coded.positive_multiplier", "coded.time_exceeds_shift",
    "coded.hidden_convexity", "coded.full_loads_are_global", "coded.lemma2", "coded.complexity",
}  # fmt: skip
HELD = {
    "coded.proposition1_dedicated", "coded.scaling", "coded.sca_monotone", "coded.np_hard",
    "coded.lexicographic_is_finite", "coded.largest_first", "coded.rounding_loses_one_worker",
    "coded.enumeration_is_exact", "coded.shared_below_dedicated", "coded.markov_bound",
}  # fmt: skip
REFUTED = {
    "coded.proposition1": "coded/split_worker",
    "coded.stationary_is_near_optimal": "coded/wrong_diagonal",
    "coded.stationary_is_local_optimum": "coded/idle_pairs",
    "coded.zero_load_is_harmless": "coded/idle_pairs",
    "coded.iterated_greedy_is_finite": "coded/stuck",
    "coded.simple_greedy_is_good": "coded/greedy_trap",
    "coded.linear_gap_is_bounded": "coded/dominant",
    "coded.shared_is_faster_when_run": "coded/shared_is_slower",
    "coded.surrogate_is_meaningful": "coded/split_worker",
    "coded.surrogate_meets_chance": "coded/shared_is_slower",
}
NOT_APPLICABLE = {"coded.sca_hypotheses", "coded.cited_factor"}


def test_every_claim_of_the_kind_is_listed():
    listed = PROVED | HELD | set(REFUTED) | NOT_APPLICABLE
    assert set(claims.names("coded.")) == listed


@pytest.mark.parametrize("name", sorted(PROVED))
def test_proved_claims_are_proved(name, verdict_of):
    assert verdict_of(name).standing is Standing.PROVED


@pytest.mark.parametrize("name", sorted(HELD))
def test_held_claims_hold(name, verdict_of):
    verdict = verdict_of(name)
    assert verdict.standing is Standing.HELD
    assert verdict.runs >= 4


@pytest.mark.parametrize("name", sorted(REFUTED))
def test_refuted_claims_have_their_counterexample(name, verdict_of):
    verdict = verdict_of(name)
    assert verdict.standing is Standing.REFUTED
    assert verdict.counterexample == REFUTED[name]
    assert verdict.numbers


@pytest.mark.parametrize("name", sorted(NOT_APPLICABLE))
def test_claims_whose_assumption_is_false_say_which(name, verdict_of):
    verdict = verdict_of(name)
    assert verdict.standing is Standing.NOT_APPLICABLE
    assert verdict.note


def test_the_hidden_linear_program_has_the_value_of_the_cone_program(verdict_of):
    numbers = verdict_of("coded.hidden_convexity").numbers
    assert numbers["cone_program"] == pytest.approx(numbers["linear_program"], rel=1e-6)


def test_the_numbers_of_the_refutations(verdict_of):
    numbers = {name: verdict_of(name).numbers for name in REFUTED}
    near = numbers["coded.stationary_is_near_optimal"]
    assert near["stopped_at"] / near["optimum"] == pytest.approx(3.0, rel=1e-6)
    assert numbers["coded.simple_greedy_is_good"]["greedy_over_optimum"] < 3e-4
    assert numbers["coded.linear_gap_is_bounded"]["linear_over_optimum"] == pytest.approx(25.5)
    assert numbers["coded.surrogate_is_meaningful"]["recoverable"] == 0.5
    ran = numbers["coded.shared_is_faster_when_run"]
    # By P3 160.06 against 164.35, run the other way round.
    assert ran["surrogate_shared"] == pytest.approx(160.056, abs=1e-3)
    assert ran["mean_shared"] > ran["mean_dedicated"]
