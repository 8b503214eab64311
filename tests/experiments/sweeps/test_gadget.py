"""Guarantees of greedy slots."""

from __future__ import annotations

from farkas.experiments.sweeps.guarantee import guarantees_of
from farkas.instances import library


def test_exact_greedy_slots_are_promised_half_for_concave_utilities_only():
    printed, repaired = guarantees_of("gadget.greedy_exact")
    concave, step = library.load("gadget/seven_ninths"), library.load("gadget/step_greedy")
    assert (printed.factor(concave, {}), repaired.factor(concave, {})) == (2.0, 2.0)
    assert (printed.factor(step, {}), repaired.factor(step, {})) == (2.0, None)
