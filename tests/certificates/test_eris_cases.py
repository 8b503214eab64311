"""Auctions by cases: whatever the tree and the prices, no case is worth more than its bound."""

from __future__ import annotations

import functools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, eris_cases, from_json, to_json
from farkas.certificates.eris import proof_steps, prove_welfare
from farkas.certificates.eris_cases import CaseSplit, ErisCases, cases_of, prove_case, within
from farkas.certificates.packed import pack
from farkas.certificates.runs import require_run_bound
from farkas.errors import FileProblem, NotACertificate
from farkas.instances.eris import Auction
from tests.generators.eris import one_resource, random_auction
from tests.references.eris_welfare import ways, welfare

SEEDS = range(80)


@functools.cache
def known(seed: int) -> tuple[Auction, dict]:
    """A drawn auction, and what it can be worth by when its jobs complete."""
    auction = random_auction(seed)
    return auction, {finishes: welfare(auction, finishes) for finishes in ways(auction)}


def split(job: int, delay: int) -> CaseSplit:
    return CaseSplit(job=job, delay=delay)


def drawn_tree(rng, auction, windows, depth):
    """A random tree in preorder."""
    last = {i: len(job.utility) - 1 for i, job in enumerate(auction.jobs)}
    able = [
        (i, d)
        for i, end in last.items()
        for d in range(windows.get(i, (0, end))[0], windows.get(i, (0, end))[1])
    ]
    if not depth or not able or rng.random() < 0.15:
        return [None]
    i, d = able[int(rng.integers(len(able)))]
    first, end = windows.get(i, (0, last[i]))
    early = drawn_tree(rng, auction, {**windows, i: (first, d)}, depth - 1)
    late = drawn_tree(rng, auction, {**windows, i: (d + 1, end)}, depth - 1)
    return [split(i, d), *early, *late]


def some_prices(rng, auction):
    """Prices of a case: nothing, or some at random."""
    share = rng.choice([0.0, 1.0])
    return (
        share * rng.choice([0.0, 0.5, 3.0], auction.slots),
        share * rng.choice([0.0, 1.0, 4.0, 12.0], auction.used.shape),
    )


def lies_in(auction, windows, finishes):
    """Whether jobs complete as a case says."""
    for i, (first, last) in windows.items():
        never = last == len(auction.jobs[i].utility) - 1
        d = finishes[i]
        if not (never if d is None else first <= d <= last):
            return False
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_no_case_is_worth_more_than_its_bound_and_every_decision_lies_in_one(seed):
    auction, worth = known(seed)
    rng = np.random.default_rng(seed)
    best = max(worth.values())
    for _ in range(6):
        tree = drawn_tree(rng, auction, {}, 4)
        cases = cases_of(auction, tree)
        prices = [some_prices(rng, auction) for _ in cases]
        for finishes in worth:
            assert sum(lies_in(auction, windows, finishes) for windows in cases) == 1
        proved = []
        for windows, (transfer, resource) in zip(cases, prices, strict=True):
            proved.append(prove_case(auction, windows, transfer, resource))
            inside = [w for finishes, w in worth.items() if lies_in(auction, windows, finishes)]
            assert not inside or proved[-1] >= max(inside)
        made = ErisCases.of(auction, tree, prices)
        assert check(made, instance=auction).bound == max(proved) >= best


def test_cases_drawn_are_many_and_often_worth_their_bound():
    tight = several = 0
    for seed in SEEDS:
        auction, worth = known(seed)
        cases = cases_of(auction, drawn_tree(np.random.default_rng(seed), auction, {}, 4))
        several += len(cases) > 2
        free = np.zeros(auction.slots), np.zeros(auction.used.shape)
        for windows in cases:
            inside = [w for finishes, w in worth.items() if lies_in(auction, windows, finishes)]
            bound = prove_case(auction, windows, *free)
            tight += bool(inside) and near(bound, max(inside)) and bound > 0
    assert several > 15
    assert tight > 20


def two_large(capacity=3.0):
    """Two jobs of two chunks share a slot of three workers: one completes early, the other late."""
    job = {"data": [2], "utility": [10.0, 4.0]}
    return one_resource(job, dict(job), slots=2, sites=1, site_capacity=[[capacity]])


def at(early):
    """Prices of workers in the first slot; the second one is free."""
    return np.zeros(2), np.array([[[early, 0.0]]])


def near(value, wanted):
    return wanted <= value <= wanted * (1 + Fraction(1, 2**38))


def test_branches_prove_what_no_prices_do():
    # e of a job early, 4 late: 2 (e_1 + e_2) <= 3 lets prices of 3 prove 3 * 3 + 4 + 4 = 17 at
    # best. Both early, each 10 + 10 worth: 3 * 10 - 10 - 10 = 10 at price 10. One early and the
    # other late: 10 + 4, for nothing; so are both late, 4 + 4
    auction = two_large()
    assert max(welfare(auction, finishes) for finishes in ways(auction)) == 14
    bounds = [prove_welfare(auction, *at(price)) for price in np.arange(0.0, 12.0, 0.25)]
    assert near(min(bounds), 17)
    tree = [split(0, 0), split(1, 0), None, None, None]
    cases = [{0: (0, 0), 1: (0, 0)}, {0: (0, 0), 1: (1, 1)}, {0: (1, 1)}]
    assert cases_of(auction, tree) == cases
    prices = [at(10.0), at(0.0), at(0.0)]
    proved = [prove_case(auction, case, *p) for case, p in zip(cases, prices, strict=True)]
    assert all(map(near, proved, (10, 14, 14)))
    made = ErisCases.of(auction, tree, prices)
    assert check(made, instance=auction).bound == max(proved)
    # without the second split the other one is half early: 10 + (10 + 4) / 2
    half = ErisCases.of(auction, [split(0, 0), None, None], [at(3.0), at(0.0)])
    assert near(Fraction(half.bound), 17)


def test_worth_of_a_case_by_hand():
    auction = one_resource({"utility": [8.0, 4.0, 2.0, 1.0]}, slots=4)

    def up(number):
        return np.nextafter(number, np.inf)

    for window, utility, more in (
        ((0, 3), [8, 4, 2, 1], 0),
        ((2, 3), [2, 2, 2, 1], 0),
        ((0, 1), [up(16.0), up(12.0), 0, 0], 8),
        ((1, 2), [up(8.0), up(8.0), up(6.0), 0], 4),
        ((3, 3), [1, 1, 1, 1], 0),
    ):
        other, extra = within(auction, {0: window})
        assert list(other.jobs[0].utility) == utility
        assert extra == more
    assert list(within(auction, {})[0].jobs) == list(auction.jobs)


def test_what_a_sum_is_rounded_from_is_not_above_it():
    # 1 + 2**-53 is rounded to 1, so that without a place more 2**-53 would be lost
    little = 2.0**-53
    auction = one_resource({"utility": [1.0, little, little]})
    other, more = within(auction, {0: (0, 1)})
    assert more == 1
    assert Fraction(other.jobs[0].utility[1]) >= 1 + Fraction(little)


def test_a_job_that_has_to_complete_where_it_cannot_is_no_case():
    # no site holds two workers at once, so that none completes in its first slot: the bound falls
    # by what not completing costs
    auction = one_resource({"data": [2], "utility": [9.0, 5.0]}, slots=2, sites=1,
                           site_capacity=[[1.0]])  # fmt: skip
    free = np.zeros(2), np.zeros((1, 1, 2))
    assert prove_case(auction, {0: (0, 0)}, *free) <= -9
    assert near(prove_case(auction, {0: (1, 1)}, *free), 5)


def test_who_has_no_data_completes_in_one_of_both_parts_and_is_worth_no_less():
    auction = one_resource({"data": [0, 0], "utility": [6.0, 3.0, 3.0]})
    free = np.zeros(3), np.zeros(auction.used.shape)
    assert near(prove_case(auction, {0: (0, 0)}, *free), 6)
    assert prove_case(auction, {0: (1, 2)}, *free) == 3


@functools.cache
def honest() -> tuple[Auction, ErisCases]:
    auction = two_large()
    tree = [split(0, 0), split(1, 0), None, None, None]
    return auction, ErisCases.of(auction, tree, [at(10.0), at(0.0), at(1.0)])


def test_a_certificate_survives_its_file_and_bounds_runs():
    auction, made = honest()
    read = from_json(to_json(made))
    assert read == made
    proof = check(read, instance=auction)
    assert (proof.bound, proof.sense, proof.program) == (
        Fraction(made.bound),
        "max",
        "eris.offline",
    )
    require_run_bound(read, "eris", {}, "eris.eris", [])
    wanted = ErisCases.of(auction, made.tree, [at(10.0), at(0.0), at(1.0)], Fraction(1, 3))
    assert wanted == msgspec.structs.replace(made, bound="1/3")


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ([], "ends before"),
        ([split(0, 0), None], "ends before"),
        ([split(0, 0), split(1, 0), None, None], "ends before"),
        ([None, None], "goes on"),
        ([split(0, 0), None, None, None], "goes on"),
        ([split(2, 0), None, None], "job 2 of 2"),
        ([split(0, 1), None, None], "after delay 1, which is one of 0 to 1"),
        ([split(0, 7), None, None], "after delay 7"),
        ([split(0, 0), split(0, 0), None, None, None], "which is one of 0 to 0"),
        ([split(0, 0), None, split(0, 0), None, None], "which is one of 1 to 1"),
    ],
)
def test_what_is_no_tree_is_refused(tree, words):
    auction, made = honest()
    with pytest.raises(NotACertificate, match=words):
        check(msgspec.structs.replace(made, tree=tuple(tree)), instance=auction)


@pytest.mark.parametrize(
    "change",
    [
        {"tree": [[0, -1], None, None]},
        {"tree": [[-1, 0], None, None]},
        {"tree": [[0, 0, 0], None, None]},
        {"tree": [[0], None, None]},
        {"tree": [[0, 0.5], None, None]},
        {"tree": [[0, 0], 0, None]},
        {"tree": [{"job": 0, "delay": 0}, None, None]},
        {"tree": None},
        {"cases": 1},
    ],
)
def test_a_file_of_another_shape_is_refused(change):
    plain = honest()[1].plain() | change
    with pytest.raises(FileProblem, match="no certificate"):
        from_json(msgspec.json.encode(plain))


def forged(auction, made, rows):
    return check(msgspec.structs.replace(made, prices=pack(np.array(rows))), instance=auction)


def test_prices_of_fewer_or_more_leaves_are_refused_and_so_are_impossible_ones():
    auction, made = honest()
    row = np.zeros(4)
    for rows in ([row] * 2, [row] * 4):
        with pytest.raises(NotACertificate, match="prices"):
            forged(auction, made, rows)
    for bad in (-1.0, np.inf, np.nan):
        for leaf in range(3):
            for place in (0, 3):
                rows = np.zeros((3, 4))
                rows[leaf, place] = bad
                with pytest.raises(NotACertificate, match="negative or not finite"):
                    forged(auction, made, rows)


def test_prices_of_another_leaf_prove_something_else():
    # of both early 10 at price 10, of one early 14 for nothing; exchanged they prove 20 and 20
    auction, made = honest()
    rows = [[0, 0, 10, 0], [0, 0, 0, 0], [0, 0, 1, 0]]
    assert forged(auction, made, rows).bound == Fraction(made.bound)
    with pytest.raises(NotACertificate, match="only"):
        forged(auction, made, [rows[1], rows[0], rows[2]])


def test_a_threshold_one_off_on_either_side_proves_another_bound():
    # two slots hold two of three jobs. By delay 1, where they cost 9: 18 + (9 + 9 - 9) - 9 = 18;
    # later, for nothing: 2.5 + 7 + 7. With one slot less the later part is worth 9 + 7 + 7, and
    # with one more the earlier one 18 + (2.5 + 9) - 9, in the third slot
    early = {"utility": [7.0, 7.0, 0.0, 0.0]}
    auction = one_resource({"utility": [9.0, 9.0, 2.5, 1.0]}, early, dict(early), slots=4, sites=1,
                           site_capacity=[[1.0]])  # fmt: skip
    assert max(welfare(auction, finishes) for finishes in ways(auction)) == 16.5
    dear = np.zeros(4), np.array([[[9.0, 9.0, 0.0, 0.0]]])
    free = np.zeros(4), np.zeros((1, 1, 4))
    made = ErisCases.of(auction, [split(0, 1), None, None], [dear, free])
    assert near(Fraction(made.bound), 18)
    for delay, bound in ((0, 23), (2, 20.5)):
        forged = msgspec.structs.replace(made, tree=(split(0, delay), None, None))
        assert near(forged.prove_bound(auction), bound)
        with pytest.raises(NotACertificate, match="only"):
            check(forged, instance=auction)


def test_work_is_counted_over_all_leaves_and_refused_before_it_is_done(monkeypatch):
    auction, made = honest()
    steps = 3 * proof_steps(auction)
    assert proof_steps(auction) == 2 * 2 * 3 * 3, "pairs of job and slot, chunks and one, twice"
    monkeypatch.setattr(eris_cases, "MOST_STEPS", steps)
    check(made, instance=auction)
    monkeypatch.setattr(eris_cases, "MOST_STEPS", steps - 1)
    monkeypatch.setattr(eris_cases, "prove_welfare", None)
    with pytest.raises(NotACertificate, match=r"cases: a proof would take 108 steps; 107 are"):
        check(made, instance=auction)
    monkeypatch.setattr(eris_cases, "MOST_NODES", 4)
    with pytest.raises(NotACertificate, match="splits and leaves: a proof would take 5 steps"):
        check(made, instance=auction)


def test_worth_beyond_all_doubles_is_refused_in_words():
    auction = one_resource({"utility": [1.5e308, 1.0, 0.0]})
    free = np.zeros(3), np.zeros(auction.used.shape)
    with pytest.raises(NotACertificate, match="utility"):
        prove_case(auction, {0: (0, 1)}, *free)
