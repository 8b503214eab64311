"""Prices of (8) by hand."""

import itertools

import numpy as np
import pytest

from farkas.proofs.mlbroker.prices import offline, relaxed
from farkas.proofs.mlbroker.runs import brokers, shipped


def test_relaxations_of_drawn_brokers_are_in_the_proved_order():
    for _, broker in itertools.islice(brokers(), 6):
        chain = [relaxed(broker, "printed"), relaxed(broker, "tight")]
        chain += [
            offline(broker, semantics=name, prices="two", presence="split")
            for name in ("printed", "strict")
        ]
        assert all(a <= b + 1e-6 * chain[-1] for a, b in itertools.pairwise(chain))


def test_relaxations_are_below_the_program():
    broker = shipped("return_trip")
    assert relaxed(broker, "printed") <= relaxed(broker, "tight") + 1e-9
    assert relaxed(broker, "tight") <= offline(broker) * (1 + 1e-9)
    assert offline(broker) < offline(broker, semantics="strict")


@pytest.mark.parametrize("spare", [-0.5, -0.1, 0.0, 0.1, 2.0])
@pytest.mark.parametrize("use", [1.0, 4.0, 9.0])
def test_the_relaxed_price_needs_a_valid_constant(use, spare):
    a, b, e = 2.0, 1.0, 4.0
    big_m = abs((a - b) * use - e) + spare
    if big_m <= 0:
        return
    switch = np.linspace(0, 1, 100_001)
    least = float(np.maximum(a * use - big_m * switch, b * use + e - big_m * (1 - switch)).min())
    formula = ((a + b) * use + e - big_m) / 2
    if spare >= 0:
        assert least == pytest.approx(formula, abs=1e-3)
    else:
        # the lines cross outside [0, 1]: the least is at an end, and dearer
        assert least > formula + 0.04
