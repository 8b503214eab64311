"""Sites and prices of a broker: discounts, surcharges, and the range of epsilon."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.instances.base import require_nowhere, require_sorted

TINY = library.load("mlbroker/tiny")
QUIET = library.load("mlbroker/quiet_slot")


def test_a_null_in_price_or_threshold_is_no_discount():
    # Price null at (0, 1), threshold null at (1, 0), threshold 0 at (1, 1).
    assert QUIET.reduced_price.tolist() == [[1.4, 2.4], [1.2, 1.5]]
    assert QUIET.threshold.tolist() == [[2.0, 0.0], [0.0, 0.0]]
    assert QUIET.surcharge[0, 1] == QUIET.surcharge[1, 0] == 0.0
    none = TINY.replace(discount_price=None, discount_threshold=None)
    assert none.reduced_price.tolist() == none.list_price.tolist()
    assert none.smallest_big_m == 0.0


def test_prices_are_the_lower_of_the_two_lines():
    usage = np.linspace(0, 20, 41)[:, None, None] * np.ones((1, 2, 1))
    cost = TINY.resource_cost(usage)
    for site, a, b, limit in ((0, 2.0, 1.5, 3.0), (1, 1.5, 1.2, 4.0)):
        for index, units in enumerate(usage[:, site, 0]):
            expected = a * min(units, limit) + b * max(units - limit, 0.0)
            assert cost[index, site, 0] == pytest.approx(expected)


def test_the_discounted_line_meets_the_list_price_at_the_threshold():
    # a h = b h + e at h = l: e = (a - b) l
    assert (
        TINY.surcharge.tolist()
        == ((TINY.list_price - TINY.reduced_price) * TINY.threshold).tolist()
    )
    at = TINY.threshold
    assert np.allclose(TINY.list_price * at, TINY.reduced_price * at + TINY.surcharge)
    # site 0: 2 USD, 1.5 beyond 3 units: 4 units cost 6 + 1.5
    assert TINY.resource_cost(np.full((2, 1), 4.0))[0, 0] == 7.5


def test_the_entropy_scale_is_a_logarithm():
    assert TINY.replace(epsilon=1.0).entropy_scale == math.log(2.0)
    # ln(1 + 1e-12) is 1e-12, and not the rounding of 1 + 1e-12
    assert TINY.replace(epsilon=1e12).entropy_scale == pytest.approx(1e-12, rel=1e-11)


@pytest.mark.parametrize("epsilon", [1e-301, 1e301])
def test_an_epsilon_without_a_reciprocal_is_refused(epsilon):
    with pytest.raises(InvalidInstance, match="from 1e-300 to 1e\\+300, so that 1/epsilon is a"):
        TINY.replace(epsilon=epsilon)


def test_equal_neighbours_are_sorted_and_a_fall_is_named():
    require_sorted([1, 1, 2], "$.jobs", "arrival")
    require_sorted([], "$.jobs", "arrival")
    with pytest.raises(InvalidInstance, match=r"Expected arrival 1 >= 2 .*`\$\.jobs\[2\]`"):
        require_sorted([1, 2, 1, 0], "$.jobs", "arrival")


def test_the_first_bad_place_is_named():
    require_nowhere(np.zeros((2, 0), bool), "no", "$.x")
    require_nowhere(np.zeros(3, bool), "no", "$.x")
    with pytest.raises(InvalidInstance, match=r"^no - at `\$\.x\[0\]\[2\]`$"):
        require_nowhere(np.array([[False, False, True], [True, True, True]]), "no", "$.x")
