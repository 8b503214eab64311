"""Posted prices (6), what they take for all capacity, and which of them tie."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.eris.schedules import Prices, posted, resource_price, transfer_price
from tests.generators.eris import one_resource


def test_prices_grow_exponentially_and_are_zero_without_capacity() -> None:
    tiny = library.load("eris/tiny").replace(site_capacity=[[0, 8], [2, 7]], occupied=None)
    used = np.zeros((2, 2, 3))
    used[1, 0, 0] = 1.0  # half of 2 gpus, base 40
    prices = posted(tiny, np.array([4.0, 2.0, 0.0]), used)
    assert prices.transfer == pytest.approx([39.0, 40**0.5 - 1, 0.0])
    assert prices.resource[1, 0] == pytest.approx([40**0.5 - 1, 0.0, 0.0])
    assert (prices.resource[0, 0] == 0).all()
    raised = resource_price(tiny, used, np.array([0.5, 0.25]))
    assert (raised[1, 0] - prices.resource[1, 0] == 0.5).all()
    assert (raised[0, 0] == 0).all()  # nothing to be had there, with a floor or without
    assert (raised[0, 1] == 0.25).all()


def test_rent_is_capacity_times_price() -> None:
    tiny = library.load("eris/tiny")
    ones = Prices(np.ones(3), np.ones((2, 2, 3)))
    assert ones.rent(tiny) == pytest.approx(3 * 4.0 + 3 * (1 + 8 + 2 + 7))


def test_without_a_budget_transfer_costs_nothing() -> None:
    auction = one_resource({}, transfer_budget=0.0)
    assert transfer_price(auction, np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
