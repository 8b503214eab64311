"""FIFO and least attained service."""

import dataclasses

import numpy as np
import pytest

from farkas.instances.gadget import Cluster
from farkas.online.gadget.environment import Arrival, Room, SchedulerState
from farkas.online.gadget.fixed_rings import LeastAttainedService, fits_alone, fixed_size
from tests.generators.gadget import any_networks, job, over_time, star
from tests.references import gadget_baselines
from tests.tools.decisions import decisions


def test_a_fixed_ring_is_no_larger_than_the_largest_ring_and_what_the_budget_leaves():
    jobs = [job(max_workers=4, fixed_workers=3, budget=[b]) for b in (None, 5, 2)]
    cluster = star(9, jobs=jobs)
    seen = SchedulerState.start(cluster.replace(jobs=[])).meet(
        tuple(Arrival(i, one) for i, one in enumerate(cluster.jobs))
    )
    assert [fixed_size(seen, i) for i in range(3)] == [3, 3, 2]
    seen.received[:] = [100, 3, 2]
    assert [fixed_size(seen, i) for i in range(3)] == [3, 2, 0]
    idle = Room(cluster)
    # asked again and again: what was placed before does not stay
    assert [fits_alone(idle, 0, size) for size in (4, 4, 5, 4)] == [True, True, False, True]
    assert not fits_alone(Room(star(3, jobs=jobs)), 0, 4)


def test_service_is_metered_in_the_first_resource_alone():
    # after one worker-slot each: 1 and 2 GPU-slots, though 9 and 0 of memory
    small = job(max_workers=1, demand=[1, 9], budget=[None, None])
    large = job(max_workers=1, demand=[2, 0], budget=[None, None])
    cluster = Cluster.build(
        horizon=2, resources=["gpu", "memory"], nodes=[{"capacity": [9, 9]}], links=[],
        jobs=[small, large],
    )  # fmt: skip
    seen = SchedulerState.start(cluster)
    order = LeastAttainedService().order
    seen = dataclasses.replace(seen, received=np.array([1.0, 1.0]))
    assert order(seen, np.array([0, 1])).tolist() == [0, 1]
    seen.received[:] = [3.0, 1.0]
    assert order(seen, np.array([0, 1])).tolist() == [1, 0]


@pytest.mark.parametrize("rule", [gadget_baselines.fifo, gadget_baselines.las])
def test_on_every_network_rings_are_placed_as_by_the_rule(rule):
    several = 0
    for number, network in enumerate(any_networks(40, 3)):
        cluster = over_time(network, number)
        found = [
            [(ring.job, dict(ring.workers), dict(ring.links)) for ring in slot]
            for slot in decisions(f"gadget.{rule.__name__}", cluster)
        ]
        assert found == gadget_baselines.slots(cluster, rule)
        several += sum(len(workers) > 1 for slot in found for _, workers, _ in slot)
    assert several > 20
