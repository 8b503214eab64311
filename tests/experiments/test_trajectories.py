"""What is drawn slot by slot is what the run and its certificate say."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.experiments.figures import Figure
from farkas.experiments.trajectories import of_run, trajectories
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import Run, algorithms

LEADING = {"mlbroker": "mlbroker.fractional", "eris": "eris.eris", "dps": "dps.simple"}


def charts(kind: str, seed: int = 0) -> tuple[Run, dict[str, Figure]]:
    instance = generate(kind, "small", seed)
    run = algorithms[LEADING[kind]].run(instance)
    # as a store gives it back: plain data
    again = msgspec.convert(msgspec.json.decode(msgspec.json.encode(run)), Run)
    return run, {title: data for title, _, data in of_run(instance, again)}


@pytest.mark.parametrize("kind", LEADING)
def test_every_trajectory_of_a_kind_is_there(kind):
    _, found = charts(kind)
    named = {name.partition(": ")[2] for name in trajectories.names(f"{kind}: ")}
    assert named
    assert named <= set(found)
    for figure in found.values():
        assert all(len(series.x) == len(series.y) > 0 for series in figure.series)


@pytest.mark.parametrize("kind", LEADING)
def test_what_is_summed_up_is_the_value(kind):
    run, found = charts(kind)
    (so_far,) = (data for title, data in found.items() if title.endswith("so far"))
    assert so_far.series[0].y[-1] == pytest.approx(run.value)


def test_shares_of_capacity_are_not_added_to_welfare():
    _, found = charts("eris", 3)
    assert [series.name for series in found["Reward by slot"].series] == ["welfare"]
    others = {series.name for series in found["Use and accounts"].series}
    assert {"use of transfer", "revenue"} <= others


def test_posted_prices_are_those_of_the_offers():
    run, found = charts("dps")
    offered = [
        offer["worker_price"] for offer in run.decisions if offer["worker_price"] is not None
    ]
    assert offered
    assert found["Unit prices posted"].series[0].y == pytest.approx(offered)


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
