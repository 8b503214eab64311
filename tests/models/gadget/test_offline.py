"""gadget.offline: the whole horizon, one closed walk per job and slot."""

from farkas.models.gadget.offline import Offline
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.gadget import small, table


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


def test_two_jobs_share_a_server_over_two_slots():
    # one GPU; job 0 earns 5 for its first worker-slot and 1 for its second; job 1 arrives in slot 1
    # and earns 3: one each, 8
    jobs = {"max_workers": 1} | table(0, 5, 6), {"arrival": 1, "max_workers": 1} | table(0, 3)
    form = Offline().form(small([1], (), *jobs, horizon=2))
    assert optimum(form) == 8.0
    assert row(form, "received[0]") == (
        "-1 total[0,1] -2 total[0,2] +1 workers[0,0,0] +1 workers[0,1,0] = 0"
    )
    assert row(form, "received[1]") == "-1 total[1,1] +1 workers[1,1,0] = 0"
    assert row(form, "node_capacity[1,0,0]") == "+1 workers[0,1,0] +1 workers[1,1,0] <= 1"
    assert row(form, "node_capacity[0,0,0]") == "+1 workers[0,0,0] <= 1"


def test_never_running_is_rewarded_as_the_utility_says():
    # a job that fits nowhere keeps its reward at 0, and a loss is not forced upon the other
    jobs = {"demand": [2.0]} | table(7, 9), table(4, 1)
    assert optimum(Offline().form(small([1], (), *jobs))) == 11.0


def test_a_ring_larger_than_its_limit_waits_for_another_slot():
    # two GPUs but one worker a slot; a budget of two worker-slots in three slots
    one = {"max_workers": 1, "budget": [2.0]}
    form = Offline().form(small([2], (), one, horizon=3))
    assert row(form, "ring_size[0,0]") == "+1 workers[0,0,0] <= 1"
    assert optimum(form) == 10.0
