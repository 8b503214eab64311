"""Tiresias: least remaining work first."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances.eris import Auction
from farkas.online import algorithms
from farkas.online.eris.slot_room import Waiting
from farkas.online.eris.tiresias import Tiresias
from tests.generators.eris import one_resource, random_auction
from tests.references import eris_baselines
from tests.tools.decisions import decisions


def pieces(auction: Auction, name: str, **options: object) -> list[dict[int, int]]:
    """Workers of every job that runs, slot by slot."""
    run = algorithms[name].run(auction, effort="free", **options)
    assert run.violations == []
    return [
        {p["job"]: sum(count for _, count in p["workers"]) for p in d["pieces"]}
        for d in run.decisions
    ]


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
    ran = 0
    for seed in range(60):
        auction = random_auction(seed, most_chunks=40, most_slots=10, jobs=7)
        told = eris_baselines.slots(auction, eris_baselines.tiresias, pays=True)
        for slot, (awards, pieces) in zip(decisions("eris.tiresias", auction), told, strict=True):
            assert [(a.job, a.completed) for a in slot.awards] == [award[:2] for award in awards]
            paid = [award[2] for award in awards]
            assert [a.payment for a in slot.awards] == pytest.approx(paid, rel=1e-9, abs=1e-9)
            found = [(p.job, p.server, dict(p.workers), p.moved) for p in slot.pieces]
            assert found == pieces
            ran += len(pieces)
    assert ran > 100
