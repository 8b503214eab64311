"""The rules of (8), written out, and a point they keep in exact arithmetic whatever is rounded."""

from __future__ import annotations

from fractions import Fraction

import pytest

from farkas.algebra import Program, programs
from farkas.forms.words import index_in
from farkas.instances.mlbroker import Brokerage
from farkas.relaxations.mlbroker.relaxed import Relaxed
from tests.generators.mlbroker import random_brokerage, tight_brokerage
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
