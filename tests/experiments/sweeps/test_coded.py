"""Guarantees of the assignment of workers to masters."""

from __future__ import annotations

import pytest

from farkas.experiments.sweeps.guarantee import guarantees_of
from farkas.instances.generate import generate
from farkas.online import algorithms


def test_greedy_assignment_is_promised_something_for_equal_masters_only():
    # five workers of speeds 3, 3, 2, 2, 2 and two masters: greedy reaches 3 + 2, 3 + 2 + 2, the
    # optimum 6, 6: 6/5 is the sharper factor (4 * 2 - 2) / (3 * 2 - 1), 4/3 the printed one
    printed, sharper = guarantees_of("coded.simple_greedy")
    equal = equal_masters([3.0, 3.0, 2.0, 2.0, 2.0])
    assert printed.factor(equal, {}) == pytest.approx(4 / 3)
    assert sharper.factor(equal, {}) == pytest.approx(6 / 5)
    greedy = algorithms["coded.simple_greedy"].run(equal)
    best = algorithms["coded.brute_force"].run(equal)
    assert greedy.value / best.value == pytest.approx(6 / 5), "the factor is met"
    unequal = generate("coded", "small", 0)
    assert printed.factor(unequal, {}) is None
    assert sharper.factor(unequal, {}) is None


def equal_masters(speeds):
    """Two masters that see every worker alike; with shift = 1/rate speed is linear in the rate."""
    instance = generate("coded", "small", 0)
    rate = (tuple(speeds),) * 2
    shift = (tuple(1 / speed for speed in speeds),) * 2
    return instance.replace(
        rate=rate, shift=shift, masters=instance.masters[:1] * 2, workers=len(speeds), plans=None,
        sca_point=None,
    )  # fmt: skip
