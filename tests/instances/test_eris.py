from __future__ import annotations

import json
import math

import numpy as np
import pytest

from farkas import instances
from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.instances.eris import hosted, left_over, workers_for
from farkas.instances.generate import generate

BIASED = library.load("eris/one_chunk_twice")


def job(**changes):
    given = json.loads(instances.to_bytes(BIASED))["jobs"][0]
    return {"jobs": [{**given, **changes}]}


def state(transfer=(0.0, 0.0), resources=(((0.0, 0.0),), ((0.9, 0.9),))):
    return {"occupied": {"transfer": transfer, "resources": resources}}


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slots": 0}, r">= 1 - at `\$\.slots`"),
        ({"slots": 3}, r"one per slot .*got 2 - at `\$\.jobs\[0\]\.utility`"),
        ({"sites": 3}, r"3 entries \(one per site\), got 2 - at `\$\.site_capacity`"),
        ({"site_capacity": [[1, 1], [1]]}, r"one per resource\), got 2 - at `\$\.site_capacity"),
        ({"site_capacity": [[1], [-1]]}, r">= 0.0 - at `\$\.site_capacity\[1\]\[0\]`"),
        ({"transfer_budget": -1}, r">= 0.0 - at `\$\.transfer_budget`"),
        ({"chunk_size": -1}, r">= 0.0 - at `\$\.chunk_size`"),
        ({"price_base_transfer": 1.9}, r">= 2.0 - at `\$\.price_base_transfer`"),
        ({"price_base_resource": [1.9]}, r">= 2.0 - at `\$\.price_base_resource\[0\]`"),
        ({"price_base_resource": []}, r"got 0 - at `\$\.price_base_resource`"),
        (job(arrival=2, utility=[]), r"arrival < slots = 2, got 2 - at `\$\.jobs\[0\]\.arrival`"),
        (job(utility=[15, 20]), r"utility 20 <= 15 .* at `\$\.jobs\[0\]\.utility\[1\]`"),
        (job(utility=[15, -1]), r">= 0.0 - at `\$\.jobs\[0\]\.utility\[1\]`"),
        (job(data=[1]), r"2 entries \(one per site\), got 1 - at `\$\.jobs\[0\]\.data`"),
        (
            job(data=[1, 0.5]),
            r"Expected a whole number, got a number with a point - at `\$\.jobs\[0\]\.data\[1\]`",
        ),
        (job(data=[1, -1]), r">= 0 - at `\$\.jobs\[0\]\.data\[1\]`"),
        (job(data=[2**62, 1]), r"too many passes to count exactly - at `\$\.jobs\[0\]`"),
        (job(epochs=0), r">= 1 - at `\$\.jobs\[0\]\.epochs`"),
        (job(worker_rate=0), r">= 1 - at `\$\.jobs\[0\]\.worker_rate`"),
        (job(worker_demand=[-1]), r">= 0.0 - at `\$\.jobs\[0\]\.worker_demand\[0\]`"),
        (job(server_demand=[]), r"one per resource\), got 0 - at `\$\.jobs\[0\]\.server_demand`"),
        (job(parameter_size=-1), r">= 0.0 - at `\$\.jobs\[0\]\.parameter_size`"),
        (
            state(transfer=(0.1, 0.0)),
            r"transfer_budget = 0, got 0.1 - at `\$\.occupied\.transfer\[0\]`",
        ),
        (state(transfer=(0.0,)), r"got 1 - at `\$\.occupied\.transfer`"),
        (
            state(resources=(((0.0, 0.0),), ((0.9, 1.1),))),
            r"capacity 1, got 1.1 - at `\$\.occupied\.resources\[1\]\[0\]\[1\]`",
        ),
        (
            state(resources=(((0.0,),), ((0.9, 0.9),))),
            r"got 1 - at `\$\.occupied\.resources\[0\]\[0\]`",
        ),
    ],
)
def test_every_rule_of_the_kind_is_checked_with_its_path(changes, message):
    with pytest.raises(InvalidInstance, match=message):
        BIASED.replace(**changes)


def test_jobs_must_come_in_order():
    first, second = job()["jobs"][0], job(arrival=1, utility=[15])["jobs"][0]
    assert BIASED.replace(jobs=[first, second]).arrival.tolist() == [0, 1]
    with pytest.raises(InvalidInstance, match=r"arrival 0 >= 1 .* at `\$\.jobs\[1\]`"):
        BIASED.replace(jobs=[second, first])


def test_a_state_is_read_in_the_order_site_resource_slot():
    assert BIASED.used[1, 0].tolist() == [0.9, 0.9]
    assert BIASED.used[0, 0].tolist() == [0.0, 0.0]
    assert BIASED.replace(occupied=None).used.tolist() == [[[0.0, 0.0]], [[0.0, 0.0]]]


@pytest.mark.parametrize(("chunks", "epochs", "rate"), [(0, 3, 2), (3, 2, 4), (5, 3, 3), (7, 2, 5)])
def test_needed_workers_are_exact(chunks, epochs, rate):
    assert workers_for(chunks, epochs, rate) == math.ceil(epochs * chunks / rate)


def test_most_workers_by_hand():
    # E D / P = 3·6/2 = 9 workers; sites hold floor(7/2) = 3 and, 0.3/0.1 with noise, 3 by memory.
    data = generate("eris", "small", 0).replace(
        sites=2,
        resource_names=["gpu", "memory"],
        site_capacity=[[7, 10], [9, 0.3]],
        price_base_resource=[2, 2],
        jobs=[
            {
                "arrival": 0, "utility": [1, 1, 1, 1], "data": [4, 2], "epochs": 3,
                "worker_rate": 2, "worker_demand": [2, 0.1], "server_demand": [8, 0],
                "parameter_size": 1,
            }
        ],
    )  # fmt: skip
    assert data.chunks.tolist() == [6]
    assert data.most_workers.tolist() == [[3, 3]]
    assert data.server_fits.tolist() == [[False, True]]


def test_workers_without_demand_are_limited_by_need_only():
    free = np.array([[0.0], [5.0]])
    assert hosted(free, np.array([0.0]), 4).tolist() == [4, 4]
    assert hosted(np.array([[-0.5]]), np.array([0.0]), 4).tolist() == [0]
    assert hosted(np.array([[1e300]]), np.array([1e-300]), 4).tolist() == [4]


def test_use_beyond_capacity_by_a_rounding_error_leaves_nothing():
    # 0.1 + 0.2 > 0.3 in doubles
    capacity, used = np.array([0.3, 1.0, 1.0]), np.array([0.1 + 0.2, 0.75, 1.5])
    assert left_over(capacity, used).tolist() == [0.0, 0.25, -0.5]
