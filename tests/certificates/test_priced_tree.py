"""Trees of priced cases: no decisions are worth more than tree, prices and charges prove."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, from_json, priced_tree, to_json
from farkas.certificates.encoding import pack
from farkas.certificates.eris import PricedAuction, certify_prices, proof_steps
from farkas.certificates.priced_tree import (
    Knapsack,
    PricedProgram,
    PricedTree,
    Split,
    Window,
    leaves_of,
    prove_leaves,
)
from farkas.certificates.run_bound import require_run_bound
from farkas.errors import FileProblem, NotACertificate
from farkas.instances.eris import Auction
from farkas.models.eris.schedules import list_schedules
from tests.generators.eris import one_resource, random_auction
from tests.references.eris_welfare import ways, welfare
from tests.tools.eris_bounds import prove_welfare


class Bins(PricedProgram):
    """Owners with a few listed plans, of which each is a value and whole units of rows."""

    def __init__(self, plans: list[list[tuple[float, tuple[int, ...]]]], rows: list[int]) -> None:
        self.plans, self.rows = plans, rows
        self.name, self.owners, self.width = "toy", len(plans), len(rows)

    def rent(self, prices):
        return sum((Fraction(p) * n for p, n in zip(prices.tolist(), self.rows, strict=True)),
                   Fraction(0))  # fmt: skip

    def replies(self, prices, case, owners):
        found = []
        for i in owners:
            window, best = case.get(i) or Window(0.0, self.most(i)), Fraction(0)
            for value, use in self.plans[i]:
                if value < window.low:
                    continue
                if all(low <= use[r] <= high for r, (low, high) in window.counts.items()):
                    worth = Fraction(float(window.worth(np.array([value]))[0]))
                    paid = zip(prices.tolist(), use, strict=True)
                    best = max(best, worth - sum(Fraction(p) * n for p, n in paid))
            found.append(best)
        return found

    def most(self, owner):
        return max((value for value, _ in self.plans[owner]), default=0.0)

    def below(self, owner, value):
        return max((v for v, _ in self.plans[owner] if v < value), default=0.0)

    def units(self, owner, row):
        return max((use[row] for _, use in self.plans[owner]), default=0)

    def capacity(self, rows):
        return Fraction(sum(self.rows[r] for r in rows.tolist()))

    def least_use(self, owner, value, rows):
        good = [sum(use[r] for r in rows.tolist()) for v, use in self.plans[owner] if v >= value]
        return Fraction(min(good, default=10**6))

    def decisions(self):
        """Yield the plans of all owners that rows hold, None for no plan."""
        for chosen in itertools.product(*[[None, *some] for some in self.plans]):
            used = [sum(plan[1][r] for plan in chosen if plan) for r in range(self.width)]
            if all(n <= most for n, most in zip(used, self.rows, strict=True)):
                yield chosen


def drawn_bins(rng) -> Bins:
    """Three owners; values tie, lie a last place apart, or need all digits."""
    values = [1.0, 1.0, np.nextafter(1.0, 2.0), 0.1, 1 / 3, 2.0**-60, 3.0]
    rows = rng.integers(0, 4, 2).tolist()
    plans = [
        [(float(rng.choice(values)), tuple(rng.integers(0, 3, 2).tolist()))
         for _ in range(int(rng.integers(0, 4)))]
        for _ in range(3)
    ]  # fmt: skip
    return Bins(plans, rows)


def drawn_tree(rng, program, case, depth):
    """A random tree in preorder."""
    able = []
    for i in range(program.owners):
        window = case.get(i) or Window(0.0, program.most(i))
        levels = {value for value, _ in program.plans[i]}
        able += [Split(i, v) for v in levels if window.low < v <= window.high]
        for r in range(program.width):
            least, most = window.counts.get(r, (0, program.units(i, r)))
            able += [Split(i, float(k), r) for k in range(least, most)]
    if not depth or not able or rng.random() < 0.1:
        return [None]
    split = able[int(rng.integers(len(able)))]
    halves = priced_tree.halves(program, case, split)
    return [split, *(node for one in halves for node in drawn_tree(rng, program, one, depth - 1))]


def drawn_knapsacks(rng, program):
    """Some knapsacks, with charges at levels of owners' values or between them."""
    found = []
    for _ in range(int(rng.integers(0, 3))):
        begin, end = sorted(rng.integers(0, program.width + 1, 2).tolist())
        owners = np.flatnonzero(rng.random(program.owners) < 0.7).tolist()
        found.append(
            Knapsack(
                rows=((begin, end),),
                unit=float(rng.choice([0.5, 1.0, 0.7])),
                owners=tuple(owners),
                values=tuple(float(rng.choice([0.05, 0.1, 1.0, 3.0])) for _ in owners),
                amounts=tuple(float(rng.choice([0.0, 0.1, 1.0, 7.0])) for _ in owners),
            )
        )
    return found


def in_leaf(program, case, chosen):
    """Whether decisions lie in a leaf."""
    for i, window in case.items():
        value, use = chosen[i] or (0.0, (0,) * program.width)
        counts = all(low <= use[r] <= high for r, (low, high) in window.counts.items())
        if not (counts and window.low <= value <= window.high):
            return False
    return True


@pytest.mark.parametrize("seed", range(120))
def test_no_leaf_is_worth_more_than_its_bound_and_every_decision_lies_in_one(seed):
    rng = np.random.default_rng(seed)
    program = drawn_bins(rng)
    every = list(program.decisions())
    for _ in range(4):
        tree = drawn_tree(rng, program, {}, 4)
        leaves = leaves_of(program, tree)
        distinct = int(rng.integers(1, len(leaves) + 1))
        prices = rng.choice([0.0, 0.1, 0.5, 1.0], (distinct, program.width))
        same = rng.integers(0, distinct, len(leaves)).tolist()
        bounds = prove_leaves(program, tree, prices, same, drawn_knapsacks(rng, program))
        for chosen in every:
            worth = sum((Fraction(plan[0]) for plan in chosen if plan), Fraction(0))
            inside = [k for k, case in enumerate(leaves) if in_leaf(program, case, chosen)]
            assert len(inside) == 1
            assert worth <= bounds[inside[0]]


def test_leaves_are_tight_where_prices_are():
    """Free rows, deep trees: the bound of a leaf is what its best plans are worth."""
    program = Bins([[(3.0, (1, 0)), (1.0, (0, 1))], [(3.0, (1, 0))]], [1, 1])
    tree = [Split(0, 3.0), Split(1, 3.0), None, None, None]
    free = np.zeros((1, 2))
    bounds = prove_leaves(program, tree, free, [0, 0, 0])
    assert bounds == [pytest.approx(6), pytest.approx(3), pytest.approx(4)]
    dear = np.array([[9.0, 0.0], [0.0, 0.0]])
    assert max(prove_leaves(program, tree, dear, [0, 1, 1])) == 4
    # the knapsack of the first row holds one of both: 2 + 1 + 1 + 1
    sack = Knapsack(rows=((0, 1),), unit=1.0, owners=(0, 1), values=(3.0, 3.0), amounts=(2.0, 2.0))
    assert prove_leaves(program, [None], free, [0], [sack]) == [pytest.approx(4)]


def test_worth_in_a_window_by_hand():
    values = np.array([8.0, 4.0, 2.0, 1.0])

    def up(*numbers):
        return [np.nextafter(x, np.inf) if x else 0.0 for x in numbers]

    assert Window(0.0, 8.0).worth(values).tolist() == values.tolist()
    assert Window(0.0, 2.0).worth(values).tolist() == [2, 2, 2, 1]
    assert Window(4.0, 8.0).worth(values).tolist() == up(16, 12, 0, 0)
    assert Window(2.0, 4.0).worth(values).tolist() == up(8, 8, 6, 0)
    paying = Window(0.0, 8.0, charges=((4.0, 3.0), (8.0, 3.0)))
    assert paying.worth(values) == pytest.approx([2, 1, 2, 1])
    assert (paying.worth(values)[:2] > [2, 1]).all()
    assert Window(0.0, 8.0, charges=((2.0, 5.0),)).worth(values) == pytest.approx([3, 0, 0, 1])
    # 1 + 2**-53 is rounded to 1, and 1 + 2**-52 - 3 * 2**-54 as well
    little = float(Window(2.0**-53, 1.0).worth(np.array([2.0**-53]))[0])
    assert Fraction(little) >= 1 + Fraction(2.0**-53)
    worth, amount = 1.0 + 2.0**-52, 3 * 2.0**-54
    left = Window(0.0, worth, charges=((1.0, amount),)).worth(np.array([worth]))[0]
    assert Fraction(float(left)) >= Fraction(worth) - Fraction(amount)


@pytest.mark.parametrize("seed", range(60))
def test_knapsacks_against_all_choices(seed):
    rng = np.random.default_rng(seed)
    needs = rng.integers(0, 5, int(rng.integers(1, 8))).tolist()
    program = Bins([[(1.0, (n,))] for n in needs], [int(rng.integers(0, 9))])
    unit = float(rng.choice([0.25, 1.0, 1.5]))
    amounts = np.round(rng.uniform(0, 9, len(needs)), 2) * rng.choice([0.0, 1.0], len(needs))
    sack = Knapsack(
        rows=((0, 1),), unit=unit, owners=tuple(range(len(needs))),
        values=(1.0,) * len(needs), amounts=tuple(amounts.tolist()),
    )  # fmt: skip
    best = Fraction(0)
    for chosen in itertools.product([False, True], repeat=len(needs)):
        if sum(int(n / unit) for n, yes in zip(needs, chosen, strict=True) if yes) <= int(
            program.rows[0] / unit
        ):
            paid = amounts[np.array(chosen)].tolist()
            best = max(best, sum(map(Fraction, paid), Fraction(0)))
    assert best <= sack.best(program) <= best * (1 + Fraction(1, 2**36))


def test_charges_of_all_sizes_are_counted_safely():
    program = Bins([[(1.0, (2,))], [(1.0, (2,))]], [3])
    for tiny, huge in ((5e-324, 1e-323), (1e-300, 1e300), (1.7e308, 1.7e308)):
        sack = Knapsack(
            rows=((0, 1),), unit=1.0, owners=(0, 1), values=(1.0, 1.0), amounts=(tiny, huge)
        )  # fmt: skip
        assert near(sack.best(program), Fraction(max(tiny, huge)))
        program.rows = [4]
        assert sack.best(program) >= Fraction(tiny) + Fraction(huge)
        program.rows = [3]


def near(value, wanted):
    """Whether a bound holds and is no larger than rounding and what a replay forgives make it."""
    return wanted <= value <= wanted * (1 + Fraction(1, 2**28))


SEEDS = range(80)


@functools.cache
def known(seed: int) -> tuple[Auction, dict]:
    """A drawn auction, and what it can be worth by when its jobs complete."""
    auction = random_auction(seed)
    return auction, {finishes: welfare(auction, finishes) for finishes in ways(auction)}


def drawn_auction_tree(rng, program, case, depth):
    able = []
    for i, job in enumerate(program.instance.jobs):
        window = case.get(i) or Window(0.0, program.most(i))
        able += [Split(i, f) for f in set(job.utility) if window.low < f <= window.high]
    if not depth or not able or rng.random() < 0.15:
        return [None]
    split = able[int(rng.integers(len(able)))]
    parts = priced_tree.halves(program, case, split)
    found = [drawn_auction_tree(rng, program, one, depth - 1) for one in parts]
    return [split, *found[0], *found[1]]


def drawn_spans(rng, auction):
    """Knapsacks of spans of slots at all sites."""
    found, width = [], auction.slots
    for _ in range(int(rng.integers(0, 4))):
        first = int(rng.integers(auction.slots))
        last = int(rng.integers(first, auction.slots))
        limit = int(rng.integers(1 + auction.num_resources))
        sites = range(auction.sites if limit else 1)
        begins = [(limit + r * auction.num_resources) * width for r in sites]
        jobs = np.flatnonzero(rng.random(auction.num_jobs) < 0.8).tolist()
        levels = [float(rng.choice(auction.jobs[i].utility)) or 1.0 for i in jobs]
        found.append(
            Knapsack(
                rows=tuple((at + first, at + last + 1) for at in begins),
                unit=float(rng.choice([0.5, 1.0, 0.7, 3.0])),
                owners=tuple(jobs), values=tuple(levels),
                amounts=tuple((rng.choice([0.0, 1.0, 7.0, 33.0], len(jobs))
                               * rng.choice([1.0, 0.3])).tolist()),
            )
        )  # fmt: skip
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_auctions_are_worth_no_more_than_trees_prove(seed):
    auction, worth = known(seed)
    rng, program = np.random.default_rng(seed), PricedAuction(auction)
    for _ in range(6):
        tree = drawn_auction_tree(rng, program, {}, 4)
        leaves = leaves_of(program, tree)
        sacks, share = drawn_spans(rng, auction), rng.choice([0.0, 1.0], (len(leaves), 1))
        prices = share * rng.choice([0.0, 0.5, 3.0], (len(leaves), program.width))
        bounds = prove_leaves(program, tree, prices, range(len(leaves)), sacks)
        made = PricedTree.of(program, prices, tree=tree, knapsacks=sacks)
        assert check(made, instance=auction).bound == max(bounds) >= max(worth.values())
        for finishes, earned in worth.items():
            values = [
                0.0 if d is None else job.utility[d]
                for d, job in zip(finishes, auction.jobs, strict=True)
            ]
            inside = [
                bound
                for case, bound in zip(leaves, bounds, strict=True)
                if all(w.low <= values[i] <= w.high for i, w in case.items())
            ]
            assert len(inside) == 1
            assert earned <= inside[0]


def two_large(capacity=3.0):
    """Two jobs of two chunks share a slot of three workers: one completes early, the other late."""
    job = {"data": [2], "utility": [10.0, 4.0]}
    return one_resource(job, dict(job), slots=2, sites=1, site_capacity=[[capacity]])


def early(unit=1.0, values=(10.0, 10.0), amounts=(6.0, 6.0), last=1):
    """A knapsack of the first slot's workers."""
    return Knapsack(rows=((2, 2 + last),), unit=unit, owners=(0, 1), values=values, amounts=amounts)


def at(price):
    """Prices of workers in the first slot; the second one is free."""
    return np.array([0.0, 0.0, price, 0.0])


def test_transfer_of_a_slot_holds_jobs_as_wholes():
    # two workers at two of four sites, one of them away from the server, exchange 6 MB in a slot
    job = {"data": [1, 1, 0, 0], "utility": [10.0, 4.0], "parameter_size": 6.0}
    for budget, wanted in ((10.0, 14), (11.9, 14), (12.0, 20)):
        auction = one_resource(
            job, dict(job), slots=2, sites=4, site_capacity=[[1.0]] * 4, chunk_size=0.0,
            transfer_budget=budget,
        )  # fmt: skip
        program = PricedAuction(auction)
        assert max(welfare(auction, finishes) for finishes in ways(auction)) == wanted
        sack = msgspec.structs.replace(early(unit=2.0**-9), rows=((0, 1),))
        made = PricedTree.of(program, np.zeros(program.width), knapsacks=[sack])
        assert near(Fraction(made.bound), wanted)
        for change in ({"amounts": (6.0, 6.5)}, {"values": (4.0, 10.0)}, {"unit": 3.5},
                       {"rows": ((1, 2),)}, {"rows": ((0, 2),)}):  # fmt: skip
            forged = msgspec.structs.replace(sack, **change)
            if wanted == 14:
                with pytest.raises(NotACertificate, match="prove"):
                    check(msgspec.structs.replace(made, knapsacks=(forged,)), instance=auction)


TREE = (Split(0, 10.0), Split(1, 10.0), None, None, None)


def test_branches_and_charges_prove_what_no_prices_do():
    # e of a job early, 4 late: 2 (e_1 + e_2) <= 3 lets prices of 3 prove 3 * 3 + 4 + 4 = 17 at
    # best. Both early, each 10 + 10 worth: 3 * 10 - 10 - 10 = 10 at price 10. One early and the
    # other late: 10 + 4, for nothing; so are both late, 4 + 4
    auction = two_large()
    assert max(welfare(auction, finishes) for finishes in ways(auction)) == 14
    bounds = [
        prove_welfare(auction, np.zeros(2), at(p)[2:].reshape(1, 1, 2))
        for p in np.arange(0.0, 12.0, 0.25)
    ]
    assert near(min(bounds), 17)
    program, prices = PricedAuction(auction), np.array([at(10.0), at(0.0), at(0.0)])
    assert (
        list(map(near, prove_leaves(program, TREE, prices, range(3)), (10, 14, 14))) == [True] * 3
    )
    # without the second split the other one is half early: 10 + (10 + 4) / 2
    half = PricedTree.of(program, np.array([at(3.0), at(0.0)]), tree=(Split(0, 10.0), None, None))
    assert near(Fraction(half.bound), 17)
    # one of two fits into the first slot: 6 are paid, 4 are left of either
    assert near(Fraction(PricedTree.of(program, at(0.0), knapsacks=[early()]).bound), 14)
    wide = PricedAuction(two_large(4.0))
    assert near(Fraction(PricedTree.of(wide, at(0.0), knapsacks=[early()]).bound), 20)
    assert near(Fraction(PricedTree.of(program, at(0.0), knapsacks=[early(last=2)]).bound), 20)


@pytest.mark.parametrize(
    ("capacity", "need", "fit"),
    [
        # three fill the slot in doubles, and exceed exactly what counts as fitting there
        (0.7015463661686019, 0.2338487889567161, 3),
        (1.0, 0.5 * (1 + 1.01e-9), 2),  # a replay forgives 65/64 of a rounding error of 1e-9
        (1.0, 0.5 * (1 + 1.02e-9), 1),
        (0.3, 0.1, 3),
    ],
)
def test_rows_hold_all_that_a_replay_counts_as_fitting(capacity, need, fit):
    job = {"data": [1], "utility": [10.0], "worker_demand": [need], "server_demand": [0.0]}
    auction = one_resource(*[dict(job)] * 4, slots=1, sites=1, site_capacity=[[capacity]])
    sack = Knapsack(
        rows=((1, 2),), unit=need, owners=(0, 1, 2, 3), values=(10.0,) * 4, amounts=(10.0,) * 4
    )  # fmt: skip
    assert sack.best(PricedAuction(auction)) == 10 * fit


def test_a_job_needs_all_its_workers_and_one_server():
    job = {"data": [2, 1], "epochs": 2, "worker_rate": 4, "worker_demand": [1.25],
           "server_demand": [0.5]}  # fmt: skip
    auction = one_resource(job, slots=2)
    program = PricedAuction(auction)
    rows = np.arange(auction.slots, program.width)
    assert program.needed(0, 1, 1, 0) == 2 * Fraction(5, 4) + Fraction(1, 2)
    assert program.least_use(0, auction.jobs[0].utility[0], rows) == 3


def test_a_job_needs_in_a_span_what_its_other_slots_cannot_process():
    # 7 chunks of 2 a slot: 6 in three slots outside, 1 is left; a slot outside holds 2 servers
    job = {"data": [7, 0], "utility": [9.0] * 6, "parameter_size": 3.0}
    auction = one_resource(job, slots=6, site_capacity=[[2.0], [0.0]])
    program = PricedAuction(auction)
    assert [program.needed(0, 1, 2, out) for out in range(5)] == [7, 5, 3, 1, 0]
    # of 4 chunks in a slot two are moved, 1 MB, and their workers exchange 3 MB each
    wide = PricedAuction(one_resource(job, slots=6))
    assert [rounded_up(wide.needed(0, 0, inside, 0)) for inside in (1, 2, 3, 4)] == [0, 12, 4, 0]
    assert [rounded_up(wide.needed(0, 0, 1, outside)) for outside in (0, 1, 2)] == [0, 4, 0]
    rows = np.arange(6)
    assert wide.least_use(0, 9.0, rows) == 0
    sooner = PricedAuction(one_resource(job | {"utility": [9.0] * 2 + [4.0] * 4}, slots=6))
    assert rounded_up(sooner.least_use(0, 9.0, rows)) == 12
    assert rounded_up(sooner.least_use(0, 9.0, rows[1:])) == 4
    assert sooner.least_use(0, 4.0, rows) == 0


def rounded_up(megabytes):
    """The next whole number, of which megabytes fall short by no more than they are rounded."""
    whole = -(-megabytes // 1)
    assert whole - megabytes < Fraction(1, 2**32)
    return whole


def test_no_schedule_uses_less_of_rows_than_it_needs():
    tight = 0
    for seed in range(60):
        auction = random_auction(seed, most_chunks=4)
        rng, program, width = np.random.default_rng(seed), PricedAuction(auction), auction.slots
        listed = list_schedules(auction)
        use = np.hstack([listed.transfer, listed.used.reshape(len(listed), program.width - width)])
        for owner, value in {
            (i, f) for i, job in enumerate(auction.jobs) for f in job.utility if f
        }:
            plans = use[(listed.job == owner) & (listed.worth >= value)]
            for limit in range(1 + auction.num_resources) if len(plans) else ():
                slots = np.flatnonzero(rng.random(width) < 0.6)
                sites = range(auction.sites if limit else 1)
                begins = [(limit + r * auction.num_resources) * width for r in sites]
                rows = np.concatenate([begin + slots for begin in begins])
                least = program.least_use(owner, value, rows)
                used = Fraction(float(plans[:, rows].sum(axis=1).min()))
                assert least <= used
                tight += 0 < used <= least * (1 + Fraction(1, 2**38))
    assert tight > 40


def test_rows_that_leave_a_site_or_slot_out_hold_no_job_as_a_whole():
    auction = one_resource({"data": [2, 0], "utility": [9.0, 8.0, 7.0]})
    program, slots = PricedAuction(auction), auction.slots
    both = np.concatenate([np.arange(slots, 3 * slots)])
    assert program.least_use(0, 8.0, both) > 0
    assert program.least_use(0, 7.0, np.delete(both, 2)) == 0
    assert program.least_use(0, 8.0, np.delete(both, 2)) > 0
    assert program.least_use(0, 8.0, both[slots:]) == 0
    assert program.least_use(0, 9.5, both) == 0


@functools.cache
def honest() -> tuple[Auction, PricedTree]:
    auction = two_large()
    prices = np.array([at(10.0), at(0.0), at(1.0)])
    return auction, PricedTree.of(PricedAuction(auction), prices, tree=TREE, knapsacks=[early()])


def test_a_certificate_survives_its_file_and_bounds_runs():
    auction, made = honest()
    read = from_json(to_json(made))
    assert read == made
    proof = check(read, instance=auction)
    assert (proof.bound, proof.sense, proof.program) == (
        Fraction(made.bound), "max", "eris.offline",
    )  # fmt: skip
    require_run_bound(read, "eris", {}, "eris.eris", [])
    wanted = PricedTree.of(
        PricedAuction(auction), made.read_prices(PricedAuction(auction)), tree=TREE,
        knapsacks=[early()], bound=Fraction(1, 3),
    )  # fmt: skip
    assert wanted == msgspec.structs.replace(made, bound="1/3")


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ([], "ends before"),
        ([Split(0, 10.0), None], "ends before"),
        ([Split(0, 10.0), Split(1, 10.0), None, None], "ends before"),
        ([None, None], "goes on"),
        ([Split(0, 10.0), None, None, None], "goes on"),
        ([Split(2, 10.0), None, None], "owner 2 of 2"),
        ([Split(0, 10.5), None, None], "value 10.5, which is above 0 and at most 10"),
        ([Split(0, 0.0), None, None], "value 0, which is above 0"),
        ([Split(0, -1.0), None, None], "value -1"),
        ([Split(0, 10.0), Split(0, 10.0), None, None, None], "above 10 and at most 10"),
        ([Split(0, 10.0), None, Split(0, 10.0), None, None], "at most 4"),
        ([Split(0, 1.0, 0), None, None], "not split by what they use"),
    ],
)
def test_what_is_no_tree_is_refused(tree, words):
    auction, made = honest()
    with pytest.raises(NotACertificate, match=words):
        check(msgspec.structs.replace(made, tree=tuple(tree)), instance=auction)


@pytest.mark.parametrize("units", [-1.0, 0.5, 2.0, 3.0])
def test_what_splits_no_units_is_refused(units):
    program = Bins([[(1.0, (2,))]], [3])
    with pytest.raises(NotACertificate, match="whole number from 0 and below 2"):
        leaves_of(program, [Split(0, units, 0), None, None])


def test_a_split_by_no_row_is_refused():
    program = Bins([[(1.0, (2,))]], [3])
    with pytest.raises(NotACertificate, match="row 1 of 1"):
        leaves_of(program, [Split(0, 1.0, 1), None, None])


@pytest.mark.parametrize(
    "change",
    [
        {"tree": [[0, "10"], None, None]},
        {"tree": [[-1, 10.0], None, None]},
        {"tree": [[0, 10.0, 0, 0], None, None]},
        {"tree": [[0], None, None]},
        {"tree": [[0, 10.0], 0, None]},
        {"tree": None},
        {"same": [0.5]},
        {"layout": {"sites": 1}},
        {"knapsacks": [{"rows": [[0, 1]], "unit": 0.0, "owners": [], "values": [], "amounts": []}]},
        {"knapsacks": [{"rows": [[0, 1]], "unit": 1.0, "owners": [], "values": []}]},
        {"more": 1},
    ],
)
def test_a_file_of_another_shape_is_refused(change):
    plain = honest()[1].plain() | change
    with pytest.raises(FileProblem, match="no certificate"):
        from_json(msgspec.json.encode(plain))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"same": (0, 1)}, "3 leaves name 2"),
        ({"same": (0, 1, 2, 2)}, "3 leaves name 4"),
        ({"same": (0, 1, 3)}, "3 leaves name 3 of 3 prices"),
        ({"distinct": 2}, "prices"),
        ({"distinct": 4}, "prices"),
        ({"layout": {"sites": ((0,),)}}, "not pooled"),
        ({"program": "eris.other"}, "has no prices of rows"),
        ({"program": "eris.compact"}, "has no prices of rows"),
        ({"options": {"a": 1}}, "take no options"),
        ({"kind": "dps"}, "has no prices of rows"),
        ({"bound": "1"}, "prove"),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(change, words):
    auction, made = honest()
    with pytest.raises(NotACertificate, match=words):
        check(msgspec.structs.replace(made, **change), instance=auction)


@pytest.mark.parametrize("bad", [-1.0, np.inf, np.nan])
def test_impossible_prices_and_charges_are_refused(bad):
    auction, made = honest()
    for place in itertools.product(range(3), range(4)):
        rows = np.zeros((3, 4))
        rows[place] = bad
        with pytest.raises(NotACertificate, match="negative or not finite"):
            check(msgspec.structs.replace(made, prices=pack(rows)), instance=auction)
    for change in ({"amounts": (6.0, bad)}, {"values": (bad, 10.0)}, {"unit": bad}):
        sack = msgspec.structs.replace(early(), **change)
        if change.get("amounts") == (6.0, -1.0) or change.get("unit") == -1.0:
            with pytest.raises(FileProblem):  # the reader has seen to it
                from_json(to_json(msgspec.structs.replace(made, knapsacks=(sack,))))
            continue
        with pytest.raises(NotACertificate, match="not finite"):
            check(msgspec.structs.replace(made, knapsacks=(sack,)), instance=auction)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": ((2, 5),)}, "ascend"),
        ({"rows": ((3, 2),)}, "ascend"),
        ({"rows": ((2, 3), (2, 3))}, "ascend"),
        ({"owners": (0, 2)}, "ascend below 2"),
        ({"owners": (1, 0)}, "ascend below 2"),
        ({"owners": (1, 1)}, "ascend below 2"),
        ({"owners": (0,)}, "another number"),
        ({"values": (10.0, 0.0)}, "not positive"),
    ],
)
def test_what_is_no_knapsack_is_refused(change, words):
    auction, made = honest()
    sack = msgspec.structs.replace(early(), **change)
    with pytest.raises(NotACertificate, match=words):
        check(msgspec.structs.replace(made, knapsacks=(sack,)), instance=auction)


def test_a_number_one_off_proves_another_bound():
    # two slots hold two of three jobs. By delay 1, where they cost 9: 18 + (9 + 9 - 9) - 9 = 18;
    # later, for nothing: 2.5 + 7 + 7
    job = {"utility": [7.0, 7.0, 0.0, 0.0]}
    auction = one_resource({"utility": [9.0, 9.0, 2.5, 1.0]}, job, dict(job), slots=4, sites=1,
                           site_capacity=[[1.0]])  # fmt: skip
    assert max(welfare(auction, finishes) for finishes in ways(auction)) == 16.5
    prices = np.zeros((2, 8))
    prices[0, 4:6] = 9.0
    made = PricedTree.of(PricedAuction(auction), prices, tree=(Split(0, 9.0), None, None))
    assert near(Fraction(made.bound), 18)
    forged = [
        {"tree": (Split(0, 2.5), None, None)},
        {"tree": (Split(0, 1.0), None, None)},
        {"tree": (Split(1, 7.0), None, None)},
        {"same": (1, 0)},
        {"prices": pack(prices[:, ::-1])},
    ]
    for change in forged:
        with pytest.raises(NotACertificate, match="only"):
            check(msgspec.structs.replace(made, **change), instance=auction)


def test_work_is_counted_and_refused_before_it_is_done(monkeypatch):
    auction, made = honest()
    # three times everybody, and one, two and one of two again
    steps = int((3 + 5 / 2) * proof_steps(auction))
    monkeypatch.setattr(priced_tree, "MOST_STEPS", steps)
    check(made, instance=auction)
    monkeypatch.setattr(priced_tree, "MOST_STEPS", steps - 1)
    monkeypatch.setattr(PricedAuction, "replies", None)
    with pytest.raises(NotACertificate, match=f"cases: a proof would take {steps} steps"):
        check(made, instance=auction)
    monkeypatch.setattr(priced_tree, "MOST_NODES", 4)
    with pytest.raises(NotACertificate, match="splits and leaves: a proof would take 5 steps"):
        check(made, instance=auction)
    # two jobs of two units in a room of three: tables of four numbers, twice
    monkeypatch.setattr(priced_tree, "LONGEST_SEARCH", 7)
    with pytest.raises(NotACertificate, match="owners of a knapsack: a proof would take 8 steps"):
        early().best(PricedAuction(auction))
    monkeypatch.setattr(priced_tree, "MOST_CELLS", 2)
    with pytest.raises(NotACertificate, match="units of a knapsack: a proof would take 3 steps"):
        early().best(PricedAuction(auction))


def test_worth_beyond_all_doubles_is_refused_in_words():
    auction = one_resource({"utility": [1.5e308, 1.0, 0.0]})
    program = PricedAuction(auction)
    with pytest.raises(NotACertificate, match="utility"):
        prove_leaves(program, (Split(0, 1.0), None, None), np.zeros((1, program.width)), [0, 0])


def test_a_type_that_is_read_no_more_names_the_version_that_does():
    with pytest.raises(FileProblem, match=r"eris_prices are read by farkas 0\.2\.0 and not since"):
        from_json(b'{"certificate": "eris_prices", "kind": "eris"}')


def test_prices_of_one_leaf_are_what_prices_alone_prove():
    for seed in range(20):
        auction, rng = known(seed)[0], np.random.default_rng(seed)
        transfer, resource = rng.uniform(0, 2, auction.slots), rng.uniform(0, 4, auction.used.shape)
        made = certify_prices(auction, transfer, resource)
        rounded = PricedAuction(auction).rounded(np.concatenate([transfer, resource.ravel()]))
        parts = PricedAuction(auction).parts(rounded)
        assert Fraction(made.bound) == prove_welfare(auction, *parts)


def test_what_a_replay_forgives_is_not_raised_beyond_the_bound():
    # two workers of 0.1 take 9e-10 more than the site has, which a replay counts as fitting
    job = {"worker_demand": [0.1], "utility": [1e12, 1.0], "parameter_size": 0.0, "data": [2]}
    short = 0.1 * (1 - 9e-10)
    auction = one_resource(job, slots=2, sites=1, site_capacity=[[short]])
    program = PricedAuction(auction)
    prices = np.zeros((2, program.width))
    prices[0, 2:] = (1e12 + 1) / 0.2 * (1 + 1e-14)
    made = PricedTree.of(program, prices, tree=(Split(0, 1.0), None, None))
    assert Fraction(made.bound) >= 1


@pytest.mark.parametrize("program", ["dps.offline[free]", "gadget.offline", "dps"])
def test_a_program_of_another_kind_is_refused(program):
    auction, made = honest()
    with pytest.raises(NotACertificate, match="has no prices of rows"):
        check(msgspec.structs.replace(made, program=program), instance=auction)


def test_more_prices_than_leaves_are_refused():
    program = PricedAuction(two_large())
    with pytest.raises(NotACertificate, match="2 prices for 1 leaves"):
        prove_leaves(program, (None,), np.zeros((2, program.width)), [0])


def test_steps_of_all_knapsacks_are_added(monkeypatch):
    auction, made = honest()
    monkeypatch.setattr(priced_tree, "LONGEST_SEARCH", 8)
    check(made, instance=auction)
    twice = msgspec.structs.replace(made, knapsacks=made.knapsacks * 2)
    with pytest.raises(NotACertificate, match="knapsacks: a proof would take 16 steps"):
        check(twice, instance=auction)
