"""How the discount enters: which families and variables, with which constants."""

import numpy as np
import pytest

from farkas.models.mlbroker.offline import Offline
from tests.generators.mlbroker import discounted

BIG_M = ["cost_at_list_price", "cost_at_reduced_price", "one_branch"]
CHOICE = [
    "usage_by_branch", "one_price", "list_price_up_to_threshold", "discount_from_threshold",
    "discount_up_to_cap", "cost_of_branches",
]  # fmt: skip


@pytest.mark.parametrize(("prices", "families"), [("two", BIG_M), ("choice", CHOICE)])
def test_families_stand_between_those_of_moves_and_of_servers(
    prices: str, families: list[str]
) -> None:
    form = Offline(prices=prices).form(discounted())
    names = [block.name for block in form.rows]
    start = names.index("all_data_moved") + 1
    assert names[start : start + len(families)] == families
    assert names[start + len(families)] == "one_server"


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_two_constants_are_those_of_the_instance_and_one_is_the_largest(semantics: str) -> None:
    data = discounted()
    found = {}
    for prices in ("single", "two"):
        m = Offline(prices=prices, semantics=semantics).declarations(data)
        found[prices] = m.big_m_list.values, m.big_m_reduced.values
    first, second = data.two_big_ms(semantics)
    busy = np.unique(data.pair_slot)
    assert np.array_equal(found["two"][0], first[busy])
    assert np.array_equal(found["two"][1], second[busy])
    one = max(data.single_big_m, float(first.max()), float(second.max()))
    assert (found["single"][0] == one).all()
    assert (found["single"][1] == one).all()


def test_usage_beyond_the_threshold_ends_at_full_usage() -> None:
    data = discounted()
    form = Offline(prices="choice").form(data)
    beyond = form.column_block("usage_beyond")
    cap = data.usage_cap("printed")[np.unique(data.pair_slot)]
    assert form.implied_upper is not None
    upper = form.implied_upper[beyond.where].reshape(beyond.shape)
    assert np.array_equal(upper, np.broadcast_to(cap[:, None, :], beyond.shape))
    below = form.column_block("usage_below")
    assert (form.implied_upper[below.where].reshape(below.shape) == data.threshold).all()
