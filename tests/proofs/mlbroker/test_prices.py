"""Prices of (8) by hand."""

import itertools

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
