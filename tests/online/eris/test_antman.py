"""AntMan: guaranteed jobs first, opportunistic ones on what is left."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances.eris import Auction
from farkas.online import algorithms
from farkas.online.eris.antman import AntMan
from farkas.online.eris.slot_loop import System
from farkas.online.eris.slot_room import Waiting
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


def test_guaranteed_jobs_keep_their_place_and_those_behind_wait_in_line() -> None:
    # 3 gpus; 16 chunks ask for 2 workers, 8 for 1.  Medians so far: 10, 11, 12, 11
    jobs = [
        {"data": [16], "utility": [10.0] * 9},  # guaranteed: 2 gpus in slots 0 to 7
        {"data": [16], "utility": [12.0] * 9},  # guaranteed, does not fit
        {"data": [8], "utility": [12.0] * 9},  # guaranteed, would fit but stands behind
        {"data": [1], "utility": [1.0] * 9},  # opportunistic
    ]
    auction = one_resource(*jobs, slots=9, sites=1, site_capacity=[[3.0]])
    found = pieces(auction, "eris.antman")
    assert found[0] == {0: 2, 3: 1}
    assert all(slot == {0: 2} for slot in found[1:7])
    # after 6 slots of waiting the second takes what is left, one worker; then the first is done
    assert found[7] == {0: 2, 1: 1}
    assert found[8] == {1: 2, 2: 1}


def test_a_job_is_guaranteed_when_it_is_worth_the_median_of_all_so_far() -> None:
    auction = one_resource({})
    system, policy = System(auction), AntMan()
    found = []
    for worth in (10.0, 4.0, 7.0, 7.0, 6.9):
        job = one_resource({"utility": [worth] * 3}).jobs[0]
        waiting = Waiting(len(found), job, np.array(job.data))
        system.worths.append(worth)
        policy.welcome(system, waiting)
        found.append(waiting.guaranteed)
    assert found == [True, False, True, True, False]


def test_whole_runs_are_those_of_lists() -> None:
    ran = 0
    for seed in range(60):
        auction = random_auction(seed, most_chunks=40, most_slots=10, jobs=7)
        told = eris_baselines.slots(auction, eris_baselines.antman)
        for slot, (awards, pieces) in zip(decisions("eris.antman", auction), told, strict=True):
            assert [(a.job, a.completed) for a in slot.awards] == [award[:2] for award in awards]
            paid = [award[2] for award in awards]
            assert [a.payment for a in slot.awards] == pytest.approx(paid, rel=1e-9, abs=1e-9)
            found = [(p.job, p.server, dict(p.workers), p.moved) for p in slot.pieces]
            assert found == pieces
            ran += len(pieces)
    assert ran > 100
