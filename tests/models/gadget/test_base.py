"""What one-slot programs declare alike: who may run with which sizes."""

from farkas.algebra.declare import Declarations
from farkas.models.gadget.base import declare_participants
from farkas.models.gadget.slot import snapshot
from tests.generators.gadget import small


def test_sizes_belong_to_the_jobs_that_may_run():
    cluster = small([2, None], [], {"demand": [9.0]}, {"demand": [2.0]}, {"max_workers": 2})
    m = Declarations()
    declare_participants(m, snapshot(cluster).fixed([0, 3, 2]))
    assert m.jobs.table[:, 0].tolist() == [1, 2]
    assert m.sizes.table.tolist() == [[1, 3], [2, 2]]
    assert (m.sizes_of.counts.tolist(), m.sizes_of.table.tolist()) == ([1, 1], [[3], [2]])
    assert m.gain.values.tolist() == [15.0, 10.0]
