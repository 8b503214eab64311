"""What schedulers remember of the jobs they have seen."""

from __future__ import annotations

import numpy as np

from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.environment import Arrival, Room, SchedulerState, as_rings
from farkas.online.gadget.gadget import GadgetState
from farkas.replay.gadget import Ring
from tests.generators.gadget import job, star

THREE = star(4, jobs=[job(efficiency=e) for e in (1, 2, 3)])


def arrive(*index):
    return tuple(Arrival(i, THREE.jobs[i]) for i in index)


def nobody():
    return SchedulerState.start(THREE.replace(jobs=[]))


def test_jobs_stand_in_the_order_of_the_instance_whenever_they_come():
    seen = nobody().meet(arrive(2))
    seen = SchedulerState(seen.cluster, seen.index, np.array([5.0]), 1).meet(arrive(1, 0))
    assert seen.index.tolist() == [0, 1, 2]
    assert [one.efficiency for one in seen.cluster.jobs] == [1, 2, 3]
    assert seen.received.tolist() == [0, 0, 5]
    assert seen.meet(()) is seen
    assert seen.meet(arrive(1, 2)) is seen  # known already


def test_the_model_and_the_rounding_of_a_slot_look_at_the_same():
    seen = nobody()
    assert seen.meet(arrive(0)) is seen.meet(arrive(0))
    assert seen.meet(arrive(1)).index.tolist() == [1]
    met = seen.meet(arrive(0))
    assert met.now() is met.now("printed")
    assert met.now("envelope") is not met.now()
    after, _ = met.run(Rings.none(met.cluster))
    assert after.now().slot == 1


def test_a_slot_adds_what_its_rings_hold_and_tells_positions_in_the_instance():
    seen = nobody().meet(arrive(0, 2))
    rings = Rings(
        np.array([1, 0]), np.array([2, 1]), np.array([[2, 0], [1, 0]]), np.array([[0, 0], [0, 3]])
    )
    after, decided = seen.run(rings)
    assert (after.received.tolist(), after.slot) == ([1, 2], 1)
    assert (seen.received.tolist(), seen.slot) == ([0, 0], 0)
    assert decided == [
        Ring(job=0, workers=((0, 1),), links=((1, 3),)),
        Ring(job=2, workers=((0, 2),)),
    ]


def test_what_a_subclass_remembers_stays():
    chosen = snapshot(THREE)
    seen = nobody()
    state = GadgetState(seen.cluster, seen.index, seen.received, seen.slot, chosen=chosen)
    assert state.meet(arrive(1)).chosen is chosen
    assert state.run(Rings.none(state.cluster))[0].chosen is chosen


def test_a_failed_placement_keeps_nothing():
    room = Room(star(1, 1, bandwidth=0.5, jobs=[job()]))
    before = room.free.copy(), list(room.residual)
    assert room.place(0, 2) is None
    assert room.free.tolist() == before[0].tolist()
    assert room.residual == before[1]


def test_a_job_without_demand_is_held_by_every_server_up_to_its_largest_ring():
    room = Room(star(0, 5, jobs=[job(demand=[0], max_workers=3)]))
    assert room.fit(0).tolist() == [3, 3, 0]


def test_placed_rings_are_collected_by_job_with_links_counted():
    cluster = star(1, 1, jobs=[job(), job()])
    room = Room(cluster)
    placed = {1: room.place(1, 2), 0: None}
    del placed[0]
    rings = as_rings(cluster, placed)
    assert (rings.job.tolist(), rings.size.tolist()) == ([1], [2])
    # there over links 0 and 3, back over 2 and 1
    assert rings.flow.tolist() == [[1, 1, 1, 1]]
    assert len(as_rings(cluster, {})) == 0


def test_tenths_that_add_up_to_what_there_is_fit():
    # in doubles 0.3 / 0.1 is below 3, and 0.3 - 0.1 - 0.1 below 0.1
    room = Room(star(0.3, jobs=[job(demand=[0.1], max_workers=4)]))
    assert room.fit(0).tolist() == [3, 0]
    room = Room(star(1, 1, bandwidth=0.3, jobs=[job(bandwidth=0.1)]))
    for _ in range(3):
        assert len(room.join(0, [0, 1])) == 4
    assert room.join(0, [0, 1]) is None


def test_a_server_that_rounding_overfills_holds_nobody_and_takes_nobody_away():
    # three times 0.1 is a share 2e-10 more than there is, so that a job of a millionth fits -60
    # times
    first = job(demand=[0.1], max_workers=3)
    room = Room(star(0.3 * (1 - 2e-10), 1e-6, 1e-6, jobs=[first, job(demand=[1e-6])]))
    assert room.place(0, 3).workers.tolist() == [3, 0, 0, 0]
    assert room.fit(1).tolist() == [0, 1, 1, 0]
    assert room.place(1, 2).workers.tolist() == [0, 1, 1, 0]
