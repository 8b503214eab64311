"""Charts over the slots of a market's run."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.experiments.sweeps.trajectory import of_run
from farkas.instances import library
from farkas.online import algorithms
from tests.experiments.sweeps.made import charts


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
