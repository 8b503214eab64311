"""Programs that place jobs anew: nothing is lost, units are kept, and small groups are solved."""

from __future__ import annotations

import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.models.dps.offline import Offline
from farkas.offline.dps import place_program
from farkas.offline.dps.placements import Placements
from farkas.offline.dps.reassigning import Reassigning
from farkas.offline.dps.timeline import ServerTimeline
from farkas.offline.ladder import ladders
from farkas.relaxations.dps.server_prices import ServerProgram
from farkas.relaxations.dps.server_trees import ServerTrees
from farkas.solvers import solve
from tests.generators.dps import posted, random_market


def searching(market) -> tuple[Placements, Reassigning]:
    rewards = "budget" if market.price_cap is None else "capped"
    program = ServerProgram(market, rewards)
    *_, priced = program.rounds()
    trees = ServerTrees(program, priced)
    trees.settle(lambda: 60.0, 0.0)
    found = Placements(program, priced)
    return found, Reassigning(found.packing, program, priced, trees)


def kept(found: Placements) -> None:
    """Decisions replay without a fault; idle units are those of an empty cluster less theirs."""
    market = found.market
    run = ladders["dps.optimum"].run(market, found.decisions())
    assert not run.violations
    assert float(run.reached) == pytest.approx(found.packing.value, rel=1e-9, abs=1e-12)
    again = ServerTimeline(market)
    for job, where in found.packing.timeline.placed.items():
        again.put(job, where)
    for one, other in zip(again._idle, found.packing.timeline._idle, strict=True):
        assert (one == other).all()
        assert (one >= 0).all()


def optimum(market) -> float:
    prices = "free" if market.price_cap is None else "capped"
    return solve(Offline(prices=prices).form(market), gap=0.0).require_optimal().objective


def paying(seeds, **shape):
    """Random markets in which somebody fits and pays."""
    for seed in seeds:
        market = random_market(seed, **{"servers": 1 + seed % 4, **shape})
        if (market.fits & (market.budget > 0)).any():
            yield pytest.param(market, id=str(seed))


@pytest.mark.parametrize("market", list(paying(range(32), jobs=12, types=3)))
def test_moves_keep_every_unit_and_lose_nothing(market):
    found, anew = searching(market)
    before = found.packing.value
    for gained in anew.moves(lambda: 60.0, 0.0):
        assert (found.packing.value > before) == gained
        assert found.packing.value >= before
        before = found.packing.value
    kept(found)


@pytest.mark.ids(7)
@pytest.mark.parametrize("market", list(paying(range(24), jobs=9, servers=3)))
def test_one_program_of_all_jobs_finds_the_optimum(market):
    found, anew = searching(market)
    anew.place(np.flatnonzero(found.packing.paying), math.inf, gap=0.0)
    kept(found)
    assert found.packing.value == pytest.approx(optimum(market), rel=1e-6, abs=1e-9)


def test_what_is_placed_badly_is_placed_anew():
    market = posted((0, 3.0, 1, 1.0), (1, 1.0, 1, 1.9), (2, 1.0, 1, 1.8))
    found, anew = searching(market)
    found.packing.fill(np.array([0, 1, 2]))
    assert found.packing.value == 1
    assert anew.place(np.arange(3), math.inf, gap=0.0)
    assert sorted(found.packing.timeline.placed) == [1, 2]
    assert not anew.place(np.arange(3), math.inf, gap=0.0)
    kept(found)


def test_parameter_servers_elsewhere_are_used():
    market = posted((0, 1.0, 1, 2.0)).replace(
        server_workers=[[1, 0], [0, 1]], server_ps=[[0], [1]], worker_bandwidth=[None, None]
    )
    found, anew = searching(market)
    assert anew.place(np.array([0]), math.inf, gap=0.0)
    where = found.packing.timeline.placed[0]
    assert (where.servers.tolist(), where.workers.tolist(), where.ps.tolist()) == (
        [0, 1], [1, 0], [0, 1],
    )  # fmt: skip
    kept(found)


def test_what_a_group_misses_adds_up_to_the_gap():
    """Σ (bound - earned at market prices) = Σ bounds - payments - market price of idle units."""
    market = generate("dps", "published", 0, num_jobs=60, horizon=60, num_servers=3)
    found, anew = searching(market)
    found.packing.fill(np.arange(market.num_jobs))
    both = [anew.missing(tree) for tree in anew.trees.trees]
    # whole jobs by class earn less than parts of jobs, as far as a solver says
    assert all(aim <= loose for aim, loose in both)
    assert sum(aim for aim, _ in both) < 0.9 * sum(loose for _, loose in both)
    missing = sum(loose for _, loose in both)
    payments = Fraction(found.packing.value)
    prices = anew.trees.market_prices
    idle = 0.0
    classes = anew.classes
    for position, price in zip(prices.ps_positions.tolist(), anew.ps_price.tolist(), strict=True):
        place, slot = divmod(position, market.horizon)
        c, kind = divmod(place, market.num_ps_types)
        used = 0
        for job, where in found.packing.timeline.placed.items():
            last = found.packing.timeline.last_slot(job)
            if market.ps_type[job] == kind and market.arrival[job] <= slot <= last:
                used += int(where.ps[classes.of[where.servers] == c].sum())
        idle += price * (int(classes.ps[c, kind]) - used)
    assert missing == pytest.approx(float(anew.trees.bound - payments) - idle, rel=1e-6)


def test_near_jobs_are_of_the_type_and_arrive_next():
    jobs = [(t, 1.0, 1, 1.0) for t in range(9)]
    found, anew = searching(posted(*jobs))
    (group,) = anew.groups
    able = anew._able(group, 10.0)
    group.columns = 3
    assert anew._nearest(4, able, group).tolist() == [3, 4, 5]
    group.columns = 2
    assert anew._nearest(0, able, group).tolist() == [0, 1]
    assert found.market.num_servers == 1


def two_clusters():
    """Two worker types on servers of their own, jobs of which the first may go to either."""
    jobs = posted(*((t // 3, 1.0 + t % 2, 1, 1.0 + t) for t in range(8))).jobs
    return posted((0, 1.0, 1, 1.0)).replace(
        server_workers=[[1, 0], [0, 1]],
        server_ps=[[1], [1]],
        worker_bandwidth=[None, None],
        jobs=[
            {**msgspec.to_builtins(job), "worker_type": number % 2}
            for number, job in enumerate(jobs)
        ],
    )


def test_what_all_groups_miss_is_the_gap_to_the_best_whole_jobs():
    market = two_clusters()
    found, anew = searching(market)
    found.packing.fill(np.arange(2))
    *groups, everybody = anew._all_missing()
    assert len(groups) == len(anew.trees.trees) == 2
    aims = sum(float(anew.trees.grouped.in_money(tree.aim)) for tree in anew.trees.trees)
    assert everybody[0] == pytest.approx(aims - found.packing.value)
    own = [anew.missing(tree)[0] for tree in anew.trees.trees]
    idle = everybody[0] - sum(own)
    assert [aim for aim, _ in groups] == pytest.approx([each + idle for each in own])
    of_groups = np.concatenate([group.jobs for group in anew.groups[:-1]])
    assert sorted(anew.groups[-1].jobs) == sorted(of_groups)


def test_programs_end_where_nothing_is_missing():
    market = two_clusters()
    found, anew = searching(market)
    assert list(anew.moves(lambda: 60.0, 0.0))
    kept(found)
    assert found.packing.value == pytest.approx(optimum(market))


def test_large_programs_find_what_is_placed_badly(monkeypatch):
    monkeypatch.setattr(place_program, "FEW_COLUMNS", 0)
    market = posted((0, 3.0, 1, 1.0), (1, 1.0, 1, 1.9), (2, 1.0, 1, 1.8))
    found, anew = searching(market)
    found.packing.fill(np.array([0, 1, 2]))
    assert anew.place(np.arange(3), math.inf, gap=0.0)
    assert sorted(found.packing.timeline.placed) == [1, 2]
    kept(found)


def test_places_that_earn_the_same_are_taken_and_are_no_gain(monkeypatch):
    """Two jobs that pay the same meet on one unit: either may have it."""
    market = posted((0, 1.0, 1, 1.0), (0, 1.0, 1, 1.0))
    found, anew = searching(market)
    found.packing.fill(np.array([0]))

    def other(form, job, start, *_, **__):
        assert form.objective(start) == 1
        return np.where((form.cost > 0) & (job == 1) & (start == 0), 1.0, 0.0), 0.0

    monkeypatch.setattr("farkas.offline.dps.reassigning.best_places", other)
    monkeypatch.setattr(anew, "_ways", whole_ways(anew))
    assert not anew.place(np.arange(2), math.inf)
    assert sorted(found.packing.timeline.placed) == [1]
    kept(found)


def whole_ways(anew):
    """The columns of whole jobs alone."""
    ways = anew._ways

    def only(*arguments):
        all_of_them = ways(*arguments)
        whole = all_of_them.what == place_program.WHOLE
        return place_program.PlaceColumns(
            *(each[whole] for each in (
                all_of_them.what, all_of_them.job, all_of_them.server, all_of_them.most
            ))
        )  # fmt: skip

    return only
