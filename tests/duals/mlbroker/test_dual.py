"""mlbroker.dual, the dual of (9) by hand: the derived one, row by row."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.algebra import programs
from farkas.api.solve import solve_form
from farkas.certificates.mlbroker import Guide, complete
from farkas.duals.dualize import dualize
from farkas.duals.mlbroker import Dual, PrintedDual, Worth, lift
from farkas.forms.feasibility import index_in
from farkas.forms.matrices import as_scipy
from farkas.instances import library
from farkas.models.mlbroker.placement import Offline
from farkas.online.mlbroker.fractional import move_prices, trajectory_bound
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from tests.conformance.oracle import row, traced
from tests.generators.mlbroker import discounted, dual_cases, edge_cases, random_brokerage, single

DATA = dual_cases()
every_instance = pytest.mark.parametrize("name", DATA)


#: Primal variable to which each constraint family belongs.
COLUMN_OF = {
    "price_weights": "resource_cost", "worth_of_moved_data": "moved", "worth_of_workers": "workers",
    "worth_of_server": "server", "worth_of_connections": "connected",
    "worth_of_presence": "deployed", "worth_of_staying": "deployed",
    "deploy_at_most_cost": "started", "list_branch": "not_list", "reduced_branch": "not_reduced",
}  # fmt: skip


def value(form):
    return solve(form).require_optimal().objective


def placed(blocks, among, alike, names=None):
    """Places in other blocks, of the same index, of all places of some."""
    found = {
        (alike.get(block.name, block.name), index_in(block, i)): i
        for block in among
        for i in range(block.start, block.stop)
    }
    return [
        found[(names or {}).get(block.name, block.name), index_in(block, i)]
        for block in blocks
        for i in range(block.start, block.stop)
    ]


@pytest.mark.ids(5)
@every_instance
def test_the_dual_by_hand_is_the_derived_one_row_by_row(name):
    data = DATA[name]
    written, derived = Dual().form(data), dualize(Relaxation(relax="printed").form(data))
    # of the derived one, columns are rows of (9), rows its columns
    at = placed(written.columns, derived.primal.rows, {"started_at_arrival": "started_when_new"})
    column = {row: j for j, row in enumerate(derived.row_of.tolist())}
    columns = [column[row] for row in at]
    rows = placed(written.rows, derived.form.rows, {}, COLUMN_OF)
    assert sorted(columns) == list(range(derived.form.num_columns))
    assert sorted(rows) == list(range(derived.form.num_rows))
    dense = as_scipy(derived.form.matrix).toarray()[rows][:, columns]
    assert as_scipy(written.matrix).toarray() == pytest.approx(dense, rel=1e-12, abs=0)
    for side in ("cost", "lower", "upper"):
        assert getattr(written, side).tolist() == getattr(derived.form, side)[columns].tolist()
    for side in ("row_lower", "row_upper"):
        assert getattr(written, side).tolist() == getattr(derived.form, side)[rows].tolist()


WRITTEN = [programs.build(name) for name in ("mlbroker.dual", "mlbroker.dual_as_printed")]


@pytest.mark.parametrize("dual", WRITTEN, ids=lambda dual: dual.name)
@every_instance
def test_implied_bounds_of_multipliers_cut_off_no_optimum(dual, name):
    form = dual.form(DATA[name])
    assert np.isfinite(form.safe_lower).all()
    assert np.isfinite(form.safe_upper).all()
    stated = form.replace(lower=form.safe_lower, upper=form.safe_upper)
    assert value(stated) == pytest.approx(value(form), rel=1e-7, abs=1e-7)


@pytest.mark.ids(5)
@pytest.mark.parametrize("dual", WRITTEN, ids=lambda dual: dual.name)
@every_instance
def test_the_value_of_a_dual_by_hand_is_proved(dual, name):
    # the primal of a dual leaves reduced costs of 1e-15, which need finite bounds to meet
    solution = solve_form(dual.form(DATA[name]), certify=True)
    assert float(solution.bound) == pytest.approx(solution.answer.objective, rel=1e-9, abs=1e-9)


def test_the_box_of_multipliers_by_hand():
    # `discounted`, U = 4: presence is worth 1/4; a worker 1 + 1/4, a tenth of it per GB; the server
    # 2 + 1/4 and three workers; choosing a price -M = -2.  All a hair wider, for rounding.
    form = Dual().form(discounted())
    first = {block.name: block.start for block in form.columns}
    for name, (low, high) in {
        "enough_workers": (0, 0.125), "all_data_moved": (0, 0.125),
        "cost_at_list_price": (0, 1), "cost_at_reduced_price": (0, 1), "one_branch": (-2, 0),
        "one_server": (0, 6), "present_where_used": (0, 0.25), "started_when_new": (0, 1),
        "workers_connect": (-1.25, 0), "server_is_connected": (0, 1.25),
    }.items():  # fmt: skip
        box = form.safe_lower[first[name]], form.safe_upper[first[name]]
        assert box == pytest.approx((low, high), rel=2e-6)
        assert box[0] <= low <= high <= box[1]


def test_the_rows_of_11_written_out():
    form = Dual().form(discounted())
    staying = "+4 present_where_used[0,0,1] -1 started_when_new[0,0,1] +1 started_when_new[0,1,1]"
    for name, text in {
        "price_weights[1,1,0]": "+1 cost_at_list_price[1,1,0] +1 cost_at_reduced_price[1,1,0] <= 1",
        "worth_of_moved_data[0,1,0,1]": "-1 enough_workers[0,1,1] +1 all_data_moved[0,1,0] <= 1",
        "worth_of_workers[0,1,1]": "+10 enough_workers[0,1,1] -1 cost_at_list_price[1,1,0]"
        " -0.5 cost_at_reduced_price[1,1,0] -1 present_where_used[0,1,1]"
        " -1 workers_connect[0,1,1] <= 0",
        "worth_of_server[0,1,1]": "-2 cost_at_list_price[1,1,0] -1 cost_at_reduced_price[1,1,0]"
        " +1 one_server[0,1] -1 present_where_used[0,1,1] -2 server_is_connected[0,1,1] <= 0",
        "worth_of_connections[0,1,0,1]": "+1 workers_connect[0,1,0]"
        " +1 server_is_connected[0,1,1] <= 2",
        "worth_of_staying[0,0,1]": f"{staying} <= 0",
        "worth_of_presence[0,1,1]": "+4 present_where_used[0,1,1] -1 started_when_new[0,1,1] <= 0",
        "deploy_at_most_cost[0,1,1]": "+1 started_when_new[0,1,1] <= 1",
        "list_branch[1,1,0]": "+2 cost_at_list_price[1,1,0] +1 one_branch[1,1,0] <= 0",
        "reduced_branch[1,1,0]": "+2 cost_at_reduced_price[1,1,0] +1 one_branch[1,1,0] <= 0",
    }.items():
        assert row(form, name) == text


def test_the_worth_of_multipliers_is_no_less_than_the_exact_sums():
    # every sum of 40 resources drops half a unit in the last place of 1 at each of them
    tiny = 2.0**-53
    data = single([[30.0, 0.0]], base_price=[[1.0] * 40] * 2, worker_demand=[1.0, *[tiny] * 39],
                  server_demand=[1.0, *[tiny] * 39], deploy_cost=0.0, num_resources=40)  # fmt: skip
    worth, exact = Worth.of(data), 1 + 39 * Fraction(tiny)
    assert Fraction(float(worth.worker[0, 0])) >= exact
    assert Fraction(float(worth.capacity[0, 0])) >= exact / Fraction(float(data.worker_capacity[0]))
    assert Fraction(float(worth.server[0])) >= exact * (1 + int(data.workers_needed[0]))
    assert worth.server[0] < 4 * (1 + 1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_every_worth_is_a_quotient_or_sum_rounded_up_and_that_of_the_cheapest_site(seed):
    data = random_brokerage(seed, sites=3, resources=2)
    changes = {"worker_capacity": 7.0 + seed, "deploy_cost": 1.0 + seed}
    data = data.replace(jobs=[msgspec.structs.replace(job, **changes) for job in data.jobs])
    worth = Worth.of(data)
    bound = 1 + int(data.workers_needed.max(initial=0))
    for pair, number in enumerate(data.pair_job.tolist()):
        job = data.jobs[number]
        presence = Fraction(job.deploy_cost) / bound
        assert 0 <= Fraction(float(worth.presence[pair, 0])) - presence < presence / 10**12
        servers = []
        for site, prices in enumerate(data.list_price.tolist()):
            rents = [
                sum(Fraction(a) * Fraction(n) for a, n in zip(prices, demand, strict=True))
                for demand in (job.worker_demand, job.server_demand)
            ]
            worker = rents[0] + presence
            capacity = Fraction(float(worth.capacity[pair, site]))
            paid = Fraction(float(worth.worker[pair, site]))
            assert 0 <= paid - worker < worker / 10**12
            assert 0 <= capacity - paid / Fraction(job.worker_capacity) < capacity / 10**12
            servers.append(rents[1] + presence + int(data.workers_needed[pair]) * worker)
        assert 0 <= Fraction(float(worth.server[pair])) - min(servers) < min(servers) / 10**12


def test_prices_of_moving_telescope():
    # c = 1 at two sites over three slots; what more deployment saves is subtracted slot by slot,
    # never below 0 nor above c
    data = single([[5.0, 0.0]] * 3)
    move, left = move_prices(data, np.array([[0.25, 2.0], [0.5, 0.1], [-0.9, -0.5]]))
    assert move.tolist() == [[1, 1], [0.75, 0], [0.25, 0]]
    assert left[0].tolist() == pytest.approx([1.0, 0.5])  # 0.25 + 0.9 is cut at 1


def test_the_bound_of_a_trajectory_weighs_growth_by_what_is_deployed():
    # v = 1/2, then 1: 7 + (1/ln 2) (1/2 ln 1.5 + 1 ln(2/1.5)); nothing was there before
    data = single([[5.0], [5.0]])
    want = 7 + (0.5 * np.log(1.5) + np.log(2 / 1.5)) / np.log(2)
    assert trajectory_bound(data, 7.0, np.array([[0.5], [1.0]])) == pytest.approx(want)


def test_each_family_gets_the_multiplier_of_its_own_sign():
    data = discounted()
    point = complete(data, Guide.zeros(data), "printed", "printed")
    marks = {f: 1.0 + n for n, f in enumerate(("alpha", "beta", "gamma", "mu", "psi", "eta"))}
    marks |= {"theta": 7.0, "rho": 8.0, "xi": 9.0, "phi_server": 10.0}
    marked = {name: np.full_like(getattr(point, name), mark) for name, mark in marks.items()}
    point = dataclasses.replace(point, **marked)
    form = Relaxation(relax="printed").form(data)
    multipliers = lift(form, point, data)
    found = {block.name: set(multipliers[block.where].tolist()) for block in form.rows}
    # rows are kept with their sides on the right: Σ connected = workers as Σ connected - workers
    assert found == {
        "enough_workers": {1.0}, "all_data_moved": {2.0}, "cost_at_list_price": {7.0},
        "cost_at_reduced_price": {8.0}, "one_branch": {9.0}, "one_server": {3.0},
        "present_where_used": {10.0}, "started_at_arrival": {4.0}, "started_when_new": {4.0},
        "workers_connect": {5.0}, "server_is_connected": {6.0},
    }  # fmt: skip


@pytest.mark.ids(5)
@pytest.mark.parametrize("name", [*edge_cases(), "random"])
def test_lifting_covers_every_row_of_every_instance(name):
    data = random_brokerage(3, sites=3, jobs=4) if name == "random" else edge_cases()[name]
    for relax, semantics in (("printed", "strict"), ("tight", "strict"), ("tight", "printed")):
        point = complete(data, Guide.zeros(data), relax, semantics)
        form = Relaxation(relax=relax, semantics=semantics).form(data)
        assert np.isfinite(lift(form, point, data)).all()
        assert lift(form, point, data).shape == (form.num_rows,)


def test_weak_duality_fails_for_the_printed_dual():
    # its value exceeds even the integer optimum 16.8
    data = library.load("mlbroker/tiny")
    assert value(PrintedDual().form(data)) > value(Offline().form(data)) + 4


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
    printed, summed = PrintedDual().form(two_resources()), Dual().form(two_resources())
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
    printed, summed = traced(PrintedDual().form(data)).cost, traced(Dual().form(data)).cost
    branches = {"one_branch[0,0,0]": 1.0, "one_branch[0,0,1]": 1.0}
    assert summed == {**printed, **branches}
    assert printed == {"all_data_moved[0,0,0]": 10.0, "one_server[0,0]": 1.0}
