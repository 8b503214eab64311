"""Covers by hand, and what a placement pays for the sites that it enters."""

import numpy as np
import pytest

from farkas.models.mlbroker.offline import Offline
from farkas.proofs.mlbroker.hardness import (
    block,
    cost_beside,
    cost_without,
    cover_number,
    entry_pays,
)
from farkas.proofs.mlbroker.set_cover import set_cover

TRIANGLE = [frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 2})]


@pytest.mark.parametrize(
    ("subsets", "elements", "size"),
    [(TRIANGLE, 3, 2), ([{0, 1, 2}, {0}], 3, 1), ([{0}, {1}, {2}], 3, 3)],
)
def test_smallest_covers(subsets, elements, size):
    assert cover_number([frozenset(s) for s in subsets], elements) == size


def test_what_covers_too_little_is_refused():
    with pytest.raises(ValueError, match="cover too little"):
        cover_number([frozenset({0})], 2)


def form_of(**changes):
    form = Offline(prices="two", presence="split").form(set_cover(TRIANGLE, 3))
    return form.replace(**changes)


def test_every_site_is_paid_once_it_is_entered():
    form = form_of()
    assert {entry_pays(form, t, r) for t in range(3) for r in range(6)} == {0.0}
    # without the row of the second slot a site may be entered there for nothing
    rows = form.row_block("started_when_new")
    lower, upper = form.row_lower.copy(), form.row_upper.copy()
    lower[rows.where], upper[rows.where] = -np.inf, np.inf
    open_ = form_of(row_lower=lower, row_upper=upper)
    assert entry_pays(open_, 0, 2) == 0
    assert entry_pays(open_, 1, 2) == -1


def test_a_cost_below_0_is_seen():
    form = form_of()
    assert cost_beside(form) == 0
    cost = form.cost.copy()
    cost[block(form, "started")] *= 0.5
    assert cost_beside(form_of(cost=cost)) < 0


def test_a_slot_without_its_cover_is_dearer_than_all_subsets():
    form = form_of()
    assert cost_without(form, 0, [0, 2]) > 100
    assert cost_without(form, 0, [0]) < 3, "the third subset covers element 0 as well"
