"""What bounds rewards is beyond no optimum, of horizons and of single slots."""

import pytest

from tests.offline.bounds import bounds, closed


def test_prices_and_fractions_of_rings_bound_the_horizon():
    found, best, _ = bounds("gadget/tiny", "gadget.offline")
    assert list(found) == ["gadget.horizon_prices", "gadget.offline_column_bound"]
    assert closed(found, best) == set(found)


@pytest.mark.parametrize("program", ["gadget.gvne", "gadget.column_ip"])
@pytest.mark.parametrize("instance", ["gadget/tiny", "gadget/demo"])
def test_prices_of_nodes_and_links_bound_a_slot(instance, program):
    found, best, _ = bounds(instance, program)
    assert closed(found, best) == {"gadget.slot_prices"}
