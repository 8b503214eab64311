"""Every published figure and table can be recomputed, drawn, and says how it compares."""

from __future__ import annotations

import pytest

from farkas.experiments.figures import Agreement, Figure, figures, of_kind
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.writing import caption
from tests.experiments.figures.made import reduced

PUBLISHED = {
    "coded": [*(f"figure{k}" for k in (2, 3, 4))],
    "dps": [*(f"figure{k}" for k in range(2, 8))],
    "eris": [*(f"figure{k}" for k in range(3, 12)), "table3"],
    "gadget": [*(f"figure{k}" for k in range(4, 8))],
    "mlbroker": [*(f"figure{k}" for k in (5, 6, 7, 8, "8b", *range(9, 18))), "table3", "table4",
                 "table5"],
}  # fmt: skip
"""Figures and tables of the papers' evaluations; 8b is a statement about Fig. 8."""


@pytest.mark.parametrize("kind", PUBLISHED)
def test_every_published_figure_of_the_evaluation_is_there(kind):
    assert [exhibit.label for exhibit in of_kind(kind)] == PUBLISHED[kind]


COMPUTED = [name for name in figures if figures[name].build is not None]


@pytest.mark.parametrize("name", COMPUTED)
def test_a_figure_is_recomputed_at_the_reduced_preset(name):
    exhibit = figures[name]
    data = reduced(exhibit.kind, exhibit.label)
    words = caption(exhibit, data, "reduced", 0)
    assert str(exhibit.agreement) in words.lower()
    assert " ".join(exhibit.reason.split()).rstrip(".") in words
    if isinstance(data, Figure):
        assert any(len(series.x) for series in data.series), "an empty figure shows nothing"
    else:
        assert data.rows, "an empty table shows nothing"
    draw(data, exhibit.title, words)


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_called_reproduced_names_what_was_checked(name):
    # what is said about the print needs a statement of the print that the data is held against
    exhibit = figures[name]
    if exhibit.agreement in (Agreement.REPRODUCED, Agreement.TREND, Agreement.NOT_REPRODUCED):
        data = reduced(exhibit.kind, exhibit.label)
        assert data.findings or data.published, f"{name} compares with nothing that was printed"


def test_what_is_not_modelled_says_so():
    for name in figures:
        exhibit = figures[name]
        assert (exhibit.build is None) == (exhibit.agreement is Agreement.NOT_MODELLED)
