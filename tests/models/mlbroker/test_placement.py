"""The rules of (8), written out, and a point they keep in exact arithmetic whatever is rounded."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra import Program, programs
from farkas.forms.feasibility import index_in
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import (
    Constants,
    PlacedWorkers,
    SlotProblem,
    market_of,
    snapshot,
)
from farkas.models.mlbroker.placement import Offline, OneShot, Recourse
from farkas.online.mlbroker.environment import recourse_costs
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from tests.generators.mlbroker import (
    discounted,
    random_brokerage,
    seen,
    single,
    tight_brokerage,
    without_discounts,
)
from tests.tools.samples import samples

OFFLINE = [
    f"mlbroker.offline[{semantics},{prices},{presence}]"
    for semantics in ("printed", "strict")
    for prices in ("single", "two")
    for presence in ("global", "split")
]
RELAXED = [
    f"{Relaxation.name}[{relax},{semantics}]"
    for relax in ("printed", "tight")
    for semantics in ("printed", "strict")
]


def exact_volume(data: Brokerage, pair: int) -> Fraction:
    return sum(map(Fraction, data.volume[pair].tolist()), Fraction(0))


def everything_at_the_last_site(program: Program, data: Brokerage) -> dict[str, dict]:
    """Columns above 0 of the point with all workers and servers at one site, as fractions."""
    here = data.num_sites - 1
    point: dict[str, dict] = {
        name: {}
        for name in (
            "workers", "server", "deployed", "started", "moved", "connected", "resource_cost",
            "not_list", "not_reduced",
        )
    }  # fmt: skip
    used: dict[tuple[int, int], list[tuple[float, Fraction]]] = {}
    for pair, (i, t) in enumerate(zip(data.pair_job, data.pair_slot, strict=True)):
        count = Fraction(int(data.workers_needed[pair]))
        point["workers"][i, t, here] = point["connected"][i, t, here, here] = count
        point["server"][i, t, here] = point["deployed"][i, t, here] = Fraction(1)
        point["started"][i, t, here] = Fraction(int(t == data.arrival[i]))
        for origin, amount in enumerate(data.trained_volume[pair].tolist()):
            point["moved"][i, t, origin, here] = Fraction(amount)
        for k in range(data.num_resources):
            per_worker, per_server = data.worker_demand[i, k], data.server_demand[i, k]
            used.setdefault((t, k), []).extend([(per_worker, count), (per_server, Fraction(1))])
    for t in sorted({t for t, _ in used}):
        for r in range(data.num_sites):
            for k in range(data.num_resources):
                _price(point, program, data, (t, r, k), used[t, k] if r == here else [])
    return point


def _price(point, program, data, index, used) -> None:
    t, r, k = index
    units = sum((Fraction(float(demand)) * count for demand, count in used), Fraction(0))
    a, e = (Fraction(float(values[r, k])) for values in (data.list_price, data.surcharge))
    dear = units <= Fraction(float(data.threshold[r, k]))
    point["not_list" if not dear else "not_reduced"][index] = Fraction(1)
    if program.pricing == "chord":
        slope = data.chord_slope(program.semantics)[t, r, k]  # rows hold rounded products
        cost = sum((Fraction(float(slope * demand)) * count for demand, count in used), Fraction(0))
    else:
        cost = a * units + e  # above both branches
    point["resource_cost"][index] = cost


def misses(form, point) -> list[str]:
    """Rows and columns that the point violates, in exact arithmetic."""
    values = []
    for block in form.columns:
        known = point[block.name]
        values += [
            known.get(index_in(block, j), Fraction(0)) for j in range(block.start, block.stop)
        ]
    found = []
    for j, value in enumerate(values):
        if not form.lower[j] <= value <= form.upper[j]:
            found.append(form.column_name(j))
        if form.integer[j] and value.denominator != 1:
            found.append(form.column_name(j))
    for i in range(form.num_rows):
        columns, weights = form.matrix.row(i)
        pairs = zip(columns.tolist(), weights.tolist(), strict=True)
        activity = sum((Fraction(w) * values[j] for j, w in pairs), Fraction(0))
        if not form.row_lower[i] <= activity <= form.row_upper[i]:
            found.append(form.row_name(i))
    return found


@pytest.mark.ids(7)
@samples(10, 40)
@pytest.mark.parametrize("name", [*OFFLINE, *RELAXED])
def test_programs_hold_a_point_exactly(name, samples):
    program = programs.build(name)
    fell_short = 0
    for seed in range(samples):
        data = tight_brokerage(seed, short=(0.0, 5e-10)[seed % 2])
        for pair in range(data.num_pairs):
            room = Fraction(float(data.worker_capacity[data.pair_job[pair]]))
            fell_short += exact_volume(data, pair) > room * int(data.workers_needed[pair])
        point = everything_at_the_last_site(program, data)
        assert misses(program.form(data), point) == [], seed
    assert fell_short > samples  # the instances do try the rounding


def test_trained_volume_fits_and_loses_no_more_than_was_forgiven():
    for seed in range(300):
        data = tight_brokerage(seed, short=(0.0, 1e-16, 5e-10)[seed % 3])
        for pair in range(data.num_pairs):
            room = Fraction(float(data.worker_capacity[data.pair_job[pair]]))
            room *= int(data.workers_needed[pair])
            given = exact_volume(data, pair)
            trained = sum(map(Fraction, data.trained_volume[pair].tolist()), Fraction(0))
            assert trained <= room
            assert trained >= min(given, room) * (1 - Fraction(1, 10**14))
            if given <= room:
                assert data.trained_volume[pair].tolist() == data.volume[pair].tolist()


def test_data_that_need_no_worker_within_rounding_are_left_out():
    # 1e-12 GB for workers of 1 GB: Y = 0, so that nothing can be trained
    data = tight_brokerage(0, 0.0)
    quiet = data.replace(
        jobs=[
            {
                "arrival": 0,
                "departure": 0,
                "worker_capacity": 1.0,
                "worker_demand": [1.0, 0.0],
                "server_demand": [0.0, 0.0],
                "sync_volume": 0.0,
                "deploy_cost": 0.0,
                "data": [[1e-12] * data.num_sites],
            }
        ]
    )
    assert quiet.workers_needed.tolist() == [0]
    assert not quiet.trained_volume.any()


@pytest.mark.parametrize("name", [OFFLINE[0], OFFLINE[-1], RELAXED[0], RELAXED[-1]])
def test_data_and_connections_pay_from_the_first_site_to_the_second(name):
    data = random_brokerage(3, sites=3)
    assert (data.transfer != data.transfer.T).any()
    form = programs.build(name).form(data)
    moved, connected = (form.values(form.cost, part) for part in ("moved", "connected"))
    shape = (data.num_pairs, 3, 3)
    for pair, number in enumerate(data.pair_job.tolist()):
        for o in range(3):
            for r in range(3):
                price = data.transfer_price[o][r]
                sync = data.jobs[number].sync_volume
                assert moved.reshape(shape)[pair, o, r] == price
                assert connected.reshape(shape)[pair, o, r] == pytest.approx(price * sync)


def test_the_discount_is_pooled_over_jobs():
    data = single([[10.0]], discount_price=[[0.5]], discount_threshold=[[2.0]])
    data = data.replace(jobs=[data.jobs[0], data.jobs[0]])
    costs = recourse_costs(PlacedWorkers.of(data, [[1], [1]], [0, 0]))
    assert costs.resource.tolist() == [3.0]  # 4 units: 0.5 * 4 + 0.5 * 2


@pytest.mark.parametrize("seed", range(5))
def test_transport_on_two_sites_moves_the_excess_only(seed):
    data = random_brokerage(seed, jobs=4)
    placed = PlacedWorkers.checkpoint(data)
    excess = np.maximum(data.volume - 10.0 * placed.workers, 0)
    expected = excess[:, 0] * data.transfer[0, 1] + excess[:, 1] * data.transfer[1, 0]
    assert recourse_costs(placed).transfer.sum() == pytest.approx(expected.sum(), abs=1e-9)


def test_an_instance_stands_for_its_checkpoint():
    data = random_brokerage(3, sites=3)
    answer = solve(programs.build("mlbroker.recourse").form(data)).require_optimal()
    moved = recourse_costs(PlacedWorkers.checkpoint(data)).transfer.sum()
    assert answer.objective == pytest.approx(moved)


def test_placed_workers_train_what_fits_into_the_capacities_of_their_sites():
    # capacities P y are rounded site by site: their exact sum counts
    for seed in range(100):
        placed = PlacedWorkers.checkpoint(tight_brokerage(seed, short=5e-10))
        rooms = [sum(map(Fraction, row), Fraction(0)) for row in placed.capacity().tolist()]
        trained = [sum(map(Fraction, row), Fraction(0)) for row in placed.trained_volume().tolist()]
        assert all(few <= room for few, room in zip(trained, rooms, strict=True))
        assert Recourse().form(placed).num_rows > 0


def test_constants_are_those_of_the_whole_instance():
    # the second slot alone would have U = 1 + 2 and M = 0.5 (4 - 1)
    constants = Constants.of(discounted())
    assert (constants.big_m, constants.presence_bound) == (2.0, 4)
    assert Constants.of(discounted().replace(big_m=9.0)).big_m == 9.0


def test_an_instance_stands_for_its_first_busy_slot():
    data = single([[30.0, 0.0], [0.0, 12.0]], num_slots=4)
    job = data.replace(jobs=[]).replace(num_slots=4)
    problem = SlotProblem.of(data)
    assert problem.market.num_slots == 1
    assert problem.market.volume.tolist() == [[30, 0]]
    assert problem.before.tolist() == [[0, 0]]
    assert SlotProblem.of(problem) is problem
    assert SlotProblem.of(job).before.shape == (0, 2)


def test_the_weight_of_the_entropy_is_the_cost_of_deploying_from_nothing():
    # c = 1, ε = 1: σ = ln(1 + 1/ε) = ln 2, so that full deployment from nothing costs about c
    problem = SlotProblem.of(single([[30.0, 0.0]]))
    assert problem.scale.tolist() == [[1 / math.log(2)]]
    assert np.shape(problem.scale) == (1, 1)


def test_every_slot_keeps_its_jobs_and_data_and_all_prices() -> None:
    data = random_brokerage(2, sites=3, jobs=4, resources=2)
    for slot in range(data.num_slots):
        jobs = data.jobs_at(slot)
        market = market_of(data, slot, jobs)
        assert (market.num_slots, market.num_jobs, market.big_m) == (1, len(jobs), None)
        assert market.volume.tolist() == data.volume[data.pairs_at(slot)].tolist()
        assert np.array_equal(market.list_price, data.list_price)
        assert np.array_equal(market.transfer, data.transfer)
        assert market.deploy_cost.tolist() == data.deploy_cost[jobs].tolist()
        assert market.arrival.tolist() == market.departure.tolist() == [0] * len(jobs)


def value(data):
    return solve(OneShot().form(data)).require_optimal().objective


@pytest.mark.parametrize("seed", range(5))
def test_one_slot_without_past_is_the_strict_offline_program(seed):
    data = random_brokerage(seed, slots=1, sites=3, jobs=3)
    strict = solve(Offline(semantics="strict").form(data)).require_optimal().objective
    assert value(data) == pytest.approx(strict, abs=1e-6)


def test_staying_is_free_and_moving_costs_a_deployment():
    # 5 GB at site 1; a worker and a server at 1 USD each; moving costs 1 USD/GB, deploying 1 USD
    data = single([[5.0, 0.0], [0.0, 5.0]])
    assert value(snapshot(data, 1)) == pytest.approx(2 + 1)
    assert value(seen(data, 1, [[False, True]])) == pytest.approx(2)
    assert value(seen(data, 1, [[True, False]])) == pytest.approx(2 + 1)
    # with deployment at 9 USD the data go back to where the job is
    dear = single([[5.0, 0.0], [0.0, 5.0]], deploy_cost=9.0)
    assert value(seen(dear, 1, [[True, False]])) == pytest.approx(2 + 5)


def test_the_discount_counts_where_there_is_one():
    # three workers and a server: 4 units; list 4, discounted 0.5 * 4 + 0.5 * 1 = 2.5; deployment 1
    data = single([[30.0]], discount_price=[[0.5]], discount_threshold=[[1.0]])
    assert value(data) == pytest.approx(2.5 + 1)
    assert value(without_discounts(data)) == pytest.approx(4 + 1)
