"""Programs that place jobs anew: nothing is lost, units are kept, and small groups are solved."""

from __future__ import annotations

import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates.dps import SlotPrices
from farkas.instances.generate import generate
from farkas.models.dps.offline import Offline
from farkas.offline.dps import place_program, scarce_slots
from farkas.offline.dps.optimum import Placements
from farkas.offline.dps.place_program import PS, WHOLE, WORKERS
from farkas.offline.dps.reassigning import Reassigning
from farkas.offline.dps.repacking import best_prices
from farkas.offline.dps.scarce_slots import ScarceSlots
from farkas.offline.dps.timeline import Placed, ServerTimeline
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


def around(market, workers=None) -> ScarceSlots:
    """Of an empty cluster, at the prices of its linear program or of workers of class 0."""
    program = ServerProgram(market, "budget" if market.price_cap is None else "capped")
    *_, priced = program.rounds()
    if workers is not None:
        side = {"type": [0] * len(workers), "slot": list(workers), "price": [*workers.values()]}
        none = {"type": [], "slot": [], "price": []}
        priced = program.priced(SlotPrices.of(market, side, none), priced.ways, priced.share)
    trees = ServerTrees(program, priced)
    trees.settle(lambda: 60.0, 0.0)
    found = Placements(program, priced)
    return ScarceSlots(Reassigning(found.packing, program, priced, trees), priced)


def on(server: int, units: int) -> Placed:
    return Placed(np.array([server]), np.array([units]), np.array([units]))


def fill(slots: ScarceSlots) -> None:
    slots.packing.fill(np.flatnonzero(slots.packing.paying))


def contested():
    """A unit, which a job holds in slots 0 to 2 and two dearer ones in slots 1 and 2."""
    return posted((0, 3.0, 1, 1.0), (1, 1.0, 1, 1.9), (2, 1.0, 1, 1.8))


@pytest.mark.parametrize("market", list(paying(range(20), jobs=12, types=2, servers=1)))
def test_what_is_lost_by_slot_is_what_prices_prove_beyond_payments(market):
    """Weak duality as an equation: bound - payments = idle units at their prices + losses.

    Of one class: of more, spread jobs may hold units that are dearer than they could be.
    """
    program = ServerProgram(market, "budget" if market.price_cap is None else "capped")
    *_, priced = program.rounds()
    slots = around(market)
    fill(slots)
    lost, beyond = slots.lost(), float(priced.bound) - slots.packing.value
    assert (lost >= -1e-9 * float(priced.bound)).all()
    assert lost.sum() == pytest.approx(beyond, rel=1e-6, abs=1e-9 * float(priced.bound))


PRICES = {1: 1.5, 2: 1.25}
"""Job 0 should pay 2.75 for `contested`, and job 1 gains 0.4 at its price, job 2 0.55."""


def test_a_job_that_pays_too_little_loses_in_its_dearest_slot():
    slots = around(contested(), PRICES)
    slots.packing.put(0, on(0, 1))
    assert slots.dear.tolist() == pytest.approx([0.0, 1.5, 1.25])
    assert slots.lost().tolist() == pytest.approx([0.0, 1.75 + 0.4, 0.55])


def test_those_meet_who_are_there_and_half_as_many_wait():
    market = posted(*((t // 2, 2.0, 1, 1.0 + t / 10) for t in range(12)), units=2)
    slots = around(market)
    for job in (0, 1, 4, 5, 8, 9):
        slots.packing.put(job, on(0, 1))
    # jobs 4 and 5 are there in slots 2 and 3, of the others the dearest two meet them there
    met = slots.meeting(2, 0, np.inf).tolist()
    assert {4, 5} <= set(met)
    waiting = set(met) - {4, 5}
    assert len(waiting) == 2
    near = [j for j in (2, 3, 6, 7, 10, 11) if market.arrival[j] <= 2 <= market.arrival[j] + 1]
    assert waiting == set(near[:2])
    # nobody who would lose more than there is room
    assert slots.meeting(2, 0, -np.inf).tolist() == [4, 5]
    # one more than half as many again are the nearest: those that end before, or begin after
    assert len(set(slots.meeting(2, 1, -np.inf).tolist()) - {4, 5}) == 1
    assert set(slots.meeting(2, 3, -np.inf).tolist()) == {0, 1, 4, 5, 8, 9}


def four_servers(count: int):
    """Equal ones, and equal jobs."""
    return posted(*[(0, 3.0, 1, 1.0)] * count).replace(
        server_workers=[[1]] * 4, server_ps=[[1]] * 4
    )


def test_many_jobs_are_placed_anew_on_a_part_of_the_servers(monkeypatch):
    """Half of the servers and of the jobs that are placed are a quarter of the columns."""
    slots = around(four_servers(8))
    for job in range(4):
        slots.packing.put(job, on(job, 1))
    jobs = np.arange(8)
    assert slots.part(jobs)[1] is None
    monkeypatch.setattr(scarce_slots, "MOST_COLUMNS", 8)
    kept, among = slots.part(jobs)
    assert among.sum() == 2
    assert kept.tolist() == [*np.flatnonzero(among), 4, 5, 6, 7]
    # jobs may stay where they are, others come on open servers only
    before = {job: slots.packing.take(job) for job in (0, 1, 2, 3)}
    open_ones = np.array([True, False, True, False])
    ways = slots.anew._ways(np.array([1, 4]), np.inf, before, None, open_ones)
    for what in (WHOLE, WORKERS, PS):
        for job, servers in ((1, [0, 1, 2]), (4, [0, 2])):
            assert ways.server[(ways.what == what) & (ways.job == job)].tolist() == servers


class InOrder:
    """Instead of a random order."""

    def permutation(self, servers):
        return servers


def test_who_has_no_worker_on_open_servers_stays_where_it_is(monkeypatch):
    """Two spread jobs with the worker of one and the parameter server of the other on a server."""
    slots = around(four_servers(2))
    apart = np.array([0, 3])
    slots.packing.put(0, Placed(apart, np.array([1, 0]), np.array([0, 1])))
    slots.packing.put(1, Placed(apart, np.array([0, 1]), np.array([1, 0])))
    monkeypatch.setattr(scarce_slots, "MOST_COLUMNS", 2)
    monkeypatch.setattr(slots, "rng", InOrder())
    kept, among = slots.part(np.arange(2))
    assert among.tolist() == [True, True, False, False]
    assert kept.tolist() == [0]


def test_the_dearest_jobs_of_a_crowded_slot_are_found():
    slots = around(contested())
    slots.packing.put(0, on(0, 1))
    assert True in list(slots.moves(lambda: 60.0, 0.0))
    assert sorted(slots.timeline.placed) == [1, 2]
    assert list(slots.moves(lambda: 60.0, 0.0)) == []
    assert slots.over


def test_jobs_hold_units_as_they_are_placed_or_would_be_at_best():
    slots = around(contested())
    slots.timeline.after = (np.array([6, 6, 6]), np.array([3, 3, 3]))
    slots.anew.lost = (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0]))
    slots.timeline.placed[2] = on(0, 1)
    assert slots._after().tolist() == [3, 6, 3]


@pytest.mark.parametrize("seed", range(10))
def test_unit_prices_take_the_whole_budget_and_no_more(seed):
    market = random_market(seed, jobs=14)
    for job, price in zip(market.jobs, best_prices(market).tolist(), strict=True):
        units = job.workers + job.ps
        assert Fraction(price) * units <= Fraction(job.budget)
        if market.price_cap is not None:
            assert price <= market.price_cap
        more = float(np.nextafter(np.nextafter(price, np.inf), np.inf))
        above = market.price_cap is not None and more > market.price_cap
        assert above or Fraction(more) * units > Fraction(job.budget)


def test_smaller_programs_come_again_when_others_gained_as_much_as_is_lost(monkeypatch):
    """Slot 1 loses 2.15 and slot 2 0.55, of which a third counts after a program in vain."""
    slots, tried = around(contested(), PRICES), []
    slots.packing.put(0, on(0, 1))

    def place(jobs, *_, **__):
        tried.append((jobs.tolist(), slots.wider.tolist()))

    monkeypatch.setattr(slots.anew, "place", place)
    monkeypatch.setattr(scarce_slots, "MOST_IDLE", 1)
    slots.wider[:], slots.value[:] = [0, 1, 0], slots.packing.value
    list(slots.moves(lambda: 60.0, 0.0))
    slots.closed[:] = False
    list(slots.moves(lambda: 60.0, 0.0))
    assert [slots.wider.tolist()] == [[0, 2, 1]]
    slots.value[1] = slots.packing.value - 2.2
    slots.closed[:] = True
    list(slots.moves(lambda: 60.0, 0.0))
    assert [wider for _, wider in tried] == [[0, 2, 0], [0, 2, 1], [0, 1, 1]]
