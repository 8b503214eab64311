"""Figures of mlBroker: what they say is what they compute."""

import pytest

from farkas.experiments.figures import figures, find
from farkas.experiments.figures.mlbroker_clusters import COSTS, RESOURCES, clusters


def findings(label, preset="reduced"):
    data = find("mlbroker", label).data(preset, seed=0)
    return {finding.statement: finding.holds for finding in data.findings}


def test_every_published_figure_of_the_evaluation_is_there():
    labels = {name.removeprefix("mlbroker.") for name in figures.names("mlbroker.")}
    expected = {f"figure{k}" for k in range(5, 18)} | {f"table{k}" for k in (3, 4, 5)}
    assert labels == expected | {"figure8b"}


def test_printed_costs_add_up_and_contradict_the_claimed_saving():
    # 2.8 + 1018.3 + 14.5 + 34.5 = 1070.1; 1070.1 / 1099.8 = 0.973.
    held = findings("table4")
    assert held["printed parts add up to the printed total"]
    assert not held["printed saving over Central is 20 to 50 %"]


def test_printed_times_and_rates_give_the_printed_resource_costs():
    assert findings("table5")["printed time x rate x 3.06 = printed cost"]
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


def test_local_moves_nothing_and_costs_most():
    assert findings("11")["Local moves nothing"]
    data = find("mlbroker", "8").data("reduced", seed=0)
    totals = {line.name: line.y for line in data.series}
    for name in ("mlbroker", "central", "oasis"):
        assert all(x >= y for x, y in zip(totals["local"], totals[name], strict=True))
    bound = totals["proved bound (Opt)"]
    assert all(min(t[k] for t in totals.values()) == bound[k] for k in range(len(bound)))


def test_fractional_ratio_is_at_least_one_and_below_the_printed_ceiling():
    data = find("mlbroker", "5").data("reduced", seed=0)
    for line in data.series:
        assert all(1 - 1e-6 <= ratio < 1.25 for ratio in line.y), line.name
