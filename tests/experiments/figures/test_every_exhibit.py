"""Every published figure and table can be recomputed, drawn, and says how it compares."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from farkas.experiments.figures import (
    PRESETS,
    Agreement,
    Figure,
    agreement,
    figures,
    measuring,
    of_kind,
)
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.writing import caption
from tests.experiments.figures.made import reduced

PUBLISHED = {
    "coded": [*(f"figure{k}" for k in (2, 3, 4))],
    "dps": [*(f"figure{k}" for k in (*range(2, 8), "7b"))],
    "eris": [*(f"figure{k}" for k in range(3, 12)), "table3"],
    "gadget": [*(f"figure{k}" for k in range(4, 8))],
    "mlbroker": [*(f"figure{k}" for k in (5, "5w", 6, 7, 8, "8b", "8c", *range(9, 18))),
                 "table3", "table4", "table5"],
}  # fmt: skip
"""Figures and tables of the papers' evaluations; 5w, 8b and 8c are statements of the text."""


@pytest.mark.parametrize("kind", PUBLISHED)
def test_every_published_figure_of_the_evaluation_is_there(kind):
    assert [exhibit.label for exhibit in of_kind(kind)] == PUBLISHED[kind]


COMPUTED = [name for name in figures if figures[name].build is not None]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPUTED)
def test_a_figure_is_recomputed_at_the_reduced_preset(name):
    exhibit = figures[name]
    data = reduced(exhibit.kind, exhibit.label)
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
    exhibit = figures[name]
    findings = reduced(exhibit.kind, exhibit.label).findings
    assert any(finding.about != "ours" for finding in findings)


INPUT = "mlbroker.table3"
"""Shows what the paper gives to its experiment; nothing is measured."""
WAYS = [
    (1, 0, 0.0),
    (1, 0, 0.3),
    (1, 0, 2.0),
    (0.5, 0, 0.0),
    (0, 1, 0.01),
    (0, 1, 1.0),
    (0, 2, 0.0),
]
ROUNDS = 7 * len(WAYS)
MEASURED = [name for name in COMPUTED if name != INPUT]


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURED)
def test_a_caption_turns_with_its_data(name, monkeypatch):
    # the same figure from measurements changed at random: every statement about the print has to
    # come out both ways, and the words have to follow
    exhibit = figures[name]
    reduced(exhibit.kind, exhibit.label)  # so that all is measured before anything is changed
    turned: dict[str, set[bool]] = {}
    words = set()
    for seed in range(ROUNDS):
        change = blurred(seed)
        monkeypatch.setattr(measuring, "_plain", lambda text, c=change: c(json.loads(text)))
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
    exhibit = figures[name]
    data = reduced(exhibit.kind, exhibit.label)
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
