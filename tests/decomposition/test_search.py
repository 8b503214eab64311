"""Values and bounds of the search, held against brute force."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from farkas.certificates.priced_tree import MOST_STEPS, Split, halves, prove_leaves
from farkas.decomposition import choice
from farkas.decomposition.cases import CaseTree, best_split
from farkas.decomposition.column_generation import DualPoint, price_rows, price_tree
from farkas.decomposition.local_search import SlotSearch, reoptimise, repair
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.neighbourhoods import Targets
from farkas.decomposition.packing import Packing
from farkas.decomposition.protocol import Plans, Tree
from farkas.decomposition.search import Search
from tests.decomposition.bin_packing import BinPacking, PricedBins

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


def test_prices_are_settled_where_bound_and_program_meet():
    problem = BinPacking.drawn(2, items=30, classes=3)
    *_, last = price_rows(problem, Master(problem, Pool(problem)), gap=0.0, left=forever)
    assert last.value == pytest.approx(last.bound, rel=1e-9)
    exact = Fraction(problem.certificate(Tree.of(last.prices)).bound)
    assert float(exact) == pytest.approx(last.bound, rel=1e-9)
    one = price_tree(problem)
    assert Fraction(problem.certificate(one).bound) <= exact * (1 + Fraction(1, 10**4))


def test_a_plan_is_known_once():
    problem = BinPacking.drawn(2)
    pool = Pool(problem)
    _, plans = problem.replies(np.zeros(len(problem.rows)), {})
    assert pool.add(plans) == len(plans.owner) == len(pool)
    twice = plans.some(np.array([0, 0]))
    assert pool.add(twice) == 0
    dearer = twice._replace(value=twice.value + 1)
    assert pool.add(dearer) == 1


def test_plans_are_put_and_taken_without_a_trace():
    problem = BinPacking.drawn(4)
    packing, free = Packing(problem), np.zeros(len(problem.rows))
    packing.fill(free, problem.most, forever)
    kept, used = dict(packing.plans), packing.used.copy()
    assert packing.value == sum(fit.value for fit in kept.values()) > 0
    users = [owner for owner, fit in kept.items() if 0 in packing.rows_of(fit)]
    assert sorted(packing.at[0]) == sorted(users)
    for owner in kept:
        packing.take(owner)
    assert (packing.value, packing.used.any(), any(packing.at)) == (0.0, False, False)
    packing.restore(kept)
    assert (packing.used == used).all()


def root_of(problem):
    master = Master(problem, Pool(problem))
    return master, list(price_rows(problem, master, gap=0.0, left=forever))[-1]


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
    assert float(max(leaves)) == pytest.approx(tree.bound, rel=1e-9)
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
    assert float(bound) == pytest.approx(tree.bound, rel=1e-9)


def test_in_a_case_program_and_bound_meet():
    problem = BinPacking.drawn(2, items=30, classes=3)
    master, root = root_of(problem)
    served, least = halves(problem.program, {}, Split(0, float(problem.most[0])))
    for case in (served, least):
        *_, last = price_rows(problem, master, gap=0.0, left=forever, case=case)
        assert last.value == pytest.approx(last.bound, rel=1e-9)
        assert last.bound <= root.bound * (1 + 1e-9)


def test_a_split_parts_most_worth():
    # of 9, 5, 1 and nothing: (9 - 5) a, (5 - 1) (a + b), (1 - 0) (a + b + c), or the rest
    problem = BinPacking(
        size=np.ones((2, 1), int), room=np.full((3, 1), 9), bins=np.ones(3, int),
        value=np.array([[9, 5, 1], [3, 2, 1]]),
    )  # fmt: skip
    use = sparse.csr_array((6, 3))
    plans = Plans(np.array([0, 0, 0, 1, 1, 1]), np.array([9.0, 5.0, 1.0, 3.0, 2.0, 1.0]), use)
    for share, level in (([0.4, 0.2, 0.4], 9.0), ([0.3, 0.3, 0.4], 5.0), ([0.05, 0.05, 0.4], 1.0)):
        given = np.array([*share, 1.0, 0.0, 0.0])
        assert best_split(problem, plans, given, {}, np.zeros(3)) == Split(0, level)
    assert best_split(problem, plans, np.array([1.0, 0, 0, 0, 1.0, 0]), {}, np.zeros(3)) is None


def test_who_is_renewed_leaves_the_others_room():
    # a bin of five units: the item that stays takes two of them
    problem = BinPacking(
        size=np.array([[2], [2], [2]]), room=np.array([[5]]), bins=np.array([1]),
        value=np.array([[2], [3], [4]]),
    )  # fmt: skip
    master, root = root_of(problem)
    packing, free = Packing(problem), np.zeros(1)
    for item in (0, 1):
        assert packing.insert(item, free)
    targets = Targets.nearest(problem, master.pool, root, packing.value)
    reoptimise(packing, free, targets, [1, 2], many=4, gap=0.0, left=forever)
    assert sorted(packing.plans) == [0, 2]
    assert (packing.used <= problem.hard).all()
    packing.restore({})
    assert packing.insert(0, free)
    repair(packing, free, targets, small=0.0, gap=0.0, left=forever)
    assert len(packing.plans) == 2


def test_a_choice_that_does_not_fit_is_repaired():
    # rows take all that is chosen, bins do not: without repair 39 of 40 are reached
    search = Search(BinPacking.drawn(14, items=12), 0.0, forever)
    first = next(one for one in search.run() if one.words == "choice of plans")
    assert sum(fit.value for fit in first.plans.values()) == 40


@pytest.mark.parametrize(("few", "most", "expected"), [
    (3, 3, [0, 1, 2]), (2, 3, [2]), (3, 1, [2]),
])  # fmt: skip
def test_owners_worth_next_to_nothing_are_shortest_by_share(monkeypatch, few, most, expected):
    problem = BinPacking(
        size=np.ones((3, 1), int), room=np.array([[1]]), bins=np.array([1]),
        value=np.array([[2], [2], [2]]),
    )  # fmt: skip
    problem.most = np.array([0.0, 1e-300, 2.0])
    plans = Plans(np.array([0, 1, 2]), np.array([0.0, 1e-300, 1.0]), sparse.csr_array((3, 1)))
    dual = DualPoint(1e10, np.zeros(1), np.array([1e10, 1e10, 1.5]))
    monkeypatch.setattr(choice, "FEW_CHOICES", few)
    monkeypatch.setattr(choice, "MOST_CHOICES", most)
    with np.errstate(all="raise"):
        found = choice.nearest(problem, plans, dual, 1e10, np.zeros(0, np.int64))
    assert found.tolist() == expected


def test_neighbourhoods_are_those_who_meet_on_rows_and_whose_targets_are_there():
    # items 0 and 1 are in the first bin, 2 in the other; 3 is out, and wants the first
    problem = BinPacking(
        size=np.full((4, 1), 2), room=np.array([[4], [4]]), bins=np.array([1, 1]),
        value=np.array([[3, 0], [3, 0], [0, 3], [3, 0]]),
    )  # fmt: skip
    _, root = root_of(problem)
    packing, free = Packing(problem), np.zeros(2)
    for item in (0, 1, 2):
        assert packing.insert(item, free)
    use = sparse.csr_array(np.array([[2.0, 0], [2, 0], [0, 2], [2, 0]]))
    targets = Targets.chosen(problem, root, Plans(np.arange(4), np.full(4, 3.0), use))
    assert targets.competitors(packing, 3, 1) == [3, 0]
    assert targets.competitors(packing, 3, 9) == [3, 0, 1]
    assert targets.competitors(packing, 2, 9) == [2]
    for slot, wider, owners in (
        (0, 1.0, [0, 1, 3]), (1, 1.0, [2]), (1, 2.0, [2, 0, 3]), (1, 9.0, [2, 0, 1, 3]),
    ):  # fmt: skip
        assert targets.slot_neighbourhood(packing, slot, np.arange(2), wider) == owners
    assert len(SlotSearch(np.array([0, 1, 1])).wider) == 2
    assert targets.row_neighbourhood(packing, 0, 4) in ([3, 0, 1], [3, 1, 0])


def test_cases_end_where_their_proof_would_be_too_long(monkeypatch):
    problem = BinPacking.drawn(1, most_bins=1)
    master, root = root_of(problem)
    monkeypatch.setattr(PricedBins, "steps", lambda _: float(MOST_STEPS))
    tree = CaseTree(problem, master, root)
    tree.expand(lambda: 0.0, 100, 0.0, forever)
    assert tree.leaves == 1


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
