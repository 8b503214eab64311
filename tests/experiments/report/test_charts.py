"""Charts of a report: what is drawn lies where its numbers are, speaks, and follows the page."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from farkas.experiments.figures import Figure, PlotAxis, Series
from farkas.experiments.report import charts, collect
from farkas.experiments.report import page as module
from farkas.experiments.report.charts import (
    MOST_DOTS,
    MOST_POINTS,
    at_most,
    line_chart,
    number,
    prepared,
    spread,
)
from farkas.experiments.sweeps import Rechecked, Store
from farkas.experiments.sweeps.ratios import Ratios, quantiles
from tests.experiments.sweeps.made import INSTANCES, result


@pytest.fixture
def canvas(monkeypatch) -> Any:
    """Return what is drawn instead of its text."""
    monkeypatch.setattr(charts, "speaking", lambda canvas, *words: canvas)


def figure(*series: Series) -> Figure:
    return Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=series)


def lines(*heights: list[float]) -> Figure:
    return figure(*(Series(f"s{k}", [0, 1], h) for k, h in enumerate(heights)))


def ratios(values: list[float], name: str = "mlbroker.one", **more: Any) -> Ratios:
    return Ratios(name=name, options={}, sense="min", tasks=len(values), left_out={},
                  by_instance={"a": values}, mean=sum(values) / len(values),
                  quantiles=quantiles(values), **more)  # fmt: skip


def part(canvas: Any, gid: str) -> list[Any]:
    """Vertices of what is drawn under a name, in order."""
    found = [artist for artist in canvas.axes[0].get_children() if artist.get_gid() == gid]
    paths = [
        path
        for one in found
        for path in (one.get_paths() if hasattr(one, "get_paths") else [one.get_path()])
    ]
    return [path.vertices for path in paths]


def test_a_long_series_keeps_as_many_points_as_can_be_told_apart_and_no_run_goes_missing() -> None:
    size = 2 * MOST_POINTS
    low, high = np.arange(size) - 1.0, np.arange(size) + 2.0
    short = prepared(Series("a", np.arange(size), np.arange(size), low, high))
    assert len(short.x) == MOST_POINTS
    assert short.x[:2] == [0.0, 2.0]
    assert (short.low[0], short.y[0], short.high[0]) == (-0.5, 0.5, 2.5)
    missing = prepared(Series("b", [0, 1], [np.nan, 2.0]))
    assert np.isnan(missing.y[0])
    assert missing.y[1] == 2.0


def test_a_line_its_band_and_an_axis_that_shows_zero(canvas) -> None:
    one = Series("a", [2.0, 3.0, 4.0], [1.0, 2.0, 3.0], [0.5, 1.5, 2.5], [1.5, 3.0, 4.0])
    axes = line_chart(figure(one), "x", "Costs").axes[0]
    (line,) = axes.get_lines()
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([2, 3, 4], [1, 2, 3])
    band = axes.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (0.5, 4.0)
    assert axes.get_ylim()[0] == 0.0
    below = line_chart(figure(Series("a", [0, 1], [-2.0, 1.0])), "x", "Costs").axes[0]
    assert below.get_ylim()[0] == -2.0


def test_a_drawing_speaks_escapes_follows_the_page_and_names_no_address() -> None:
    evil = "<b>\u202e"
    named = dataclasses.replace(lines([1.0, 3.0], [2.0, 4.0]), y=PlotAxis(evil))
    drawing = line_chart(named, "one", evil)
    assert '<desc id="one-desc">s0: from 1 to 3; s1: from 2 to 4</desc>' in drawing
    assert "<b>" not in drawing
    assert "&lt;b&gt;\\u202e</title>" in drawing
    assert "http" not in drawing
    colours = set(re.findall(r": (#[0-9a-f]{6})", drawing))
    assert not colours, "every colour is one of the page's"
    assert {"var(--c0)", "var(--c1)", "var(--soft)", "var(--ink)"} <= set(
        re.findall(r"var\(--\w+\)", drawing)
    )
    ids = re.findall(r' id="([^"]*)"', drawing)
    assert all(one.startswith("one-") for one in ids)
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', drawing)) <= set(ids)
    nothing = figure(Series("a", [0, 1], [np.nan, np.nan]), Series("b", [], []))
    assert "no values" in line_chart(nothing, "i", "T")
    assert line_chart(named, "one", evil) == drawing


def test_dots_and_means_lie_where_their_ratio_is_on_an_axis_from_1(canvas) -> None:
    one = ratios([1.0, 1.1, 1.2, 1.3, 2.0], interval=(0.5, 1.5))
    drawn = spread([one], "i", "T")
    assert drawn.axes[0].get_xlim() == (1.0, 2.04)
    (dots,) = part(drawn, "dots")
    assert dots[:, 0].tolist() == [1.0, 1.1, 1.2, 1.3, 2.0]
    assert part(drawn, "interval")[0][:, 0].tolist() == [1.0, 1.5]  # no ratio is below 1
    assert part(drawn, "mean")[0][:, 0].tolist() == pytest.approx([1.32])


def test_many_dots_become_fewer_with_the_same_ends(canvas) -> None:
    (dots,) = part(spread([ratios([1 + k / 1000 for k in range(1000)])], "i", "T"), "dots")
    assert len(dots) == MOST_DOTS
    assert (dots[0][0], dots[-1][0]) == pytest.approx((1.0, 1.999))


@pytest.mark.parametrize(("worst", "scale"), [(7.8, "linear"), (7.9, "log")])
def test_wide_spreads_are_logarithmic_and_say_so(canvas, worst: float, scale: str) -> None:
    axes = spread([ratios([1.1]), ratios([worst], "mlbroker.two")], "i", "T").axes[0]
    assert axes.get_xscale() == scale
    assert ("logarithmic" in axes.get_xlabel()) == (scale == "log")


def test_ratios_are_rounded_up_and_numbers_short_whatever_their_sign() -> None:
    assert (at_most(1.0132201), at_most(1.0), at_most(float("nan"))) == ("1.01323", "1", "–")
    assert [number(x) for x in (-12345.6, 12345.6, 9999.0, -1e6)] == [
        "-12,346", "12,346", "9999", "-1e+06",
    ]  # fmt: skip


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "made.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result(at=0, recheck="proved again"))
        made.add(result(at=1, recheck="rejected: row 3"))
        for at in (2, 3):
            made.add(result(at=at, status="failed", error="no licence", value=None, bound="",
                            ratio=None, output=None))  # fmt: skip
        yield made


def test_tasks_are_counted_by_status_and_failures_by_reason(store: Store) -> None:
    found = collect(store)
    assert (found.title, found.store, found.kinds) == ("made", "made.sqlite", ["mlbroker"])
    assert found.statuses == {"done": 2, "failed": 2}
    assert (found.tasks, found.certified) == (4, 1)
    # what a store says was proved is its word; what it says was not is believed
    assert found.rechecks == {"the store's word": 1, "rejected": 1}
    assert found.failures == [
        ("mlbroker.one", "done", "rejected: row 3", 1),
        ("mlbroker.one", "failed", "no licence", 2),
    ]


def test_runs_that_cannot_be_read_are_not_shown(store: Store) -> None:
    assert collect(store).runs == []


@pytest.mark.slow
def test_worst_runs_are_shown_as_many_as_fit_and_the_others_counted(
    swept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(swept, readonly=True) as held:
        # fractional with two options, local, and opt by the solver that is there
        for most, shown in ((12, 4), (4, 4), (2, 2)):
            monkeypatch.setattr(module, "MOST_SHOWN", most)
            found = collect(held)
            assert (len(found.runs), found.unshown) == (shown, 4 - shown)


def test_what_is_rejected_now_is_told_by_its_address(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (r.key for r in store.results() if r.bound)
    among = frozenset({one, two})
    for words, counted in (
        ({one: "rejected: now"}, {"rejected": 2}),
        ({one: "proved again"}, {"proved again": 1, "rejected": 1}),
        # rejected before, proved now: what a store says against itself is believed
        ({one: "proved again", two: "proved again"}, {"proved again": 1, "rejected": 1}),
    ):
        again = Rechecked(words, among)
        monkeypatch.setattr(Rechecked, "of", lambda *_, said=again, **__: said)
        found = collect(store)
        assert found.rechecks == counted
        assert found.objections == {k: w for k, w in words.items() if w.startswith("rejected")}
    later = Rechecked({}, frozenset({two}))  # the first came while the other was proved
    monkeypatch.setattr(Rechecked, "of", lambda *_, **__: later)
    assert collect(store).statuses == {"done": 1, "failed": 2}


def test_versions_are_counted(tmp_path: Path) -> None:
    versions = {"farkas": "1", "python": "3", "numpy": "2"}
    manifest = {**versions, "solvers": {"highs": "1.2"}, "seed": 4, "instance_sha256": "0"}
    output = {"sense": "min", "violations": [], "manifest": manifest}
    with Store(tmp_path / "made.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result(at=0, output=output))
        made.add(result(at=1, output=output))
        made.add(result("mlbroker.local", at=1))
        found = collect(made)
    assert found.manifests == [({**versions, "highs": "1.2"}, 2)]
