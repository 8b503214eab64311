"""Algorithms 1 to 3 as printed, booked as printed."""

from __future__ import annotations

import pytest

from farkas.instances import library
from farkas.online.eris.scheduler_printed import printed_run
from tests.generators.eris import one_resource


def test_the_printed_run_books_schedules_that_cannot_run() -> None:
    run = printed_run(library.load("eris/above_optimum"))
    assert run.welfare == pytest.approx(119.723)
    assert run.infeasible_jobs == 1


def test_jobs_are_booked_one_after_the_other() -> None:
    # two gpus, base 4: the second job pays 1, the third finds nothing free
    jobs = [{"utility": [worth]} for worth in (3.0, 5.0, 9.0)]
    run = printed_run(one_resource(*jobs, slots=1, sites=1, site_capacity=[[2.0]]))
    assert run.accepted == (0, 1)
    assert (run.welfare, run.infeasible_jobs) == (8.0, 0)
    assert run.revenue == pytest.approx(1.0)
    assert run.ledger.used.tolist() == [[[2.0]]]
