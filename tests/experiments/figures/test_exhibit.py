"""Figures are found as readers number them, and say what became of them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from farkas.errors import InvalidOption, NoAnswer, UnknownName
from farkas.experiments.figures import (
    PRESETS,
    Agreement,
    Figure,
    Paper,
    PaperValue,
    PlotAxis,
    Series,
    Statement,
    Table,
    agreement,
    figures,
    of_kind,
    writing,
)
from farkas.experiments.figures import exhibit as module
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.exhibit import (
    SHARES,
    by_name,
    mean_lines,
    mean_series,
    spread,
)
from farkas.experiments.figures.writing import caption
from farkas.registry import Registry
from tests.experiments.figures.made import bars, exhibit, lines, reduced, rows

AXIS = PlotAxis("slots")
PAPER = Paper("mlbroker", "mlBroker")


@pytest.fixture
def own_registry(monkeypatch):
    monkeypatch.setattr(module, "figures", Registry("figure"))


def drawn(preset, seed):
    """Identity."""
    return Figure(x=AXIS, y=AXIS, series=[Series("a", x=[1, 2], y=[float(seed), 2.0])])


def registered(decorator, number):
    return decorator(number, "Title", Agreement.TREND, "why")(drawn)


def test_figures_are_found_by_the_number_a_reader_writes(own_registry):
    registered(PAPER.figure, 5)
    registered(PAPER.figure, 11)
    registered(PAPER.table, 4)
    PAPER.not_modelled("table3", "Training", "no training")
    for number in ("5", "figure5", "Fig. 5"):
        assert module.find("mlbroker", number).name == "mlbroker.figure5"
    assert module.find("mlbroker", "Table 4").name == "mlbroker.table4"
    order = ["figure5", "figure11", "table3", "table4"]
    assert [exhibit.label for exhibit in module.of_kind("mlbroker")] == order


def test_an_unknown_number_or_kind_names_the_known_ones(own_registry):
    registered(PAPER.figure, 5)
    with pytest.raises(UnknownName, match="figure5"):
        module.find("mlbroker", "6")
    with pytest.raises(UnknownName, match="did you mean mlbroker"):
        module.find("mlbrokr", "5")


def test_data_comes_with_its_seed_and_what_is_not_modelled_says_why(own_registry):
    registered(PAPER.figure, 5)
    PAPER.not_modelled("figure6", "Accuracy", "needs training")
    assert module.find("mlbroker", "5").data("reduced", seed=7).series[0].y == [7.0, 2.0]
    with pytest.raises(NoAnswer, match="needs training"):
        module.find("mlbroker", "6").data()


def test_a_preset_draws_some_instances_and_never_none():
    assert list(module.Preset("reduced", 3).seeds(4)) == [4, 5, 6]
    with pytest.raises(InvalidOption, match="at least 1"):
        module.Preset("full", 0)


def test_the_agreement_follows_the_statements_of_the_print():
    shape, value = Statement("falls", True), Statement("ends at 2", True, about="value")
    wrong = dataclasses.replace(value, holds=False)
    remark = Statement("fast", False, about="ours")
    assert module.agreement([shape, value, remark]) is Agreement.REPRODUCED
    assert module.agreement([shape, wrong]) is Agreement.TREND
    assert module.agreement([shape]) is Agreement.TREND
    assert module.agreement([wrong]) is Agreement.NOT_REPRODUCED
    assert module.agreement([dataclasses.replace(shape, holds=False), value]) is (
        Agreement.NOT_REPRODUCED
    )
    assert module.agreement([remark]) is Agreement.NOT_REPRODUCED


def test_a_figure_says_what_it_is(own_registry):
    with pytest.raises(ValueError, match="reason"):
        PAPER.figure(5, "Title", Agreement.TREND, "")(drawn)
    with pytest.raises(ValueError, match="docstring"):
        PAPER.figure(5, "Title", Agreement.TREND, "why")(lambda preset, seed: None)


def test_a_source_is_the_printed_number_unless_it_is_said(own_registry):
    registered(PAPER.figure, "8b")
    registered(PAPER.table, 4)
    PAPER.figure(9, "Title", Agreement.TREND, "why", source="mlBroker section 6")(drawn)
    sources = [exhibit.source for exhibit in module.of_kind("mlbroker")]
    assert sources == ["mlBroker Fig. 8b", "mlBroker section 6", "mlBroker Table 4"]


def test_arrays_become_plain_numbers():
    series = Series("a", x=np.arange(2), y=np.array([0.5, np.nan]))
    assert series.x == [0, 1]
    assert all(type(value) is float for value in series.y)
    assert Statement("falls", np.bool_(True)).holds is True
    assert PaperValue("bound", y=np.float64(2)).y == 2.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Series("a", x=[1, 2], y=[1.0]), "differ in length"),
        (lambda: Series("a", x=[1], y=[1.0], low=[0.5]), "both low and high"),
        (lambda: PaperValue("p", x=[1, 2], y=[1.0]), "differ in length"),
        (lambda: Table(columns=[AXIS], rows=[[1, 2]]), "1 cells"),
        (lambda: Figure(x=AXIS, y=AXIS, series=[Series("a", [1], [1.0])] * 2), "share a name"),
    ],
)
def test_inconsistent_data_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


def test_a_line_is_the_mean_over_the_seeds_with_its_interval():
    # at value 2: seeds 1 and 4 measure 2 + 1 = 3 and 2 + 4 = 6, so 4.5; s / sqrt 2 = 1.5, and the
    # 0.975 quantile of Student's t with one degree of freedom, tan(0.475 pi), is 12.7062
    def measure(value, seed):
        return {"sum": value + seed, "product": value * seed}

    lines = mean_lines([2, 5], [1, 4], measure)
    assert by_name(lines) == {"sum": [4.5, 7.5], "product": [5.0, 12.5]}
    assert lines[0].x == [2, 5]
    assert (lines[0].low, lines[0].high) == ([3.0, 6.0], [6.0, 9.0])


def test_few_instances_have_a_range_and_more_an_interval():
    # t = 3.1824 with 3 degrees of freedom; numbers 0, 0, 2, 2: s = sqrt(4/3), half s / 2
    every = [[0.0], [0.0], [2.0], [2.0]]
    half = 3.182446 * math.sqrt(4 / 3) / 2
    line = mean_series("four", [1], every)
    assert (line.low, line.high) == (pytest.approx([1 - half]), pytest.approx([1 + half]))
    three = mean_series("three", [1], every[:3])
    assert (three.low, three.high) == ([0.0], [2.0])
    assert spread(4) != spread(3)


def test_an_interval_does_not_leave_what_can_be_measured():
    # half widths: 3.18 / 2 of s = 0.46, which reaches beyond 0 and 1, and of 0 at the end
    every = [[0.1, 0.9, 1.0], [0.1, 0.9, 1.0], [0.9, 0.1, 1.0], [0.9, 0.1, 1.0]]
    line = mean_series("use", [1, 2, 3], every, within=SHARES)
    assert line.y == pytest.approx([0.5, 0.5, 1.0])
    assert (line.low, line.high) == ([0.0, 0.0, 1.0], [1.0, 1.0, 1.0])
    free = mean_series("cost", [1, 2, 3], every)
    assert min(free.low) < 0
    assert max(free.high) > 1


@pytest.mark.parametrize("make", [lines, bars, rows])
def test_every_chart_is_drawn_with_its_caption_in_view(make):
    data = make()
    canvas = draw(data, "Title", caption(exhibit(), data, PRESETS["full"], 0))
    renderer = canvas.canvas.get_renderer()
    (text,) = canvas.texts
    assert "This run (full, seed 0)" in text.get_text()
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


def legend_of(canvas):
    return [text.get_text() for text in canvas.axes[0].get_legend().get_texts()]


def test_a_legend_names_ours_before_the_print_and_leaves_room_for_the_plot():
    assert legend_of(draw(bars(), "Title", "Caption.")) == ["first", "second", "published: print"]
    data = lines()
    long = "regret from slot 3140 on, as the paper prints it below 0 to the end (Fig. 2)"
    data = dataclasses.replace(data, published=[*data.published, PaperValue(long, 0.0)])
    canvas = draw(data, "Title", "Caption.")
    assert legend_of(canvas)[:3] == ["ours", "steps", "dots"]
    wrapped = legend_of(canvas)[-1]
    assert wrapped.replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ") == f"published: {long}"
    assert all(len(line) <= 28 for line in wrapped.splitlines())
    assert "Fig.\n" not in legend_of(
        draw(dataclasses.replace(data, published=[PaperValue("below 1.25 (Fig. 5)", 1.25)] * 4),
             "T", "C.")
    )[-1]  # fmt: skip
    plot = canvas.axes[0].get_window_extent(canvas.canvas.get_renderer())
    assert plot.width > canvas.bbox.width / 2


def test_long_lines_that_coincide_show_each_others_markers():
    x = np.arange(100)
    series = [Series(name, x, x) for name in ("one", "two", "three")]
    data = Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=series)
    axes = draw(data, "Title", "Caption.").axes[0]
    marked = [set(range(100)[slice(line.get_markevery()[0], None, line.get_markevery()[1])])
              for line in axes.get_lines()]  # fmt: skip
    assert all(8 <= len(places) <= 9 for places in marked)
    assert not marked[0] & marked[1] | marked[1] & marked[2] | marked[0] & marked[2]


def test_a_line_over_another_lets_it_show_through():
    x = [1, 2, 3]
    series = [Series("below", x, [0.0, 1.0, 2.0]), Series("apart", x, [0.0, 1.0, 2.1]),
              Series("above", x, [0.0, 1.001, 2.0]), Series("x", [1, 2], [0.0, 1.0])]  # fmt: skip
    data = Figure(x=PlotAxis("slot"), y=PlotAxis("cost"), series=series)
    drawn = {line.get_label(): line for line in draw(data, "T", "C.").axes[0].get_lines()}
    through = {name for name, line in drawn.items() if line.get_markerfacecolor() == "none"}
    assert through == {"above"}
    assert {name for name, line in drawn.items() if line.get_linestyle() == "--"} == {"above"}


def test_logarithmic_axes_have_plain_numbers_and_names_may_hold_dollars():
    name = r"cost $\frac{ & $x_1$ 100$"
    points = [Series(name, [1.0, 10.0, 1000.0], [0.01, 1.0, 100.0])]
    data = Figure(x=PlotAxis("x", log=True), y=PlotAxis("y", log=True), series=points)
    canvas = draw(data, name, "caption")
    (axes,) = canvas.axes
    canvas.draw_without_rendering()
    ticks = [t.get_text() for axis in (axes.xaxis, axes.yaxis) for t in axis.get_ticklabels()]
    assert {"1", "10", "1000", "0.01", "100"} <= set(ticks)
    assert not [tick for tick in ticks if "$" in tick]
    assert axes.get_title(loc="left") == name


PUBLISHED = {
    "coded": [*(f"figure{k}" for k in (2, 3, 4))],
    "dps": [*(f"figure{k}" for k in (*range(2, 8), "7b")), "table1"],
    "eris": [*(f"figure{k}" for k in range(3, 12)), "table3"],
    "gadget": [*(f"figure{k}" for k in range(4, 8))],
    "mlbroker": [*(f"figure{k}" for k in (5, 6, 7, 8, "8b", *range(9, 18))),
                 "table3", "table4", "table5"],
}  # fmt: skip
"""Figures and tables of the papers' evaluations; 8b is a statement of the text."""


@pytest.mark.parametrize("kind", PUBLISHED)
def test_every_published_figure_of_the_evaluation_is_there(kind):
    assert [exhibit.label for exhibit in of_kind(kind)] == PUBLISHED[kind]


COMPUTED = [name for name in figures if figures[name].build is not None]


INPUT = "mlbroker.table3"
"""Shows what the paper gives to its experiment; nothing is measured."""
VERDICTS = ("dps.table1", "eris.table3")
"""Show which statements of other figures hold; no random change lets all of them hold.

One instance of each does: nothing in them is a mean.
"""


def shown(name: str) -> Any:
    """Data of a figure or table at the reduced preset."""
    exhibit = figures[name]
    return reduced(exhibit.kind, exhibit.label, instances=1 if name in VERDICTS else 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPUTED)
def test_a_figure_is_recomputed_at_the_reduced_preset(name):
    exhibit = figures[name]
    data = shown(name)
    words = caption(exhibit, data, PRESETS["reduced"], 0)
    assert f"This run (reduced, seed 0): {agreement(data.findings)}; " in words
    assert all(str(finding) in " ".join(words.split()) for finding in data.findings)
    if isinstance(data, Figure):
        assert any(len(series.x) for series in data.series), "an empty figure shows nothing"
    else:
        assert data.rows, "an empty table shows nothing"
    draw(data, exhibit.title, words)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPUTED)
def test_every_figure_is_held_against_a_statement_of_the_print(name):
    assert any(finding.about != "ours" for finding in shown(name).findings)


WAYS = [
    (1, 0, 0.0),
    (1, 0, 0.3),
    (1, 0, 2.0),
    (0.5, 0, 0.0),
    (0, 1, 0.01),
    (0, 1, 1.0),
    (0, 2, 0.0),
]
ROUNDS = 10 * len(WAYS)
MEASURED = [name for name in COMPUTED if name not in (INPUT, *VERDICTS)]


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURED)
def test_a_caption_turns_with_its_data(name, monkeypatch):
    # the same figure from measurements changed at random: every statement about the print has to
    # come out both ways, and the words have to follow
    exhibit = figures[name]
    shown(name)  # so that all is measured before anything is changed
    turned: dict[str, set[bool]] = {}
    words = set()
    for seed in range(ROUNDS):
        change = blurred(seed)
        monkeypatch.setattr(writing, "_plain", lambda text, c=change: c(json.loads(text)))
        data = exhibit.data("reduced")
        words.add(caption(exhibit, data, PRESETS["reduced"], 0))
        for finding in data.findings:
            if finding.about != "ours":
                turned.setdefault(finding.statement, set()).add(finding.holds)
    assert len(words) > 1
    assert {said for said, found in turned.items() if found != {True, False}} == set()


def blurred(seed: int) -> Callable[[Any], Any]:
    """Change every number of a measurement: by a little or much, to half, or to about 1 or 2."""
    rng = np.random.default_rng(seed)
    share, level, spread = WAYS[seed % len(WAYS)]

    def change(found: Any) -> Any:
        if isinstance(found, Mapping):
            return {key: change(value) for key, value in found.items()}
        if isinstance(found, list):
            return [change(value) for value in found]
        return (share * found + level) * rng.lognormal(sigma=spread)

    return change


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURED)
def test_means_over_instances_have_intervals(name):
    data = shown(name)
    if isinstance(data, Figure):
        drawn = [line for line in data.series if line.low is not None]
        points = [line for line in data.series if line.chart == "scatter"]
        assert drawn or len(points) == len(data.series), "neither means nor single instances"
        for line in drawn:
            low, mean, high = (np.array(v, float) for v in (line.low, line.y, line.high))
            assert ((low <= mean) & (mean <= high) | np.isnan(mean)).all()
    else:
        assert any(column.title == "±" for column in data.columns)


def test_what_is_not_modelled_says_so():
    for name in figures:
        exhibit = figures[name]
        assert (exhibit.build is None) == (exhibit.agreement is Agreement.NOT_MODELLED)
