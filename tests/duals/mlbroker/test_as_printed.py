"""mlbroker.dual_as_printed: what the paper prints, with its indices repaired."""

from farkas.duals.mlbroker import Dual, DualAsPrinted
from farkas.instances import library
from farkas.models.mlbroker.offline import Offline
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.solvers import solve
from tests.conformance.oracle import row, traced
from tests.generators.mlbroker import random_brokerage, single


def value(form):
    return solve(form).require_optimal().objective


def test_weak_duality_fails_for_the_printed_dual():
    # its value exceeds even the integer optimum 16.8
    data = library.load("mlbroker/tiny")
    assert value(DualAsPrinted().form(data)) > value(Offline().form(data)) + 4


def test_the_printed_dual_may_also_lie_below():
    # per resource instead of summed is a restriction: with a list price only, xi has no weight
    data = random_brokerage(3, sites=2, jobs=2, resources=3).replace(
        discount_price=None, discount_threshold=None
    )
    primal = value(Relaxed(relax="printed").form(data))
    assert value(DualAsPrinted().form(data)) < primal - 1e-3


def two_resources():
    """Workers of 1 and 3 units, servers of 2 and 4, at 1 and 2 USD without a discount."""
    return single(
        [[10.0]],
        num_resources=2,
        worker_demand=[1.0, 3.0],
        server_demand=[2.0, 4.0],
        base_price=[[1.0, 2.0]],
    )


def test_each_resource_alone_instead_of_their_sum():
    printed, summed = DualAsPrinted().form(two_resources()), Dual().form(two_resources())
    dear, cheap = (f"-{6} cost_at_{name}_price[0,0,1]" for name in ("list", "reduced"))
    rest = "-1 present_where_used[0,0,0] -1 workers_connect[0,0,0] <= 0"
    assert row(printed, "worth_of_workers[0,0,0,1]") == (
        f"+10 enough_workers[0,0,0] {dear} {cheap} {rest}"
    )
    assert row(summed, "worth_of_workers[0,0,0]") == (
        "+10 enough_workers[0,0,0] -1 cost_at_list_price[0,0,0] -6 cost_at_list_price[0,0,1] "
        f"-1 cost_at_reduced_price[0,0,0] -6 cost_at_reduced_price[0,0,1] {rest}"
    )
    assert row(printed, "worth_of_server[0,0,0,1]") == (
        "-8 cost_at_list_price[0,0,1] -8 cost_at_reduced_price[0,0,1] +1 one_server[0,0] "
        "-1 present_where_used[0,0,0] -1 server_is_connected[0,0,0] <= 0"
    )


def test_choosing_a_price_costs_nothing_as_printed():
    data = two_resources()
    printed, summed = traced(DualAsPrinted().form(data)).cost, traced(Dual().form(data)).cost
    branches = {"one_branch[0,0,0]": 1.0, "one_branch[0,0,1]": 1.0}
    assert summed == {**printed, **branches}
    assert printed == {"all_data_moved[0,0,0]": 10.0, "one_server[0,0]": 1.0}
