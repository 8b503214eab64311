"""The rules of (8), written out, and a point they keep in exact arithmetic whatever is rounded."""

from __future__ import annotations

from fractions import Fraction

import pytest

from farkas.algebra import Program, programs
from farkas.forms.words import index_in
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.offline import Offline
from farkas.models.mlbroker.slot import PlacementProgram
from farkas.relaxations.mlbroker.relaxed import Relaxed  # registers the relaxations
from tests.conformance.oracle import column, row, traced
from tests.generators.mlbroker import discounted, random_brokerage, tight_brokerage
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


def test_the_rules_of_8_written_out():
    # see `discounted`: rate 10, Y = 2 in slot 1, U = 1 + 3, M = 2; one resource
    form = Offline(semantics="strict").form(discounted())
    for name, text in {
        "enough_workers[0,1,1]": "0 <= +10 workers[0,1,1] -1 moved[0,1,0,1] -1 moved[0,1,1,1]",
        "all_data_moved[0,1,1]": "+1 moved[0,1,1,0] +1 moved[0,1,1,1] = 12",
        "cost_at_list_price[1,1,0]": "0 <= -1 workers[0,1,1] -2 server[0,1,1]"
        " +1 resource_cost[1,1,0] +2 not_list[1,1,0]",
        "cost_at_reduced_price[1,1,0]": "0.5 <= -0.5 workers[0,1,1] -1 server[0,1,1]"
        " +1 resource_cost[1,1,0] +2 not_reduced[1,1,0]",
        "one_branch[1,1,0]": "+1 not_list[1,1,0] +1 not_reduced[1,1,0] = 1",
        "one_server[0,1]": "+1 server[0,1,0] +1 server[0,1,1] = 1",
        "present_where_used[0,1,1]": "0 <= -1 workers[0,1,1] -1 server[0,1,1] +4 deployed[0,1,1]",
        "started_at_arrival[0,0,1]": "0 <= -1 deployed[0,0,1] +1 started[0,0,1]",
        "started_when_new[0,1,1]": "0 <= +1 deployed[0,0,1] -1 deployed[0,1,1] +1 started[0,1,1]",
        "workers_connect[0,1,1]": "-1 workers[0,1,1] +1 connected[0,1,1,0]"
        " +1 connected[0,1,1,1] = 0",
        "server_is_connected[0,1,1]": "0 <= -2 server[0,1,1] +1 connected[0,1,0,1]"
        " +1 connected[0,1,1,1]",
        "absent_where_unused[0,1,1]": "-1 workers[0,1,1] -1 server[0,1,1] +1 deployed[0,1,1] <= 0",
        "connect_to_server_only[0,1,0,1]": "-2 server[0,1,1] +1 connected[0,1,0,1] <= 0",
    }.items():
        assert row(form, name) == text
    # deploying costs 1, moving 1 a GB, serving a worker from the other site 2
    assert traced(form).cost == {
        **{f"started[0,{t},{r}]": 1.0 for t in range(2) for r in range(2)},
        **{f"moved[0,{t},{r},{1 - r}]": 1.0 for t in range(2) for r in range(2)},
        **{f"connected[0,{t},{r},{1 - r}]": 2.0 for t in range(2) for r in range(2)},
        **{f"resource_cost[{t},{r},0]": 1.0 for t in range(2) for r in range(2)},
    }
    assert column(form, "workers[0,1,0]") == "0 <= workers[0,1,0] <= 2 integer"


def test_prices_as_a_multiple_choice_written_out():
    # the list price up to 1 unit, the discount from 1 to 4 units, a surcharge of (1 - 0.5) 1
    form = Offline(prices="choice", presence="split").form(discounted())
    at = "[1,1,0]"
    for name, text in {
        "usage_by_branch": f"-1 workers[0,1,1] -2 server[0,1,1] +1 usage_below{at}"
        f" +1 usage_beyond{at} = 0",
        "one_price": f"+1 at_list{at} +1 at_reduced{at} = 1",
        "list_price_up_to_threshold": f"+1 usage_below{at} -1 at_list{at} <= 0",
        "discount_from_threshold": f"0 <= +1 usage_beyond{at} -1 at_reduced{at}",
        "discount_up_to_cap": f"+1 usage_beyond{at} -4 at_reduced{at} <= 0",
        "cost_of_branches": f"+1 resource_cost{at} -1 usage_below{at} -0.5 usage_beyond{at}"
        f" -0.5 at_reduced{at} = 0",
    }.items():
        assert row(form, name + at) == text
    assert row(form, "present_with_workers[0,1,1]") == "0 <= -1 workers[0,1,1] +2 deployed[0,1,1]"
    assert row(form, "present_with_server[0,1,1]") == "0 <= -1 server[0,1,1] +1 deployed[0,1,1]"


def test_the_chord_of_a_slot_written_out():
    form = Relaxed(relax="tight").form(discounted())
    assert row(form, "cost_on_chord[0,1,0]") == (
        "-0.6 workers[0,0,1] -1.2 server[0,0,1] +1 resource_cost[0,1,0] = 0"
    )
    assert row(form, "cost_on_chord[1,1,0]") == (
        "-0.625 workers[0,1,1] -1.25 server[0,1,1] +1 resource_cost[1,1,0] = 0"
    )


@pytest.mark.parametrize(
    ("prices", "presence", "gone"),
    [
        ("single", "global", {"usage_by_branch", "cost_on_chord", "present_with_server"}),
        ("two", "split", {"usage_by_branch", "cost_on_chord", "present_where_used"}),
        ("choice", "split", {"one_branch", "cost_on_chord", "present_where_used"}),
    ],
)
def test_every_way_to_write_prices_has_its_own_families(prices, presence, gone):
    program: PlacementProgram = Offline(prices=prices, presence=presence)
    names = {family.name for family in program.families()}
    every = {"one_branch", "usage_by_branch", "cost_on_chord"}
    every |= {"present_where_used", "present_with_server"}
    assert every - names == gone


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_what_the_text_adds_to_8_is_stated_in_strict_programs_only(semantics):
    program: PlacementProgram = Offline(semantics=semantics)
    labels = {family.label for family in program.families()}
    assert ({"8l", "8m"} <= labels) == (semantics == "strict") == bool({"8l", "8m"} & labels)


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
