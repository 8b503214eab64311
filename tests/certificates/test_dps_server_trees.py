"""Trees of whole jobs: the integer check against charges by hand, and against optima."""

from __future__ import annotations

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import dps_server_trees
from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_server_trees import LEAF, DpsServerTrees
from farkas.certificates.dps_servers import (
    LEAF_STEPS,
    EqualServers,
    GroupedMarket,
    LeafPrices,
    server_prices_bound,
)
from farkas.errors import NotACertificate
from farkas.models.dps.offline import Offline
from farkas.solvers import solve
from tests.generators.dps import market_in, posted, random_market

NONE = np.zeros(0, np.int64)
SCALE = 20


def drawn(market, seed: int, jobs_decided: int = 2, unit: int = 1):
    """Market prices, and for every group a tree whose leaves have prices; all at random."""
    rng = np.random.default_rng(seed)
    classes = EqualServers.of_market(market)

    def prices(types: int, own) -> tuple[np.ndarray, np.ndarray]:
        cells = np.arange(classes.count * types * market.horizon)
        cells = cells[np.isin(cells // market.horizon // types, own)]
        number = unit * rng.choice([0, 0, 0, 1, 3, 11], len(cells)) * 2**SCALE // 20
        return cells[number > 0], number[number > 0]

    every = np.arange(classes.count)
    market_prices = SlotPrices(SCALE, NONE, NONE, *prices(market.num_ps_types, every))
    grouped = GroupedMarket(market, market_prices, "budget", classes)
    nodes: list[int] = []
    leaves: list[LeafPrices] = []

    def grow(group, free: list[int], left: int) -> None:
        if left == 0 or not free:
            nodes.append(LEAF)
            sides = market.num_worker_types, market.num_ps_types
            leaves.append(LeafPrices(*(a for types in sides for a in prices(types, group.own))))
            return
        job = int(rng.choice(free))
        nodes.append(2 * job + int(rng.integers(2)))
        rest = [i for i in free if i != job]
        grow(group, rest, left - 1)
        grow(group, rest, left - 1)

    for group in grouped.groups:
        grow(group, group.home.tolist(), jobs_decided)
    return market_prices, nodes, leaves


def proved(market, market_prices, nodes, leaves, rewards="budget") -> Fraction:
    made = DpsServerTrees.of(market, Fraction(0), rewards, market_prices, nodes, leaves)
    return made.prove_bound(market)


def by_hand(market, market_prices, nodes, leaves) -> Fraction:
    """Charge every job of every leaf in fractions, server by server and unit by unit."""
    unit = Fraction(1, 2**SCALE)
    servers = list(zip(market.server_workers, market.server_ps, strict=True))
    classes = sorted(set(servers))
    horizon, width = market.horizon, (market.num_worker_types, market.num_ps_types)

    def table(positions, numbers, types):
        found = {}
        for p, n in zip(positions.tolist(), numbers.tolist(), strict=True):
            place, slot = divmod(p, horizon)
            found[(*divmod(place, types), slot)] = n * unit
        return found

    # groups: classes that share a worker type are joined until none do
    group = list(range(len(classes)))
    for _ in classes:
        for a, b in itertools.combinations(range(len(classes)), 2):
            if any(x and y for x, y in zip(classes[a][0], classes[b][0], strict=True)):
                group[a] = group[b] = min(group[a], group[b])
    walk, prices = iter(nodes), iter(leaves)
    w = table(market_prices.ps_positions, market_prices.ps_numbers, width[1])

    def held(end, arrival):
        last = [t for t in range(arrival + 1, horizon) if market.still_held(end, t)]
        return [arrival, *last]

    def leaf(own, home, said) -> Fraction | None:
        priced = next(prices)
        y = table(priced.worker_positions, priced.worker_numbers, width[0])
        v = dict(w)
        for key, more in table(priced.ps_positions, priced.ps_numbers, width[1]).items():
            v[key] = v.get(key, Fraction(0)) + more
        total = Fraction(0)
        for server in servers:
            c = classes.index(server)
            if c in own:
                total += sum(n * server[0][k] for (d, k, _), n in y.items() if d == c)
                total += sum(n * server[1][k] for (d, k, _), n in v.items() if d == c)
        for i in home:
            job, reward = market.jobs[i], Fraction(float(market.budget[i]))
            short = held(market.colocated_end[i], job.arrival)
            long = held(market.spread_end[i], job.arrival)

            def over(prices, c, kind, slots):
                return sum((prices.get((c, kind, t), Fraction(0)) for t in slots), Fraction(0))

            whole = [
                job.workers * over(y, c, job.worker_type, short)
                + job.ps * over(v, c, job.ps_type, short)
                for c, server in enumerate(classes)
                if server[0][job.worker_type] >= job.workers and server[1][job.ps_type] >= job.ps
            ]
            single = [
                sorted(
                    over(prices, classes.index(server), kind, long)
                    for server in servers
                    for _ in range(server[side][kind])
                )[:units]
                for side, prices, kind, units in (
                    (0, y, job.worker_type, job.workers),
                    (1, v, job.ps_type, job.ps),
                )
            ]
            ways = [
                [reward - min(whole)] if whole else [],
                [reward - sum(single[0] + single[1], Fraction(0))]
                if (len(single[0]), len(single[1])) == (job.workers, job.ps)
                else [],
            ]
            if i not in said:
                total += max([Fraction(0), *ways[0], *ways[1]])
            elif said[i][1]:
                if not ways[said[i][0]]:
                    return None
                total += max(ways[said[i][0]])
            else:
                total += max([Fraction(0), *ways[1 - said[i][0]]])
        return total

    def tree(own, home, said) -> Fraction | None:
        node = next(walk)
        if node == LEAF:
            return leaf(own, home, said)
        job, way = divmod(node, 2)
        ends = [tree(own, home, {**said, job: (way, yes)}) for yes in (True, False)]
        return max((end for end in ends if end is not None), default=None)

    total = Fraction(0)
    for number in sorted(set(group)):
        own = {c for c in range(len(classes)) if group[c] == number}
        home = [
            i
            for i, job in enumerate(market.jobs)
            if market.fits[i] and any(classes[c][0][job.worker_type] for c in own)
        ]
        total += tree(own, home, {})
    return total


@pytest.mark.parametrize("seed", range(60))
def test_the_integer_check_is_what_leaves_charge_by_hand(seed):
    market = random_market(seed, jobs=7, servers=1 + seed % 4, types=3)
    market_prices, nodes, leaves = drawn(market, seed, seed % 3)
    exact = by_hand(market, market_prices, nodes, leaves)
    found = proved(market, market_prices, nodes, leaves)
    # each reward is rounded up by less than one unit of the grid
    assert exact <= found <= exact + Fraction(market.num_jobs, 2**SCALE)


@pytest.mark.ids(9)
@pytest.mark.parametrize("seed", range(12))
def test_no_trees_prove_less_than_the_optimum(seed):
    market = random_market(300 + seed, jobs=6, servers=1 + seed % 4, types=3)
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    for draw in range(25):
        assert proved(market, *drawn(market, draw, draw % 4)) >= Fraction(best) - Fraction(1, 10**7)


@pytest.mark.parametrize("seed", range(20))
def test_one_leaf_for_all_is_what_its_prices_prove(seed):
    """Without market prices, and where servers share a type, a leaf is prices by class."""
    market = random_market(seed, jobs=8, servers=2, types=1)
    _, _, leaves = drawn(market, seed, 0)
    none = SlotPrices(SCALE, NONE, NONE, NONE, NONE)
    if len(leaves) > 1:
        market = market.replace(server_workers=[[2], [1]])
        _, _, leaves = drawn(market, seed, 0)
    (leaf,) = leaves
    prices = SlotPrices(
        SCALE, leaf.worker_positions, leaf.worker_numbers, leaf.ps_positions, leaf.ps_numbers
    )
    expected = server_prices_bound(market, prices, "budget")
    assert proved(market, none, [LEAF], [leaf]) == expected


def test_a_tree_decides_what_prices_cannot():
    # three units for two jobs that ask for two each and pay 4
    market = posted((0, 1.0, 2, 4.0), (0, 1.0, 2, 4.0), units=3)
    none = SlotPrices(0, NONE, NONE, NONE, NONE)
    free = LeafPrices(NONE, NONE, NONE, NONE)

    def priced(price: int) -> LeafPrices:
        return LeafPrices(np.array([0]), np.array([price]), NONE, NONE)

    # y prove 3 y + 2 max(0, 4 - 2 y), which is 6 at the least
    assert [proved(market, none, [LEAF], [priced(y)]) for y in (1, 2, 3)] == [7, 6, 9]
    # one job decided: whole it pays 4 - 2 y and the units cost 3 y
    tried = [0, LEAF, 1, LEAF, LEAF]
    assert proved(market, none, tried, [priced(2), priced(2), free]) == 6
    assert proved(market, none, tried, [priced(3), priced(2), free]) == 9 - 2
    # both decided: served together they would lose 4 each at 4, 12 - 4 - 4
    inner = [2, LEAF, 3, LEAF, LEAF]
    nodes = [0, *inner, 1, *inner, LEAF]
    both = [priced(4), priced(4), free]
    assert proved(market, none, nodes, [*both, *both, free]) == 4
    assert proved(market, none, nodes, [*both, free, priced(4), free, free]) == 8


def test_what_others_buy_is_sold():
    """Two groups; a spread job takes its parameter server where there is one, at market price."""
    market = posted((0, 1.0, 1, 5.0), (0, 1.0, 1, 3.0)).replace(
        server_workers=[[1, 0], [0, 1]],
        server_ps=[[0], [1]],
        worker_bandwidth=[None, None],
    )
    second = msgspec.to_builtins(market.jobs[1]) | {"worker_type": 1}
    market = market.replace(jobs=[market.jobs[0], second])
    free = LeafPrices(NONE, NONE, NONE, NONE)
    # the class with worker type 1 comes first, its parameter server has position 0
    price = SlotPrices(0, NONE, NONE, np.array([0]), np.array([3]))
    # the first group: the unit costs 3 and its job 3, so 3; the second: 5 - 3
    assert proved(market, price, [LEAF, LEAF], [free, free]) == 5
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    assert best == 5
    # without a market price both have the unit
    nothing = SlotPrices(0, NONE, NONE, NONE, NONE)
    assert proved(market, nothing, [LEAF, LEAF], [free, free]) == 8


@pytest.mark.parametrize("power", [-60, 60])
@pytest.mark.parametrize("seed", range(4))
def test_the_unit_of_money_changes_nothing(seed, power):
    market = random_market(seed, jobs=8, types=3)
    prices, nodes, leaves = drawn(market, seed)
    scaled = SlotPrices(SCALE - power, NONE, NONE, prices.ps_positions, prices.ps_numbers)
    one = proved(market, prices, nodes, leaves)
    other = proved(market_in(market, 2.0**power), scaled, nodes, leaves)
    assert other == one * Fraction(2) ** power


@pytest.mark.parametrize(
    ("nodes", "leaves", "message"),
    [
        ([], 0, "end before"),
        ([0, LEAF], 1, "end before"),
        ([LEAF], 0, "no prices"),
        ([LEAF], 2, "go on"),
        ([LEAF, LEAF], 1, "go on"),
        ([0, 0, LEAF, LEAF, LEAF], 3, "is decided"),
        ([0, 1, LEAF, LEAF, LEAF], 3, "is decided"),
        ([0, LEAF, 0, LEAF, LEAF], 3, "is decided"),
        ([2, LEAF, LEAF], 2, "another group"),
    ],
)
def test_what_is_no_tree_is_refused(nodes, leaves, message):
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 2, 3.0), units=1)
    none = SlotPrices(0, NONE, NONE, NONE, NONE)
    free = LeafPrices(NONE, NONE, NONE, NONE)
    assert proved(market, none, [0, LEAF, 1, LEAF, LEAF], [free] * 3) == 3
    with pytest.raises(NotACertificate, match=message):
        proved(market, none, nodes, [free] * leaves)


def test_leaves_price_their_own_group_only():
    market = posted((0, 1.0, 1, 3.0)).replace(
        server_workers=[[1, 0], [0, 1]], server_ps=[[1], [1]], worker_bandwidth=[None, None]
    )
    none = SlotPrices(0, NONE, NONE, NONE, NONE)
    free, one = LeafPrices(NONE, NONE, NONE, NONE), np.array([1])
    # class 0 has type 1 and class 1 type 0; workers of class 1 begin at 2 x 9
    for leaf in (
        LeafPrices(np.array([18]), one, NONE, NONE),
        LeafPrices(NONE, NONE, np.array([9]), one),
    ):
        assert proved(market, none, [LEAF, LEAF], [free, leaf]) >= 3
        with pytest.raises(NotACertificate, match="another group"):
            proved(market, none, [LEAF, LEAF], [leaf, free])
    for wrong in (np.array([36]), np.array([-1])):
        with pytest.raises(NotACertificate, match="do not ascend"):
            proved(market, none, [LEAF, LEAF], [free, LeafPrices(wrong, one, NONE, NONE)])
    with pytest.raises(NotACertificate, match="not positive"):
        proved(market, none, [LEAF, LEAF], [free, LeafPrices(NONE, NONE, np.array([9]), 0 * one)])
    beyond = SlotPrices(0, NONE, NONE, np.array([18]), one)
    with pytest.raises(NotACertificate, match="ps: positions do not ascend"):
        proved(market, beyond, [LEAF, LEAF], [free, free])


def test_steps_are_counted(monkeypatch):
    market = random_market(1, jobs=8, servers=3, types=3)
    made = drawn(market, 5)
    group = GroupedMarket(market, made[0], "budget").groups[0]
    leaf = made[2][0]
    prices = len(leaf.worker_positions) + len(leaf.ps_positions) + len(made[0].ps_positions)
    assert group.steps(leaf) == (len(group.home) + 1) * group.classes.count + prices + LEAF_STEPS
    monkeypatch.setattr(dps_server_trees, "MOST_STEPS", 2 * group.steps(leaf) - 1)
    with pytest.raises(NotACertificate, match="leaves of trees"):
        proved(market, *made)


def test_a_run_carries_such_trees():
    market = farkas.load("dps/aggregate_gap")
    found = farkas.optimum(market, gap=0.0)
    assert found.run.certificate.certificate["certificate"] == "dps_server_trees"
    assert farkas.check(found.run, market).proof.bound == found.bound >= found.value
