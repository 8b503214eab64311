"""Whole loads: P2 exactly, and what rounding costs."""

import itertools

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.coded.integer import best_integer_plan, best_loads, first_time, integer_time
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.law import dedicated_share
from farkas.models.coded.surrogate import expected_results, returned_share
from farkas.online.coded.exhaustive import best_owner
from farkas.online.coded.local_search import least_level
from farkas.relaxations.coded.sharing import best_sharing, shared_optimum
from tests.generators.coded import random_coded_computing


@pytest.mark.parametrize("seed", range(5))
def test_best_whole_loads_are_the_best_of_all(seed):
    data = random_coded_computing(seed, rows=20)
    for time in (0.3, 2.0, 11.0):
        gains, chosen = best_loads(data, time)
        tried = np.array(
            [
                load * returned_share(data, np.full(data.rates.shape, float(load)), time)
                for load in range(200)
            ]
        )
        assert gains == pytest.approx(tried.max(axis=0), rel=1e-14)
        picked = np.take_along_axis(tried, chosen[None], 0)[0]
        assert picked == pytest.approx(gains, rel=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_integer_plans_are_optimal_by_bisection_and_enumeration(seed):
    data = random_coded_computing(seed, workers=4, rows=10)
    speed = Pairs.of(data).speed
    owner = best_owner(speed)
    if least_level(speed, owner) == 0:
        raise AssertionError("choose other seeds: nobody serves a master")
    masters = data.num_masters
    found = best_integer_plan(
        data, lambda g: dedicated_share(best_owner(g), masters), dedicated_share(owner, masters)
    )
    want = min(
        max(integer_time(data, m, [n for n in range(4) if o[n] == m]) for m in range(masters))
        for o in itertools.product(range(masters), repeat=4)
    )
    assert found.time == pytest.approx(want, rel=1e-9)
    shared = best_integer_plan(data, lambda g: best_sharing(g).share, shared_optimum(data).share)
    assert shared.time <= found.time * (1 + 1e-12)
    rows = data.rows[:, None]
    assert best_sharing(best_loads(data, shared.time)[0] / rows).level >= 1 - 1e-9
    assert best_sharing(best_loads(data, shared.time * (1 - 1e-7))[0] / rows).level < 1


def test_rounding_the_real_loads_at_the_real_time_falls_short():
    data = library.load("coded/tiny")
    owner = np.array([0, 1, 0])
    times = theorem1_times(Pairs.of(data).speed, owner)
    loads = Pairs.of(data).loads(times)
    for rounded in (np.floor(loads), np.ceil(loads)):
        share = dedicated_share(owner, 2)
        assert (expected_results(data, share, rounded, times[0])[0]) < data.rows[0]
    assert integer_time(data, 0, [0, 2]) > times[0]
    assert integer_time(data, 1, [0]) == np.inf


def test_the_first_time_is_the_end_that_is_enough():
    # 10 is found within its last bits, from below and from above; a start that is enough stays
    found = first_time(lambda t: t >= 10.0, 3.0)
    assert 10.0 <= found <= 10.0 * (1 + 1e-14)
    assert first_time(lambda t: t >= 10.0, 12.0) == 12.0
    assert first_time(lambda t: t >= 2.0**600, 1e-300) == pytest.approx(2.0**600, rel=1e-14)


def test_too_little_time_returns_nothing():
    data = library.load("coded/forbidden_pairs")
    gains, loads = best_loads(data, 0.0)
    assert not gains.any()
    gains, loads = best_loads(data, 50.0)
    assert (gains[~data.allowed] == 0).all()
    assert (loads[data.allowed] > 0).all()


@pytest.mark.parametrize("precision", [0.0, 1e-17])
def test_bisection_ends_where_no_double_is_left(precision):
    assert first_time(lambda t: t >= 10.0, 3.0, precision) == 10.0
