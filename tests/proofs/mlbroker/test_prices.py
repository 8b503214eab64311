"""Prices of (8) and covers, by hand."""

import pytest

from farkas.proofs.mlbroker.prices import _cover, offline, relaxed
from farkas.proofs.mlbroker.runs import shipped


@pytest.mark.parametrize(
    ("subsets", "elements", "size"),
    [([{0, 1}, {1, 2}, {0, 2}], 3, 2), ([{0, 1, 2}, {0}], 3, 1), ([{0}, {1}, {2}], 3, 3)],
)
def test_smallest_covers(subsets, elements, size):
    assert _cover([frozenset(s) for s in subsets], elements) == size


def test_what_covers_too_little_is_refused():
    with pytest.raises(ValueError, match="cover too little"):
        _cover([frozenset({0})], 2)


def test_relaxations_are_below_the_program():
    broker = shipped("return_trip")
    assert relaxed(broker, "printed") <= relaxed(broker, "tight") + 1e-9
    assert relaxed(broker, "tight") <= offline(broker) * (1 + 1e-9)
    assert offline(broker) < offline(broker, semantics="strict")
