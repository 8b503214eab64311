"""Trees over counts of equal workers: true of every owner, and closed by exact arithmetic only."""

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.coded import (
    GuaranteedPrices,
    guaranteed_bound,
    safe_patience,
    speeds_above,
)
from farkas.certificates.coded_owners import (
    MOST_COUNTS,
    CountBranch,
    OwnersTree,
    Types,
    excludes,
    least_cost,
    most_earned,
    outbids,
    tries,
)
from farkas.certificates.files import from_json
from farkas.certificates.packed import pack
from farkas.certificates.runs import require_run_bound
from farkas.errors import NotACertificate
from farkas.exact.bounding import Deadline
from farkas.instances import library
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.law import MeasuredPairs
from farkas.offline.coded import owners
from farkas.offline.coded.owners import MasterPricing, TypePricing
from farkas.relaxations.coded.sharing import best_sharing
from tests.generators.coded import by_speed, measured_computing
from tests.references.coded_measured import best_time

SPEEDS = [
    [[2.0, 2, 2, 1, 1, 3], [1.0, 1, 1, 2, 2, 3]],
    [[1.0] * 5] * 3,
    [[5.0, 1, 1, 1, 1], [5.0, 1, 1, 1, 1]],
    [[2.0, 2, 0, 0, 1], [0.0, 0, 3, 3, 1]],
    [[0.7, 0.7, 0.7, 0.3, 0.3, 0.3], [0.2, 0.2, 0.2, 0.9, 0.9, 0.9], [0.5] * 6],
]


def optimum(data):
    speed = Pairs.of(data).speed
    every = itertools.product(range(len(speed)), repeat=speed.shape[1])
    return max(float(owner_levels(speed, np.array(own)).min()) for own in every)


def closed(data, level, kind, monkeypatch):
    monkeypatch.setattr(owners, "pricing", kind)
    patience = safe_patience(Pairs.of(data).patience)
    types = Types(speeds_above(data, np.ones(data.num_masters), patience))
    search = owners.OwnersSearch(types, level)
    search.advance(10_000, Deadline())
    return search, patience


def certificate(data, kind, monkeypatch, above=1 + 1e-9):
    search, patience = closed(data, optimum(data) * above, kind, monkeypatch)
    assert search.done
    assert search.better is None
    tree, prices = search.tree()
    return OwnersTree.closing(data, search.level, tree, prices, patience, search.pricing.of)


@pytest.mark.parametrize("kind", [MasterPricing, TypePricing])
@pytest.mark.parametrize("speed", SPEEDS)
def test_the_bound_meets_the_best_owners_from_below(speed, kind, monkeypatch):
    data = by_speed(speed)
    made = certificate(data, kind, monkeypatch)
    best = 1 / Fraction(optimum(data))
    proof = check(from_json(msgspec.json.encode(made)), instance=data)
    assert proof.bound == Fraction(made.bound)
    assert best * (1 - Fraction(1, 10**8)) <= proof.bound <= best * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("kind", [MasterPricing, TypePricing])
@pytest.mark.parametrize("speed", SPEEDS)
def test_a_level_that_is_reached_is_not_excluded(speed, kind, monkeypatch):
    data = by_speed(speed)
    made = certificate(data, kind, monkeypatch)
    reached = msgspec.structs.replace(made, level=optimum(data) * (1 - 1e-12))
    with pytest.raises(NotACertificate, match="do not exclude the level"):
        reached.prove_bound(data)
    more = str(Fraction(made.bound) * (1 + Fraction(1, 10**12)))
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(msgspec.structs.replace(made, bound=more), instance=data)
    search, _ = closed(data, optimum(data) * (1 - 1e-9), kind, monkeypatch)
    assert search.better is not None


@pytest.mark.parametrize("seed", range(20))
def test_most_earned_is_the_best_of_all_counts(seed):
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, (2, 2)) / 4
    low = rng.integers(0, 2, (2, 2))
    high, size = low + rng.integers(0, 3, (2, 2)), rng.integers(1, 5, 2)
    found = most_earned(weight, low, high, size)
    ranges = [range(a, b + 1) for a, b in zip(low.reshape(-1), high.reshape(-1), strict=True)]
    every = (np.array(x).reshape(2, 2) for x in itertools.product(*ranges))
    fitting = [Fraction(float((weight * x).sum())) for x in every if (x.sum(axis=0) <= size).all()]
    assert found == max(fitting, default=None)


@pytest.mark.parametrize("seed", range(20))
def test_least_cost_is_the_best_of_all_counts(seed):
    rng = np.random.default_rng(seed)
    speed, price = rng.integers(0, 5, 3) / 8, rng.integers(0, 4, 3) / 4
    low = rng.integers(0, 2, 3)
    high, level = low + rng.integers(0, 4, 3), float(rng.integers(1, 20)) / 8
    ranges = [range(a, b + 1) for a, b in zip(low, high, strict=True)]
    costs = [Fraction(float(price @ x)) for x in itertools.product(*ranges) if speed @ x >= level]
    assert least_cost(speed, price, level, low, high) == min(costs, default=None)


def test_a_level_missed_by_the_last_bit_is_missed():
    one = np.ones(1, np.int64)
    speed, price = np.array([0.1]), np.array([1.0])
    exact = Fraction(0.1) * 3
    above = float(np.nextafter(float(exact), 2.0))
    assert least_cost(speed, price, above, 0 * one, 3 * one) is None
    assert least_cost(speed, price, above, 0 * one, 4 * one) == 4
    assert least_cost(np.array([0.5]), price, 1.5, 0 * one, 3 * one) == 3


def test_equal_is_not_excluded():
    size, low = np.array([2]), np.zeros((1, 1), np.int64)
    high, ones = low + 2, np.ones((1, 1))
    # two workers reach level 2 exactly, and cost what all cost
    assert not outbids(ones, np.ones(1), 2.0, low, high, size)
    assert outbids(ones, np.ones(1), 2.0 + 1e-15, low, high, size)
    assert not excludes(ones, np.ones(1), 2.0, low, high, size)
    assert excludes(ones, np.ones(1), 2.1, low, high, size)
    # least counts beyond a type leave nothing
    assert excludes(ones, np.ones(1), 1e-9, low + 3, high + 3, size)
    assert outbids(ones, np.ones(1), 1e-9, low + 3, high + 3, size)


def test_no_term_counts_for_more_than_the_level():
    # one worker of speed 100 serves one of two masters: shared it would serve both
    data = by_speed([[100.0, 1, 1], [100.0, 1, 1]])
    types = Types(Pairs.of(data).speed)
    low = np.zeros((2, 2), np.int64)
    high = np.broadcast_to(types.size, (2, 2)).copy()
    assert excludes(types.speed, np.ones(2), 2.1, low, high, types.size)
    assert not excludes(types.speed, np.ones(2), 1.9, low, high, types.size)


def test_types_are_numbered_by_their_first_worker():
    types = Types(np.array([[2.0, 1, 2, 3], [0.0, 5, 0, 5]]))
    assert types.of.tolist() == [0, 1, 0, 2]
    assert types.size.tolist() == [2, 1, 1]
    assert types.speed.tolist() == [[2, 1, 3], [0, 5, 5]]


B = CountBranch
TREES = [
    ((), "ends before its last leaf"),
    ((0, 0), "goes on after its last leaf"),
    ((B(master=0, type=0, count=0), 0), "ends before its last leaf"),
    ((1,), "names leaf 1 of 1"),
    ((-1,), "a leaf without prices holds counts"),
    ((B(master=2, type=0, count=0), 0, 0), "a branch on no pair"),
    ((B(master=0, type=9, count=0), 0, 0), "a branch on no pair"),
    ((B(master=0, type=0, count=5), 0, 0), "splits nothing"),
    ((B(master=0, type=0, count=1), B(master=0, type=0, count=1), 0, 0, 0), "splits nothing"),
]


@pytest.mark.parametrize(("tree", "words"), TREES)
def test_trees_that_are_none_are_refused(tree, words):
    data = by_speed([[1.0] * 5] * 2)
    patience = safe_patience(Pairs.of(data).patience)
    with pytest.raises(NotACertificate, match=words):
        OwnersTree.closing(data, 10.0, tree, np.ones((1, 2)), patience, "masters")


def test_a_branch_covers_both_sides():
    # 5 equal workers, 2 masters: level 3 has no plan; neither branch alone says so of the other
    data = by_speed([[1.0] * 5] * 2)
    patience = safe_patience(Pairs.of(data).patience)
    tree = (B(master=0, type=0, count=2), 0, 1)
    good, bad = np.array([[1.0, 0], [0, 1.0]]), np.array([[0, 1.0], [0, 1.0]])
    made = OwnersTree.closing(data, 2.5, tree, good, patience, "masters")
    assert Fraction(made.bound) == Fraction(2, 5)
    with pytest.raises(NotACertificate, match="leaf 0 do not exclude"):
        OwnersTree.closing(data, 2.5, tree, bad, patience, "masters")
    with pytest.raises(NotACertificate, match="do not exclude"):
        OwnersTree.closing(data, 2.5, (0,), good[:1], patience, "masters")


@pytest.mark.parametrize("level", [0.0, -1.0, np.inf, np.nan])
def test_a_level_is_a_positive_number(level):
    data = by_speed([[1.0] * 3] * 2)
    patience = safe_patience(Pairs.of(data).patience)
    with pytest.raises(NotACertificate, match="level is not positive"):
        OwnersTree.closing(data, level, (0,), np.ones((1, 2)), patience, "masters")


@pytest.mark.parametrize("price", [-1.0, np.inf, np.nan])
def test_prices_are_finite_and_not_negative(price, monkeypatch):
    data = by_speed([[1.0] * 3] * 2)
    made = certificate(data, TypePricing, monkeypatch)
    wrong = msgspec.structs.replace(made, prices=pack(np.full((made.leaves, 1), price)))
    with pytest.raises(NotACertificate, match="negative or infinite"):
        wrong.prove_bound(data)


def test_too_much_to_try_is_refused():
    low, high = np.zeros(3, np.int64), np.full(3, 1000)
    with pytest.raises(NotACertificate, match="too many to try"):
        least_cost(np.ones(3), np.ones(3), 5.0, low, high)
    assert tries(low[None], high[None]).tolist() == [1001**2]
    assert MOST_COUNTS < 1001**2


def test_it_bounds_dedicated_plans_only(monkeypatch):
    made = certificate(by_speed([[1.0] * 3] * 2), TypePricing, monkeypatch)
    dedicated = [{"share": [[1.0, 1, 0], [0, 0, 1.0]], "loads": [[1.0, 1, 0], [0, 0, 1.0]]}]
    shared = [{"share": [[1.0, 0.5, 0], [0, 0.5, 1.0]], "loads": [[1.0, 1, 0], [0, 1.0, 1.0]]}]
    require_run_bound(made, "coded", {}, "coded.brute_force", dedicated)
    for name, plan in (("coded.brute_force", shared), ("coded.chance_search", dedicated)):
        with pytest.raises(NotACertificate, match="does not bound runs"):
            require_run_bound(made, "coded", {}, name, plan)


def drawn(seed, rows=2):
    rng = np.random.default_rng(seed)
    times = [(rng.integers(4, 13, 30) / 4).tolist() for _ in range(2)]
    return measured_computing(times, law=[[0, 1, 0, 1], [1, 1, 0, 0]], rows=rows, confidence=0.5)


def test_the_bound_by_hand():
    # one law of a single time 2: G = 1 - ε there, v = (1 - ε)/(2 L); two workers, ρ = 0.7
    data = measured_computing([[2.0] * 50], law=[[0, 0]])
    kept = 1 - Fraction(data.measured.margins[0])
    want = Fraction(0.7) / (2 * kept / (2 * 10))
    assert guaranteed_bound(data, np.ones(1)) == want


def test_a_bound_does_not_change_with_the_unit_of_prices():
    data = drawn(2)
    prices = np.array([1.0, 3.0])
    for unit in (2.0**-40, 0.5, 4.0, 2.0**40):
        assert guaranteed_bound(data, unit * prices) == guaranteed_bound(data, prices)


def test_only_allowed_pairs_earn():
    # one law of times 2 and a faster one of times 1, v = (1 - ε)/(time L); ρ Σ π / Σ_n max π v
    times, one, two = [[2.0] * 50, [1.0] * 50], np.array([1.0, 0.0]), np.array([3.0, 1.0])

    def bound(law, prices):
        return guaranteed_bound(measured_computing(times, law=law), prices)

    slow, fast = bound([[0], [0]], one), bound([[1], [1]], one)
    assert slow == 2 * fast
    # what the other master may use earns nothing at its price 0, what nobody may nothing at all
    assert bound([[0, None], [None, 1]], one) == slow
    assert bound([[None, 0], [1, None]], one) == slow
    # the first master earns 3/2 and the other 1 on their own workers, on a common one the most
    assert bound([[0, None], [None, 1]], two) == 4 * fast / Fraction(5, 2)
    assert bound([[0], [1]], two) == 4 * fast / Fraction(3, 2)
    assert bound([[0, None], [1, None]], two) == bound([[0], [1]], two)


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(3))
def test_no_plan_guarantees_an_earlier_time(seed):
    data = drawn(seed)
    best = best_time(data)
    sharing = best_sharing(MeasuredPairs.of(data).speed)
    for prices in (sharing.prices, np.array([1.0, 0.0]), np.array([1.0, 3.0])):
        bound = guaranteed_bound(data, prices)
        assert best is not None
        assert 0 < bound <= best
    time = data.success_probability * sharing.time
    assert float(guaranteed_bound(data, sharing.prices)) == pytest.approx(time, rel=1e-9)


def test_files_are_read_and_forged_ones_refused():
    data = drawn(1)
    made = GuaranteedPrices.of(data, np.ones(2))
    again = from_json(msgspec.json.encode(made), "test")
    proof = check(again, instance=data)
    assert (proof.sense, proof.bound) == ("min", guaranteed_bound(data, np.ones(2)))
    higher = str(Fraction(made.bound) * (1 + Fraction(1, 10**12)))
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(msgspec.structs.replace(made, bound=higher), instance=data)
    # more confidence, wider bands: another instance
    surer = data.replace(measured=msgspec.structs.replace(data.measured, confidence=0.9))
    with pytest.raises(NotACertificate, match="hashes to"):
        check(made, instance=surer)
    assert guaranteed_bound(surer, np.ones(2)) > guaranteed_bound(data, np.ones(2))


def test_times_that_guarantee_nothing_prove_that_no_plan_does():
    data = measured_computing([[1.0]], confidence=0.95)
    made = GuaranteedPrices.of(data, np.ones(1))
    assert made.bound is None
    assert check(made, instance=data).infeasible


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ([1.0], "prices"),
        ([1.0, -1.0], "negative"),
        ([1.0, np.inf], "infinite"),
        ([1.0, np.nan], "infinite"),
        ([0.0, 0.0], "all prices are 0"),
    ],
)
def test_prices_that_are_none_are_refused(prices, message):
    with pytest.raises(NotACertificate, match=message):
        guaranteed_bound(drawn(0), np.array(prices))


def test_an_instance_that_measured_nothing_is_refused():
    with pytest.raises(NotACertificate, match="no measured times"):
        guaranteed_bound(library.load("coded/tiny"), np.ones(2))
