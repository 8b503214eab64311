"""Figures are found as readers number them, and say what became of them."""

from __future__ import annotations

import dataclasses

import pytest

from farkas.errors import InvalidOption, NoAnswer, UnknownName
from farkas.experiments.figures import Agreement, Figure, Paper, PlotAxis, Series, Statement
from farkas.experiments.figures import exhibit as module
from farkas.registry import Registry

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
