"""Programs around scarce slots: what is lost when, who meets there, and what they gain."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.dps import SlotPrices
from farkas.offline.dps import scarce_slots
from farkas.offline.dps.place_program import PS, WHOLE, WORKERS
from farkas.offline.dps.placements import Placements
from farkas.offline.dps.reassigning import Reassigning
from farkas.offline.dps.scarce_slots import ScarceSlots
from farkas.offline.dps.timeline import Placed
from farkas.relaxations.dps.server_prices import ServerProgram
from farkas.relaxations.dps.server_trees import ServerTrees
from tests.generators.dps import posted
from tests.offline.dps.test_reassigning import paying


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


def test_idle_units_are_lost_at_their_price_and_who_waits_at_what_it_would_gain():
    slots = around(contested(), PRICES)
    slots.packing.put(1, on(0, 1))
    assert slots.lost().tolist() == pytest.approx([0.0, 0.0, 1.25 + 0.55])
    slots.packing.put(2, on(0, 1))
    assert slots.lost().tolist() == pytest.approx([0.0, 0.0, 0.0])


def test_prices_between_arrivals_are_those_of_the_slot_before():
    market = posted((0, 4.0, 1, 1.0), (3, 1.0, 1, 1.9))
    slots = around(market, {1: 0.5, 2: 0.25, 3: 1.0})
    assert slots.dear.tolist() == pytest.approx([0.75, 1.0])


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


def test_nothing_is_tried_when_no_time_is_left():
    slots = around(contested())
    slots.packing.put(0, on(0, 1))
    assert list(slots.moves(lambda: 0.0, 0.0)) == []
    assert not slots.over
    assert sorted(slots.timeline.placed) == [0]


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


def test_a_slot_is_done_with_when_all_jobs_met_there_in_vain(monkeypatch):
    slots, tried = around(contested(), PRICES), []
    slots.packing.put(0, on(0, 1))
    monkeypatch.setattr(slots.anew, "place", lambda jobs, *_, **__: bool(tried.append(jobs)))
    assert list(slots.moves(lambda: 60.0, 0.0)) == [False, False]
    assert slots.over
    assert [jobs.tolist() for jobs in tried] == [[0, 1], [0, 2]]
    assert slots.closed.tolist() == [False, True, True]


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


def test_a_slot_where_all_jobs_meet_comes_again_after_a_gain(monkeypatch):
    slots = around(contested(), PRICES)
    slots.packing.put(0, on(0, 1))
    monkeypatch.setattr(slots.anew, "place", lambda *_, **__: True)
    moves = slots.moves(lambda: 60.0, 0.0)
    assert next(moves)
    next(moves)
    assert not slots.closed.any()


@pytest.mark.parametrize(("served", "waiting"), [(2, 2), (4, 3), (5, 3)])
def test_of_many_that_wait_one_more_than_half_as_many_come(served, waiting):
    slots = around(posted(*((0, 2.0, 1, 1.0 + t / 10) for t in range(12)), units=served))
    for job in range(served):
        slots.packing.put(job, on(0, 1))
    met = slots.meeting(0, 0, np.inf)
    # the dearest of those that wait
    assert met.tolist() == [*range(served), *range(12 - waiting, 12)]
