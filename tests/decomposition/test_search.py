"""Values and bounds of the search, held against brute force."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.priced_tree import prove_leaves
from farkas.decomposition.cases import CaseTree
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.prices import settle
from farkas.decomposition.search import Search
from tests.decomposition.bin_packing import BinPacking

FOREVER = 1e9


def forever():
    return FOREVER


def found(problem, gap=0.0):
    """Best value and bound that a search proves."""
    value, bound = 0.0, None
    for one in Search(problem, gap, forever).run():
        if one.plans is not None:
            used = np.zeros(len(problem.hard))
            for owner, fit in one.plans.items():
                assert fit.value <= problem.most[owner]
                used[fit.limit] += fit.amount
            assert (used <= problem.hard).all()
            value = max(value, sum(fit.value for fit in one.plans.values()))
        if one.tree is not None:
            proved = Fraction(problem.certificate(one.tree).bound)
            bound = proved if bound is None else min(bound, proved)
    return value, bound


@pytest.mark.parametrize("seed", range(30))
def test_value_and_bound_hold_the_optimum_between_them(seed):
    problem = BinPacking.drawn(seed, items=5 if seed % 3 else 6)
    best = problem.optimum()
    value, bound = found(problem)
    assert value == best
    assert best <= bound


def root_of(problem):
    master = Master(problem, Pool(problem))
    return master, list(settle(problem, master, gap=0.0, left=forever))[-1]


@pytest.mark.parametrize("seed", range(10))
def test_cases_bound_the_rows_and_end_at_their_optimum(seed):
    # one bin of a class: rows are hard limits, so that cases reach the optimum
    problem = BinPacking.drawn(seed, most_bins=1)
    best = problem.optimum()
    master, root = root_of(problem)
    tree = CaseTree(problem, master, root)
    tree.expand(lambda: best, 100, 0.0, forever)
    made = tree.tree()
    prices = np.array(made.prices)
    leaves = prove_leaves(problem.program, made.splits, prices, made.leaves)
    assert best <= max(leaves) <= Fraction(root.bound) + Fraction(1, 10**6)
    assert float(max(leaves)) == pytest.approx(best) or tree.leaves > 1


def test_cases_close_what_prices_leave():
    """Two items fill a bin by two thirds each: prices promise one and a half of them."""
    problem = BinPacking(
        size=np.array([[2], [2]]), room=np.array([[3]]), bins=np.array([1]),
        value=np.array([[2], [2]]),
    )  # fmt: skip
    master, root = root_of(problem)
    assert root.bound == pytest.approx(3.0)
    tree = CaseTree(problem, master, root)
    tree.expand(lambda: 2.0, 10, 0.0, forever)
    bound = Fraction(problem.certificate(tree.tree()).bound)
    assert 2 <= bound <= 2 + Fraction(1, 10**12)


def test_cases_by_use_close_what_values_leave():
    """Three items are worth the same in both bins, each of which holds one, but half another."""
    problem = BinPacking(
        size=np.array([[2], [2], [2]]), room=np.array([[3], [3]]), bins=np.array([1, 1]),
        value=np.array([[2, 2], [2, 2], [2, 2]]),
    )  # fmt: skip
    problem.counts = True
    master, root = root_of(problem)
    assert root.bound == pytest.approx(6.0)
    tree = CaseTree(problem, master, root)
    tree.expand(lambda: 4.0, 100, 0.0, forever)
    made = tree.tree()
    assert any(split is not None and split.row is not None for split in made.splits)
    bound = Fraction(problem.certificate(made).bound)
    assert 4 <= bound <= 4 + Fraction(1, 10**12)


@pytest.mark.parametrize("seed", range(10))
def test_cases_by_use_hold_the_optimum(seed):
    problem = BinPacking.drawn(seed, most_bins=1)
    problem.counts = True
    best = problem.optimum()
    master, root = root_of(problem)
    tree = CaseTree(problem, master, root)
    tree.expand(lambda: best, 100, 0.0, forever)
    bound = Fraction(problem.certificate(tree.tree()).bound)
    assert best <= bound <= Fraction(root.bound) + Fraction(1, 10**6)


def test_a_search_without_time_has_a_bound_and_plans():
    problem = BinPacking.drawn(1)
    kept = list(Search(problem, 0.0, lambda: 0.0).run())
    assert any(one.plans is not None for one in kept)
    assert Fraction(problem.certificate(kept[0].tree).bound) >= problem.optimum()


def test_a_search_repeats_itself():
    problem = BinPacking.drawn(3, items=12, classes=3)
    one, other = (
        [
            (f.words, sorted((i, fit.what) for i, fit in (f.plans or {}).items()))
            for f in Search(problem, 0.0, forever).run()
        ]
        for _ in range(2)
    )
    assert one == other
