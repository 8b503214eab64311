"""Bounds on horizons whose jobs all come in the last slot."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check
from farkas.certificates.gadget_slot import certify_slot
from farkas.certificates.gadget_slot_tree import OneSlot, certify_one_slot
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.bounds import best_slot_certificate, slot_certificate, tree_certificate
from farkas.online.gadget.columns import column_rings
from tests.generators.gadget import scarce, small

RING = [(0, 1, 6.0), (1, 2, 6.0), (0, 2, 6.0)]


def nothing(cluster: Cluster) -> np.ndarray:
    return np.zeros(cluster.num_jobs, dtype=np.int64)


def late(horizon: int = 3) -> Cluster:
    """Two jobs in the last slot on three servers; one earns 5 without any worker."""
    shape = {"kind": "table", "values": [0.0, 2.0, 7.0]}
    paid = {"kind": "table", "values": [5.0, 6.0, 9.0]}
    jobs = [
        {"arrival": horizon - 1, "max_workers": 2, "bandwidth": 4.0, "utility": utility}
        for utility in (shape, paid)
    ]
    return small([1, 1, 1], RING, *jobs, horizon=horizon)


def prices(cluster: Cluster) -> OneSlot:
    return certify_one_slot(
        cluster, slot_certificate(cluster, cluster.horizon - 1, nothing(cluster))
    )


def test_jobs_are_worth_what_they_earn_without_workers_and_what_the_slot_adds() -> None:
    # three GPUs and links of 6: both rings of two need four GPUs; best is 7 + 6 or 2 + 9
    cluster = late()
    bound = prices(cluster).prove_bound(cluster)
    assert bound >= 13
    free = certify_one_slot(
        cluster, certify_slot(cluster, 2, nothing(cluster), np.zeros((3, 1)), np.zeros(6))
    )
    assert float(free.prove_bound(cluster)) == pytest.approx(7 + 9)  # at prices 0 both run whole


@pytest.mark.ids(4)
@pytest.mark.parametrize("utility", ["linear", "sqrt", "sigmoid", "table"])
@pytest.mark.parametrize("width", [0.35, 1.0])
def test_no_schedule_earns_more(utility: str, width: float) -> None:
    cluster = scarce(3, [(0, 1), (1, 2), (0, 2)], utility, jobs=5, width=width)
    best = farkas.solve(cluster, "gadget.offline").answer.objective
    view, none = snapshot(cluster, 0, nothing(cluster)), nothing(cluster)
    rings, _ = column_rings(view, 1e-6)
    for slot in (
        slot_certificate(cluster, 0, none),
        best_slot_certificate(cluster, 0, none, 1e-6),
        tree_certificate(view, rings, 1e-6),
    ):
        made = certify_one_slot(cluster, slot)
        proof = check(made, instance=cluster)
        assert proof.bound is not None
        assert float(proof.bound) >= best * (1 - 1e-9)
        assert proof.bound <= Fraction(made.bound)


def test_the_bound_is_that_of_the_horizon_as_programs_have_it() -> None:
    cluster = late()
    best = farkas.solve(cluster, "gadget.offline").answer.objective
    assert best == pytest.approx(13)
    assert float(prices(cluster).prove_bound(cluster)) >= 13


def test_jobs_that_come_before_the_last_slot_are_refused() -> None:
    cluster = late()
    early = msgspec.structs.replace(
        cluster, jobs=(msgspec.structs.replace(cluster.jobs[0], arrival=1), *cluster.jobs[1:])
    )
    slot = slot_certificate(early, 2, nothing(early))
    with pytest.raises(NotACertificate, match="before the last slot"):
        certify_one_slot(early, slot)
    never = msgspec.structs.replace(
        cluster, jobs=(msgspec.structs.replace(cluster.jobs[0], arrival=3), *cluster.jobs[1:])
    )
    assert prices(never).prove_bound(never) >= 9


@pytest.mark.parametrize(("change", "problem"), [
    ({"slot": 1}, "slot 1 is not the last, 2"),
    ({"progress": (1, 0)}, "has received something"),
    ({"instance": "0" * 64}, "about another instance"),
])  # fmt: skip
def test_another_slot_progress_or_instance_is_refused(change: dict, problem: str) -> None:
    cluster = late()
    made = prices(cluster)
    forged = msgspec.structs.replace(made, slot=msgspec.structs.replace(made.slot, **change))
    with pytest.raises(NotACertificate, match=problem):
        forged.prove_bound(cluster)
