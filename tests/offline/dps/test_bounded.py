"""What bounds payments is beyond no optimum, and closes what its relaxation leaves."""

import pytest

from tests.offline.bounds import bounds, closed


@pytest.mark.parametrize("instance", ["dps/tiny", "dps/fragmented", "dps/aggregate_gap"])
def test_servers_of_a_type_as_one_bound_payments(instance):
    found, best, _ = bounds(instance, "dps.offline")
    assert list(found) == ["dps.interval_ip[budget]"]
    # where servers hold too little each, what they hold together is a bound only
    assert bool(closed(found, best)) == (instance != "dps/aggregate_gap")


@pytest.mark.parametrize("prices", ["capped", "forced"])
def test_capped_payments_are_bounded_by_capped_ones(prices):
    found, _, _ = bounds("dps/one_server", f"dps.offline[{prices}]")
    assert list(found) == ["dps.interval_ip[capped]"]


def test_cells_of_prices_bound_the_best_fixed_ones():
    found, best, _ = bounds("dps/one_server", "dps.bfp")
    assert list(found) == ["dps.price_cells"]
    assert float(found["dps.price_cells"]) <= 2 * float(best)
