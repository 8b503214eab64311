"""The guarantee of the auction, and prices by slot."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.experiments.sweeps.guarantee import guarantees_of
from farkas.instances import library
from tests.experiments.sweeps.made import charts


def test_the_auction_is_promised_the_logarithm_of_both_price_bases():
    instance = library.load("eris/tiny")
    instance = instance.replace(price_base_transfer=8.0, price_base_resource=(4.0, 2.0))
    (printed,) = guarantees_of("eris.eris")
    assert printed.factor(instance, {}) == pytest.approx(2 * (3 + 2))  # log2 of 8 and of 4


def test_shares_of_capacity_are_not_added_to_welfare():
    _, found = charts("eris", 3)
    assert [series.name for series in found["Reward by slot"].series] == ["welfare"]
    others = {series.name for series in found["Use and accounts"].series}
    assert {"use of transfer", "revenue"} <= others


def test_duals_of_the_auction_are_priced_as_the_certificate_counts_them():
    _, found = charts("eris", 3)
    for series in found["Dual prices of resources"].series:
        low, middle, high = (np.asarray(v) for v in (series.low, series.y, series.high))
        assert (low <= middle + 1e-12).all()
        assert (middle <= high + 1e-12).all()
        assert (low >= 0).all()
