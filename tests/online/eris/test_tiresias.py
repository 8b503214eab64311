"""Tiresias: least remaining work first."""

from __future__ import annotations

import numpy as np

from farkas.online.eris.antman import Tiresias
from farkas.online.eris.slot_room import Waiting
from tests.generators.eris import one_resource
from tests.references import eris_baselines
from tests.tools.eris_slots import hold_to_lists, pieces


def test_least_work_runs_first_and_interrupts() -> None:
    jobs = [{"data": [3]}, {"data": [2]}, {"data": [1], "arrival": 1}, {"data": [1], "arrival": 1}]
    auction = one_resource(*jobs, slots=7, sites=1, site_capacity=[[1.0]])
    # slot 1: one chunk left of job 1, then jobs 2 and 3 with one each: the lowest number
    assert pieces(auction, "eris.tiresias") == [{1: 1}, {1: 1}, {2: 1}, {3: 1}] + 3 * [{0: 1}]


def test_a_job_gets_all_its_workers_or_none() -> None:
    # 16 chunks ask for 2 workers of the single gpu that is there
    auction = one_resource({"data": [16]}, sites=1, site_capacity=[[1.0]])
    assert pieces(auction, "eris.tiresias") == [{}, {}, {}]


def test_jobs_that_would_pay_more_than_they_are_worth_do_not_count() -> None:
    auction = one_resource({})
    waiting = Waiting(0, auction.jobs[0], np.array([1, 0]), paid=5.0)
    assert [Tiresias().counts(waiting, worth) for worth in (4.9, 5.0, 5.1)] == [False, True, True]


def test_work_is_workers_times_slots() -> None:
    # 2 workers for 8 slots against 1 for 8: the second runs, and leaves too little for the first
    auction = one_resource({"data": [16]}, {"data": [8]}, slots=1, sites=1, site_capacity=[[2.0]])
    assert pieces(auction, "eris.tiresias") == [{1: 1}]


def test_whole_runs_are_those_of_lists() -> None:
    hold_to_lists("eris.tiresias", eris_baselines.tiresias, pays=True)
