"""The dynamic program against all subsets."""

import itertools

import numpy as np
import pytest

from farkas.proofs.knapsack import Knapsack, embedded, knapsacks, most_worth
from tests.generators.forms import small


def by_subsets(knapsack: Knapsack) -> int:
    things = list(zip(knapsack.weights, knapsack.worths, strict=True))
    some = itertools.chain.from_iterable(
        itertools.combinations(things, size) for size in range(len(things) + 1)
    )
    fits = (chosen for chosen in some if sum(w for w, _ in chosen) <= knapsack.room)
    return max(sum(v for _, v in chosen) for chosen in fits)


def test_the_greatest_worth_is_that_of_all_subsets():
    for knapsack in knapsacks(20):
        assert most_worth(knapsack) == by_subsets(knapsack)


def test_some_ask_for_a_sum_that_is_reached_and_some_for_one_that_is_not():
    sums = [k for k in knapsacks(20) if k.weights == k.worths]
    assert {most_worth(k) == k.room for k in sums} == {True, False}
    assert most_worth(Knapsack((4, 4), (4, 4), 5)) == 4
    assert most_worth(Knapsack((7,), (9,), 5)) == 0


KNAPSACK = Knapsack((2, 3, 7), (5, 7, 1), 4)


def held(**changes) -> bool:
    """Whether a knapsack is found in its own program: one row of weights, one row a thing."""
    parts = {
        "cost": [5.0, 7.0, 1.0],
        "rows": [[2.0, 3.0, 7.0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]],
        "row_upper": [4.0, 1.0, 1.0, 1.0],
        "row_lower": [-np.inf] * 4,
        "upper": [1.0] * 3,
        "lower": [0.0] * 3,
        "integer": [True] * 3,
        "alone": np.eye(3),
        "derivation": [1.0, 0, 0, 0],
    } | changes
    alone, derivation = np.array(parts.pop("alone")), np.array(parts.pop("derivation"))
    form = small(parts.pop("rows"), sense="max", **parts)
    taken = np.eye(3).astype(bool)
    return all(s.holds for s in embedded(form, KNAPSACK, alone, taken, derivation))


def test_a_knapsack_is_found_in_its_program():
    assert held()
    assert held(upper=[1.0, 1.0, 0.0])  # what never fits may be left out


@pytest.mark.parametrize(
    "changes",
    [
        {"cost": [5.0, 8.0, 1.0]},
        {"rows": [[2.0, 2.0, 7.0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]},
        {"row_upper": [5.0, 1.0, 1.0, 1.0]},
        {"row_upper": [4.0, 0.0, 1.0, 1.0]},
        {"row_upper": [4.0, 2.0, 1.0, 1.0], "upper": [2.0, 1.0, 1.0]},
        {"row_lower": [1.0, -np.inf, -np.inf, -np.inf]},
        {"row_lower": [-np.inf, 1.0, -np.inf, -np.inf]},
        {"rows": [[2.0, 3.0, 7.0], [1.0, 1.0, 0], [0, 1.0, 0], [0, 0, 1.0]]},
        {"upper": [0.0, 1.0, 1.0]},
        {"integer": [False, True, True]},
        {"alone": [[1.0, 1.0, 0], [0, 1.0, 0], [0, 0, 1.0]]},
        {"derivation": [0.5, 0, 0, 0]},
    ],
)
def test_a_program_that_is_another_is_told_apart(changes):
    assert not held(**changes)
