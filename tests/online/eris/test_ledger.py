"""What is in use in every slot, and the prices that follow."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.online.eris.ledger import Ledger
from farkas.online.eris.proposal import Proposal, nothing
from farkas.online.eris.scheduler_dp import repaired_schedule
from tests.generators.eris import one_resource


def test_a_ledger_posts_the_prices_of_its_use() -> None:
    auction = library.load("eris/tiny")
    ledger = Ledger(auction, floor=0.25)
    job = auction.jobs[1]  # one chunk at site 1, workers and servers of 2 and 1 cpu
    seen = ledger.meet(job)
    found = repaired_schedule(auction, job, seen)
    twin = ledger.copy()
    ledger.book(job, seen, found)
    used = ledger.used[:, 1, 0]
    assert sorted(used.tolist()) == [0.0, 3.0]
    site = int(np.argmax(used))
    expected = 0.25 + 90.0 ** (3.0 / auction.capacity[site, 1]) - 1.0
    assert ledger.prices.resource[site, 1, 0] == pytest.approx(expected)
    assert twin.used.sum() == 0.0


def test_schedules_are_booked_where_and_when_they_run() -> None:
    # from slot 1 on: worker and server at site 1, a worker at site 0 that is remote, a chunk moved
    auction = one_resource(
        {"arrival": 1, "server_demand": [0.5], "parameter_size": 3.0}, transfer_budget=8.0
    )
    ledger, job = Ledger(auction), auction.jobs[0]
    found = Proposal(1.0, 1, 0.0, np.array([[0, 0], [1, 1]]), np.array([-1, 1]), np.array([0, 1]))
    ledger.book(job, ledger.meet(job), found)
    assert ledger.transferred.tolist() == [0.0, 0.0, 4.0]
    assert ledger.used[:, 0].tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.5]]
    # half of the budget at base 2, half and three quarters of 2 gpus at base 4
    assert ledger.prices.transfer.tolist() == pytest.approx([0.0, 0.0, 2**0.5 - 1])
    assert ledger.prices.resource[:, 0, 2].tolist() == pytest.approx([1.0, 4**0.75 - 1])
    ledger.book(job, ledger.meet(job), nothing(2, 2))
    assert ledger.used.sum() == 2.5
