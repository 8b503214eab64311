"""Loads in grains, and what runs of P1 say of themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.coded.law import Allocation, Law
from farkas.online import algorithms
from farkas.online.coded.chance_plans import ChancePlanner, Grains, Uncoded, Uniform
from tests.generators.coded import random_coded_computing
from tests.references.coded_plans import blocks, evenly, theorem_1

NAMES = ["coded.chance_stretch", "coded.chance_search"]


@pytest.mark.ids(5)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_run_is_worth_its_exact_quantile(name, seed):
    data = random_coded_computing(seed, masters=2, workers=5, rows=17)
    run = algorithms[name].run(data, grains=6)
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


def test_the_last_uncoded_worker_is_drawn_as_told():
    # one worker: load 1/rate exponential after load x shift
    data = random_coded_computing(0, masters=1, workers=1, forbid=0.0)
    run = algorithms["coded.uncoded"].run(data)
    rows, rate, shift = data.rows[0], data.rates[0, 0], data.shifts[0, 0]
    assert run.numbers["mean_of_last"] == pytest.approx(rows * (shift + 1 / rate), rel=1e-6)
    wanted = rows * (shift - np.log(1 - data.success_probability) / rate)
    assert run.numbers["quantile_of_last"] == pytest.approx(wanted, rel=1e-6)


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
            Uncoded().plan(data, 0)
    else:
        assert Uncoded().plan(data, 0).loads.tolist() == even
