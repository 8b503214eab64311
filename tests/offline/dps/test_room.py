"""Room for planned jobs: others move aside, keep their mode and units, and vain programs end."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.offline.dps import room
from farkas.offline.dps.room import make_room
from farkas.offline.dps.timeline import Placed
from tests.generators.dps import posted, random_market
from tests.offline.dps.test_reassigning import kept, searching


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


def test_who_is_not_planned_waits():
    found, anew = divided()
    plan = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    assert not list(make_room(anew, plan, lambda: 60.0))
    assert not found.packing.served[2]


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
    monkeypatch.setattr(room, "MOST_IDLE", 3)
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
            got = room._beside(anew, job, mode, market.num_jobs).tolist()
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
