"""Kind gadget: strict files, host capacities, budgets, utilities."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidInstance
from farkas.instances.gadget import Cluster
from farkas.online.gadget.environment import Room

JOB = {
    "arrival": 0,
    "demand": [1],
    "budget": [None],
    "max_workers": 3,
    "bandwidth": 1,
    "efficiency": 1,
    "utility": {"kind": "linear", "slope": 1},
}


def cluster(capacity=(2,), servers=1, horizon=2, links=(), jobs=(JOB,), **more):
    nodes = [{"name": f"s{u}", "capacity": list(capacity)} for u in range(servers)]
    return Cluster.build(
        horizon=horizon,
        resources=[f"r{r}" for r in range(len(capacity))],
        nodes=nodes,
        links=list(links),
        jobs=list(jobs),
        **more,
    )


def test_three_workers_of_a_tenth_fit_into_three_tenths():
    # 0.3 / 0.1 = 2.9999999999999996 in floating point
    job = JOB | {"demand": [0.1]}
    assert cluster((0.3,), jobs=[job]).host_cap.tolist() == [[3]]


def test_a_reward_beyond_doubles_is_refused_before_it_becomes_infinite():
    # 1e300 (1e5 x 2)² = 4e310; with 1e290 it is 4e300
    job = JOB | {"max_workers": 1, "efficiency": 1e5}
    utility = {"kind": "quadratic_cost", "quadratic": 1e300, "linear": 0}
    with pytest.raises(InvalidInstance, match=r"finite reward after 2 worker-slots.*jobs\[0\]"):
        cluster(jobs=[job | {"utility": utility}])
    assert cluster(jobs=[job | {"utility": utility | {"quadratic": 1e290}}]).num_jobs == 1


def test_ratios_beyond_doubles_do_not_limit():
    """1e300 / 1e-300 overflows: such a link or server holds whatever comes, without a warning."""
    pair = [{"from": 0, "to": 1, "bandwidth": 1e300}, {"from": 1, "to": 0, "bandwidth": 1e300}]
    job = JOB | {"demand": [1e-300], "bandwidth": 1e-300}
    built = cluster((1e300,), servers=2, links=pair, jobs=[job])
    assert built.host_cap.tolist() == [[3, 3]]
    assert built.link_cap(0).tolist() == [np.inf, np.inf]
    assert Room(built).fit(0).tolist() == [3, 3]


def test_switches_host_nothing_and_unlimited_or_unwanted_resources_do_not_bind():
    job = JOB | {"demand": [1, 0], "budget": [None, 0]}
    built = cluster((None, 0), jobs=[job])
    assert built.host_cap.tolist() == [[3]]
    assert built.most_slots.tolist() == [np.inf]
    nodes = [{"name": "switch", "server": False, "capacity": [None, None]}]
    assert built.replace(nodes=nodes).host_cap.tolist() == [[0]]


def test_budget_is_rounded_down_and_limits_the_last_ring():
    # F = 2.5, l = 1: two worker-slots; after one of them a single worker is left
    built = cluster((9,), jobs=[JOB | {"budget": [2.5]}])
    assert built.most_slots.tolist() == [2]
    assert built.ring_limit([1]).tolist() == [1]
    assert built.active(0, [2]).tolist() == [False]


def test_a_job_that_arrives_after_the_horizon_reaches_nothing():
    built = cluster((2,), jobs=[JOB | {"arrival": 7}])
    assert built.reachable_slots.tolist() == [0]


def test_self_links_are_ignored_and_null_bandwidth_is_unlimited():
    links = [{"from": 0, "to": 0, "bandwidth": 5}, {"from": 0, "to": 1, "bandwidth": None}]
    built = cluster(servers=2, links=links)
    assert built.num_links == 1
    assert built.link_index.tolist() == [1]
    assert built.link_bandwidth.tolist() == [np.inf]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"horizon": 0}, "$.horizon"),
        ({"resources": []}, "at least one resource"),
        ({"resources": ["gpu", "gpu"]}, "stands twice"),
        ({"links": [{"from": 0, "to": 3, "bandwidth": 1}]}, "$.links[0].to"),
        ({"links": [{"from": 0, "to": 0, "bandwidth": -1}]}, "$.links[0].bandwidth"),
        ({"slot": 2}, "Expected slot < horizon = 2"),
        ({"jobs": [JOB | {"demand": [1, 1]}]}, "$.jobs[0].demand"),
        ({"jobs": [JOB | {"efficiency": 0}]}, "$.jobs[0].efficiency"),
        ({"jobs": [JOB | {"max_workers": 0}]}, "$.jobs[0].max_workers"),
        ({"jobs": [JOB | {"utility": {"kind": "cubic"}}]}, "$.jobs[0].utility"),
        (
            {"jobs": [JOB | {"utility": {"kind": "table", "values": []}}]},
            "$.jobs[0].utility.values",
        ),
        ({"jobs": [JOB | {"demand": [float("nan")]}]}, "finite"),
    ],
)
def test_nonsense_is_refused_by_path(change, words):
    fields = cluster()
    with pytest.raises(InvalidInstance, match=r".") as caught:
        fields.replace(**change)
    assert words in str(caught.value)


def test_reward_counts_progress_not_worker_slots():
    job = JOB | {"efficiency": 2, "utility": {"kind": "sqrt", "scale": 1}}
    built = cluster(jobs=[job, job])
    assert built.total_reward([2, 8]) == pytest.approx(2 + 4)
