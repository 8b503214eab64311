"""Trees of whole jobs: their roots are the program by class, their leaves whole jobs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_server_trees import LEAF
from farkas.errors import NotACertificate
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps import server_trees
from farkas.relaxations.dps.server_prices import ServerProgram
from farkas.relaxations.dps.server_trees import ServerTrees
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, posted, random_market


def trees_of(market):
    program = ServerProgram(market, "budget")
    nobody = SlotPrices.of(market, *({"type": (), "slot": (), "price": ()} for _ in range(2)))
    priced = program.priced(nobody, program.whole_ways().chosen(np.zeros(0, np.int64)), np.zeros(0))
    *_, priced = priced, *program.rounds()
    return ServerTrees(program, priced), priced


def grown(market) -> ServerTrees:
    trees, _ = trees_of(market)
    trees.settle(lambda: 60.0, 0.0)
    while trees.expand():
        pass
    return trees


def optimum(market) -> float:
    return solve(Offline().form(market), gap=0.0).require_optimal().objective


@pytest.mark.parametrize("seed", range(40))
def test_roots_together_are_the_program_by_class(seed):
    market = random_market(seed, jobs=10, servers=1 + seed % 4, types=3)
    trees, priced = trees_of(market)
    assert float(trees.bound) == pytest.approx(float(priced.bound), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_trees_prove_the_optimum_of_whole_jobs_and_their_certificate_says_so(seed):
    market = random_market(seed, jobs=10, servers=1 if seed % 2 else 3, types=3)
    trees = grown(market)
    best = optimum(market)
    made = trees.certificate()
    assert made.prove_bound(market) == trees.bound == Fraction(made.bound)
    assert float(trees.bound) >= best * (1 - 1e-9)
    if market.num_servers == 1:  # one server is its class, and spreading is to no avail
        assert float(trees.bound) == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_no_step_proves_less_than_the_optimum_or_more_than_before(seed):
    market = random_market(400 + seed, jobs=9, servers=1 + seed % 3)
    trees, _ = trees_of(market)
    best, before = optimum(market), trees.bound
    for _ in range(30):
        if not trees.expand():
            break
        assert Fraction(best) * (1 - Fraction(1, 10**9)) <= trees.bound <= before
        before = trees.bound


def test_an_integrality_gap_is_closed_by_deciding_jobs():
    market = posted(*[(0, 3.0, 2, 4.0)] * 3, (1, 3.0, 1, 1.0), units=5)
    trees, priced = trees_of(market)
    assert float(priced.bound) == pytest.approx(10.0)
    assert float(trees.bound) == pytest.approx(10.0)
    shares = trees.settle(lambda: 60.0, 0.0)
    assert float(trees.excess) == pytest.approx(1.0)
    assert shares.sum() == 3
    while trees.expand():
        pass
    assert float(trees.bound) == pytest.approx(9.0, rel=1e-6)
    nodes = trees.certificate().trees
    assert nodes.count(LEAF) == len(nodes) // 2 + 1 > 1


def test_a_spread_job_buys_parameter_servers_of_the_other_group():
    market = posted((0, 1.0, 1, 5.0), (0, 1.0, 1, 3.0)).replace(
        server_workers=[[1, 0], [0, 1]], server_ps=[[0], [1]], worker_bandwidth=[None, None]
    )
    second = market.jobs[1]
    market = market.replace(
        jobs=[market.jobs[0], {**{f: getattr(second, f) for f in second.__struct_fields__},
                               "worker_type": 1}]
    )  # fmt: skip
    trees = grown(market)
    assert len(trees.trees) == 2
    assert float(trees.bound) == pytest.approx(5.0)


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
@pytest.mark.parametrize("seed", [1, 5, 8])
def test_the_unit_of_money_changes_nothing(seed, unit):
    market = random_market(seed, jobs=12)
    one, other = grown(market), grown(market_in(market, unit))
    assert float(other.bound) == pytest.approx(float(one.bound) * unit, rel=1e-12)


def test_too_many_columns_are_refused(monkeypatch):
    monkeypatch.setattr(server_trees, "MOST_COLUMNS", 3)
    with pytest.raises(NotACertificate, match="columns of groups"):
        trees_of(random_market(1, jobs=8))


def test_nodes_are_limited(monkeypatch):
    market = posted(*[(0, 3.0, 2, 4.0)] * 3, (1, 3.0, 1, 1.0), units=5)
    monkeypatch.setattr(server_trees, "MOST_NODES", 1)
    assert grown(market).nodes == 1


def test_a_market_that_nobody_visits():
    market = empty_market()
    trees, _ = trees_of(market)
    assert trees.bound == 0
    assert not trees.expand()
    assert trees.certificate().prove_bound(market) == 0
