"""Loads in grains, and what runs of P1 say of themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.completion_times import Allocation, Law
from farkas.online import algorithms
from farkas.online.coded.chance_plans import (
    ChancePlanner,
    Grains,
    LoadSearch,
)
from farkas.online.coded.environment import UncodedPlanner, Uniform
from tests.generators.coded import random_coded_computing
from tests.references import coded_chance
from tests.references.coded_plans import blocks, evenly, quantile, speeds, stretched, theorem_1
from tests.references.coded_search import greedy, search


@pytest.mark.ids(5)
@pytest.mark.parametrize("seed", range(3))
def test_a_run_is_worth_its_exact_quantile(seed):
    data = random_coded_computing(seed, masters=2, workers=5, rows=17)
    run = algorithms["coded.chance_search"].run(data, grains=6)
    (plan,) = run.decisions
    law = Law.given(data, np.array(plan["share"]), np.array(plan["loads"]))
    assert run.value == pytest.approx(law.quantile(data.success_probability), rel=1e-9)
    assert law.at(run.value).min() >= data.success_probability * (1 - 1e-9)
    assert run.certificate.certificate["program"] == "coded.chance"
    assert Fraction(run.value_exact) >= run.certificate.fraction
    assert not run.violations


def test_grains_are_enough_and_no_more():
    data = random_coded_computing(0, masters=2, workers=5)
    data = data.replace(masters=[{"rows": 17}, {"rows": 17}])
    grains = Grains(data, 5)
    # 17 rows in at most 5 grains: 4 rows a grain, 5 grains
    assert (grains.rows == 4).all()
    assert (grains.needed == 5).all()
    workers = np.arange(5)
    loads = np.array([5, 0, 0, 0, 0])
    plan = grains.plan(np.zeros(5, np.int64), loads)
    law = Law.given(data, plan.share, plan.loads)
    time = grains.time(0, workers, loads)
    assert law.at(time)[0] == pytest.approx(data.success_probability, abs=1e-6)
    assert grains.time(0, workers, np.array([4, 0, 0, 0, 0])) == np.inf
    assert [loads.tolist() for loads in grains.equal(0, workers)] == [
        [each] * 5
        for each in (5, 3, 2, 2, 1)  # any two have 6 of 5
    ]


def test_a_plan_that_may_never_finish_has_no_value():
    data = random_coded_computing(0, masters=2, workers=4, rows=5)
    nothing = np.zeros((2, 4))
    out = ChancePlanner().evaluate(data, [Allocation(nothing, nothing)])
    assert np.isnan(out.value)
    assert "never has its 5 rows with probability" in out.violations[0]


def test_uncoded_breaks_the_surrogate_and_says_so():
    run = algorithms["coded.uncoded"].run(library.load("coded/demo"))
    assert run.ratio is None
    assert run.violations[0] == "master 0 never expects its 20 rows (20 are sent)"
    assert run.numbers["mean_of_last"] < run.numbers["quantile_of_last"]
    assert run.numbers["recoverable"] == 1.0
    with pytest.raises(NotApplicable, match="forbidden pair"):
        algorithms["coded.uncoded"].run(library.load("coded/forbidden_pairs"))


@pytest.mark.parametrize("seed", range(24))
def test_plans_are_those_of_the_formulas_in_many_digits(seed):
    # one master, one worker, fewer workers than masters, and forbidden pairs among them
    data = random_coded_computing(seed, masters=1 + seed % 4, workers=1 + seed % 7, rows=30)
    wanted, _ = theorem_1(data, blocks(data.num_masters, data.workers))
    plan = Uniform().plan(data, 0)
    np.testing.assert_allclose(plan.loads, wanted, rtol=1e-12)
    assert ((plan.loads > 0) == (plan.share == 1)).all()
    even = evenly(data)
    if even is None:
        with pytest.raises(NotApplicable, match="forbidden pair"):
            UncodedPlanner().plan(data, 0)
    else:
        assert UncodedPlanner().plan(data, 0).loads.tolist() == even


@pytest.mark.ids(5)
@pytest.mark.parametrize("seed", range(8))
def test_a_search_ends_near_the_optimum_by_enumeration_and_never_below(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    best = best_quantile(data)
    found = algorithms["coded.chance_search"].run(data).value
    assert best * (1 - 1e-9) <= found <= best * 1.25


def test_a_master_without_workers_is_no_reason_to_warn():
    # one worker for two masters: whichever has none, its level is 0 and its time infinite
    data = CodedComputing.build(
        name="few", success_probability=0.9, masters=[{"rows": 1}, {"rows": 1}], workers=1,
        rate=[[1.0], [1.0]], shift=[[1.0], [1.0]],
    )  # fmt: skip
    search = LoadSearch(data, Grains(data, 400))
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
        search = LoadSearch(data, Grains(data, policy.grains))
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
    judge, factors = Grains(data, grains), np.linspace(1, 3, 9).tolist()
    owner = search(speed, np.array(greedy(speed)), "lexicographic").tolist()
    for m in range(data.num_masters):
        tried = stretched(data, m, owner, factors, grains)
        times = [
            quantile(data, m, {n: load for n, load in enumerate(row) if load}) for row in tried
        ]
        mine = np.flatnonzero((np.array(owner) == m) & data.allowed[m])
        loads = [judge.stretched(m, mine, factor) for factor in factors]
        best = judge.best(m, mine, loads)
        assert bool(best) == (min(times) < np.inf)
        for _, load in best[:1]:
            found = [0] * data.workers
            for n, many in zip(mine.tolist(), load.tolist(), strict=True):
                found[n] = many * int(judge.rows[m])
            assert times[tried.index(found)] == pytest.approx(min(times), rel=1e-8)
