"""Problem (3) over listed schedules, and its linear relaxation."""

from __future__ import annotations

import pytest

from farkas.instances import library
from farkas.models.eris.schedule_ilp import ScheduleIlp
from tests.generators.eris import one_resource
from tests.tools.optimum import optimum


def test_schedules_are_chosen_whole_or_in_shares() -> None:
    # three jobs of 2 gpus in 3: one runs; in shares of a half each, 3 · 1/2 of them
    job = {"data": [2], "utility": [10.0]}
    auction = one_resource(dict(job), dict(job), dict(job), slots=1, sites=1, site_capacity=[[3.0]])
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(10.0)
    assert optimum("eris.schedule_lp", auction) == pytest.approx(15.0)


def test_a_job_runs_by_one_schedule() -> None:
    # there is room for it in every slot, but it is worth 10 once
    assert optimum("eris.schedule_ilp", one_resource({})) == pytest.approx(10.0)
    assert optimum("eris.schedule_lp", one_resource({})) == pytest.approx(10.0)


def test_transfer_of_chosen_schedules_fits_the_budget() -> None:
    # data at site 0 must move to site 1, 1 MB each, where both fit
    jobs = [{"data": [1, 0], "utility": [10.0]} for _ in range(2)]
    auction = one_resource(*jobs, slots=1, site_capacity=[[0.0], [2.0]], transfer_budget=1.5)
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(10.0)
    assert optimum("eris.schedule_lp", auction) == pytest.approx(15.0)


def test_programs_of_listed_schedules_have_their_rows_only_where_something_is_used() -> None:
    form = ScheduleIlp().form(library.load("eris/one_chunk_twice"))
    # 2 sites x 2 slots, one job, no transfer at all
    assert form.num_rows == 4 + 1
    assert form.num_columns == 4
