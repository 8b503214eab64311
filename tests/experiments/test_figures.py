"""Every published figure and table can be recomputed, drawn, and says how it compares."""

from __future__ import annotations

import functools

import pytest

from farkas.experiments.figures import Figure, Standing, figures
from farkas.experiments.figures.caption import caption
from farkas.experiments.figures.drawing import draw


@functools.cache
def reduced(name):
    return figures[name].data("reduced", seed=0)


COMPUTED = [name for name in figures if figures[name].build is not None]


@pytest.mark.parametrize("name", COMPUTED)
def test_a_figure_is_recomputed_at_the_reduced_preset(name):
    entry = figures[name]
    data = reduced(name)
    words = caption(entry, data, "reduced", 0)
    assert str(entry.standing) in words.lower()
    assert " ".join(entry.reason.split()).rstrip(".") in words
    if isinstance(data, Figure):
        assert any(len(series.x) for series in data.series), "an empty figure shows nothing"
    else:
        assert data.rows, "an empty table shows nothing"
    draw(data, entry.title, words)


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_called_reproduced_names_what_was_checked(name):
    # a standing about the print needs a statement of the print that the data is held against
    entry = figures[name]
    if entry.standing in (Standing.REPRODUCED, Standing.TREND, Standing.NOT_REPRODUCED):
        data = reduced(name)
        assert data.findings or data.published, f"{name} compares with nothing that was printed"


def test_what_is_not_modelled_says_so():
    for name in figures:
        entry = figures[name]
        assert (entry.build is None) == (entry.standing is Standing.NOT_MODELLED)
