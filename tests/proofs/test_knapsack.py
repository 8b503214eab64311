"""The dynamic program against all subsets."""

import itertools

from farkas.proofs.knapsack import Knapsack, knapsacks, most_worth


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
