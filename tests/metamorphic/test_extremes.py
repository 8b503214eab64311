"""Instances in units at the edge of what doubles hold: right answers, or one typed line."""

from __future__ import annotations

import warnings

import farkas
from farkas.errors import NoAnswer
from tests.metamorphic.instances import few


def test_rates_far_above_the_shifts_leave_nothing_to_chance():
    """Loads of just the rows that are needed come whole, which rounded sums would not say."""
    base = few("coded")[0]
    rate = [[x if x is None else 1e150 * x for x in row] for row in base.rate]
    run = farkas.run(base.replace(rate=rate, sca_point=None), "coded.expected")
    assert 1 <= run.ratio < 1 + 1e-12


def test_a_run_that_costs_more_than_doubles_hold_is_refused_in_one_line():
    tiny = few("mlbroker")[0]
    prices = {"base_price": tiny.list_price, "discount_price": tiny.reduced_price}
    dear = tiny.replace(**{name: (1e307 * price).tolist() for name, price in prices.items()})
    found = []
    for seed in range(8):  # servers are drawn
        with warnings.catch_warnings(action="error"):
            try:
                found.append(farkas.run(dear, "mlbroker.local", seed=seed).value)
            except NoAnswer as refusal:
                found.append(str(refusal))
    refused = [said for said in found if isinstance(said, str)]
    assert len(refused) < len(found)  # what can be said is said
    assert {*refused} == {
        "mlbroker.local: decisions are worth more than doubles hold; use larger units"
    }
