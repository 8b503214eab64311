"""Figures of kind gadget: shares are shares, and what is embedded runs."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.experiments.figures.gadget import BOUND, GADGET, POLICIES, _highest, embedded_share
from farkas.instances import library
from tests.experiments.figures.made import reduced

TINY = library.load("gadget/tiny")


def test_the_share_is_of_the_jobs_that_are_active() -> None:
    # of the two jobs one has arrived in slot 0, and a ring of three workers serves it
    assert TINY.active(0).tolist() == [True, False]
    assert embedded_share(TINY) == 1.0


@pytest.mark.slow
def test_utilities_are_at_most_their_proved_bound() -> None:
    lines = {line.name: np.asarray(line.y) for line in reduced("gadget", "4").series}
    assert list(lines) == [*POLICIES, BOUND]
    bound = lines.pop(BOUND)
    for values in lines.values():
        assert (values > 0).all()
        assert (values <= bound * (1 + 1e-9)).all()
    runs = [
        GADGET.run("fifo", GADGET.draw(seed, num_servers=6, horizon=30, num_jobs=20))
        for seed in (0, 1)
    ]
    assert lines["FIFO"][0] == pytest.approx(np.mean([run.value for run in runs]))


@pytest.mark.slow
def test_slots_of_printed_gains_are_filled_and_the_caption_says_so() -> None:
    figure = reduced("gadget", "4")
    assert "(fill, the default)" in figure.caption
    (printed,) = (line for line in figure.series if line.name == "GADGET, printed gains")
    drawn = [GADGET.draw(seed, num_servers=6, horizon=30, num_jobs=80) for seed in (0, 1)]
    values = {
        fill: np.mean(
            [GADGET.run("gadget", one, gains="printed", fill=fill).value for one in drawn]
        )
        for fill in (True, False)
    }
    assert printed.y[2] == pytest.approx(values[True])
    assert values[False] < 0.8 * values[True]


@pytest.mark.slow
def test_the_print_is_held_against_printed_gains() -> None:
    kinds = {one.statement: one.about for one in reduced("gadget", "4").findings}
    assert kinds["GADGET is highest (printed gains)"] == "shape"
    assert kinds["GADGET is highest (envelope gains)"] == "ours"
    highest, more = _highest([3.0, 5.0], [2.0, 4.0], "printed gains")
    assert (highest.holds, highest.note, more.holds) == (True, "ahead by 1, 1", False)
    highest, more = _highest([1.0, 5.0], [2.0, 4.0], "printed gains")
    assert (highest.holds, more.holds) == (False, True)


@pytest.mark.parametrize("number", ["5", "6"])
def test_embedded_jobs_are_a_share(number: str) -> None:
    (line,) = reduced("gadget", number).series
    assert 0 <= min(line.y) <= max(line.y) <= 1


@pytest.mark.slow
def test_slots_are_measured_against_their_bound() -> None:
    for line in reduced("gadget", "7").series:
        assert max(line.y) <= 1 + 1e-9
