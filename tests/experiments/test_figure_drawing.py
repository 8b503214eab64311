"""Figures are drawn with what was published, and written so that others can read them."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree

import pytest

from farkas.cli import call
from farkas.errors import InvalidOption
from farkas.experiments.figures import (
    Axis,
    Entry,
    Figure,
    Finding,
    Published,
    Series,
    Standing,
    Table,
)
from farkas.experiments.figures import registry as module
from farkas.experiments.figures.caption import caption
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.writing import as_csv, write
from farkas.experiments.plotting.style import COLOURS, looks
from farkas.registry import Registry

NAN = float("nan")


def lines() -> Figure:
    return Figure(
        x=Axis("sites"),
        y=Axis("cost", "USD"),
        series=[
            Series("ours", x=[1, 2, 4], y=[3.0, NAN, 1.5], low=[2.5, NAN, 1.0], high=[4, NAN, 2]),
            Series("steps", x=[1, 2, 4], y=[1.0, 2.0, 3.0], chart="step"),
            Series("dots", x=[1, 2], y=[1.0, 2.0], chart="scatter"),
        ],
        published=[Published("bound", y=2.5), Published("points", x=[1, 4], y=[2.9, 1.4])],
        findings=[Finding("falls", True, "3 to 1.5"), Finding("below 2.5", False)],
        caption="One seed.",
    )


def bars() -> Figure:
    names = ["A", "B"]
    series = [Series(s, x=names, y=[1.0, 2.0], chart="bar") for s in ("first", "second")]
    published = [Published("print", x=["B"], y=[2.1])]
    return Figure(x=Axis("algorithm"), y=Axis("cost", log=True), series=series,
                  published=published)  # fmt: skip


def rows() -> Table:
    columns = [Axis("algorithm"), Axis("total", "USD")]
    return Table(columns=columns, rows=[["A", 1.5]], published=[["A", 1.4], ["B", None]])


def entry(data=None, standing=Standing.TREND) -> Entry:
    build = None if data is None else lambda preset, seed, progress: data
    return Entry(kind="mlbroker", label="figure5", title="Cost & load", source="Paper Fig. 5",
                 standing=standing, reason="prices are drawn", doc="By hand.",
                 build=build)  # fmt: skip


@pytest.mark.parametrize("make", [lines, bars, rows])
def test_every_chart_is_drawn_with_its_caption_in_view(make):
    data = make()
    canvas = draw(data, "Title", caption(entry(), data, "full", 0))
    renderer = canvas.canvas.get_renderer()
    (text,) = canvas.texts
    assert "Trend reproduced" in text.get_text()
    box = text.get_window_extent(renderer)
    (axes,) = canvas.axes
    assert box.x0 >= 0
    assert box.x1 <= canvas.bbox.width
    assert box.y0 >= 0, "the caption must not leave the picture"
    assert box.y1 < axes.get_tightbbox(renderer).y0, "the caption must not cover the plot"


def test_published_values_lie_over_ours():
    canvas = draw(lines(), "Title", "Caption.")
    _, words = canvas.axes[0].get_legend_handles_labels()
    assert words[-2:] == ["published: bound", "published: points"]
    drawn = {line.get_label(): line for line in canvas.axes[0].get_lines()}
    assert list(drawn["published: points"].get_xdata()) == [1, 4]
    assert list(drawn["published: bound"].get_ydata()) == [2.5, 2.5]


def test_bars_of_one_category_stand_side_by_side():
    axes = draw(bars(), "Title", "Caption.").axes[0]
    # two series, categories one apart: half of 0.8 each, so the bars' middles lie 0.4 apart
    first, second = (group.patches[0] for group in axes.containers[:2])
    assert second.get_x() - first.get_x() == pytest.approx(0.4)
    assert [t.get_text() for t in axes.get_xticklabels()] == ["A", "B"]
    assert axes.get_yscale() == "log"


def test_no_two_series_look_the_same():
    seen = {tuple(sorted(look.items())) for look in looks(32)}
    assert len(seen) == 32


def test_every_colour_stands_out_on_white():
    # contrast of WCAG 2: (1 + 0.05) / (luminance + 0.05) >= 3 for graphics
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in COLOURS:
        assert 1.05 / (luminance(colour) + 0.05) >= 3, colour


def test_csv_tells_computed_from_published():
    table = list(csv.reader(as_csv(lines()).splitlines()))
    assert table[0] == ["origin", "series", "sites", "cost [USD]", "low", "high"]
    assert table[1] == ["computed", "ours", "1", "3.0", "2.5", "4.0"]
    assert table[-3:] == [
        ["published", "bound", "", "2.5", "", ""],
        ["published", "points", "1", "2.9", "", ""],
        ["published", "points", "4", "1.4", "", ""],
    ]
    assert as_csv(rows()).splitlines()[1:] == ["computed,A,1.5", "published,A,1.4", "published,B,"]


def test_json_holds_everything_and_no_nan(tmp_path):
    path = tmp_path / "figure.json"
    write(entry(), lines(), str(path), "full", 3)
    found = json.loads(path.read_text(), parse_constant=lambda word: pytest.fail(word))
    assert found["data"]["series"][0]["y"] == [3.0, None, 1.5]
    assert (found["standing"], found["seed"], found["preset"]) == ("trend reproduced", 3, "full")
    assert "falls: yes (3 to 1.5); below 2.5: no" in found["caption"]


def test_the_same_data_gives_the_same_picture_and_text_stays_text(tmp_path):
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        write(entry(), lines(), str(path), "full", 0)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    words = " ".join(ElementTree.fromstring(first).itertext())
    assert "Cost & load" in words
    assert "Trend reproduced" in words
    for suffix, magic in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        write(entry(), rows(), str(tmp_path / f"c{suffix}"), "full", 0)
        assert (tmp_path / f"c{suffix}").read_bytes().startswith(magic)


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(InvalidOption, match=r"did you mean \.png"):
        write(entry(), lines(), str(tmp_path / "a.pgn"), "full", 0)


@pytest.fixture
def shown(monkeypatch):
    registry: Registry[Entry] = Registry("figure")
    monkeypatch.setattr(module, "figures", registry)
    registry.add("mlbroker.figure5", entry(lines()))
    unmodelled = {"kind": "mlbroker", "label": "figure6", "title": "Accuracy", "source": "Paper"}
    reason = {"standing": Standing.NOT_MODELLED, "reason": "needs training"}
    registry.add("mlbroker.figure6", Entry(**unmodelled, **reason))


def test_the_command_lists_draws_and_prints(shown, tmp_path, capsys):
    assert call(["figure", "mlbroker"]) == 0
    out = capsys.readouterr().out
    assert "trend reproduced" in out
    assert "needs training" in out
    assert call(["figure", "mlbroker", "5"]) == 0
    out = capsys.readouterr().out
    assert "published" in out
    assert "Trend reproduced: prices are drawn." in out
    assert call(["figure", "mlbroker", "5", "-o", str(tmp_path / "f.svg"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figure"] == "mlbroker.figure5"
    assert (tmp_path / "f.svg").exists()


def test_the_command_writes_all_of_them_and_says_what_is_not_modelled(shown, tmp_path, capsys):
    folder = tmp_path / "all"
    assert call(["figure", "all", "-o", str(folder), "--json"]) == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["figures"]}
    assert found["mlbroker.figure6"]["note"] == "needs training"
    assert sorted(p.name for p in folder.iterdir()) == [
        "mlbroker.figure5.json", "mlbroker.figure5.png",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["mlbroker", "5", "--preset", "huge"], 2, "full or reduced"),
        (["mlbroker", "7"], 2, "known: figure5, figure6"),
        (["mlbroker", "5", "-o", "a.gif"], 2, "unknown suffix"),
        (["mlbroker", "6"], 3, "needs training"),
    ],
)
def test_the_command_refuses_in_one_line(shown, capsys, words, code, message):
    assert call(["figure", *words]) == code
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert message in err
