"""Charts of a report: what is drawn lies where its numbers are, speaks, and follows the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from farkas.experiments.report import charts, collect
from farkas.experiments.report import page as module
from farkas.experiments.report.charts import (
    MOST_DOTS,
    at_most,
    number,
    spread,
)
from farkas.experiments.sweeps import Store
from farkas.experiments.sweeps.ratios import Ratios, quantiles
from farkas.experiments.sweeps.sweep import BELIEVED
from tests.experiments.sweeps.made import INSTANCES, result


@pytest.fixture
def canvas(monkeypatch) -> Any:
    """Return what is drawn instead of its text."""
    monkeypatch.setattr(charts, "speaking", lambda canvas, *words: canvas)


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


def test_a_drawing_speaks_escapes_follows_the_page_and_names_no_address() -> None:
    evil = "<b>\u202e"
    items = [ratios([1.0, 3.0], evil), ratios([2.0, 4.0], "mlbroker.two", interval=(1.5, 3.5))]
    drawing = spread(items, "one", evil)
    assert "mlbroker.two: median 3, mean 3, largest 4, 95 % interval 1.5 – 3.5</desc>" in drawing
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
    assert spread(items, "one", evil) == drawing


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


def test_runs_that_cannot_be_read_leave_no_bound(store: Store) -> None:
    assert collect(store).runs == []


def test_what_is_rejected_now_is_told_by_its_address(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounded = sorted((r for r in store.results() if r.bound), key=lambda r: r.recheck)
    one, two = (r.key for r in bounded)  # proved before, and rejected before
    for words, counted in (
        ({one: "rejected: now"}, {"rejected": 2}),
        ({one: "proved again"}, {"proved again": 1, "rejected": 1}),
        # rejected before, proved now: what a store says against itself is believed
        ({one: "proved again", two: "proved again"}, {"proved again": 1, "rejected": 1}),
    ):
        said = {one: BELIEVED, two: BELIEVED, **words}
        monkeypatch.setattr(module, "rechecked", lambda *_, said=said, **__: said)
        found = collect(store)
        assert found.rechecks == counted
        assert found.objections == {k: w for k, w in words.items() if w.startswith("rejected")}
    # the first came while the other was proved
    monkeypatch.setattr(module, "rechecked", lambda *_, **__: {two: BELIEVED})
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
