"""Ratios of a comparison become a figure: which, in which order, on which axis."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import pytest

import farkas
from farkas.errors import NoAnswer
from farkas.experiments.figures.compared import compared
from farkas.verbs.compare import Comparison


def with_ratios(*ratios: Fraction | float | None) -> Comparison:
    """Comparison whose entries have these ratios."""
    found = farkas.compare("eris/tiny", ["eris.eris", "eris.liquid", "eris.antman"])
    entries = [
        dataclasses.replace(entry, ratio=ratio)
        for entry, ratio in zip(found.entries, ratios, strict=True)
    ]
    return dataclasses.replace(found, entries=tuple(entries))


def test_every_ratio_is_shown_in_order_and_what_has_none_is_named() -> None:
    found = with_ratios(1.25, None, Fraction(5, 2))
    data = compared(found)
    (series,) = data.series
    first, without, last = (entry.algorithm for entry in found.entries)
    assert list(series.x) == [first, last]
    assert list(series.y) == [1.25, 2.5]
    assert data.caption.endswith(f"Proved bound: {found.proved}.  Without a ratio: {without}.")
    assert data.caption.startswith("The optimum is at most so many times what is earned;")
    assert not data.y.log


@pytest.mark.parametrize(("ratios", "log"), [
    ((1.0, 2.0, 20.0), False), ((1.0, 2.0, 21.0), True), ((1.0, 2.0, math.inf), False),
    ((math.inf, math.inf, math.inf), False),
])  # fmt: skip
def test_far_ratios_are_on_a_logarithmic_axis(ratios: tuple[float, ...], log: bool) -> None:
    assert compared(with_ratios(*ratios)).y.log is log


def test_without_ratios_there_is_no_picture() -> None:
    with pytest.raises(NoAnswer, match="no algorithm has a certified ratio"):
        compared(with_ratios(None, None, None))


def test_costs_are_above_their_optimum() -> None:
    said = compared(farkas.compare("mlbroker/tiny", ["mlbroker.local"])).caption
    assert said.startswith("Costs are at most so many times the optimum;")


def test_a_ratio_to_another_bound_than_that_of_the_picture_says_so() -> None:
    found = with_ratios(1.25, 2.0, None)
    first, second, last = found.entries
    noted = dataclasses.replace(first, note="ratio to 7: its own prices")
    silent = dataclasses.replace(last, note="does not apply")
    caption = compared(dataclasses.replace(found, entries=(noted, second, silent))).caption
    assert caption.endswith(f".  {first.algorithm}: ratio to 7: its own prices.")


def test_every_algorithm_keeps_its_own_ratio() -> None:
    # in order of value; to bounds of their own, ratios need not be
    found = with_ratios(3.0, 1.0, 2.0)
    (series,) = compared(found).series
    assert list(zip(series.x, series.y, strict=True)) == [
        (entry.algorithm, entry.ratio) for entry in found.entries
    ]
