"""What one-slot programs declare alike: who may run, and what can fill up."""

from farkas.algebra.declare import Declarations
from farkas.models.gadget.base import (
    declare_capacities,
    declare_links,
    declare_participants,
)
from farkas.models.gadget.slot import snapshot
from tests.generators.gadget import small


def declared():
    """Servers of 2 and unlimited GPUs and a switch; one link of 3 Gbps, all others unlimited."""
    edges = [(0, 2, 3), (2, 1, None), (1, 0, None), (2, 0, None)]
    jobs = {"demand": [9.0]}, {"demand": [2.0]}, {"max_workers": 2, "bandwidth": 7.0}
    cluster = small([2, None], edges, *jobs, switches=1, one_way=True)
    m, view = Declarations(), snapshot(cluster).fixed([0, 3, 2])
    declare_participants(m, view)
    declare_capacities(m, cluster, view.jobs)
    declare_links(m, cluster, view.jobs)
    return m


def test_sizes_belong_to_the_jobs_that_may_run():
    m = declared()
    assert m.jobs.table[:, 0].tolist() == [1, 2]
    assert m.sizes.table.tolist() == [[1, 3], [2, 2]]
    assert (m.sizes_of.counts.tolist(), m.sizes_of.table.tolist()) == ([1, 1], [[3], [2]])
    assert m.gain.values.tolist() == [15.0, 10.0]


def test_only_what_is_finite_and_no_switch_can_fill_up():
    m = declared()
    assert m.limits.table.tolist() == [[0, 0]]
    assert m.capacity.values.tolist() == [2.0]
    assert m.demand.values.tolist() == [[2.0], [1.0]]
    assert m.limited_links.table.tolist() == [[0]]
    assert m.bandwidth.values.tolist() == [3.0]
    assert m.reserved.values.tolist() == [2.0, 7.0]
