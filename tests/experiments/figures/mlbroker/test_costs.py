"""Costs by algorithm: what the figures say is what they compute."""

from __future__ import annotations

from farkas.experiments.figures.mlbroker.costs import BOUND, wins_from
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
