"""Costs by algorithm: what the figures say is what they compute."""

from __future__ import annotations

import pytest

from farkas.experiments.figures.mlbroker.costs import BOUND, _statements, wins_from
from tests.experiments.figures.made import findings, reduced


def test_local_moves_nothing_and_costs_most():
    assert findings("mlbroker", "11")["Local moves nothing"]
    data = reduced("mlbroker", "8")
    totals = {line.name: line.y for line in data.series}
    for name in ("mlbroker", "central", "oasis"):
        assert all(x >= y for x, y in zip(totals["local"], totals[name], strict=True))
    bound = totals[BOUND]
    assert all(min(t[k] for t in totals.values()) == bound[k] for k in range(len(bound)))


def test_local_wins_from_where_it_loses_no_more():
    assert wins_from([1, 3, 10, 30], [0.9, 1.2, 0.8, 0.7]) == 10
    assert wins_from([1, 3], [0.9, 0.8]) == 1
    assert wins_from([1, 3], [0.9, 1.0]) is None


@pytest.mark.parametrize(
    ("central", "oasis", "mlbroker", "most"),
    [
        ([1.0, 7.0], [2.0, 7.5], [1.0, 5.0], True),
        ([1.0, 7.0], [2.0, 5.5], [1.0, 5.0], False),  # mlBroker rises by 4, OASiS by 3.5
        ([9.0, 9.5], [2.0, 7.5], [1.0, 2.0], False),  # the dearest, and yet it hardly rises
        ([1.0, 0.5], [1.0, 0.5], [1.0, 0.2], False),  # nothing grows
    ],
)
def test_who_grows_most_is_told_by_the_rise_with_the_data(central, oasis, mlbroker, most):
    costs = {"central": central, "oasis": oasis, "mlbroker": mlbroker, "local": [0.0, 0.0]}
    grows, stays = _statements("transfer", costs)
    assert (grows.holds, stays.holds) == (most, True)
