"""What the surrogate says of the true law, recomputed by hand."""

import math

import numpy as np
import pytest

from farkas.models.coded.chance import markov_bound
from farkas.models.coded.kernel import Pairs
from farkas.proofs.coded.chance import FULL_LOAD, _dedicated, _law, reciprocal
from farkas.proofs.coded.surrogate import published
from farkas.relaxations.coded.sharing import shared_optimum


def test_the_bound_by_markov_is_below_the_time_of_a_plan_that_meets_the_chance():
    data = published(2, 6, 0, rows=100)
    late = _law(data, _dedicated(data)).quantile(data.success_probability)
    time = shared_optimum(data).time
    assert markov_bound(data, time) == pytest.approx(data.success_probability * time)
    assert markov_bound(data, time) < late


def test_speeds_are_rates_over_rows_and_the_full_load():
    data = reciprocal("pair", "", [[2.0, 4.0], [1.0, 3.0]], 10)
    speed = np.array([[2.0, 4.0], [1.0, 3.0]]) / (10 * FULL_LOAD)
    np.testing.assert_allclose(Pairs.of(data).speed, speed, rtol=1e-12)


def test_the_full_load_solves_its_equation():
    # h - ln(1 + h) = c = u a = 1 at 1 + h
    assert FULL_LOAD - 1 - math.log(FULL_LOAD) == pytest.approx(1.0, rel=1e-14)
