"""Horizons of one slot are bounded with prices of links and by cases."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

import farkas
from farkas.errors import NoAnswer
from farkas.exact.bounding import Deadline
from farkas.offline.gadget.optimum import one_slot
from farkas.offline.ladder import Ascent
from tests.generators.gadget import scarce

MESH = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["linear", "sigmoid"])
def test_narrow_links_are_closed(utility: str) -> None:
    cluster = scarce(4, MESH, utility, jobs=30, width=0.35)
    found = farkas.optimum(cluster, gap=1e-3, time_limit=60)
    assert found.gap is not None
    assert found.gap <= 1e-3
    assert found.verify(cluster).ratio == found.run.ratio
    assert "only slot" in found.run.certificate.method


def test_an_earlier_job_leaves_it_to_others() -> None:
    cluster = scarce(4, MESH, "linear", jobs=4, horizon=2)
    assert cluster.arrival.min() == 0
    with pytest.raises(NoAnswer, match="before the last slot"):
        next(one_slot(cluster, Ascent("max", Deadline(), Fraction(1, 1000))))


def test_slots_before_the_only_one_stay_empty() -> None:
    cluster = scarce(4, MESH, "linear", jobs=6)
    moved = msgspec.structs.replace(
        cluster,
        horizon=3,
        jobs=tuple(msgspec.structs.replace(job, arrival=2) for job in cluster.jobs),
    )
    there, here = farkas.optimum(moved, gap=1e-3), farkas.optimum(cluster, gap=1e-3)
    assert abs(there.bound - here.bound) <= Fraction(1, 1000) * here.bound
    assert there.value == pytest.approx(float(here.value), rel=1e-3)
    assert there.verify(moved).ratio == there.run.ratio
