"""How the discount enters: which families and variables, with which constants."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal

import msgspec
import numpy as np
import pytest

from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.models.mlbroker.discount import entropy, growth
from farkas.models.mlbroker.offline import Offline
from farkas.online import algorithms
from tests.generators.mlbroker import discounted


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_two_constants_are_those_of_the_instance_and_one_is_the_largest(semantics: str) -> None:
    data = discounted()
    found = {}
    for prices in ("single", "two"):
        m = Offline(prices=prices, semantics=semantics).declarations(data)
        found[prices] = m.big_m_list.values, m.big_m_reduced.values
    first, second = data.two_big_ms(semantics)
    busy = np.unique(data.pair_slot)
    assert np.array_equal(found["two"][0], first[busy])
    assert np.array_equal(found["two"][1], second[busy])
    one = max(data.single_big_m, float(first.max()), float(second.max()))
    assert (found["single"][0] == one).all()
    assert (found["single"][1] == one).all()


def test_usage_beyond_the_threshold_ends_at_full_usage() -> None:
    data = discounted()
    form = Offline(prices="choice").form(data)
    beyond = form.column_block("usage_beyond")
    cap = data.usage_cap("printed")[np.unique(data.pair_slot)]
    assert form.implied_upper is not None
    upper = form.implied_upper[beyond.where].reshape(beyond.shape)
    assert np.array_equal(upper, np.broadcast_to(cap[:, None, :], beyond.shape))
    below = form.column_block("usage_below")
    assert (form.implied_upper[below.where].reshape(below.shape) == data.threshold).all()


EPSILONS = (1e-300, 1e-100, 1e-17, 1e-9, 0.1, 1.0, 1e9, 1e17, 1e100, 1e300)
SHARES = (0.0, 1e-12, 0.25, 0.25 + 1e-9, 0.5, 1.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("before", SHARES)
@pytest.mark.parametrize("deployed", SHARES)
def test_the_entropy_term_has_nine_digits_for_every_epsilon(deployed, before, epsilon):
    # 700 digits, because 1e-300 and its reciprocal meet in one sum
    with decimal.localcontext(prec=700):
        v, p, e = Decimal(deployed), Decimal(before), Decimal(epsilon)
        log = ((v + e) / (p + e)).ln()
        scale = 1 / math.log1p(1 / epsilon)
        exact = float(Decimal(scale) * ((v + e) * log - v + p))
        slope = float(Decimal(scale) * log)
    arrays = np.array([deployed]), np.array([before])
    assert entropy(*arrays, np.array([scale]), epsilon)[0] == pytest.approx(exact, rel=1e-9)
    assert scale * growth(*arrays, epsilon)[0] == pytest.approx(slope, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-300, 1e300])
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_a_run_with_an_extreme_epsilon_is_certified(relax, semantics, epsilon):
    broker = library.load("mlbroker/return_trip").replace(epsilon=epsilon)
    run = algorithms["mlbroker.fractional"].run(broker, relax=relax, semantics=semantics)
    assert not run.violations
    assert all(math.isfinite(number) for number in run.numbers.values())
    assert run.ratio is not None


def test_a_deployment_cost_that_overflows_with_epsilon_is_refused():
    broker = library.load("mlbroker/tiny")
    dear = [msgspec.structs.replace(job, deploy_cost=1e9) for job in broker.jobs]
    with pytest.raises(InvalidInstance, match="give a smaller epsilon"):
        broker.replace(jobs=dear, epsilon=1e300)
