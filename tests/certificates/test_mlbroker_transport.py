"""Prices of capacity: optimal ones meet the best transport, and any bound what workers cost."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from farkas.certificates.mlbroker_transport import capacity_prices, priced_below, scale
from farkas.replay.transport import cheapest


def drawn(seed, sites=3):
    """Whole amounts and prices with ties, a load of data each, idle sites, spare workers last."""
    rng = np.random.default_rng(seed)
    amount = np.append(rng.integers(0, 3, sites), rng.integers(0, 2)).astype(float)
    move = np.vstack([rng.integers(0, 4, (sites, sites)), np.zeros((1, sites), int)]).astype(float)
    move[np.arange(sites), np.arange(sites)] = 0
    unit = rng.integers(0, 4, sites).astype(float)
    low = rng.integers(0, 2, sites)
    high = low + rng.integers(0, 3, sites)
    high[0] = max(high[0], int(amount.sum()))
    return amount, move, unit, low, high


def priced(amount, move, unit, low, high):
    sites = len(unit)
    flow, load, alpha = np.zeros(move.shape), np.zeros(sites), np.zeros(sites)
    capacity_prices(amount, move, unit, low, high, flow, load, alpha)
    return flow, load, alpha


def best(amount, move, unit, low, high, counts):
    """Least cost of whole workers, by trying all of them; whole numbers throughout."""
    costs = []
    for workers in itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))):
        if sum(workers) >= amount.sum():
            whole = [int(x) for x in amount]
            price = move.astype(int).tolist()
            costs.append(int(unit @ workers) + cheapest(whole, list(workers), price))
    return min(costs)


def relaxed(amount, move, unit, low, high):
    """The linear program of loads and workers."""
    origins, sites = move.shape
    cost = np.concatenate([move.ravel(), unit])
    leaving = np.zeros((origins, cost.size))
    fits = np.zeros((sites, cost.size))
    for o in range(origins):
        leaving[o, o * sites : (o + 1) * sites] = 1
    for r in range(sites):
        fits[r, r : origins * sites : sites] = 1
        fits[r, origins * sites + r] = -1
    bounds = [(0, None)] * move.size + list(zip(low, high, strict=True))
    return linprog(cost, fits, np.zeros(sites), leaving, amount, bounds).fun


@pytest.mark.parametrize("seed", range(30))
def test_optimal_prices_meet_the_linear_program(seed):
    case = drawn(seed)
    amount, move, unit, low, high = case
    flow, load, alpha = priced(*case)
    np.testing.assert_allclose(flow.sum(axis=1), amount)
    np.testing.assert_allclose(flow.sum(axis=0), load)
    assert (load <= high).all()
    assert (alpha >= 0).all()
    optimum = relaxed(*case)
    cost = (flow * move).sum() + unit @ np.maximum(low, load)
    assert cost == pytest.approx(optimum, abs=1e-9)
    below = priced_below(amount, move, unit, low, high, alpha, int(amount.sum()), 4)
    assert below == pytest.approx(optimum, rel=1e-12, abs=1e-12)
    assert below < optimum or optimum == 0


@pytest.mark.parametrize("seed", range(20))
def test_any_prices_bound_whole_workers(seed):
    amount, move, unit, low, high = drawn(seed)
    rng = np.random.default_rng(seed)
    optimum = best(amount, move, unit, low, high, None)
    for size in (0.0, 0.5, 2.0, 1e3):
        alpha = size * rng.uniform(0, 2, len(unit))
        below = priced_below(amount, move, unit, low, high, alpha, int(amount.sum()), 4)
        assert below <= optimum


def test_the_formula_is_rounded_down():
    rng = np.random.default_rng(0)
    for _ in range(50):
        amount, move, unit, low, high = drawn(int(rng.integers(1000)))
        amount, unit = amount * rng.uniform(0.1, 1), unit * rng.uniform(0.1, 1)
        alpha = rng.uniform(0, 3, len(unit))
        places = [r for r in range(len(unit)) if high[r]]
        exact = sum(
            Fraction(a) * min(Fraction(row[r]) + Fraction(alpha[r]) for r in places)
            for a, row in zip(amount.tolist(), move.tolist(), strict=True)
        )
        for r in places:
            reduced = Fraction(float(unit[r])) - Fraction(alpha[r])
            exact += reduced * int(low[r] if reduced >= 0 else high[r])
        below = priced_below(amount, move, unit, low, high, alpha, 9, 4)
        assert below <= exact
        assert below == pytest.approx(float(exact), rel=1e-11, abs=1e-11)


def test_what_does_not_fit_is_left():
    flow, load, _ = priced(
        np.array([3.0, 0.0]), np.zeros((2, 1)), np.ones(1), np.array([0]), np.array([2])
    )
    assert flow.tolist() == [[2.0], [0.0]]
    assert load.tolist() == [2.0]


def test_sums_that_overflow_bound_nothing():
    # prices of 1.5e308 plus as much are infinite, infinity less infinity is no number
    move = np.array([[0.0, 1.5e308], [1.5e308, 0.0]])
    amount, alpha, one = np.ones(2), np.array([np.inf, np.inf]), np.ones(2, np.int64)
    below = priced_below(amount, move, np.ones(2), 0 * one, one, alpha, 2, 4)
    assert below == -np.inf


class Read(np.ndarray):
    """An array that counts its numbers that are read one by one."""

    times = 0

    def __getitem__(self, at):
        Read.times += 1
        return super().__getitem__(at)


@pytest.mark.parametrize("seed", range(6))
def test_steps_count_what_is_passed_until_everything_is_moved(seed):
    """Amounts that go round many sites, so that loads are moved again and again."""
    rng = np.random.default_rng(seed)
    sites, origins = 6, 7
    amount = rng.integers(1, 9, origins) + rng.random(origins)
    move = rng.random((origins, sites))
    low, high = np.ones(sites, np.int64), rng.integers(1, amount.sum() / sites + 3, sites)
    unit = rng.random(sites)
    flow, load, alpha = np.empty((origins, sites)).view(Read), np.empty(sites), np.empty(sites)
    Read.times = 0
    steps = capacity_prices.interpret(amount, move, unit, low, high, flow, load, alpha)
    assert Read.times / 2 <= steps <= 8 * Read.times


def test_multiples_of_a_matrix_leave_what_is_around_them() -> None:
    target = np.full((3, 4), 9.0)
    scale(0.5, np.array([[2.0, 4.0, 6.0], [8.0, 1.0, 0.0]]), target)
    assert target.tolist() == [[1.0, 2.0, 3.0, 9.0], [4.0, 0.5, 0.0, 9.0], [9.0] * 4]
