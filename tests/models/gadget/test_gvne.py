"""gadget.gvne: worker by worker, ring edge by ring edge."""

from farkas.instances import library
from farkas.models.gadget.gvne import Gvne
from farkas.solvers import solve
from tests.conformance.oracle import column, row
from tests.generators.gadget import small


def test_the_size_of_the_embedding_program_is_the_stated_one():
    # q sizes: |V| q(q+1)/2 placements and |E| (q(q+1)/2 - 1) ring edges per job
    cluster = library.load("gadget/two_triangles")
    q, nodes, links = 6, 6, 12
    form = Gvne().form(cluster)
    assert form.num_columns == 1 + q + nodes * q * (q + 1) // 2 + links * (q * (q + 1) // 2 - 1)
    rows = 1 + q * (q + 1) // 2 + nodes * (q * (q + 1) // 2 - 1) + nodes + links
    assert form.num_rows == rows


def test_a_ring_of_two_written_out():
    # servers of 1 and 0 GPUs, links 0 = (0, 1) and 1 = (1, 0)
    form = Gvne().form(small([1, 1], [(0, 1, 3)], {"max_workers": 2}))
    assert row(form, "one_size[0]") == "-1 runs[0] +1 chosen[0,1] +1 chosen[0,2] = 0"
    seat = "-1 chosen[0,2] +1 placed[0,2,1,0] +1 placed[0,2,1,1] = 0"
    assert row(form, "every_worker_sits_somewhere[0,2,1]") == seat
    # edge 1 leads from worker 1 back to worker 0: out of node 1 over link 1, into it over link 0
    assert row(form, "flow[0,2,1,1]") == (
        "+1 placed[0,2,0,1] -1 placed[0,2,1,1] -1 routed[0,2,1,0] +1 routed[0,2,1,1] = 0"
    )
    assert row(form, "node_capacity[1,0]") == (
        "+1 placed[0,1,0,1] +1 placed[0,2,0,1] +1 placed[0,2,1,1] <= 1"
    )
    assert row(form, "link_capacity[0]") == "+2 routed[0,2,0,0] +2 routed[0,2,1,0] <= 3"
    assert solve(form).objective == 10.0


def test_no_worker_sits_where_none_fits():
    form = Gvne().form(small([1, 0.5], [(0, 1, 3)]))
    assert column(form, "placed[0,1,0,0]").endswith("<= 1 integer")
    assert column(form, "placed[0,1,0,1]").endswith("<= 0 integer")
