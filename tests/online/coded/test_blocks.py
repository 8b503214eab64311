"""Contiguous blocks, uncoded and coded."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.loads import blocks_owner
from farkas.online import algorithms
from farkas.online.coded.chance_plans import Uncoded, Uniform
from tests.generators.coded import random_coded_computing
from tests.references.coded_plans import blocks, evenly, theorem_1


def test_uncoded_breaks_the_surrogate_and_says_so():
    run = algorithms["coded.uncoded"].run(library.load("coded/demo"))
    assert run.ratio is None
    assert run.violations[0] == "master 0 never expects its 20 rows (20 are sent)"
    assert run.numbers["mean_of_last"] < run.numbers["quantile_of_last"]
    assert run.numbers["recoverable"] == 1.0
    with pytest.raises(NotApplicable, match="forbidden pair"):
        algorithms["coded.uncoded"].run(library.load("coded/forbidden_pairs"))


def test_uniform_is_theorem_1_on_blocks():
    data = library.load("coded/demo")
    want = theorem1_times(Pairs.of(data).speed, blocks_owner(data)).max()
    assert algorithms["coded.uniform"].run(data).value == pytest.approx(want, rel=1e-12)


def test_blocks_are_contiguous_and_the_first_ones_larger():
    data = random_coded_computing(0, masters=3, workers=8, forbid=0.0)
    owner = [0, 0, 0, 1, 1, 1, 2, 2]
    for plan in (Uniform().plan(data, 0), Uncoded().plan(data, 0)):
        assert (plan.loads > 0).argmax(axis=0).tolist() == owner
        assert plan.share.tolist() == [[float(m == o) for o in owner] for m in range(3)]


def test_uncoded_rows_are_split_evenly_the_first_workers_taking_one_more():
    data = random_coded_computing(0, masters=1, workers=3, forbid=0.0).replace(
        masters=[{"rows": 11}]
    )
    assert Uncoded().plan(data, 0).loads.tolist() == [[4, 4, 3]]


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
