"""The cheapest transport against all ways of moving whole units, and against linear programs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from farkas.replay.mlbroker_mended import cheapest


def enumerated(volume: list[int], room: list[int], price: list[list[int]]) -> int:
    """Least cost over every assignment of single units."""
    units = [origin for origin, amount in enumerate(volume) for _ in range(amount)]
    best = None
    for places in itertools.product(range(len(room)), repeat=len(units)):
        if all(places.count(target) <= most for target, most in enumerate(room)):
            cost = sum(price[o][r] for o, r in zip(units, places, strict=True))
            best = cost if best is None else min(best, cost)
    assert best is not None
    return best


@pytest.mark.parametrize("seed", range(150))
def test_no_assignment_of_units_is_cheaper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    origins, targets = rng.integers(1, 4, 2)
    volume = rng.integers(0, 3, origins).tolist()
    room = rng.integers(0, 4, targets).tolist()
    room[0] += max(0, sum(volume) - sum(room))
    price = rng.integers(0, 6, (origins, targets)).tolist()
    assert cheapest(volume, room, price) == enumerated(volume, room, price)


@pytest.mark.parametrize("seed", range(40))
def test_no_linear_program_finds_a_cheaper_plan(seed: int) -> None:
    rng = np.random.default_rng(seed)
    origins, targets = rng.integers(2, 9, 2)
    volume = rng.integers(0, 1000, origins)
    room = rng.multinomial(volume.sum() + rng.integers(0, 50), np.full(targets, 1 / targets))
    price = rng.integers(0, 100, (origins, targets))
    leaves = np.kron(np.eye(origins), np.ones(targets))
    arrives = np.kron(np.ones(origins), np.eye(targets))
    found = linprog(price.ravel(), arrives, room, leaves, volume)
    assert cheapest(volume.tolist(), room.tolist(), price.tolist()) == pytest.approx(found.fun)


def test_what_is_too_much_moves_on_along_a_chain() -> None:
    # Both origins are nearest to target 0, which holds one unit.  Origin 0 would pay 10 to leave it
    # for 1, origin 1 only 1; 1 is full of origin 2, which moves on to 2 for 1: 0 + 1 + 1.
    price = [[0, 10, 20], [0, 1, 20], [9, 0, 1]]
    assert cheapest([1, 1, 1], [1, 1, 1], price) == 2


def test_nothing_to_move_costs_nothing() -> None:
    assert cheapest([0, 0], [0, 0], [[0, 5], [5, 0]]) == 0
    assert cheapest([], [], []) == 0


def test_whole_numbers_of_any_size_are_exact() -> None:
    large = 10**40
    assert cheapest([large + 1], [large, 1], [[1, 3]]) == large + 3
