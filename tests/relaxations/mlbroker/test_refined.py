"""Tangents where the term is wanted closer."""

import numpy as np
import pytest

from farkas.relaxations.mlbroker.tangents import Tangents, full_price, refine, shortfall


def test_full_deployment_costs_what_is_asked_for_every_job():
    # scales 2 and 3: (2 + 3) ln(1 + 1/ε), at ε = 1/4
    tangents = Tangents.first(np.zeros((2, 1)), np.array([[2.0], [3.0]]), 0.25, grows=True)
    assert full_price(tangents) == pytest.approx(5 * np.log(5))


def test_tangents_never_lie_above_the_term_and_touch_where_added():
    before = np.array([[0.0, 0.4]])
    tangents = Tangents.first(before, np.ones((1, 1)), 0.1, grows=True, pieces=8)
    spot = np.array([[0.3, 0.7]])
    assert (shortfall(tangents, spot) > 1e-4).all()
    assert refine(tangents, spot, np.zeros((1, 2)), np.ones((1, 2), bool))
    np.testing.assert_allclose(shortfall(tangents, spot), 0.0, atol=1e-12)


def test_refining_where_nothing_is_wanted_changes_nothing():
    tangents = Tangents.first(np.array([[0.0]]), np.ones((1, 1)), 0.1, grows=True, pieces=8)
    kept = tangents.points.copy()
    where = np.zeros((1, 1), bool)
    assert not refine(tangents, np.array([[0.3]]), np.zeros((1, 1)), where)
    assert np.array_equal(tangents.points, kept)
