"""Programs keep a point in exact arithmetic whatever the rounding of volumes and capacities."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra import Program, programs
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.recourse import PlacedWorkers, Recourse
from farkas.relaxations.mlbroker import Relaxed  # registers the relaxations
from tests.tools.samples import samples

OFFLINE = [
    f"mlbroker.offline[{semantics},{prices},{presence}]"
    for semantics in ("printed", "strict")
    for prices in ("single", "two", "choice")
    for presence in ("global", "split")
]
RELAXED = [
    f"{Relaxed.name}[{relax},{semantics}]"
    for relax in ("printed", "tight")
    for semantics in ("printed", "strict")
]


def tight_brokerage(seed: int, short: float) -> Brokerage:
    """Data that fill the needed workers up to a few units in the last place."""
    rng = np.random.default_rng(seed)
    sites, slots, resources = int(rng.integers(1, 4)), 2, 2
    base = rng.uniform(0.1, 3, (sites, resources))
    jobs = []
    for _ in range(int(rng.integers(1, 4))):
        capacity = rng.uniform(0.1, 50)
        needed = rng.integers(1, 40, slots)
        shares = rng.dirichlet(np.ones(sites), slots)
        jobs.append(
            {
                "arrival": 0,
                "departure": slots - 1,
                "worker_capacity": capacity,
                "worker_demand": rng.uniform(0, 2, resources),
                "server_demand": rng.uniform(0, 2, resources),
                "sync_volume": 1.0,
                "deploy_cost": 1.0,
                "data": shares * (capacity * needed * (1 + short))[:, None],
            }
        )
    return Brokerage.build(
        num_sites=sites,
        num_slots=slots,
        num_resources=resources,
        transfer_price=0.1 * (1 - np.eye(sites)),
        base_price=base,
        discount_price=base * 0.7,
        discount_threshold=rng.uniform(0, 20, base.shape),
        epsilon=1.0,
        jobs=jobs,
    )


def exact_volume(data: Brokerage, pair: int) -> Fraction:
    return sum(map(Fraction, data.volume[pair].tolist()), Fraction(0))


def everything_at_the_last_site(program: Program, data: Brokerage) -> dict[str, dict]:
    """Columns above 0 of the point with all workers and servers at one site, as fractions."""
    here = data.num_sites - 1
    point: dict[str, dict] = {
        name: {}
        for name in (
            "workers", "server", "deployed", "started", "moved", "connected", "resource_cost",
            "not_list", "not_reduced", "at_list", "at_reduced", "usage_below", "usage_beyond",
        )
    }  # fmt: skip
    used: dict[tuple[int, int], list[tuple[float, Fraction]]] = {}
    for pair, (i, t) in enumerate(data.active_pairs()):
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
    a, b, e = (
        Fraction(float(values[r, k]))
        for values in (data.list_price, data.reduced_price, data.surcharge)
    )
    dear = units <= Fraction(float(data.threshold[r, k]))
    point["not_list" if not dear else "not_reduced"][index] = Fraction(1)
    point["at_list" if dear else "at_reduced"][index] = Fraction(1)
    point["usage_below" if dear else "usage_beyond"][index] = units
    if program.pricing == "choice":
        cost = a * units if dear else b * units + e
    elif program.pricing == "chord":
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
        values += [known.get(block.index(j), Fraction(0)) for j in range(block.start, block.stop)]
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


def test_placed_workers_train_what_fits_into_the_capacities_of_their_sites():
    # capacities P y are rounded site by site: their exact sum counts
    for seed in range(100):
        placed = PlacedWorkers.checkpoint(tight_brokerage(seed, short=5e-10))
        rooms = [sum(map(Fraction, row), Fraction(0)) for row in placed.capacity().tolist()]
        trained = [sum(map(Fraction, row), Fraction(0)) for row in placed.trained_volume().tolist()]
        assert all(few <= room for few, room in zip(trained, rooms, strict=True))
        assert Recourse().form(placed).num_rows > 0
