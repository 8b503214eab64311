"""Moves keep what they cannot better, and find what one exchange of jobs gains."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.offline.dps.repacking import Repacking
from farkas.offline.dps.timeline import ServerTimeline
from tests.generators.dps import posted, random_market


def packing(market, charge=1.0):
    nowhere = np.zeros(market.num_servers, np.int64)
    charges = np.full(market.num_jobs, charge)
    hosted = np.where(market.fits_one_server, charges, np.inf)
    return Repacking(
        ServerTimeline(market), market.budget, hosted, np.where(market.fits, charges, np.inf),
        lambda _: (nowhere, nowhere),
    )  # fmt: skip


def exactly(found) -> Fraction:
    """What the jobs served pay; 0.1 + 0.2 in another order is no gain."""
    return sum(map(Fraction, found.payment[found.served].tolist()), Fraction(0))


def state(found):
    places = {
        job: (where.servers.tolist(), where.workers.tolist(), where.ps.tolist())
        for job, where in found.timeline.placed.items()
    }
    return found.value, places, [idle.copy() for idle in found.timeline._idle]


@pytest.mark.parametrize("seed", range(20))
def test_values_never_fall_and_idle_units_are_those_of_the_jobs(seed):
    market = random_market(seed, jobs=14)
    found, rng = packing(market), np.random.default_rng(seed)
    found.fill(np.arange(market.num_jobs))
    for _ in range(30):
        before = exactly(found)
        assert found.move(rng) == (exactly(found) > before)
        assert exactly(found) >= before
        assert set(found.timeline.placed) == set(np.flatnonzero(found.served).tolist())
    kept = found.saved()
    value, places, idle = state(found)
    found.clear()
    assert found.value == 0
    assert all((a == b).all() for a, b in zip(found.timeline._idle, state(packing(market))[2],
                                              strict=True))  # fmt: skip
    found.restore(kept)
    again = state(found)
    assert again[:2] == (value, places)
    assert all((a == b).all() for a, b in zip(idle, again[2], strict=True))


def test_a_move_puts_a_better_job_in_the_place_of_others():
    market = posted((0, 3.0, 1, 1.0), (1, 1.0, 1, 5.0))
    found = packing(market)
    found.fill(np.array([0, 1]))
    assert found.value == 1
    assert found.move(np.random.default_rng(0))
    assert found.value == 5
    assert not found.move(np.random.default_rng(0))
    assert found.value == 5


def test_jobs_that_do_not_pay_for_being_spread_wait():
    market = posted((0, 1.0, 2, 3.0), units=1).replace(
        server_workers=[[1], [1]], server_ps=[[1], [1]]
    )
    dear, cheap = packing(market, 4.0), packing(market, 3.0)
    for found in (dear, cheap):
        found.fill(np.array([0]))
    assert dear.value == 0
    assert dear.waiting
    assert cheap.value == 3
    assert not cheap.waiting
