"""What the claims about successive convex approximation found."""

import dataclasses

import pytest

from farkas.proofs import Standing, claims
from farkas.proofs.coded import stationary


@pytest.mark.slow
def test_it_stops_at_three_times_the_optimum(verdict_of):
    near = verdict_of("coded.stationary_is_near_optimal").numbers
    assert near["stopped_at"] / near["optimum"] == pytest.approx(3.0, rel=1e-6)


def test_a_better_point_lies_nearby_and_full_loads_find_it(verdict_of):
    local = verdict_of("coded.stationary_is_local_optimum").numbers
    assert local["optimum"] <= local["nearby"] < local["stopped_at"]
    load = verdict_of("coded.zero_load_is_harmless").numbers
    assert load["optimum"] <= load["after_a_step_from_full_load"]
    assert load["after_a_step_from_full_load"] < load["after_a_step_from_no_load"]


def test_a_step_that_gets_later_refutes_monotony(monkeypatch):
    def later(data, point, split, alpha, rounds):
        return [dataclasses.replace(point, time=point.time * 1.01)]

    monkeypatch.setattr(stationary, "iterates", later)
    assert claims["coded.sca_monotone"].run().standing is Standing.REFUTED
