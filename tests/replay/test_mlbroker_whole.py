"""Whole placements of a broker: by hand, as the environment says, refused when changed."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.instances.mlbroker import Brokerage
from farkas.online import Run, environments
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.replay import Replay, audit, replay
from farkas.tolerances import ROUNDING
from tests.generators.mlbroker import random_brokerage, single


def decided(run: Run, decisions: list[Any]) -> Run:
    return msgspec.structs.replace(run, decisions=decisions, value_exact=None)


def replayed(instance: Brokerage, *slots: dict[str, Any]) -> Replay:
    """Replay of decisions written by hand."""
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    found = replay(decided(run, list(slots)), instance)
    assert found is not None
    return found


def test_the_four_costs_by_hand() -> None:
    # Job 0 has 10 GB at both sites in slot 0 and 20 GB at site 1 in slot 1, job 1 nothing to move.
    # Two workers at site 0 with the server: 10 GB cross for 0.5 each, nobody talks.  Then away to
    # site 1: two workers there, entered anew; the server stays behind: 2 workers x 2 GB x 0.25.
    # Two workers and a server are 3 units: min(3 x 2, 3 x 1 + 1 x 2) = 5; two alone: min(4, 4);
    # one server alone: min(2, 3).
    instance = single(
        [[10.0, 10.0], [0.0, 20.0]],
        transfer_price=[[0, 0.25], [0.5, 0]],
        base_price=[[2.0], [2.0]],
        discount_price=[[1.0], [1.0]],
        discount_threshold=[[2.0], [2.0]],
    )
    found = replayed(
        instance,
        {"jobs": [0], "workers": [[2, 0]], "server": [0]},
        {"jobs": [0], "workers": [[0, 2]], "server": [0]},
    )
    transfer, resource = F(10) / 2, F(5) + F(4) + F(2)
    deploy, sync = F(instance.jobs[0].deploy_cost) * 2, 2 * F(2) / 2
    assert found.low == found.high == transfer + resource + deploy + sync
    assert (found.excess, found.broken) == (0, ())


@pytest.mark.parametrize("seed", range(60))
def test_any_placement_is_judged_and_priced_as_by_the_environment(seed: int) -> None:
    rng = np.random.default_rng(seed)
    instance = random_brokerage(seed, sites=3, jobs=3, resources=2, most=3)
    slots = []
    for slot in range(instance.num_slots):
        jobs = instance.jobs_at(slot)
        workers = rng.integers(0, 4, (len(jobs), 3))
        slots.append(PlacedSlot(jobs, workers, rng.integers(0, 3, len(jobs))))
    outcome = environments["mlbroker"].evaluate(instance, slots)
    found = replayed(instance, *msgspec.to_builtins(slots, enc_hook=lambda x: x.tolist()))
    assert bool(found.broken) == bool(outcome.violations)
    if not found.broken:
        assert float(found.low) == pytest.approx(outcome.total, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda slots: [], "decides 0 slots of 2"),
        (lambda slots: slots[:-1], "decides 1 slots of 2"),
        (lambda slots: [*slots, slots[-1]], "decides 3 slots of 2"),
        (lambda slots: slots[::-1], "slot 0 is not about its active jobs"),
        (lambda slots: [{**slot, "server": []} for slot in slots], "slot 0 has another shape"),
        (lambda slots: wide(slots, 1), "slot 0 has another shape"),
        (lambda slots: wide(slots, 3), "slot 0 has another shape"),
        (lambda slots: [*slots[:-1], *wide(slots[-1:], 3)], "slot 1 has another shape"),
        (lambda slots: [{**slot, "moved": []} for slot in slots], "are none of its kind"),
        (lambda slots: [{"jobs": slot["jobs"]} for slot in slots], "are none of its kind"),
        (lambda slots: ["none", "none"], "are none of its kind"),
        (lambda slots: [None], "are none of its kind"),
    ],
)
def test_decisions_of_another_shape_are_refused(change: Any, words: str) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.mlbroker")
    with pytest.raises(NotACertificate, match=words):
        audit(decided(run, change(run.decisions)), farkas.load("mlbroker/tiny"))


def wide(slots: list[Any], sites: int) -> list[Any]:
    """Enough workers for every job, on so many sites."""
    return [{**slot, "workers": [[9] * sites for _ in slot["jobs"]]} for slot in slots]


@pytest.mark.parametrize(
    ("workers", "server", "words"),
    [
        ([2, -1], 0, "a negative number of workers"),
        ([1, 0], 2, "its server at site 2"),
        ([1, 0], -1, "its server at site -1"),
        ([0, 0], 0, "0 workers, 1 are needed"),
    ],
)
def test_what_a_placement_breaks_is_named(workers: list[int], server: int, words: str) -> None:
    found = replayed(single([[10.0, 0.0]]), {"jobs": [0], "workers": [workers], "server": [server]})
    assert any(words in said for said in found.broken)


def test_data_that_the_count_of_workers_forgives_are_an_excess() -> None:
    over = 10.0 * (1 + ROUNDING / 2)
    instance = single([[over, 0.0]], transfer_price=[[0, 1], [1, 0]])
    assert instance.workers_needed.tolist() == [1]
    here = replayed(instance, {"jobs": [0], "workers": [[1, 0]], "server": [0]})
    there = replayed(instance, {"jobs": [0], "workers": [[0, 1]], "server": [1]})
    assert here.excess == there.excess == (F(over) - 10) / F(over)
    assert there.low - here.low == 10  # what one worker can train is what moves
