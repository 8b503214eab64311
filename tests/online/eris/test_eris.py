"""Algorithm 1: whole runs, with every scheduler."""

from __future__ import annotations

from typing import Any

import pytest

import farkas.kernels
from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.instances.generate import generate
from farkas.kernels import Kernel
from farkas.online import algorithms
from farkas.online.eris import eris
from farkas.online.eris.environment import (
    Environment,
    Ledger,
    Piece,
)
from farkas.online.eris.eris import Eris
from farkas.online.eris.scheduler_dp import ROUNDS, best_plan
from farkas.online.eris.scheduler_printed import printed_plan
from tests.generators.eris import one_resource
from tests.tools.decisions import decisions


def test_printed_schedules_that_cannot_run_cost_the_ratio() -> None:
    auction = library.load("eris/above_optimum")
    run = algorithms["eris.eris"].run(auction, scheduler="printed")
    assert run.value == pytest.approx(119.723)
    assert run.ratio is None
    assert any("cannot process all its data" in words for words in run.violations)
    assert run.numbers["not executable"] == 1.0


def test_a_price_floor_keeps_slots_for_worth() -> None:
    auction = generate("eris", "testbed", seed=1)
    run = algorithms["eris.eris"].run(auction, price_floor=0.5)
    plain = algorithms["eris.eris"].run(auction)
    assert run.value > plain.value  # worthless late completions no longer fill the slots
    with pytest.raises(InvalidOption):
        algorithms["eris.eris"].run(auction, price_floor=-1.0)


@pytest.mark.parametrize(("scheduler", "kernel"), [("dp", best_plan), ("printed", printed_plan)])
def test_long_auctions_have_their_scheduler_compiled_before_clocks_start(
    scheduler: str, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each job alone is short, so only the sum over all jobs tells.
    compiled: list[Kernel] = []
    monkeypatch.setitem(vars(kernel), "machine", None)  # so that what was there comes back
    monkeypatch.delitem(vars(kernel), "machine")
    keep: Any = lambda k, **_: compiled.append(k) or k.interpret  # noqa: E731
    monkeypatch.setattr("farkas.kernels.machine.translate", keep)
    policy, auction = Eris(scheduler=scheduler), library.load("eris/demo")
    step = policy_steps(scheduler, auction)
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", kernel.interpreted + sum(step))
    policy.prepare(auction)
    assert compiled == []
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", kernel.interpreted + max(step))
    policy.prepare(auction)
    assert compiled == [kernel]


def policy_steps(scheduler: str, auction: Auction) -> list[int]:
    """What the kernel itself says of every job when it meets it."""
    ledger = Ledger(auction)
    seen = [ledger.meet(job) for job in auction.jobs]
    if scheduler == "printed":
        return [printed_plan.steps(job) for job in seen]
    return [best_plan.steps(job, None, ROUNDS, None) for job in seen]


@pytest.mark.parametrize("scheduler", ["dp", "printed", "exact"])
def test_a_job_pays_the_price_posted_before_it_came_if_it_is_worth_more(scheduler: str) -> None:
    # 1 of 2 gpus in use: 4**.5 - 1 = 1 for the second; the third finds none and leaves
    jobs = [{"utility": [worth]} for worth in (0.5, 1.5, 9.0)]
    close = {"slots": 1, "sites": 1, "site_capacity": [[2.0]]}
    run = algorithms["eris.eris"].run(one_resource(*jobs, **close), scheduler=scheduler)
    awards = [award for d in run.decisions for award in d["awards"]]
    assert [award["accepted"] for award in awards] == [True, True, False]
    assert [award["payment"] for award in awards] == pytest.approx([0.0, 1.0, 0.0])
    jobs = [{"utility": [worth]} for worth in (0.5, 1.0)]  # worth what it pays: nothing is gained
    run = algorithms["eris.eris"].run(one_resource(*jobs, **close), scheduler=scheduler)
    assert [award["accepted"] for award in run.decisions[0]["awards"]] == [True, False]


def test_deciding_leaves_the_state_before_as_it_was() -> None:
    auction = one_resource({})
    policy, arrivals = Eris(), Environment().arrivals(auction)
    before = policy.start(auction, 0)
    after, decision = policy.step(before, arrivals[0])
    assert (before.used.sum(), after.used.sum()) == (0.0, 1.0)
    (piece,) = decision.pieces
    assert piece == Piece(job=0, slot=0, server=0, workers=((0, 1),), moved=0)


@pytest.mark.parametrize("scheduler", ["dp", "printed", "exact"])
def test_every_scheduler_is_the_one_of_its_name(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = set()

    def noted(name: str) -> Any:
        real = getattr(eris, name)
        return lambda *given: (asked.add(name), real(*given))[1]

    for name in ("repaired_schedule", "printed_schedule", "exact_schedule"):
        monkeypatch.setattr(eris, name, noted(name))
    decisions("eris.eris", one_resource({}), scheduler=scheduler)
    repaired = {"repaired_schedule"}
    assert asked == {
        "dp": repaired, "printed": {"printed_schedule"}, "exact": repaired | {"exact_schedule"}
    }[scheduler]  # fmt: skip
