"""Searching plans for P1."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import best_quantile
from farkas.online import algorithms
from farkas.online.coded.chance_search import ChanceStretch, LoadSearch
from tests.generators.coded import random_coded_computing
from tests.references import coded_chance
from tests.references.coded_plans import quantile, speeds, stretched
from tests.references.coded_search import greedy, search


@pytest.mark.ids(5)
@pytest.mark.parametrize("seed", range(8))
def test_a_search_ends_near_the_optimum_by_enumeration_and_never_below(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    best = best_quantile(data)
    found = algorithms["coded.chance_search"].run(data).value
    assert best * (1 - 1e-9) <= found <= best * 1.25
    assert found <= algorithms["coded.chance_stretch"].run(data).value * (1 + 1e-9)


def test_a_master_without_workers_is_no_reason_to_warn():
    # one worker for two masters: whichever has none, its level is 0 and its time infinite
    data = CodedComputing.build(
        name="few", success_probability=0.9, masters=[{"rows": 1}, {"rows": 1}], workers=1,
        rate=[[1.0], [1.0]], shift=[[1.0], [1.0]],
    )  # fmt: skip
    search = LoadSearch(data, algorithms["coded.chance_search"].policy().judged(data))
    assert not search.improve(4)
    assert np.isinf(search.times).sum() == 1


def test_workers_that_hardly_wait_get_no_more_than_all_rows():
    # u a = 1e-150: Theorem 1 loads them with 1e75 rows
    data = library.load("coded/tiny")
    data = data.replace(shift=[[a and a * 1e-150 for a in row] for row in data.shift])
    run = algorithms["coded.chance_search"].run(data)
    assert run.ratio is not None
    assert np.array(run.decisions[0]["loads"]).max() <= data.rows.max()


def test_no_master_is_tried_with_a_worker_that_it_may_not_use():
    spared = 0
    for seed in range(6):
        data = random_coded_computing(seed, 3, 6, 4, forbid=0.4)
        policy = algorithms["coded.chance_search"].policy(grains=2)
        search = LoadSearch(data, policy.judged(data))
        slow = int(search.times.argmax())
        wanted = set()
        for n in np.flatnonzero((search.owner != slow) & data.allowed[slow]).tolist():
            other = int(search.owner[n])
            for given in (None, *np.flatnonzero(search.owner == slow).tolist()):
                owner = search.owner.copy()
                owner[n] = slow
                if given is not None:
                    owner[given] = other
                if given is None or (data.allowed[slow, given] and data.allowed[other, given]):
                    wanted.add(tuple(owner.tolist()))
                else:
                    spared += 1
        tried = [tuple(owner.tolist()) for owner in search._tries(slow)]
        assert len(tried) == len(wanted)
        assert set(tried) == wanted
    assert spared > 2


@pytest.mark.parametrize(
    ("seed", "masters", "workers", "rows", "grains", "options"),
    [
        (17, 2, 9, 60, 12, {"candidates": 2}),
        (7, 3, 7, 14, 7, {"candidates": 2}),
        (39, 1, 7, 30, 12, {"candidates": 4}),
        (14, 2, 6, 30, 400, {"candidates": 3}),
        (25, 3, 9, 30, 7, {"candidates": 4}),
        (92, 3, 9, 6, 400, {"candidates": 4}),
        (10, 2, 5, 14, 7, {"candidates": 4, "rounds": 1}),
        (0, 1, 10, 20, 20, {"candidates": 4}),  # too many workers to move two loads at once
    ],
)
def test_a_search_is_the_one_that_is_described(seed, masters, workers, rows, grains, options):
    data = random_coded_computing(seed, masters, workers, rows, forbid=0.25)
    plan = algorithms["coded.chance_search"].policy(grains=grains, **options).plan(data, 0)
    search = coded_chance.Search(coded_chance.Judge(data, grains))
    owner, loads = search.plan(**{"rounds": 200, **options})
    wanted = np.zeros((masters, workers))
    for n, m in enumerate(owner):
        wanted[m, n] = loads[n] if m >= 0 else 0
    assert plan.loads.tolist() == wanted.tolist()
    assert plan.share.tolist() == (wanted > 0).tolist()


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
