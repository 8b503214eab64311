"""Data of figures is refused when it is inconsistent, and found as readers number it."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NoAnswer, UnknownName
from farkas.experiments.figures import (
    Axis,
    Figure,
    Finding,
    Published,
    Series,
    Standing,
    Table,
    figure,
    not_modelled,
    table,
)
from farkas.experiments.figures import registry as module
from farkas.registry import Registry

AXIS = Axis("slots")


@pytest.fixture
def own_registry(monkeypatch):
    monkeypatch.setattr(module, "figures", Registry("figure"))


def drawn(preset, seed, progress):
    """Identity."""
    progress(1, 1)
    return Figure(x=AXIS, y=AXIS, series=[Series("a", x=[1, 2], y=[float(seed), 2.0])])


def registered(decorator, number):
    words = {"title": "Title", "source": "Paper", "standing": Standing.TREND, "reason": "why"}
    return decorator("mlbroker", number, **words)(drawn)


def test_figures_are_found_by_the_number_a_reader_writes(own_registry):
    registered(figure, 5)
    registered(figure, 11)
    registered(table, 4)
    not_modelled("mlbroker", "table3", title="Training", source="Paper", reason="no training")
    for number in ("5", "figure5", "Fig. 5"):
        assert module.find("mlbroker", number).name == "mlbroker.figure5"
    assert module.find("mlbroker", "Table 4").name == "mlbroker.table4"
    order = ["figure5", "figure11", "table3", "table4"]
    assert [entry.label for entry in module.of_kind("mlbroker")] == order


def test_an_unknown_number_or_kind_names_the_known_ones(own_registry):
    registered(figure, 5)
    with pytest.raises(UnknownName, match="figure5"):
        module.find("mlbroker", "6")
    with pytest.raises(UnknownName, match="did you mean mlbroker"):
        module.find("mlbrokr", "5")


def test_data_comes_with_its_seed_and_what_is_not_modelled_says_why(own_registry):
    registered(figure, 5)
    not_modelled("mlbroker", 6, title="Accuracy", source="Paper", reason="needs training")
    assert module.find("mlbroker", "5").data("reduced", seed=7).series[0].y == [7.0, 2.0]
    with pytest.raises(NoAnswer, match="needs training"):
        module.find("mlbroker", "6").data()


def test_a_figure_says_what_it_is(own_registry):
    words = {"title": "Title", "source": "Paper", "standing": Standing.TREND}
    with pytest.raises(ValueError, match="reason"):
        figure("mlbroker", 5, **words, reason="")(drawn)
    with pytest.raises(ValueError, match="docstring"):
        figure("mlbroker", 5, **words, reason="why")(lambda preset, seed, progress: None)


def test_arrays_become_plain_numbers():
    series = Series("a", x=np.arange(2), y=np.array([0.5, np.nan]))
    assert series.x == [0, 1]
    assert all(type(value) is float for value in series.y)
    assert Finding("falls", np.bool_(True)).holds is True
    assert Published("bound", y=np.float64(2)).y == 2.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Series("a", x=[1, 2], y=[1.0]), "differ in length"),
        (lambda: Series("a", x=[1], y=[1.0], low=[0.5]), "both low and high"),
        (lambda: Published("p", x=[1, 2], y=[1.0]), "differ in length"),
        (lambda: Table(columns=[AXIS], rows=[[1, 2]]), "1 cells"),
        (lambda: Figure(x=AXIS, y=AXIS, series=[Series("a", [1], [1.0])] * 2), "share a name"),
    ],
)
def test_inconsistent_data_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()
