"""Jobs in a slot: bounds of every grade below, the last one at, what trying all workers finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.certificates import mlbroker_workers as module
from farkas.certificates.mlbroker_transport import capacity_prices, charged_below
from farkas.certificates.mlbroker_workers import (
    ENDLESS,
    PlacementData,
    Placements,
    deployed_below,
    loads,
    place_pairs,
    whole_workers,
)
from farkas.replay.transport import cheapest
from farkas.tolerances import ROUNDING

SITES = 3


def endless():
    return np.array([0, ENDLESS])


def drawn(seed):
    """Data in quarters of workers and whole prices, so that costs are exact and much is tied."""
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
    }


def tried(case, members):
    """Cost, workers and server of the best placement on exactly these sites."""
    most = max(1, case["needed"])
    inside = [r for r in range(SITES) if members >> r & 1]
    found = []
    for p in inside:
        ranges = [range(int(r != p), most + 1) if r in inside else range(1) for r in range(SITES)]
        for workers in itertools.product(*ranges):
            if sum(workers) < case["needed"]:
                continue
            price = (case["transfer"] / 4).astype(int).tolist()
            cost = cheapest(case["quarters"].tolist(), [4 * y for y in workers], price) * 4
            cost += case["server"][p]
            cost += sum(
                y * (case["worker"][r] + case["sync"] * case["transfer"][r, p])
                for r, y in enumerate(workers)
            )
            found.append((cost, workers, p))
    return min(found)


def bounded(case, members, grade):
    amount, workers = np.zeros(SITES + 1), np.zeros(SITES, np.int64)
    loads(0, case["quarters"][None].astype(float), case["needed"], 4.0, amount)
    move = np.vstack([4.0 * case["transfer"], np.zeros(SITES)])
    traffic = case["sync"] * case["transfer"]
    below, cost, server = deployed_below(
        grade, members, -1, case["needed"], amount, move, case["worker"], case["server"], traffic,
        np.zeros(SITES), 8, np.inf, workers, endless(),
    )  # fmt: skip
    assert (cost < np.inf) == (server >= 0)
    assert below <= cost
    return below, workers, server


@pytest.mark.parametrize("seed", range(12))
def test_sets_cost_what_trying_all_workers_finds(seed):
    case = drawn(seed)
    for members in range(1, 1 << SITES):
        best, *_ = tried(case, members)
        grades = [bounded(case, members, grade)[0] for grade in (1, 2, 3)]
        assert all(0 <= below <= best for below in grades)
        assert grades[0] <= grades[1] * (1 + 1e-10)
        assert grades[2] == pytest.approx(best, rel=1e-8)
        _, workers, server = bounded(case, members, 3)
        here = sum(1 << r for r in range(SITES) if workers[r] or r == server)
        assert here == members
        assert workers.sum() >= case["needed"]


@pytest.mark.parametrize("seed", range(6))
def test_idle_slots_pay_for_a_worker_wherever_the_server_is_not(seed):
    # nobody is needed, and one idle worker keeps a site: the bound leaves none of them out
    case = drawn(seed) | {"quarters": np.zeros(SITES, int), "needed": 0}
    case["worker"] += 1
    for members in range(1, 1 << SITES):
        best, *_ = tried(case, members)
        assert best >= members.bit_count() - 1
        for grade in (1, 2, 3):
            below, workers, server = bounded(case, members, grade)
            assert below <= best
            assert below == pytest.approx(best, rel=1e-12)
        kept = sum(1 << r for r in range(SITES) if r != server and workers[r] == 1)
        assert kept | 1 << server == members
        assert workers.sum() == members.bit_count() - 1


def test_loads_fill_the_workers_needed():
    amount = np.zeros(3)
    loads(1, np.array([[9.0, 9.0], [5.0, 15.0]]), 3, 10.0, amount)
    assert amount.tolist() == [0.5, 1.5, 1.0]
    loads(1, np.array([[9.0, 9.0], [5.0, 15.0]]), 0, 10.0, amount)
    assert amount[-1] == 0


def test_loads_that_are_no_normal_numbers_are_left_to_the_workers_that_are_not_filled():
    # 2.6e-324 workers: the nearest double is 5e-324, which prices of 1e300 would make dear
    amount = np.zeros(3)
    loads(0, np.array([[5e9, 2.6e-314]]), 1, 1e10, amount)
    assert amount.tolist() == [0.5, 0.0, 0.5]


def whole(cutoff, low=(0, 0), high=(3, 3), amount=(1.25, 0.5, 0.25)):
    workers, move = np.zeros(2, np.int64), np.array([[0.0, 2.0], [2.0, 0.0], [0.0, 0.0]])
    found, below = whole_workers(
        np.array(amount),
        move,
        np.array([1.0, 1.5]),
        np.zeros(2),
        np.array(low),
        np.array(high),
        2,
        8,
        cutoff,
        ROUNDING,
        workers,
        endless(),
    )
    return found, below, workers.tolist()


def test_whole_workers_are_branched_on():
    # two workers and 0.5 loads moved, or one worker at each site and 0.25 loads moved
    found, below, workers = whole(np.inf)
    assert (found, workers) == (3.0, [2, 0])
    assert below == pytest.approx(3.0)
    assert whole(np.inf, low=(0, 1))[0] == 3.0
    assert whole(np.inf, high=(1, 3))[2] == [1, 1]
    # where the loads ask for one worker only, the other is where it costs least
    found, _, workers = whole(np.inf, amount=(0.25, 0.0, 0.0))
    assert (found, workers) == (2.0, [2, 0])


def test_a_cutoff_ends_the_branching_with_a_bound():
    found, below, _ = whole(2.0)
    assert found == np.inf
    assert 2.0 * (1 - 1e-8) <= below <= 3.0
    assert whole(np.inf, high=(1, 0))[1] == np.inf  # too few workers


@pytest.mark.parametrize("seed", range(8))
def test_pairs_choose_the_best_set_with_what_sets_cost_besides(seed):
    cases = [drawn(10 * seed + k) for k in range(2)]
    extra = np.random.default_rng(seed).integers(-9, 9, (2, 1 << SITES)).astype(float)
    one = cases[0]
    for case in cases:
        case |= {"transfer": one["transfer"]}
    bound, found = np.zeros(2), Placements.none(2, SITES, 1 << SITES)
    workers, at = found.workers, found.server
    data = PlacementData(
        np.array([0, 1]), np.array([c["quarters"] for c in cases], float),
        np.array([c["needed"] for c in cases]), np.full(2, 4.0),
        np.array([c["sync"] for c in cases]), one["transfer"], 2,
    )  # fmt: skip
    place_pairs(
        np.array([0, 1]), data, np.array([c["worker"] for c in cases]),
        np.array([c["server"] for c in cases]), True, extra, -1, np.zeros(2), found, bound,
        endless(),
    )  # fmt: skip
    for k, case in enumerate(cases):
        costs = {s: tried(case, s)[0] + extra[k, s] for s in range(1, 1 << SITES)}
        least = min(costs.values())
        assert bound[k] <= least
        assert bound[k] == pytest.approx(least, rel=1e-8, abs=1e-8)
        here = sum(1 << r for r in range(SITES) if workers[k, r] or r == at[k])
        assert costs[here] == least


def test_what_is_no_number_bounds_nothing():
    case = drawn(0)
    case["worker"] = np.full(SITES, np.inf)
    with np.errstate(all="ignore"):
        assert bounded(case, 0b011, 1)[0] == 0.0


@pytest.mark.parametrize("dear", [1e5, 5e307, 1.7e308])
def test_lanes_that_nobody_would_use_raise_no_bound(dear):
    # 0.625 loads at site 0, 0.125 at site 3: a worker at site 0 and the server at site 3 cost
    # 0 + 1, and moving 0.125 loads 0.5, and two sites 4; branches where sums overflow count too
    no = dear
    transfer = np.array([[0.0, no, no, no], [no, 0, no, no], [1, 0, 0, no], [4, no, no, 0]])
    bound = np.zeros(1)
    extra = 2.0 * np.array([[s.bit_count() for s in range(16)]])
    data = PlacementData(
        np.array([0]), np.array([[0.625, 0, 0, 0.125]]), np.array([1]), np.ones(1), np.zeros(1),
        transfer, 1,
    )  # fmt: skip
    place_pairs(
        np.array([0]), data, np.array([[0.0, 2, 2, 3]]), np.array([[5.0, 2, 3, 1]]), True, extra,
        -1, np.zeros(1), Placements.none(1, 4, 16), bound, endless(),
    )  # fmt: skip
    assert bound[0] <= 5.5


class Counted:
    """A kernel that counts what it is asked for, and says so in numbers passed at least."""

    def __init__(self, kernel):
        self.kernel, self.passed = kernel, 0

    def __call__(self, amount, move, *others):
        self.passed += move.size
        return self.kernel.function(amount, move, *others)


def hard(sites=4):
    """A job with about one load and a half at every site: whole workers are branched on."""
    rng = np.random.default_rng(1)
    transfer = rng.uniform(0.85, 0.95, (sites, sites)) * (1 - np.eye(sites))
    volume = rng.uniform(1.4, 1.5, (1, sites))
    needed = np.array([int(np.ceil(volume.sum()))])
    return {
        "volume": volume, "needed": needed, "transfer": transfer,
        "worker": rng.uniform(0.99, 1.01, (1, sites)), "server": np.full((1, sites), 0.01),
    }  # fmt: skip


def place(case, extra, most, run=place_pairs):
    bound, work, one = np.zeros(1), np.array([0, most]), np.zeros(1, np.int64)
    data = PlacementData(
        one, case["volume"], case["needed"], np.ones(1), np.array([0.003]), case["transfer"], 1
    )
    found = Placements.none(1, case["volume"].shape[1], extra.shape[1])
    run(one, data, case["worker"], case["server"], True, extra, -1, np.zeros(1), found, bound, work)
    return bound[0], int(work[0])


def tied_sets(case):
    """What makes all sets cost the same, so that each of them is asked for its last grade."""
    sites = case["volume"].shape[1]
    amount, move = np.zeros(sites + 1), np.vstack([case["transfer"], np.zeros(sites)])
    loads(0, case["volume"], case["needed"][0], 1.0, amount)
    cost = np.zeros((1, 1 << sites))
    for members in range(1, 1 << sites):
        cost[0, members], *_ = deployed_below(
            3, members, -1, case["needed"][0], amount, move, case["worker"][0], case["server"][0],
            0.003 * case["transfer"], np.zeros(sites), 13, np.inf, np.zeros(sites, np.int64),
            endless(),
        )  # fmt: skip
    return cost.max() - cost


def test_every_table_and_branching_is_counted(monkeypatch):
    case = hard()
    for extra in (np.zeros((1, 16)), tied_sets(case)):
        kernels = [Counted(capacity_prices), Counted(charged_below)]
        monkeypatch.setattr(module, "capacity_prices", kernels[0])
        monkeypatch.setattr(module, "charged_below", kernels[1])
        bound, steps = place(case, extra, ENDLESS, place_pairs.interpret)
        monkeypatch.undo()
        assert kernels[0].passed
        # two tables of the first grade are counted as one and what sites take besides
        assert kernels[0].passed + kernels[1].passed / 2 < steps
        assert place(case, extra, ENDLESS) == (bound, steps)


def test_ties_ask_for_more_steps_than_sizes_say():
    case = hard()
    assert place(case, tied_sets(case), ENDLESS)[1] > 2 * place(case, np.zeros((1, 16)), ENDLESS)[1]


def test_beyond_the_most_steps_nothing_is_placed_and_bounds_stay_bounds():
    case = hard()
    extra = tied_sets(case)
    whole, steps = place(case, extra, ENDLESS)
    assert whole > 0
    node = 20 * 25 * 40  # tables of one set
    for most in (0, 1, steps // 3, steps // 2, steps - 1):
        bound, done = place(case, extra, most)
        assert bound <= whole
        assert most < done <= min(steps, most + node)
    assert place(case, extra, 0)[0] == -np.inf
    assert place(case, extra, steps) == (whole, steps)


@pytest.mark.parametrize("most", [0, 300, 1000, 2000])
def test_open_branches_are_bounded_by_their_transport(most):
    case = hard()
    sites = len(case["worker"][0])
    amount, move = np.zeros(sites + 1), np.vstack([case["transfer"], np.zeros(sites)])
    loads(0, case["volume"], case["needed"][0], 1.0, amount)

    def found(most):
        work = np.array([0, most])
        low, high = np.zeros(sites, np.int64), np.full(sites, case["needed"][0])
        cost, below = whole_workers(
            amount, move, case["worker"][0], np.zeros(sites), low, high, case["needed"][0], 13,
            np.inf, ROUNDING, np.zeros(sites, np.int64), work,
        )  # fmt: skip
        return cost, below, int(work[0])

    cost, below, steps = found(ENDLESS)
    assert below == pytest.approx(cost, rel=1e-8)
    early, least, done = found(most)
    assert early >= cost
    assert least <= below
    assert least == pytest.approx(below, rel=0.5)
    assert done < steps
