"""What the claims about coded computing found, recomputed by hand."""

from __future__ import annotations

import pytest


def test_the_hidden_linear_program_has_the_value_of_the_cone_program(verdict_of):
    numbers = verdict_of("coded.hidden_convexity").numbers
    assert numbers["cone_program"] == pytest.approx(numbers["linear_program"], rel=1e-6)


def test_the_numbers_of_the_refutations(verdict_of):
    def numbers(name):
        return verdict_of(f"coded.{name}").numbers

    near = numbers("stationary_is_near_optimal")
    assert near["stopped_at"] / near["optimum"] == pytest.approx(3.0, rel=1e-6)
    assert numbers("simple_greedy_is_good")["greedy_over_optimum"] < 3e-4
    assert numbers("linear_gap_is_bounded")["linear_over_optimum"] == pytest.approx(25.5)
    assert numbers("surrogate_is_meaningful")["recoverable"] == 0.5
    ran = numbers("shared_is_faster_when_run")
    # By P3 160.06 against 164.35, run the other way round.
    assert ran["surrogate_shared"] == pytest.approx(160.056, abs=1e-3)
    assert ran["mean_shared"] > ran["mean_dedicated"]
