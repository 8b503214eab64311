"""Expected results under both laws, and coded.expected_convex."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.surrogate import (
    expected_results,
    reference_time,
    returned_share,
    surrogate_times,
)
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers.convex import solve_problem
from tests.generators.coded import by_speed, random_coded_computing


@pytest.mark.parametrize("seed", range(4))
def test_the_convex_program_is_the_linear_one(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    model = programs.build("coded.expected_convex").model(data)
    answer = solve_problem(model.problem).require_optimal()
    assert answer.objective * reference_time(data) == pytest.approx(
        shared_optimum(data).time, rel=1e-6
    )


def test_the_true_law_returns_nothing_before_the_shift():
    data = library.load("coded/tiny")
    loads = np.ones(data.rates.shape)
    early = 0.1
    assert returned_share(data, loads, early).max() == 0.0
    assert expected_results(data, data.allowed * 1.0, loads, early).tolist() == [0.0, 0.0]
    assert (expected_results(data, data.allowed * 1.0, loads, early, printed=True) < 0).all()


def test_the_time_at_which_one_worker_expects_its_rows():
    # l = 8 rows sent, 4 needed: 8 (1 - exp(u (a - t/8))) = 4 at t = 8 (a + ln 2 / u)
    data = CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 4}], workers=1, rate=[[2.0]], shift=[[0.5]]
    )
    one, loads = np.ones((1, 1)), np.full((1, 1), 8.0)
    want = 8 * (0.5 + np.log(2) / 2)
    assert surrogate_times(data, one, loads).tolist() == pytest.approx([want], rel=1e-14)
    assert expected_results(data, one, loads, want) == pytest.approx([4.0])
    assert expected_results(data, one, loads, want, printed=True) == pytest.approx([4.0])
    # half a worker of 8 rows never expects more than 4
    assert surrogate_times(data, 0.5 * one, loads).tolist() == [np.inf]
    assert expected_results(data, one, loads, np.inf, printed=True) == pytest.approx([8.0])


def test_the_unit_of_time_is_that_of_equal_shares():
    # speeds 1 + 3 and 2 + 0 halved: the slower master needs 1
    assert reference_time(by_speed([[1, 3], [2, 0]])) == pytest.approx(1.0)
