"""Idle units over time: against a count job by job and slot by slot."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import sums
from farkas.errors import NotACertificate
from farkas.instances.generate import generate
from farkas.offline.dps import reassigning
from farkas.offline.dps.reassigning import make_room
from farkas.offline.dps.repacking import Repacking
from farkas.offline.dps.timeline import Placed, ServerTimeline
from tests.generators.dps import posted, random_market
from tests.offline.dps.test_scarce_slots import kept, searching


def held(market, timeline, slot):
    """Units that placed jobs hold in a slot, by server and type, one by one."""
    workers, ps = np.zeros_like(market.installed_workers), np.zeros_like(market.installed_ps)
    for job, where in timeline.placed.items():
        end = (market.colocated_end if len(where.servers) == 1 else market.spread_end)[job]
        arrival = market.arrival[job]
        if slot < arrival or (slot > arrival and not market.still_held(float(end), slot)):
            continue
        workers[where.servers, market.worker_type[job]] += where.workers
        ps[where.servers, market.ps_type[job]] += where.ps
    return workers, ps


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_held_twice_and_what_is_refused_has_no_room(seed):
    market = random_market(seed, jobs=12)
    timeline, rng = ServerTimeline(market), np.random.default_rng(seed)
    nowhere = np.zeros(market.num_servers, np.int64)
    for job in rng.permutation(market.num_jobs).tolist():
        where = timeline.one_server(job)
        short = range(
            int(market.arrival[job]), int(market.last_held(market.colocated_end)[job]) + 1
        )
        idle = [
            (market.installed_workers - w, market.installed_ps - p)
            for w, p in (held(market, timeline, t) for t in short)
        ]
        reassigning = [
            all(
                w[s, market.worker_type[job]] >= market.workers[job]
                and p[s, market.ps_type[job]] >= market.ps[job]
                for w, p in idle
            )
            for s in range(market.num_servers)
        ]
        assert (where is not None) == any(reassigning)
        if where is None:
            where = timeline.several_servers(job, nowhere, nowhere)
        else:
            assert reassigning[where.servers[0]]
        if where is not None:
            assert (where.workers.sum(), where.ps.sum()) == (market.workers[job], market.ps[job])
            timeline.put(job, where)
        if rng.random() < 0.2 and timeline.placed:
            timeline.take(next(iter(timeline.placed)))
        for slot in range(market.horizon):
            workers, ps = held(market, timeline, slot)
            assert (workers <= market.installed_workers).all()
            assert (ps <= market.installed_ps).all()


def test_jobs_on_a_server_are_those_that_overlap():
    market = posted((0, 1.0, 1, 1.0), (2, 3.0, 1, 1.0), (4, 1.0, 1, 1.0), units=2)
    timeline = ServerTimeline(market)
    for job in range(3):
        timeline.put(job, timeline.one_server(job))
    assert timeline.on(0, 0, 3) == [0, 1, 2]
    assert timeline.on(0, 1, 2) == [1]
    assert timeline.on(0, 2, 3) == [1, 2]
    timeline.take(1)
    assert timeline.on(0, 1, 2) == []


def test_tables_are_limited(monkeypatch):
    monkeypatch.setattr(sums.affordable, "__defaults__", (7,))
    with pytest.raises(NotACertificate, match="idle units by slot"):
        ServerTimeline(random_market(1, jobs=8))


def on(server: int, units: int) -> Placed:
    return Placed(np.array([server]), np.array([units]), np.array([units]))


def divided():
    """Two servers of two units, each half taken; the third job needs all of one."""
    market = posted((0, 3.0, 1, 1.0), (0, 3.0, 1, 1.0), (1, 2.0, 2, 1.5), units=4).replace(
        server_workers=[[2, 0], [2, 0]], server_ps=[[2], [2]], worker_bandwidth=[None, None]
    )
    found, anew = searching(market)
    found.packing.put(0, on(0, 1))
    found.packing.put(1, on(1, 1))
    return found, anew


def test_others_move_aside_on_servers_of_their_class():
    found, anew = divided()
    assert list(make_room(anew, np.array([[1.0, 0.0]] * 3), lambda: 60.0)) == [True]
    assert found.packing.served.all()
    assert all(where.whole for where in found.packing.timeline.placed.values())
    kept(found)


def test_nothing_is_tried_when_no_time_is_left():
    found, anew = divided()
    assert not list(make_room(anew, np.array([[1.0, 0.0]] * 3), lambda: 0.0))
    assert not found.packing.served[2]


def test_jobs_keep_their_mode():
    """Whole, a job would leave room; as it may not change, the dearer one takes its place."""
    market = posted((0, 3.0, 1, 1.0), (0, 3.0, 2, 5.0), units=2)
    market = market.replace(
        server_workers=[[2, 0], [1, 0]], server_ps=[[2], [1]], worker_bandwidth=[None, None]
    )
    found, anew = searching(market)
    found.packing.put(0, Placed(np.array([0, 1]), np.array([1, 0]), np.array([0, 1])))
    ways = anew._ways(np.array([0]), np.inf, {0: found.packing.take(0)}, {0: 1})
    assert 0 not in ways.what  # whole
    assert len(ways.what) == 5


def test_programs_in_vain_end_it(monkeypatch):
    monkeypatch.setattr(reassigning, "MOST_IDLE", 3)
    market = generate("dps", "published", 0, num_jobs=60, horizon=20, num_servers=3)
    found, anew = searching(market)
    everybody = np.tile([1.0, 0.0], (market.num_jobs, 1))
    tries = list(make_room(anew, everybody, lambda: 60.0))
    assert tries[-3:] == [False] * 3
    assert (~found.packing.served).sum() > 3


def test_groups_that_gain_nothing_promise_less():
    _, anew = divided()
    first = anew._promise(0, 6.0)
    anew.groups[0].idle = 2
    assert anew._promise(0, 6.0) == pytest.approx(first / 3)
    anew.groups[0].work *= 2
    assert anew._promise(0, 6.0) == pytest.approx(first / 6)


@pytest.mark.parametrize("seed", range(6))
def test_those_stand_beside_a_job_who_hold_units_while_it_would_run(seed):
    market = random_market(seed, jobs=14, servers=3, types=2)
    found, anew = searching(market)
    found.packing.fill(np.arange(market.num_jobs))
    over = [market.last_held(market.colocated_end) + 1, market.last_held(market.spread_end) + 1]
    apart = 0
    for job in range(market.num_jobs):
        for mode in (0, 1):
            beside = [
                other
                for other, where in found.packing.timeline.placed.items()
                if anew.group_of[other] == anew.group_of[job]
                and market.arrival[other] < over[mode][job]
                and over[0 if where.whole else 1][other] > market.arrival[job]
            ]
            got = reassigning._beside(anew, job, mode, market.num_jobs).tolist()
            assert sorted(set(got)) == sorted({*beside, job})
            apart += len(beside) < len(found.packing.timeline.placed)
    assert apart > 5  # else everybody meets, and the slots decide nothing


def test_the_dearest_job_that_waits_comes_first(monkeypatch):
    market = posted((0, 3.0, 1, 1.0), (0, 3.0, 1, 3.0), (0, 3.0, 1, 2.0), units=1)
    _, anew = searching(market)
    asked = []

    def vain(jobs, limit, *, modes, **_):
        asked.append(next(iter(modes)))
        return False

    monkeypatch.setattr(anew, "place", vain)
    list(make_room(anew, np.array([[1.0, 0.0]] * 3), lambda: 60.0))
    assert asked[:3] == [1, 2, 0]


def packing(market, charge=1.0):
    nowhere = np.zeros(market.num_servers, np.int64)
    charges = np.full(market.num_jobs, charge)
    hosted = np.where(market.fits_one_server, charges, np.inf)
    return Repacking(
        ServerTimeline(market), market.budget, hosted, np.where(market.fits, charges, np.inf),
        lambda _: (nowhere, nowhere),
    )  # fmt: skip


def exactly(found) -> Fraction:
    """What the jobs served pay; 0.1 + 0.2 in another order is no gain."""
    return sum(map(Fraction, found.payment[found.served].tolist()), Fraction(0))


def state(found):
    places = {
        job: (where.servers.tolist(), where.workers.tolist(), where.ps.tolist())
        for job, where in found.timeline.placed.items()
    }
    return found.value, places, [idle.copy() for idle in found.timeline._idle]


@pytest.mark.parametrize("seed", range(20))
def test_values_never_fall_and_idle_units_are_those_of_the_jobs(seed):
    market = random_market(seed, jobs=14)
    found, rng = packing(market), np.random.default_rng(seed)
    found.fill(np.arange(market.num_jobs))
    for _ in range(30):
        before = exactly(found)
        assert found.move(rng) == (exactly(found) > before)
        assert exactly(found) >= before
        assert set(found.timeline.placed) == set(np.flatnonzero(found.served).tolist())
    kept = found.saved()
    value, places, idle = state(found)
    found.clear()
    assert found.value == 0
    assert all((a == b).all() for a, b in zip(found.timeline._idle, state(packing(market))[2],
                                              strict=True))  # fmt: skip
    found.restore(kept)
    again = state(found)
    assert again[:2] == (value, places)
    assert all((a == b).all() for a, b in zip(idle, again[2], strict=True))


def test_a_move_puts_a_better_job_in_the_place_of_others():
    market = posted((0, 3.0, 1, 1.0), (1, 1.0, 1, 5.0))
    found = packing(market)
    found.fill(np.array([0, 1]))
    assert found.value == 1
    assert found.move(np.random.default_rng(0))
    assert found.value == 5
    assert not found.move(np.random.default_rng(0))
    assert found.value == 5


def test_jobs_that_do_not_pay_for_being_spread_wait():
    market = posted((0, 1.0, 2, 3.0), units=1).replace(
        server_workers=[[1], [1]], server_ps=[[1], [1]]
    )
    dear, cheap = packing(market, 4.0), packing(market, 3.0)
    for found in (dear, cheap):
        found.fill(np.array([0]))
    assert dear.value == 0
    assert dear.waiting
    assert cheap.value == 3
    assert not cheap.waiting


def test_who_is_not_planned_waits():
    found, anew = divided()
    plan = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    assert not list(make_room(anew, plan, lambda: 60.0))
    assert not found.packing.served[2]
