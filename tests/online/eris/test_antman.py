"""AntMan: guaranteed jobs first, opportunistic ones on what is left."""

from __future__ import annotations

import functools

import pytest

from farkas.online import algorithms
from tests.generators.eris import one_resource
from tests.references import eris_baselines
from tests.tools.eris_slots import hold_to_lists, pieces


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


def test_who_would_pay_more_than_it_is_worth_is_rejected_and_read_literally_pays() -> None:
    # the first holds a gpu of two: one costs 4**.5 - 1 = 1 then, more than the worth of .5
    jobs = [{"utility": [10.0] * 3}, {"utility": [0.5] * 3}]
    auction = one_resource(*jobs, sites=1, site_capacity=[[2.0]])
    kept, paid = (algorithms[f"eris.{name}"].run(auction) for name in ("liquid", "liquid[literal]"))
    assert kept.numbers["accepted"] == 1
    assert (kept.numbers["revenue"], kept.remarks) == (0.0, [])
    assert (paid.numbers["accepted"], paid.numbers["revenue"]) == (2, pytest.approx(1.0))
    assert paid.remarks == ["1 of 2 accepted jobs pay more than they are worth, 0.5 more in all"]


def test_whole_runs_are_those_of_lists() -> None:
    hold_to_lists("eris.antman", eris_baselines.antman)


def test_whole_runs_read_literally_are_those_of_lists() -> None:
    reference = functools.partial(eris_baselines.antman, literal=True)
    hold_to_lists("eris.antman[literal]", reference, pays=False)
