"""What schedulers remember of the jobs they have seen."""

import numpy as np

from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.environment import Arrival, Ring
from farkas.online.gadget.gadget import GadgetState
from farkas.online.gadget.seen import Seen
from tests.generators.gadget import job, star

THREE = star(4, jobs=[job(efficiency=e) for e in (1, 2, 3)])


def arrive(*index):
    return tuple(Arrival(i, THREE.jobs[i]) for i in index)


def nobody():
    return Seen.start(THREE.replace(jobs=[]))


def test_jobs_stand_in_the_order_of_the_instance_whenever_they_come():
    seen = nobody().meet(arrive(2))
    seen = Seen(seen.cluster, seen.index, np.array([5.0]), 1).meet(arrive(1, 0))
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


def test_what_jobs_received_adds_up_over_slots():
    seen = nobody().meet(arrive(0, 2))
    first = Rings(np.array([0]), np.array([1]), np.array([[1, 0]]), np.zeros((1, 2), int))
    both = Rings(
        np.array([0, 1]), np.array([2, 1]), np.array([[2, 0], [1, 0]]), np.zeros((2, 2), int)
    )
    assert seen.run(first)[0].run(both)[0].received.tolist() == [3, 1]


def test_what_a_subclass_remembers_stays():
    chosen = snapshot(THREE)
    seen = nobody()
    state = GadgetState(seen.cluster, seen.index, seen.received, seen.slot, chosen=chosen)
    assert state.meet(arrive(1)).chosen is chosen
    assert state.run(Rings.none(state.cluster))[0].chosen is chosen
