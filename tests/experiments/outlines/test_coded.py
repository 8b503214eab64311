"""Workers of coded computation in a picture."""

from __future__ import annotations

import pytest

import farkas
from farkas.experiments.outlines import outlines


def made(instance):
    return outlines[instance.kind].made(instance)


def test_a_row_of_coded_takes_its_shift_and_the_mean_of_its_delay():
    computing = farkas.load("coded/demo")
    (bars,) = made(computing).bars
    for m, master in enumerate(computing.masters):
        for n, mean in enumerate(bars.amounts[master.name]):
            assert mean == pytest.approx(computing.shift[m][n] + 1 / computing.rate[m][n])
    assert computing.time_unit in bars.title


def test_pairs_that_are_forbidden_have_no_bar():
    computing = farkas.load("coded/forbidden_pairs")
    (bars,) = made(computing).bars
    none = [[mean is None for mean in each] for each in bars.amounts.values()]
    assert none == (~computing.allowed).tolist()
    assert any(any(row) for row in none)
