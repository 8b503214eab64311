"""What is drawn slot by slot is what the run and its certificate say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.experiments.sweeps.trajectories import of_run, trajectories
from farkas.instances import library
from farkas.online import algorithms
from tests.experiments.sweeps.made import LEADING, charts


@pytest.mark.parametrize("kind", LEADING)
def test_every_trajectory_of_a_kind_is_there(kind):
    _, found = charts(kind)
    named = {title for owner, title in trajectories if owner == kind}
    assert named
    assert named <= set(found)
    for figure in found.values():
        assert all(len(series.x) == len(series.y) > 0 for series in figure.series)


@pytest.mark.parametrize("kind", LEADING)
def test_what_is_summed_up_is_the_value(kind):
    run, found = charts(kind)
    title = "Cost so far" if kind == "mlbroker" else "Reward so far"
    so_far = found[title]
    assert so_far.series[0].y[-1] == pytest.approx(run.value)


def test_posted_prices_are_those_of_the_offers():
    run, found = charts("dps")
    offered = [
        offer["worker_price"] for offer in run.decisions if offer["worker_price"] is not None
    ]
    assert offered
    assert found["Unit prices posted"].series[0].y == pytest.approx(offered)


def shown(name: str, market: str) -> dict:
    instance = library.load(market)
    run = algorithms[name].run(instance)
    return {title: figure for title, _, figure in of_run(instance, run)}


def test_a_run_shows_prices_usage_and_bounds_to_date():
    found = shown("dps.random", "dps/demo")
    assert {
        "Unit prices posted",
        "Share of units in use",
        "Profit and proved bound to date",
    } <= set(found)
    for series in found["Share of units in use"].series:
        assert 0.0 <= min(series.y) <= max(series.y) <= 1.0
    profit, bound = found["Profit and proved bound to date"].series
    assert (np.array(profit.y) <= np.array(bound.y) + 1e-9).all()


def test_usage_counts_the_slot_in_which_a_job_ends():
    # One server, closed: the first job holds slots 0 and 1; with prices (1/2, 1/2) it buys.
    instance = library.load("dps/one_server").replace(fixed_prices={"worker": [0.5], "ps": [0.5]})
    run = algorithms["dps.fixed_price"].run(instance)
    usage = {title: f for title, _, f in of_run(instance, run)}["Share of units in use"]
    assert usage.series[0].y == pytest.approx([1, 1, 0, 0, 0, 0])


def test_what_a_run_lacks_is_not_drawn():
    assert "Unit prices posted" not in shown("dps.pa", "dps/demo")


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


@pytest.mark.parametrize("name", ["tiny", "demo"])
def test_a_run_without_certificate_has_no_duals(name):
    instance = library.load(f"mlbroker/{name}")
    run = algorithms["mlbroker.central"].run(instance)
    run.certificate = None
    titles = {title for title, _, _ in of_run(instance, run)}
    assert "Workers" in titles
    assert "Dual prices of presence" not in titles


def test_workers_and_their_price_slot_by_slot():
    instance = library.load("mlbroker/demo")
    run = algorithms["mlbroker.central"].run(instance)
    placed = [
        [sum(job[site] for job in slot["workers"]) for site in range(instance.num_sites)]
        for slot in run.decisions
    ]
    busy = next(slot for slot, counts in enumerate(placed) if sum(counts))
    run.costs[busy].pop("resource")  # a store says of costs whatever it likes
    found = {title: figure for title, _, figure in of_run(instance, run)}
    drawn = [list(series.y) for series in found["Workers"].series]
    shown = [[float(x) for x in site] for site in zip(*placed, strict=True)]
    assert [site for site in drawn if any(site)] == [site for site in shown if any(site)]
    (paid,) = (series.y for series in found["Price paid per worker"].series)
    for price, counts, costs in zip(paid, placed, run.costs, strict=True):
        if sum(counts):
            assert price == pytest.approx(costs.get("resource", 0.0) / sum(counts))
        else:
            assert math.isnan(price)
    assert paid[busy] == 0
