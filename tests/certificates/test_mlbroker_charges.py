"""Jobs in a slot with charges of sites: bounds below, placements at, what trying all finds."""

from __future__ import annotations

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from scipy.optimize import linprog

import farkas
from farkas.certificates import mlbroker_workers as module
from farkas.certificates.files import from_json
from farkas.certificates.mlbroker_slots import SUBJECT
from farkas.certificates.mlbroker_transport import (
    capacity_prices,
    charged_below,
    scale,
    share_charges,
)
from farkas.certificates.mlbroker_workers import (
    ENDLESS,
    PlacementData,
    Placements,
    apart_costs,
    loads,
    place_pairs,
    whole_workers,
)
from farkas.certificates.priced_tree import PricedTree
from farkas.replay.transport import cheapest
from farkas.tolerances import BRANCHED
from tests.generators.mlbroker import random_brokerage

SITES = 3
CLOSE = 2e-6
"""Twice what a branching leaves open."""


def drawn(seed):
    """Data in quarters of workers, whole prices, and charges of either sign."""
    rng = np.random.default_rng(seed)
    quarters = rng.integers(0, 6, SITES) * (rng.random(SITES) < 0.8)
    transfer = 4.0 * rng.integers(0, 3, (SITES, SITES))
    np.fill_diagonal(transfer, 0)
    return {
        "quarters": quarters,
        "needed": -(-int(quarters.sum()) // 4),
        "transfer": transfer,
        "worker": rng.integers(0, 6, SITES).astype(float),
        "server": rng.integers(0, 3, SITES).astype(float),
        "sync": float(rng.integers(0, 2)),
        "charge": rng.integers(-3, 8, SITES).astype(float),
    }


def cost_of(case, workers, server):
    """Cost of a placement, by the transport program."""
    price = (case["transfer"] / 4).astype(int).tolist()
    cost = cheapest(case["quarters"].tolist(), [4 * int(y) for y in workers], price) * 4
    cost += case["server"][server]
    for r, y in enumerate(workers):
        cost += y * (case["worker"][r] + case["sync"] * case["transfer"][r, server])
        if y or r == server:
            cost += case["charge"][r]
    return float(cost)


def tried(case):
    """Least cost with the server at each site, of all workers."""
    most = max(1, case["needed"])
    every = itertools.product(range(most + 1), repeat=SITES)
    enough = [workers for workers in every if sum(workers) >= case["needed"]]
    return [min(cost_of(case, workers, p) for workers in enough) for p in range(SITES)]


def place(case, extra=None, run=place_pairs, state=None, site=-1, fall=0.0, most=ENDLESS):
    """Place the one pair; what was known is written to."""
    one = np.zeros(1, np.int64)
    state = Placements.none(1, SITES, SITES) if state is None else state
    bound, work = np.zeros(1), np.array([0, most])
    data = PlacementData(
        one, case["quarters"][None].astype(float), np.array([case["needed"]]), np.array([4.0]),
        np.array([case["sync"]]), case["transfer"], 1,
    )  # fmt: skip
    run(
        one, data, case["worker"][None], case["server"][None], False,
        (case["charge"] if extra is None else extra)[None], site, np.array([fall]), state, bound,
        work,
    )  # fmt: skip
    return float(bound[0]), state, int(work[0])


@pytest.mark.parametrize("seed", range(40))
def test_placements_cost_what_trying_all_finds(seed):
    case = drawn(seed)
    best = min(tried(case))
    bound, (workers, at, chosen, least, _), _ = place(case)
    assert chosen[0] == at[0]
    assert bound <= best
    assert bound == pytest.approx(best, rel=CLOSE, abs=CLOSE)
    assert cost_of(case, workers[0], int(at[0])) == pytest.approx(best, rel=CLOSE, abs=CLOSE)
    assert workers[0].sum() >= case["needed"]
    assert (least[0] <= np.array(tried(case))).all()


@pytest.mark.parametrize("seed", range(24))
def test_any_prices_and_shares_bound(seed):
    case, rng = drawn(seed), np.random.default_rng(seed)
    case["server"][:] = 0
    amount = np.zeros(SITES + 1)
    loads(0, case["quarters"][None].astype(float), case["needed"], 4.0, amount)
    move = np.vstack([4.0 * case["transfer"], np.zeros(SITES)])
    most = max(1, case["needed"])
    for p, best in enumerate(tried(case)):
        charge = case["charge"].copy()
        charge[p] = 0
        unit = case["worker"] + case["sync"] * case["transfer"][:, p]
        low, high = np.zeros(SITES, np.int64), np.full(SITES, most)
        for _ in range(10):
            alpha = rng.uniform(0, 6, SITES)
            beta = rng.uniform(0, 4, move.shape) * (rng.random(move.shape) < 0.5)
            args = amount, move, unit, charge, low, high, alpha
            wild = charged_below(*args, beta, case["needed"], 8)
            plain = charged_below(*args, 0 * beta, case["needed"], 8)
            share_charges(*args, beta)
            shared = charged_below(*args, beta, case["needed"], 8)
            limit = best - case["charge"][p]
            assert max(wild, plain, shared) <= limit
            assert shared >= plain - 1e-9


def test_idle_workers_are_there_where_they_pay():
    case = drawn(0) | {
        "quarters": np.zeros(SITES, int), "needed": 0, "charge": np.array([-5.0, 1.0, -2.0]),
        "worker": np.array([1.0, 1.0, 4.0]), "server": np.array([9.0, 0.0, 9.0]), "sync": 0.0,
    }  # fmt: skip
    bound, (workers, at, *_), _ = place(case)
    assert bound == pytest.approx(-3.0)
    assert (workers.tolist(), at.tolist()) == ([[1, 0, 0]], [1])


@pytest.mark.parametrize("seed", range(12))
def test_prices_of_one_site_change(seed):
    case, site = drawn(seed), seed % SITES
    _, state, steps = place(case)
    used = state[0][0, site] > 0 or state[1][0] == site
    dear = {**case, "worker": case["worker"].copy()}
    dear["worker"][site] += 2.0
    bound, _, more = place(dear, state=Placements(*(x.copy() for x in state)), site=site)
    assert bound == pytest.approx(min(tried(dear)), rel=CLOSE, abs=CLOSE)
    assert bound <= min(tried(dear))
    if not used:
        assert more < steps
    cheap = {**case, "worker": np.maximum(case["worker"] - 2.0 * (np.arange(SITES) == site), 0.0)}
    fall = float(case["worker"][site] - cheap["worker"][site]) * max(1, case["needed"])
    if fall:
        bound, *_ = place(cheap, state=Placements(*(x.copy() for x in state)), site=site, fall=fall)
        assert bound == pytest.approx(min(tried(cheap)), rel=CLOSE, abs=CLOSE)
        assert bound <= min(tried(cheap))


def test_what_is_cut_short_is_still_a_bound(monkeypatch):
    case = drawn(3)
    assert place(case, most=1)[0] == -np.inf
    monkeypatch.setattr(module, "MOST_BRANCHES", 1)
    for seed in range(12):
        case = drawn(seed)
        bound, *_ = place(case, run=place_pairs.interpret)
        assert -np.inf < bound <= min(tried(case))


def test_a_cutoff_is_not_searched_below():
    amount, unit = np.array([1.5, 0.5, 0.0]), np.array([1.0, 2.0])
    move = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    workers = np.zeros(2, np.int64)
    args = amount, move, unit, np.zeros(2), np.zeros(2, np.int64), np.full(2, 2), 2, 8
    cost, bound = whole_workers(*args, np.inf, BRANCHED, workers, np.array([0, ENDLESS]))
    assert (cost, workers.tolist()) == (2.5, [2, 0])
    assert bound == pytest.approx(2.5)
    cost, bound = whole_workers(*args, 2.0, BRANCHED, workers, np.array([0, ENDLESS]))
    assert cost == np.inf
    assert bound == pytest.approx(2.5)


def test_costs_apart_are_those_of_moves_and_traffic():
    volume = np.array([[6.0, 2.0], [0.0, 8.0]])
    transfer = np.array([[0.0, 3.0], [1.0, 0.0]])
    found = np.zeros(2)
    pairs, many = np.array([0, 1]), np.full(2, 10.0)
    data = PlacementData(pairs, volume, np.array([2, 2]), np.full(2, 4.0), many, transfer, 1)
    apart_costs(pairs, data, np.array([[2, 0], [1, 1]]), np.array([0, 0]), found)
    # 2 GB to the first site; 4 GB there, and the second's worker talks to the first
    assert found.tolist() == [2.0, 4.0 + 10.0]


def test_shares_of_charges_close_what_prices_of_workers_leave_open():
    # two sites with half a load each, moves are dear: both charges are paid
    amount, unit, charge = np.array([0.5, 0.5, 0.0]), np.ones(2), np.array([3.0, 5.0])
    move = np.array([[0.0, 99.0], [99.0, 0.0], [0.0, 0.0]])
    low, high, beta = np.zeros(2, np.int64), np.full(2, 4), np.zeros((3, 2))
    args = amount, move, unit, charge, low, high, unit
    assert charged_below(*args, beta, 1, 8) == pytest.approx(1.0)
    share_charges(*args, beta)
    assert beta.tolist() == [[6.0, 0.0], [0.0, 10.0], [0.0, 0.0]]
    assert charged_below(*args, beta, 1, 8) == pytest.approx(9.0)
    # a site that is open pays its charge in any case, and nobody shares it
    low[0] = 1
    share_charges(*args, beta)
    assert beta.tolist() == [[0.0, 0.0], [0.0, 10.0], [0.0, 0.0]]


def drawn_amounts(seed, sites=3):
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


def priced_below(amount, move, unit, low, high, alpha, needed, roundings):
    """The bound without charges."""
    none, beta = np.zeros(len(unit)), np.zeros(move.shape)
    return charged_below(amount, move, unit, none, low, high, alpha, beta, needed, roundings)


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
    case = drawn_amounts(seed)
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
    amount, move, unit, low, high = drawn_amounts(seed)
    rng = np.random.default_rng(seed)
    optimum = best(amount, move, unit, low, high, None)
    for size in (0.0, 0.5, 2.0, 1e3):
        alpha = size * rng.uniform(0, 2, len(unit))
        below = priced_below(amount, move, unit, low, high, alpha, int(amount.sum()), 4)
        assert below <= optimum


def test_the_formula_is_rounded_down():
    rng = np.random.default_rng(0)
    for _ in range(50):
        amount, move, unit, low, high = drawn_amounts(int(rng.integers(1000)))
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


ROUNDED = 1 + Fraction(1, 10**12)


def many_sites(sites=12, **changes):
    """Three jobs that change, on more sites than have prices by sets; discounts are near."""
    return random_brokerage(4, sites=sites, slots=4, jobs=3, resources=2, **changes)


def test_both_sides_come_near_with_many_sites():
    data = many_sites()
    found = farkas.optimum(data, gap=1e-3, time_limit=100)
    assert found.complete
    made = from_json(msgspec.json.encode(found.run.certificate.certificate))
    assert (type(made), made.program) == (PricedTree, SUBJECT)
    again = farkas.optimum(data, gap=1e-3, time_limit=100)
    assert (again.value, again.bound) == (found.value, found.bound)
    proof = farkas.check(found.run, data).proof
    assert (proof.bound, proof.program) == (found.bound, SUBJECT)
    wrong = many_sites().replace(jobs=list(data.jobs[:2]))
    with pytest.raises(farkas.errors.FarkasError):
        farkas.check(found.run, wrong)


def test_the_bound_of_many_sites_is_that_of_the_program():
    # sites beyond the third are as far as nothing else, so that three are enough
    few = random_brokerage(5, sites=3, slots=3, jobs=2, resources=1)
    optimum = farkas.prove(few, SUBJECT).value
    far = 1e6 * (1 + float(few.transfer.max()))
    more = 9
    transfer = np.full((few.num_sites + more,) * 2, far)
    np.fill_diagonal(transfer, 0)
    transfer[:3, :3] = few.transfer

    def wide(table, value):
        return np.vstack([table, np.full((more, table.shape[1]), value)]).tolist()

    jobs = [
        {
            **{f: getattr(job, f) for f in job.__struct_fields__},
            "data": np.hstack([np.array(job.data), np.zeros((len(job.data), more))]).tolist(),
        }
        for job in few.jobs
    ]
    data = few.replace(
        num_sites=3 + more, transfer_price=transfer.tolist(), jobs=jobs,
        base_price=wide(few.list_price, far), discount_price=wide(few.reduced_price, far),
        discount_threshold=wide(few.threshold, 1.0),
    )  # fmt: skip
    found = farkas.optimum(data, gap=1e-4, time_limit=100)
    assert found.bound <= optimum * ROUNDED
    assert found.value * ROUNDED >= optimum
    assert found.value <= optimum * (1 + Fraction(1, 1000))
