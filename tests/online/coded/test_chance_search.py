"""Searching plans for P1."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.coded.chance import best_quantile
from farkas.online import algorithms
from tests.generators.coded import random_coded_computing


@pytest.mark.parametrize("seed", range(8))
def test_a_search_ends_near_the_optimum_by_enumeration_and_never_below(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    best = best_quantile(data)
    found = algorithms["coded.chance_search"].run(data).value
    assert best * (1 - 1e-9) <= found <= best * 1.25
    assert found <= algorithms["coded.chance_stretch"].run(data).value * (1 + 1e-9)


def test_workers_that_hardly_wait_get_no_more_than_all_rows():
    # u a = 1e-150: Theorem 1 loads them with 1e75 rows
    data = library.load("coded/tiny")
    data = data.replace(shift=[[a and a * 1e-150 for a in row] for row in data.shift])
    run = algorithms["coded.chance_search"].run(data)
    assert run.ratio is not None
    assert np.array(run.decisions[0]["loads"]).max() <= data.rows.max()


def test_a_master_that_stands_alone_gets_a_worker():
    # P5's owners may leave the slow master late; the search gives it what helps
    data = random_coded_computing(11, masters=3, workers=7, rows=12)
    run = algorithms["coded.chance_search"].run(data, rounds=1)
    more = algorithms["coded.chance_search"].run(data)
    assert more.value <= run.value
    assert (np.array(more.decisions[0]["share"]).sum(axis=0) <= 1).all()
