"""A third reading of mlBroker (9): assembled from index arrays, without the algebra."""

from __future__ import annotations

import pytest

from benchmarks.bench_algebra import by_hand, same_program
from farkas.instances import library
from farkas.relaxations.mlbroker.relaxed import Relaxed
from tests.generators.mlbroker import random_brokerage

DATA = {
    "tiny": library.load("mlbroker/tiny"),
    "quiet slot": library.load("mlbroker/quiet_slot"),
    **{f"random {n}": random_brokerage(n, sites=4, slots=5, jobs=6, resources=3) for n in range(5)},
}


@pytest.mark.parametrize("name", DATA)
def test_the_traced_form_is_the_one_assembled_by_hand(name):
    assert same_program(Relaxed().form(DATA[name]), by_hand(DATA[name]))


def test_the_comparison_sees_one_wrong_number():
    form = Relaxed().form(DATA["tiny"])
    cost = form.cost.copy()
    cost[-1] += 1e-6
    assert not same_program(form.replace(cost=cost), by_hand(DATA["tiny"]))
