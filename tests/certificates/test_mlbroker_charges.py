"""Jobs in a slot with charges of sites: bounds below, placements at, what trying all finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.certificates import mlbroker_charges as module
from farkas.certificates.mlbroker_charges import (
    apart_costs,
    charged_below,
    charged_workers,
    place_charged,
    share_charges,
)
from farkas.certificates.mlbroker_workers import ENDLESS, loads
from farkas.replay.transport import cheapest

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


def place(case, extra=None, run=place_charged, state=None, site=-1, fall=0.0, most=ENDLESS):
    """Place the one pair; what was known is written to."""
    one = np.zeros(1, np.int64)
    if state is None:
        state = (
            np.zeros((1, SITES), np.int64), one, one.copy(), np.full((1, SITES), -np.inf),
            np.zeros((1, SITES), np.int64),
        )  # fmt: skip
    bound, work = np.zeros(1), np.array([0, most])
    run(
        np.zeros(1, np.int64), np.zeros(1, np.int64), case["quarters"][None].astype(float),
        np.array([case["needed"]]), np.array([4.0]), case["worker"][None], case["server"][None],
        np.array([case["sync"]]), case["transfer"], 1,
        (case["charge"] if extra is None else extra)[None], site, np.array([fall]), *state,
        bound, work,
    )  # fmt: skip
    return float(bound[0]), state, int(work[0])


@pytest.mark.parametrize("seed", range(40))
def test_placements_cost_what_trying_all_finds(seed):
    case = drawn(seed)
    best = min(tried(case))
    bound, (workers, at, chosen, least, _), _ = place(case)
    assert chosen[0] == 1
    assert bound <= best
    assert bound == pytest.approx(best, rel=CLOSE, abs=CLOSE)
    assert cost_of(case, workers[0], int(at[0])) == pytest.approx(best, rel=CLOSE, abs=CLOSE)
    assert workers[0].sum() >= case["needed"]
    assert (least[0] <= np.array(tried(case))).all()


@pytest.mark.parametrize("seed", range(8))
def test_machine_code_and_interpreter_agree(seed):
    case = drawn(seed)
    bound, state, steps = place(case)
    other, same, as_many = place(case, run=place_charged.interpret)
    assert (bound, steps) == (other, as_many)
    assert all((one == two).all() for one, two in zip(state, same, strict=True))


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
    bound, _, more = place(dear, state=tuple(x.copy() for x in state), site=site)
    assert bound == pytest.approx(min(tried(dear)), rel=CLOSE, abs=CLOSE)
    assert bound <= min(tried(dear))
    if not used:
        assert more < steps
    cheap = {**case, "worker": np.maximum(case["worker"] - 2.0 * (np.arange(SITES) == site), 0.0)}
    fall = float(case["worker"][site] - cheap["worker"][site]) * max(1, case["needed"])
    if fall:
        bound, *_ = place(cheap, state=tuple(x.copy() for x in state), site=site, fall=fall)
        assert bound == pytest.approx(min(tried(cheap)), rel=CLOSE, abs=CLOSE)
        assert bound <= min(tried(cheap))


def test_what_is_cut_short_is_still_a_bound(monkeypatch):
    case = drawn(3)
    assert place(case, most=1)[0] == -np.inf
    monkeypatch.setattr(module, "MOST_BRANCHES", 1)
    for seed in range(12):
        case = drawn(seed)
        bound, *_ = place(case, run=place_charged.interpret)
        assert -np.inf < bound <= min(tried(case))


def test_a_cutoff_is_not_searched_below():
    amount, unit = np.array([1.5, 0.5, 0.0]), np.array([1.0, 2.0])
    move = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    workers = np.zeros(2, np.int64)
    args = amount, move, unit, np.zeros(2), 2, 8
    cost, bound = charged_workers(*args, np.inf, workers, np.array([0, ENDLESS]))
    assert (cost, workers.tolist()) == (2.5, [2, 0])
    assert bound == pytest.approx(2.5)
    cost, bound = charged_workers(*args, 2.0, workers, np.array([0, ENDLESS]))
    assert cost == np.inf
    assert bound == pytest.approx(2.5)


def test_costs_apart_are_those_of_moves_and_traffic():
    volume = np.array([[6.0, 2.0], [0.0, 8.0]])
    transfer = np.array([[0.0, 3.0], [1.0, 0.0]])
    found = np.zeros(2)
    apart_costs(
        np.array([0, 1]), volume, np.array([4.0, 4.0]), np.array([10.0, 10.0]), transfer,
        np.array([[2, 0], [1, 1]]), np.array([0, 0]), found,
    )  # fmt: skip
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
