"""Posted prices (6), what they take for all capacity, and which of them tie."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.models.eris.prices import Prices, coarse, posted, transfer_price
from tests.generators.eris import one_resource


def test_prices_grow_exponentially_and_are_zero_without_capacity() -> None:
    tiny = library.load("eris/tiny").replace(site_capacity=[[0, 8], [2, 7]], occupied=None)
    used = np.zeros((2, 2, 3))
    used[1, 0, 0] = 1.0  # half of 2 gpus, base 40
    prices = posted(tiny, np.array([4.0, 2.0, 0.0]), used, floor=0.5)
    assert prices.transfer == pytest.approx([39.0, 40**0.5 - 1, 0.0])
    assert prices.resource[1, 0] == pytest.approx([40**0.5 - 0.5, 0.5, 0.5])
    assert (prices.resource[0, 0] == 0).all()
    with pytest.raises(InvalidOption, match="price_floor"):
        posted(tiny, np.zeros(3), used, floor=-1.0)


def test_rent_is_capacity_times_price() -> None:
    tiny = library.load("eris/tiny")
    ones = Prices(np.ones(3), np.ones((2, 2, 3)))
    assert ones.rent(tiny) == pytest.approx(3 * 4.0 + 3 * (1 + 8 + 2 + 7))


def test_without_a_budget_transfer_costs_nothing() -> None:
    auction = one_resource({}, transfer_budget=0.0)
    assert transfer_price(auction, np.zeros(3)).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("unit", [2.0**-60, 1.0, 2.0**60])
def test_prices_tie_when_they_differ_by_rounding_only(unit: float) -> None:
    prices = unit * np.array([0.1 + 0.2, 0.3, 0.3 * (1 + 1e-8), 1e-5 * (0.1 + 0.2), 3e-6, 0.0])
    first, second, third, fourth, fifth, nothing = coarse.function(prices, prices)
    assert first == second < third
    assert fourth == fifth == pytest.approx(unit * 3e-6, rel=1e-9)
    assert nothing == 0.0
    near = unit * np.array([1.0 - 1e-11, 1.0, 1.0 + 1e-11])
    assert coarse.function(near, near).tolist() == [unit] * 3


def test_differences_tie_by_the_size_of_what_was_subtracted() -> None:
    # 1e6 + 0.1 - 1e6 is off by 1e-11: the same difference as 0.1 when measured by a million
    differences = np.array([1e6 + 0.1 - 1e6, 0.1])
    assert differences[0] != differences[1]
    found = coarse.function(differences, np.full(2, 1e6))
    assert found[0] == found[1] == pytest.approx(0.1, abs=1e-3)
