"""Tables of the cluster experiment: what the print says of itself, and the stand-in."""

from __future__ import annotations

import pytest

from farkas.experiments.figures.mlbroker.clusters import COSTS, RESOURCES, clusters, saves
from tests.experiments.figures.made import findings


@pytest.mark.slow
def test_printed_costs_add_up_and_contradict_the_claimed_saving():
    # 2.8 + 1018.3 + 14.5 + 34.5 = 1070.1; 1070.1 / 1099.8 = 0.973.
    held = findings("mlbroker", "table4")
    assert held["printed parts add up to the printed total"]
    assert not held["printed saving over Central is 20 to 50 %"]


@pytest.mark.slow
def test_printed_times_and_rates_give_the_printed_resource_costs():
    assert findings("mlbroker", "table5")["printed time x rate x 3.06 = printed cost"]
    # 392.2 h x 0.85 x 3.06 USD/h = 1020.1 USD; 0.8485 would give 1018.3.
    hours, rate, cost = RESOURCES["mlbroker"]
    assert hours * rate * 3.06 == pytest.approx(1020.1, abs=0.05)
    assert cost / (hours * 3.06) == pytest.approx(0.8485, abs=5e-5)


def test_costs_of_table_4_are_the_resource_costs_of_table_5():
    for name, row in COSTS.items():
        assert row[1] == RESOURCES[name][2]


def test_stand_in_has_the_published_sizes():
    instance = clusters(0)
    assert (instance.num_sites, instance.num_slots, instance.num_resources) == (3, 10, 1)
    lengths = instance.departure - instance.arrival + 1
    assert lengths.max() <= 8
    assert clusters(0) == clusters(0)


@pytest.mark.parametrize(("share", "said"), [(0.1, False), (0.2, True), (0.5, True), (0.6, False)])
def test_a_saving_of_20_to_50_percent_has_two_ends(share, said):
    assert saves("saves 20 to 50 %", share, "shape").holds is said
