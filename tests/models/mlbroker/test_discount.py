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

BIG_M = ["cost_at_list_price", "cost_at_reduced_price", "one_branch"]
CHOICE = [
    "usage_by_branch", "one_price", "list_price_up_to_threshold", "discount_from_threshold",
    "discount_up_to_cap", "cost_of_branches",
]  # fmt: skip


@pytest.mark.parametrize(("prices", "families"), [("two", BIG_M), ("choice", CHOICE)])
def test_families_stand_between_those_of_moves_and_of_servers(
    prices: str, families: list[str]
) -> None:
    form = Offline(prices=prices).form(discounted())
    names = [block.name for block in form.rows]
    start = names.index("all_data_moved") + 1
    assert names[start : start + len(families)] == families
    assert names[start + len(families)] == "one_server"


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


@pytest.mark.parametrize("epsilon", [1e-301, 5e-324, 1e301])
def test_an_epsilon_without_a_reciprocal_is_refused(epsilon):
    with pytest.raises(InvalidInstance, match=r"epsilon = .*; from 1e-300 to 1e\+300"):
        library.load("mlbroker/tiny").replace(epsilon=epsilon)


def test_a_deployment_cost_that_overflows_with_epsilon_is_refused():
    broker = library.load("mlbroker/tiny")
    dear = [msgspec.structs.replace(job, deploy_cost=1e9) for job in broker.jobs]
    with pytest.raises(InvalidInstance, match="give a smaller epsilon"):
        broker.replace(jobs=dear, epsilon=1e300)


def test_the_entropy_term_is_least_where_nothing_changes():
    # p = 1/2, ε = 1: at v = 0 the term is ln(2/3) + 1/2 = 0.0945 > 0; it is not increasing.
    one = np.ones(1)
    low = entropy(0 * one, 0.5 * one, one, 1.0)
    assert low[0] == pytest.approx(np.log(2 / 3) + 0.5)
    assert entropy(0.5 * one, 0.5 * one, one, 1.0)[0] == 0.0


def test_the_entropy_term_is_the_relative_entropy_of_cvxpy():
    import cvxpy as cp

    rng = np.random.default_rng(0)
    v, p = rng.uniform(0, 1, (2, 50))
    expected = cp.kl_div(v + 0.3, p + 0.3).value
    np.testing.assert_allclose(entropy(v, p, np.ones(50), 0.3), expected, atol=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_small_changes_follow_the_series_of_the_term(sign):
    # p + ε = 1 and v = p + x: (1 + x) ln(1 + x) - x = x²/2 - x³/6 + x⁴/12 - x⁵/20 ...
    x = sign * 2.0**-14
    found = entropy(np.array([0.5 + x]), np.array([0.5]), np.array([2.0]), 0.5)[0]
    assert found == pytest.approx(2 * (x**2 / 2 - x**3 / 6 + x**4 / 12), rel=1e-12, abs=0)
