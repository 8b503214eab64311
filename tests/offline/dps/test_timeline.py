"""Idle units over time: against a count job by job and slot by slot."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import guards
from farkas.errors import NotACertificate
from farkas.offline.dps.timeline import Placed, ServerTimeline
from tests.generators.dps import posted, random_market


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
        room = [
            all(
                w[s, market.worker_type[job]] >= market.workers[job]
                and p[s, market.ps_type[job]] >= market.ps[job]
                for w, p in idle
            )
            for s in range(market.num_servers)
        ]
        assert (where is not None) == any(room)
        if where is None:
            where = timeline.several_servers(job, nowhere, nowhere)
        else:
            assert room[where.servers[0]]
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


def test_units_whose_partners_are_taken_go_first():
    market = posted((0, 2.0, 1, 1.0), (0, 2.0, 1, 1.0), units=2).replace(
        server_workers=[[2], [2]], server_ps=[[2], [2]]
    )
    timeline = ServerTimeline(market)
    timeline.put(0, Placed(np.array([1]), np.array([0]), np.array([2])))
    where = timeline.several_servers(1, np.zeros(2, np.int64), np.zeros(2, np.int64))
    assert where.servers.tolist() == [0, 1]
    # its worker where all parameter servers are gone
    assert where.workers.tolist() == [0, 1]


def test_ranks_come_before_that():
    market = posted((0, 1.0, 2, 1.0), units=2).replace(
        server_workers=[[2], [2]], server_ps=[[2], [2]]
    )
    where = ServerTimeline(market).several_servers(0, np.array([1, 0]), np.array([1, 0]))
    assert where.servers.tolist() == [1]
    assert where.whole


def test_tables_are_limited(monkeypatch):
    monkeypatch.setattr(guards.affordable, "__defaults__", (7,))
    with pytest.raises(NotACertificate, match="idle units by slot"):
        ServerTimeline(random_market(1, jobs=8))


def test_jobs_are_spread_over_classes_as_asked():
    market = posted((0, 2.0, 3, 1.0), (0, 1.0, 1, 1.0), units=2).replace(
        server_workers=[[2], [2], [3]], server_ps=[[2], [2], [3]]
    )
    timeline, of = ServerTimeline(market), np.array([0, 0, 1])
    where = timeline.by_class(0, of, np.array([3, 0]), np.array([1, 2]))
    assert where is not None
    assert (where.workers.sum(), where.ps.sum()) == (3, 3)
    by_class = [
        np.bincount(of[where.servers], each, 2).tolist() for each in (where.workers, where.ps)
    ]
    assert by_class == [[3, 0], [1, 2]]
    timeline.put(0, where)
    # one worker of class 0 is left
    assert timeline.by_class(1, of, np.array([2, 0]), np.array([0, 1])) is None
    assert timeline.by_class(1, of, np.array([1, 0]), np.array([0, 1])) is not None


def test_one_server_among_some():
    market = posted((0, 1.0, 1, 1.0), units=2).replace(
        server_workers=[[2], [2]], server_ps=[[2], [2]]
    )
    timeline = ServerTimeline(market)
    for server in (0, 1):
        where = timeline.one_server(0, np.arange(2) == server)
        assert where is not None
        assert where.servers.tolist() == [server]
    assert timeline.one_server(0, np.zeros(2, np.bool_)) is None


def servers_of(*units, jobs):
    """Servers of so many units on each side, and jobs as of `posted`."""
    each = [[some] for some in units]
    return posted(*jobs).replace(server_workers=each, server_ps=each)


def test_idle_is_what_is_idle_in_every_slot_of_a_job():
    market = servers_of(4, 4, jobs=[(0, 3.0, 1, 1.0), (1, 1.0, 2, 1.0), (5, 1.0, 3, 1.0)])
    timeline = ServerTimeline(market)
    timeline.put(1, Placed(np.array([0]), np.array([2]), np.array([1])))
    timeline.put(2, Placed(np.array([1]), np.array([3]), np.array([3])))  # when job 0 is gone
    for whole in (False, True):
        workers, ps = timeline.idle(0, whole)
        assert workers.tolist() == [2, 4]
        assert ps.tolist() == [3, 4]


def test_servers_are_filled_to_the_last_unit():
    market = servers_of(2, 1, jobs=[(0, 1.0, 3, 1.0), (1, 1.0, 4, 1.0)])
    timeline, nowhere = ServerTimeline(market), np.zeros(2, np.int64)
    where = timeline.several_servers(0, nowhere, nowhere)
    assert where is not None
    assert (where.servers.tolist(), where.workers.tolist()) == ([0, 1], [2, 1])
    assert where.ps.tolist() == [2, 1]
    assert timeline.several_servers(1, nowhere, nowhere) is None


def test_of_servers_with_room_the_fullest_is_taken():
    jobs = [(0, 1.0, 2, 1.0), (0, 1.0, 2, 1.0), (0, 1.0, 3, 1.0)]
    timeline = ServerTimeline(servers_of(4, 4, 4, jobs=jobs))
    timeline.put(1, Placed(np.array([1]), np.array([2]), np.array([2])))
    timeline.put(2, Placed(np.array([2]), np.array([3]), np.array([3])))
    # idle are 4, 2 and 1: the last is fuller, but too full for two
    assert timeline.one_server(0).servers.tolist() == [1]
