"""Data of figures: what is inconsistent is refused, lines are means with their interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.experiments.figures import Figure, PlotAxis, Printed, Series, Statement, Table
from farkas.experiments.figures.figure import (
    SHARES,
    by_name,
    half_width,
    mean_lines,
    mean_series,
    spread,
)

AXIS = PlotAxis("slots")


def test_arrays_become_plain_numbers():
    series = Series("a", x=np.arange(2), y=np.array([0.5, np.nan]))
    assert series.x == [0, 1]
    assert all(type(value) is float for value in series.y)
    assert Statement("falls", np.bool_(True)).holds is True
    assert Printed("bound", y=np.float64(2)).y == 2.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Series("a", x=[1, 2], y=[1.0]), "differ in length"),
        (lambda: Series("a", x=[1], y=[1.0], low=[0.5]), "both low and high"),
        (lambda: Printed("p", x=[1, 2], y=[1.0]), "differ in length"),
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


def test_an_interval_holds_the_mean_in_95_of_100_draws():
    # 2000 samples of five normal numbers about 0; four standard errors of a share of 0.95
    every = np.random.default_rng(5).normal(size=(5, 2000))
    covered = float((np.abs(every.mean(axis=0)) <= half_width(every)).mean())
    assert covered == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 2000))


def test_an_interval_does_not_leave_what_can_be_measured():
    # half widths: 3.18 / 2 of s = 0.46, which reaches beyond 0 and 1, and of 0 at the end
    every = [[0.1, 0.9, 1.0], [0.1, 0.9, 1.0], [0.9, 0.1, 1.0], [0.9, 0.1, 1.0]]
    line = mean_series("use", [1, 2, 3], every, within=SHARES)
    assert line.y == pytest.approx([0.5, 0.5, 1.0])
    assert (line.low, line.high) == ([0.0, 0.0, 1.0], [1.0, 1.0, 1.0])
    free = mean_series("cost", [1, 2, 3], every)
    assert min(free.low) < 0
    assert max(free.high) > 1


def test_one_instance_has_no_interval():
    (line,) = mean_lines([1.0], [0], lambda value, seed: {"a": value})
    assert (line.y, line.low, line.high) == ([1.0], None, None)
