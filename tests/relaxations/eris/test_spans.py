"""Spans of slots: valid for every choice that fits, violated by what they were looked for."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from farkas.certificates.eris import PricedAuction
from farkas.certificates.priced_tree import Knapsack
from farkas.decomposition.cases import CaseTree
from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.cuts import CutLoop, WithCuts, rounded
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Plans
from farkas.decomposition.search import Search
from farkas.offline.eris.optimum import AuctionPricing
from farkas.relaxations.eris.pricing import SchedulePricing
from farkas.relaxations.eris.spans import Spans, unit_of
from tests.generators.eris import auction_in, one_resource, random_auction
from tests.tools.optimum import optimum
from tests.tools.quick import some


def choices(size, room):
    """All choices that fit, as rows of zeros and ones."""
    every = np.array(list(itertools.product([0, 1], repeat=len(size))))
    return every[every @ size <= room]


@pytest.mark.parametrize("seed", range(120))
def test_what_is_rounded_holds_for_all_choices_and_not_for_the_shares(seed):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 9, rng.integers(2, 9))
    room = int(rng.integers(1, size.sum() + 1))
    share = np.where(
        rng.random(len(size)) < 0.5, rng.integers(0, 2, len(size)), rng.random(len(size))
    )
    share *= min(1.0, room / max(share @ size, 1e-9))
    found = rounded(size, share, room)
    if found is None:
        return
    distance, charges = found
    assert (charges >= 0).all()
    assert charges.max() == 1.0
    most = (choices(size, room) @ charges).max()
    # not more than what the inequality itself says, whose distance is measured
    assert charges @ share - most >= distance * np.linalg.norm(charges) - 1e-9 > 0


def test_a_row_by_hand():
    # 2 (e_1 + e_2) <= 3 and e = (1, 1/2): divided by 2 and rounded, e_1 + e_2 <= 1, violated by
    # 1/2 at length sqrt(2)
    distance, charges = rounded(np.array([2, 2]), np.array([1.0, 0.5]), 3)
    assert charges == pytest.approx([1.0, 1.0])
    assert distance == pytest.approx(0.5 / np.sqrt(2))
    # two small ones are complete and leave 2 of 4 for size 4: 4 e - (1 - a) - (1 - b) <= 2; divided
    # by 4 the rest is 1/2, and -1/4 counts as -1 + (3/4 - 1/2) / (1 - 1/2)
    _, charges = rounded(np.array([4, 1, 1]), np.array([0.5, 1.0, 1.0]), 4)
    assert charges == pytest.approx([1.0, 0.5, 0.5])
    assert rounded(np.array([2, 2]), np.array([1.0, 0.0]), 3) is None


def two_large():
    """Two jobs of two chunks share a slot of three workers: one completes early, the other late."""
    job = {"data": [2], "utility": [10.0, 4.0]}
    return one_resource(job, dict(job), slots=2, sites=1, site_capacity=[[3.0]])


def settled_of(auction, gap=0.0):
    problem = SchedulePricing(auction)
    master = Master(problem, Pool(problem))
    return problem, master, list(price_rows(problem, master, gap=gap, left=lambda: 60.0))[-1]


@pytest.mark.parametrize("factor", [1.0, 2.0**-30, 0.3])
def test_half_of_a_job_early_is_forbidden(factor):
    auction = auction_in(two_large(), units=factor)
    problem, master, root = settled_of(auction)
    assert root.bound == pytest.approx(17)  # one and a half complete early
    charging = CutLoop(problem, master, root)
    *_, last = charging.run(0.0, lambda: 60.0)
    assert last.bound == pytest.approx(14)
    made = problem.certificate(charging.tree())
    assert float(Fraction(made.bound)) == pytest.approx(14)
    assert made.prove_bound(auction) == Fraction(made.bound)
    (knapsack,) = made.knapsacks
    assert (knapsack.rows, knapsack.owners, knapsack.values) == (((2, 3),), (0, 1), (10.0, 10.0))
    assert charging.root.bound + charging.charges.paid == pytest.approx(14)


def drawn_plans(slots, jobs):
    """Plans of jobs by the slot in which they complete, worth less later."""
    return Plans(np.arange(len(jobs)), np.array(jobs, float), sparse.csr_array((len(jobs), slots)))


def test_of_the_spans_that_end_in_a_slot_the_most_violated_are_kept():
    # all complete in the last of three slots of 2, 2 of each in a slot outside of a span.  To slot
    # 0: 12 - 4 is 6 too much, at length 8; to 1: from 1 on 8 + 2 is 8, at length sqrt(68), and from
    # 0 on 10 + 2; to 2: from 2 on 8 + 2 + 3 is 11, at length sqrt(77), from 1 on 10 + 4 + 3 is 13,
    # at length sqrt(125), and from 0 on 12 + 4 + 3 is 13, at length 13
    worth = [9.0, 8.0, 7.0]
    jobs = [
        {"arrival": slot, "data": [size], "utility": worth[slot:]}
        for slot, size in enumerate((12, 4, 3))
    ]
    auction = one_resource(*jobs, sites=1, site_capacity=[[2.0]])
    plans, tight = drawn_plans(6, [7.0] * 3), np.array([[False] * 3, [True] * 3])
    spans = Spans(PricedAuction(auction))
    found = spans.violated(plans, np.ones(3), tight)
    rows = [((3, 4),), ((4, 5),), ((3, 5),), ((5, 6),), ((4, 6),)]
    assert [one.rows for one in found] == rows
    assert found[-1].amounts == pytest.approx([1, 4 / 10, 3 / 10])
    assert found[-1].values == (7.0, 7.0, 7.0)
    assert [one.owners for one in found] == [(0,), (0, 1), (0, 1), (0, 1, 2), (0, 1, 2)]
    assert spans.violated(plans, np.ones(3), ~tight) == []
    # who is worth as much later is not held by the span
    flat = {"arrival": 2, "data": [2], "utility": [7.0, 7.0]}
    falling = [{**job, "utility": [*job["utility"], 1.0]} for job in jobs]
    longer = one_resource(*falling, flat, sites=1, slots=4, site_capacity=[[2.0]])
    tight = np.array([[False] * 4, [True, True, True, False]])
    again = Spans(PricedAuction(longer)).violated(drawn_plans(8, [7.0] * 4), np.ones(4), tight)
    assert [one.owners for one in again] == [one.owners for one in found]


def test_transfer_of_half_of_a_job_early_is_forbidden():
    # two workers at two sites exchange 6 of 10 MB: the linear program completes 5/3 jobs early
    job = {"data": [1, 1, 0, 0], "utility": [10.0, 4.0], "parameter_size": 6.0}
    auction = one_resource(
        job, dict(job), slots=2, sites=4, site_capacity=[[1.0]] * 4, chunk_size=0.0
    )
    problem, master, root = settled_of(auction)
    assert root.bound == pytest.approx(18)
    charging = CutLoop(problem, master, root)
    *_, last = charging.run(0.0, lambda: 60.0)
    assert last.bound == pytest.approx(14)
    made = problem.certificate(charging.tree())
    assert float(made.prove_bound(auction)) == pytest.approx(14)
    assert [one.rows for one in made.knapsacks] == [((0, 1),)]


def test_charges_of_equal_rows_are_paid_together_where_values_agree():
    auction = two_large()
    charged = WithCuts(SchedulePricing(auction))
    one = {"rows": ((2, 3),), "unit": 1.0, "owners": (0, 1)}
    sacks = [
        Knapsack(**one, values=(10.0, 10.0), amounts=(1.0, 0.5)),
        Knapsack(**one, values=(4.0, 10.0), amounts=(1.0, 1.0)),
        Knapsack(**one | {"owners": (1,)}, values=(10.0,), amounts=(1.0,)),
    ]
    charged.add(sacks)
    prices = np.concatenate([np.zeros(charged.width), [2.0, 3.0, 4.0]])
    paid = [(found.values, found.amounts) for found in charged.priced(prices)]
    assert paid == [((10.0, 10.0), (2.0, 5.0)), ((4.0, 10.0), (3.0, 3.0))]


@pytest.mark.parametrize("seed", range(30))
def test_plans_pay_what_is_charged_and_replies_count_it(seed):
    auction = random_auction(seed, most_chunks=3, most_slots=4, jobs=6)
    problem, rng = SchedulePricing(auction), np.random.default_rng(seed)
    charged = WithCuts(problem)
    for _ in range(3):
        owners = [i for i, job in enumerate(auction.jobs) if job.utility[0] > 0]
        owners = [i for i in owners if rng.random() < 0.7]
        values = [float(rng.choice(auction.jobs[i].utility)) for i in owners]
        kept = [k for k, value in enumerate(values) if value > 0]
        slot = int(rng.integers(auction.slots))
        charged.add([
            Knapsack(
                rows=((slot, slot + 1),), unit=1.0, owners=tuple(owners[k] for k in kept),
                values=tuple(values[k] for k in kept),
                amounts=tuple(float(rng.integers(0, 3)) for _ in kept),
            )
        ])  # fmt: skip
    prices = rng.choice([0.0, 3.0, 9.0], len(charged.rows))
    prices[: charged.width] /= 30.0
    payoff, plans = charged.replies(prices, {})
    paid = plans.use.toarray()[:, charged.width :]
    for k, owner in enumerate(plans.owner.tolist()):
        for row, one in enumerate(charged.knapsacks):
            charge = dict(zip(one.owners, zip(one.values, one.amounts, strict=True), strict=True))
            least, amount = charge.get(owner, (np.inf, 0.0))
            assert paid[k, row] == (amount if plans.value[k] >= least else 0.0)
    # a plan that is charged less when it counts as later is listed so
    assert plans.value - plans.use @ prices == pytest.approx(payoff[plans.owner], abs=1e-8)
    proved = PricedAuction(auction).replies(
        problem.fine(prices[: charged.width]), charged.windows(prices, {}), range(len(payoff))
    )
    assert payoff == pytest.approx([float(one) for one in proved], rel=1e-9, abs=1e-8)


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(24))
def test_charges_and_cases_bound_the_optimum(seed):
    auction = random_auction(seed, most_chunks=some(4, 6), most_slots=some(3, 5), jobs=some(4, 8))
    problem, master, root = settled_of(auction)
    charging = CutLoop(problem, master, root)
    bounds = [one.bound for one in charging.run(0.0, lambda: 60.0)]
    best = optimum("eris.offline", auction)
    if bounds:
        made = problem.certificate(charging.tree())
        assert float(Fraction(made.bound)) >= best * (1 - 1e-9) - 1e-9
        assert float(Fraction(made.bound)) <= bounds[-1] * (1 + 1e-7)
    trees = [
        one.tree for one in Search(AuctionPricing(auction), 0.0, lambda: 60.0).run() if one.tree
    ]
    for tree in trees:
        bound = Fraction(problem.certificate(tree).bound)
        assert float(bound) >= best * (1 - 1e-9) - 1e-9


def test_a_search_without_a_gap_ends_where_roundings_alone_are_left():
    auction = random_auction(8, most_chunks=6, most_slots=5, jobs=8)
    looks = iter(range(200))  # at a clock that stands still: the search has to end by itself
    *_, last = Search(AuctionPricing(auction), 0.0, lambda: 60.0 + 0.0 * next(looks)).run()
    assert last.plans or last.tree


def test_cases_are_split_below_charges():
    splits = 0
    for seed in range(60):
        auction = random_auction(seed, most_chunks=5, most_slots=5, jobs=8)
        problem, master, root = settled_of(auction)
        charging = CutLoop(problem, master, root)
        if not list(charging.run(0.0, lambda: 60.0)):
            continue
        master.pool.add(charging.problem.uncharged(charging.pool.plans))
        tree = CaseTree(problem, master, charging.root, charging.charges)
        before = tree.bound
        assert before == pytest.approx(charging.dual.bound)
        best = optimum("eris.offline", auction)
        tree.expand(lambda best=best: best, 6, 0.0, lambda: 60.0)
        made = problem.certificate(tree.tree())
        assert best * (1 - 1e-9) - 1e-9 <= float(Fraction(made.bound)) <= before * (1 + 1e-7)
        assert float(Fraction(made.bound)) == pytest.approx(tree.bound, rel=1e-6)
        splits += tree.bound < before * (1 - 1e-6)
    assert splits >= 1


def test_units_divide_what_jobs_need():
    jobs = [{"data": [2], "worker_demand": [w], "server_demand": [s]} for w, s in ((2, 2), (4, 1))]
    auction = one_resource(*jobs, {"data": [0], "worker_demand": [1.0]}, sites=1,
                           site_capacity=[[30.0]])  # fmt: skip
    assert unit_of(auction, 0) == 3.0  # 6 and 9
    for unit in (0.3, 2.0**-40, 2.0**40, 1e-300):
        assert unit_of(auction_in(auction, units=unit), 0) == pytest.approx(3 * unit, rel=1e-15)
    # 0.1 and 0.7 have no common part that is not far below both
    needs = ({"data": [1], "worker_demand": [w], "server_demand": [0.0]} for w in (0.1, 0.7))
    fine = one_resource(*needs, sites=1, site_capacity=[[30.0]])
    assert unit_of(fine, 0) == 0.1
    nothing = one_resource({"worker_demand": [0.0]})
    assert unit_of(nothing, 0) == 0.0
    assert unit_of(one_resource(), 0) == 0.0
