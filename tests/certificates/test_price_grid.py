"""Prices on their grid, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.prices import SUM_BITS, grid_exponent, rounded_down
from farkas.errors import NotACertificate


def test_the_grid_leaves_room_for_all_terms():
    for terms in (1, 2**17, 2**18, 2**19, 10**9, 2**50):
        for largest in (5e-324, 1.0, 3.7, 1.79e308):
            exponent = grid_exponent(largest, terms)
            assert terms * Fraction(largest) * Fraction(2) ** exponent < 2 ** (SUM_BITS - 1)
    assert grid_exponent(1.0) == 39  # 1 becomes 2^39, below 2^40
    for largest, terms in ((np.inf, 1), (np.nan, 1), (-1.0, 1), (1.0, 2**58)):
        with pytest.raises(NotACertificate):
            grid_exponent(largest, terms)


@pytest.mark.parametrize("value", [np.inf, np.nan, -1.0, 1e308])
def test_rounding_down_refuses_what_it_cannot_hold(value):
    with pytest.raises(NotACertificate):
        rounded_down(np.array([[1.0, value]]), np.array([[2.0, 4.0]]), 0)


def test_the_grid_of_prices_by_hand():
    # 40 bits, and 57 less the bits of the number of terms; 1.0 is below 2**1
    assert [grid_exponent(1.0, terms) for terms in (0, 1, 2**16, 2**17, 2**18, 2**40)] == [
        39, 39, 39, 38, 37, 15,
    ]  # fmt: skip
    assert [grid_exponent(largest) for largest in (0.0, 0.75, 2.0, 3.0, 2.0**30)] == [
        0, 40, 38, 38, 9,
    ]  # fmt: skip
    assert grid_exponent(1.0, 2**55) == 0
    with pytest.raises(NotACertificate, match="cannot be added up"):
        grid_exponent(1.0, 2**56)


def test_sums_of_products_are_rounded_down_by_one_unit_at_most():
    rng = np.random.default_rng(1)
    amount, price = rng.uniform(0, 9, (50, 3)), rng.uniform(0, 9, (50, 3))
    found = rounded_down(amount, price, 20)
    for k in range(50):
        exact = sum(
            Fraction(a) * Fraction(p)
            for a, p in zip(amount[k].tolist(), price[k].tolist(), strict=True)
        )
        assert exact * 2**20 - 1 - Fraction(1, 1000) < int(found[k]) < exact * 2**20
    # every job on every node: (jobs, 1, resources) and (1, nodes, resources), as it is priced
    pairs = rounded_down(amount[:4, None], price[None, :6], 20)
    assert pairs.shape == (4, 6)
    for i, u in np.ndindex(4, 6):
        assert pairs[i, u] == rounded_down(amount[i : i + 1], price[u : u + 1], 20)[0]
    assert rounded_down(np.zeros((1, 2)), np.ones((1, 2)), 9).tolist() == [0]
    assert rounded_down(np.ones((1, 2)), np.ones((1, 2)), 1).tolist() == [3]
    # the largest price of 41 bits is kept, the next is not
    for value, fine in ((2.0**41 - 4, True), (2.0**41 + 4096, False)):
        if fine:
            assert rounded_down(np.ones((1, 1)), np.array([[value]]), 0) == 2**41 - 5
        else:
            with pytest.raises(NotACertificate, match="out of range"):
                rounded_down(np.ones((1, 1)), np.array([[value]]), 0)
