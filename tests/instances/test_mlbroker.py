from __future__ import annotations

import json
import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas import instances
from farkas.errors import InvalidInstance, InvalidOption
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.instances.mlbroker import Brokerage, _grain

TINY = library.load("mlbroker/tiny")
QUIET = library.load("mlbroker/quiet_slot")
ALL = [library.load(name) for name in library.names("mlbroker")] + [
    generate("mlbroker", "small", seed) for seed in range(4)
]


def active_pairs(data: Brokerage) -> list[tuple[int, int]]:
    """All (job, slot) with the job active, in the order of derived arrays."""
    return list(zip(data.pair_job.tolist(), data.pair_slot.tolist(), strict=True))


def job(**changes):
    first = json.loads(instances.to_bytes(TINY))["jobs"][0]
    return {"jobs": [{**first, **changes}]}


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"transfer_price": [[1, 0.02], [0.015, 0]]},
            r"transfer_price\[0\]\[0\] = 1; moving nothing is free",
        ),
        ({"transfer_price": [[0, -0.02], [0, 0]]}, r">= 0.0 - at `\$\.transfer_price\[0\]\[1\]`"),
        (
            {"transfer_price": [[0, 0.02]]},
            r"2 entries \(one per site\), got 1 - at `\$\.transfer_price`",
        ),
        ({"transfer_price": [[0, 0.02], [0]]}, r"got 1 - at `\$\.transfer_price\[1\]`"),
        ({"base_price": [[2.0]]}, r"one per site\), got 1 - at `\$\.base_price`"),
        (
            {"base_price": [[2.0, 1.0], [1.5, 1.0]]},
            r"one per resource\), got 2 - at `\$\.base_price\[0\]`",
        ),
        (
            {"discount_price": [[2.5], [1.2]]},
            r"discount_price\[0\]\[0\] = 2.5; at most base_price\[0\]\[0\] = 2",
        ),
        ({"discount_price": [[-1], [1.2]]}, r">= 0.0 - at `\$\.discount_price\[0\]\[0\]`"),
        (
            {"discount_price": [[2.5], [1.2]], "discount_threshold": [[None], [None]]},
            "at most base_price",
        ),
        ({"discount_threshold": [[-1], [4]]}, r">= 0.0 - at `\$\.discount_threshold\[0\]\[0\]`"),
        ({"discount_threshold": [[1], [4], [4]]}, r"got 3 - at `\$\.discount_threshold`"),
        ({"epsilon": 0}, r"a number > 0.0 - at `\$\.epsilon`"),
        ({"epsilon": -1}, r"a number > 0.0 - at `\$\.epsilon`"),
        ({"big_m": 1.0}, r"big_m = 1; the smallest valid constant is 2.5"),
        ({"big_m": -1.0}, "big_m = -1"),
        ({"num_slots": 1}, r"departure < num_slots = 1, got 1 - at `\$\.jobs\[0\]\.departure`"),
        (job(arrival=1, departure=0), r"departure 0 >= arrival 1 - at `\$\.jobs\[0\]`"),
        (job(arrival=-1), r">= 0 - at `\$\.jobs\[0\]\.arrival`"),
        (job(data=[[30, 10]]), r"2 entries \(one per slot from arrival to departure\), got 1 - at"),
        (job(data=[[30, 10], [0]]), r"one per site\), got 1 - at `\$\.jobs\[0\]\.data\[1\]`"),
        (job(data=[[30, -10], [0, 1]]), r"a number >= 0.0 - at `\$\.jobs\[0\]\.data\[0\]\[1\]`"),
        (job(worker_capacity=0), r"> 0.0 - at `\$\.jobs\[0\]\.worker_capacity`"),
        (job(worker_demand=[-1]), r">= 0.0 - at `\$\.jobs\[0\]\.worker_demand\[0\]`"),
        (
            job(worker_demand=[]),
            r"1 entry \(one per resource\), got 0 - at `\$\.jobs\[0\]\.worker_demand`",
        ),
        (job(server_demand=[-1]), r"server_demand\[0\]"),
        (job(server_demand=[1, 1]), r"got 2 - at `\$\.jobs\[0\]\.server_demand`"),
        (job(sync_volume=-1), r"sync_volume"),
        (job(deploy_cost=-1), r"deploy_cost"),
        (
            job(worker_capacity=1e308),
            r"jobs\[0\] needs 4e-307 workers of 1e\+308 GB in slot 0; more than",
        ),
        (
            job(worker_capacity=5e-324),
            r"jobs\[0\] needs inf workers of 4.94066e-324 GB in slot 0; more than",
        ),
        (job(worker_demand=[1e308]), "demand of all jobs overflows"),
        (job(colour=1), r"unknown field `colour` - at `\$\.jobs\[0\]`"),
    ],
)
def test_every_rule_of_the_kind_is_checked_with_its_path(changes, message):
    with pytest.raises(InvalidInstance, match=message):
        TINY.replace(**changes)


def test_a_constant_may_miss_the_smallest_by_rounding_only():
    smallest = TINY.smallest_big_m
    assert TINY.replace(big_m=smallest * (1 - 5e-10)).big_m == smallest * (1 - 5e-10)
    with pytest.raises(InvalidInstance, match="smallest valid"):
        TINY.replace(big_m=smallest * (1 - 2e-9))


def test_tiny_by_hand():
    # j0 in slots 0, 1 with 40 and 25 GB at 20 GB a worker: 2 and ceil(1.25) = 2 workers.
    # j1 in slot 1 with 60 GB at 40: 2 workers.
    assert (TINY.pair_job.tolist(), TINY.pair_slot.tolist()) == ([0, 0, 1], [0, 1, 1])
    assert TINY.workers_needed.tolist() == [2, 2, 2]
    assert TINY.deployment_bound("printed") == 3
    # Slot 0: 1·2 + 1 = 3.  Slot 1: 3 + (2·2 + 1) = 8.
    assert TINY.usage_cap().tolist() == [[3.0], [8.0]]
    # e = (0.5·3, 0.3·4) = (1.5, 1.2); (a−b)(8−l) = (2.5, 1.2).
    assert TINY.surcharge.ravel() == pytest.approx([1.5, 1.2])
    assert TINY.smallest_big_m == pytest.approx(2.5)
    # F(3) = 6 at site 0; F(8) = 1.5·8 + 1.5 = 13.5.
    assert TINY.chord_slope()[:, 0, 0] == pytest.approx([2.0, 13.5 / 8])


def test_pairs_are_sorted_and_linked():
    for data in ALL:
        pairs = active_pairs(data)
        assert pairs == sorted(pairs)
        assert len(pairs) == data.num_pairs
        for index, (i, t) in enumerate(pairs):
            assert index == data.pair_start[i] + t - data.arrival[i]
            before, after = data.previous_pair[index], data.next_pair[index]
            assert (pairs[before] if before >= 0 else None) == (
                (i, t - 1) if t > data.jobs[i].arrival else None
            )
            assert (pairs[after] if after >= 0 else None) == (
                (i, t + 1) if t < data.jobs[i].departure else None
            )
            assert tuple(data.volume[index]) == data.jobs[i].data[t - data.jobs[i].arrival]


def test_jobs_of_a_slot_are_those_whose_window_holds_it():
    for data in ALL:
        for t in range(data.num_slots):
            inside = [i for i, one in enumerate(data.jobs) if one.arrival <= t <= one.departure]
            assert data.jobs_at(t).tolist() == inside
            assert data.pair_slot[data.pairs_at(t)].tolist() == [t] * len(inside)


def test_workers_needed_are_the_rounded_up_load():
    for data in ALL:
        for index, (i, _) in enumerate(active_pairs(data)):
            load = sum(data.volume[index]) / data.jobs[i].worker_capacity
            needed = math.ceil(load - 1e-9 * max(1, load))
            assert data.workers_needed[index] == needed
            assert data.most_workers("printed")[index] == needed
            assert data.most_workers("strict")[index] == max(1, needed)


def test_a_load_just_above_an_integer_by_rounding_needs_no_worker_more():
    # 0.1 + 0.2 = 0.30000000000000004, three times 0.1.
    data = TINY.replace(**job(worker_capacity=0.1, data=[[0.1, 0.2], [0, 0]]))
    assert data.workers_needed.tolist() == [3, 0]


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_usage_cap_adds_all_active_jobs(semantics):
    for data in ALL:
        cap = data.usage_cap(semantics)
        for t in range(data.num_slots):
            for k in range(data.num_resources):
                total = sum(
                    data.jobs[i].worker_demand[k] * data.most_workers(semantics)[p]
                    + data.jobs[i].server_demand[k]
                    for p, (i, slot) in enumerate(active_pairs(data))
                    if slot == t
                )
                assert cap[t, k] == pytest.approx(total)


def test_the_smallest_constant_switches_either_line_off_at_every_use():
    for data in ALL:
        big_m, cap = data.smallest_big_m, data.usage_cap()
        lines_apart = []
        for t in range(data.num_slots):
            for share in (0.0, 0.5, 1.0):
                usage = share * np.broadcast_to(cap[t], data.list_price.shape)
                dear = data.list_price * usage
                cheap = data.reduced_price * usage + data.surcharge
                lines_apart.append(np.abs(dear - cheap).max())
        assert max(lines_apart) <= big_m * (1 + 1e-12) + 1e-12
        assert max(lines_apart) >= big_m * (1 - 1e-12)  # and no smaller constant would do


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_the_chord_is_the_convex_envelope_of_the_price(semantics):
    for data in ALL:
        cap, slope = data.usage_cap(semantics), data.chord_slope(semantics)
        for share in (0.25, 0.5, 1.0):
            usage = share * np.broadcast_to(cap[:, None, :], slope.shape)
            gap = data.resource_cost(usage) - slope * usage
            assert gap.min() >= -1e-9
            if share == 1.0:
                assert gap == pytest.approx(0.0, abs=1e-9)


def test_without_any_use_the_slope_is_the_price_of_the_first_unit():
    # Slot 3 has no jobs: H = 0, slope a, but b where the threshold is 0.
    assert QUIET.usage_cap()[3].tolist() == [0.0, 0.0]
    assert QUIET.chord_slope()[3].tolist() == [[1.9, 2.4], [1.2, 1.5]]


def test_two_constants_are_no_larger_than_one():
    for data in ALL:
        first, second = data.two_big_ms()
        assert first.shape == second.shape == (data.num_slots, data.num_sites, data.num_resources)
        assert max(first.max(), second.max()) == pytest.approx(data.smallest_big_m)


def test_unknown_semantics_name_the_nearest():
    with pytest.raises(InvalidOption, match="did you mean strict"):
        TINY.most_workers("strickt")


def test_a_grain_is_the_largest_power_of_two_that_measures_every_amount():
    amounts = np.array([[3.0, 0.75, 2.0**-1074, 0.0], [2.0, 0.0, 1.0, 0.0], [12.0, 6.0, 3.0, 0.0]])
    assert _grain(amounts).tolist() == [1.0, 0.25, 2.0**-1074, 2.0**1023]
    assert _grain(np.array([[4.0], [12.0]])).tolist() == [4.0]


def test_a_cap_of_rounded_sums_is_no_less_than_what_can_be_used():
    # sums and products are rounded, some of them down
    whole = generate("mlbroker", "small", seed=0, num_jobs=8, num_slots=2)
    low = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        jobs = [
            msgspec.structs.replace(
                job, worker_demand=tuple(rng.random(2).tolist()), server_demand=(0.1, 0.3)
            )
            for job in whole.jobs
        ]
        data = whole.replace(jobs=jobs)
        for slot, row in enumerate(data.usage_cap().tolist()):
            pairs = data.pairs_at(slot).tolist()
            for k, cap in enumerate(row):
                used, plain = Fraction(0), 0.0
                for pair in pairs:
                    job, most = data.jobs[data.pair_job[pair]], int(data.workers_needed[pair])
                    used += Fraction(job.worker_demand[k]) * most + Fraction(job.server_demand[k])
                    plain += job.worker_demand[k] * most + job.server_demand[k]
                assert used <= Fraction(cap) <= used * Fraction(1 + 1e-13)
                low += Fraction(plain) < used
    assert low  # plain sums would be too small
