"""Stretched plans of P5."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.online import algorithms
from farkas.online.coded.chance_search import ChanceStretch
from tests.generators.coded import random_coded_computing
from tests.references.coded_plans import quantile, speeds, stretched
from tests.references.coded_search import greedy, search


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(4))
def test_more_multiples_are_never_worse(seed):
    data = random_coded_computing(seed, masters=2, workers=6, rows=30)
    run = algorithms["coded.chance_stretch"].run
    one, few, many = (
        run(data, most=3.0 if tried > 1 else 1.0, tried=tried).value for tried in (1, 5, 41)
    )
    assert many <= few * (1 + 1e-9) <= one * (1 + 2e-9)
    loads = np.array(run(data, tried=1).decisions[0]["loads"])
    assert (loads == np.ceil(loads)).all()


@pytest.mark.parametrize("seed", range(8))
def test_loads_are_the_multiple_of_the_best_quantile_by_sets_of_workers(seed):
    data = random_coded_computing(seed, masters=1 + seed % 3, workers=1 + seed % 6, rows=20)
    grains, speed = (400, 7)[seed % 2], np.array(speeds(data))
    plan = ChanceStretch(tried=9, grains=grains).plan(data, 0)
    owner = search(speed, np.array(greedy(speed)), "lexicographic").tolist()
    for m in range(data.num_masters):
        tried = stretched(data, m, owner, np.linspace(1, 3, 9).tolist(), grains)
        times = [
            quantile(data, m, {n: load for n, load in enumerate(row) if load}) for row in tried
        ]
        found = plan.loads[m].astype(int).tolist()
        if min(times) == np.inf:
            assert not any(found)
        else:
            assert times[tried.index(found)] == pytest.approx(min(times), rel=1e-8)
