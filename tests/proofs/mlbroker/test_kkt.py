"""Rows of Table 2 hold on a run, and their products are money."""

import numpy as np
import pytest

from farkas.proofs.mlbroker.kkt import (
    decisions,
    products,
    statements,
)
from farkas.proofs.mlbroker.runs import shipped, trace

ROWS = {f"K{number}" for number in range(1, 23)} | {"v", "u"}


@pytest.fixture(scope="module")
def run():
    return trace("mlbroker/return_trip", shipped("return_trip"), "printed")


@pytest.fixture(scope="module")
def discounted():
    return trace("mlbroker/tiny", shipped("tiny"), "printed")


def broken(run) -> set[str]:
    return {row for row, relation in statements(run).items() if not relation.holds}


def test_all_rows_of_the_table_are_stated_and_hold(run, discounted):
    assert statements(run).keys() == ROWS
    assert broken(run) == broken(discounted) == set()


def test_products_are_money_of_each_row(discounted):
    found = dict(products(discounted))
    point, (y, s, q, g) = discounted.point, decisions(discounted)
    assert found["K10"].shape == point.beta.shape
    np.testing.assert_allclose(found["K13"], point.gamma * (s.sum(axis=1) - 1))
    np.testing.assert_allclose(q.sum(axis=2), discounted.instance.volume)
    np.testing.assert_allclose(g.sum(axis=2), y, atol=1e-12)
