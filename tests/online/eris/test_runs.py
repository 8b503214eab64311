"""Whole runs: certified, checked from their decisions."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import check, from_json
from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms, environments
from farkas.online.eris.environment import Award, Piece, SlotDecision, usage, utilisation
from farkas.online.eris.slot_loop import workers_asked
from farkas.online.eris.slot_room import SlotRoom, Waiting
from farkas.solvers import solve
from tests.generators.eris import random_auction

NAMES = ["eris.eris", "eris.tiresias", "eris.antman", "eris.liquid"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_runs_are_feasible_and_below_the_optimum(name: str, seed: int) -> None:
    auction = random_auction(seed, jobs=4)
    run = algorithms[name].run(auction)
    assert run.violations == []
    best = solve(programs.build("eris.offline").form(auction)).require_optimal().objective
    assert run.value <= best + 1e-6
    assert best <= float(run.certificate) + 1e-6


def test_the_certificate_of_a_run_proves_itself() -> None:
    auction = library.load("eris/tiny")
    run = algorithms["eris.eris"].run(auction)
    import msgspec

    certificate = from_json(msgspec.json.encode(run.certificate.certificate))
    assert check(certificate, instance=auction).bound == Fraction(run.certificate.exact)
    assert run.ratio == pytest.approx(float(run.certificate) / run.value)


@pytest.mark.parametrize("effort", ["free", "aggregated", "subgradient", "columns"])
def test_every_effort_certifies_the_run(effort: str) -> None:
    auction = library.load("eris/integrality_gap")
    run = algorithms["eris.eris"].run(auction, effort=effort)
    assert float(run.certificate) >= 81.594
    if effort == "columns":
        assert float(run.certificate) == pytest.approx(87.2435, abs=1e-4)


def test_printed_schedules_that_cannot_run_cost_the_ratio() -> None:
    auction = library.load("eris/above_optimum")
    run = algorithms["eris.eris"].run(auction, scheduler="printed")
    assert run.value == pytest.approx(119.723)
    assert run.ratio is None
    assert any("cannot process all its data" in words for words in run.violations)
    assert run.numbers["not executable"] == 1.0


@pytest.mark.parametrize("seed", range(8))
def test_exact_runs_have_no_gap_per_job(seed: int) -> None:
    auction = random_auction(seed, jobs=4)
    run = algorithms["eris.eris"].run(auction, scheduler="exact")
    payoffs = run.value - run.numbers["revenue"]
    assert run.numbers.get("sum of payoff bounds", 0.0) == pytest.approx(payoffs, abs=1e-4)


def test_a_price_floor_asks_for_worth_above_volume() -> None:
    auction = generate("eris", "testbed", seed=1)
    run = algorithms["eris.eris"].run(auction, price_floor=1.0)
    plain = algorithms["eris.eris"].run(auction)
    assert run.value > plain.value  # worthless late completions no longer fill the slots
    with pytest.raises(InvalidOption):
        algorithms["eris.eris"].run(auction, price_floor=-1.0)


def test_first_job_pays_nothing_and_later_ones_do() -> None:
    auction = library.load("eris/single_site")
    run = algorithms["eris.eris"].run(auction)
    payments = [a["payment"] for d in run.decisions for a in d["awards"] if a["accepted"]]
    assert payments[0] == 0.0
    assert run.numbers["revenue"] == pytest.approx(sum(payments))


def piece(**changes: object) -> Piece:
    return dataclasses.replace(
        Piece(job=0, slot=0, server=0, workers=((0, 1),), moved=0), **changes
    )


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (SlotDecision((Award(0, True, 0),), ()), "does not run in slot 0"),
        (SlotDecision((Award(0, True, 0),), (piece(),)), "cannot process all its data"),
        (SlotDecision((Award(0, True, 0),), (piece(), piece())), "two servers in one slot"),
        (SlotDecision((), (piece(workers=((0, 2),)),)), "uses 2 of 1 cpu at site 0"),
        (SlotDecision((), (piece(server=1, moved=3),)), "transfers 3 of 0 MB"),
    ],
)
def test_broken_decisions_are_named(decision: SlotDecision, words: str) -> None:
    # biased: one job, a chunk at each of two sites with one cpu each, no transfer budget
    auction = library.load("eris/one_chunk_twice")
    outcome = environments["eris"].evaluate(auction, [decision, SlotDecision()])
    assert any(words in said for said in outcome.violations), outcome.violations


def test_running_before_the_arrival_is_a_violation() -> None:
    auction = library.load("eris/late_arrival")
    decisions = [SlotDecision((), (piece(),)), SlotDecision((Award(0, True, 1),), (piece(slot=1),))]
    outcome = environments["eris"].evaluate(auction, decisions)
    assert any("before its arrival" in said for said in outcome.violations)


def test_usage_and_utilisation_count_servers_workers_and_remote_parameters() -> None:
    auction = library.load("eris/tiny")  # job 2: w = (1, 1), s = (0, 1), λ = 2, θ = 2
    decision = SlotDecision((), (Piece(2, 1, 0, ((0, 1), (1, 2)), 1),))
    found = usage(auction, [decision])
    assert found.transfer[1] == 2.0 * 1 + 2.0 * 2
    assert found.resource[0, :, 1].tolist() == [1.0, 2.0]
    assert found.resource[1, :, 1].tolist() == [2.0, 2.0]
    assert utilisation(auction, [decision])[:, 1] == pytest.approx([3 / 3, 4 / 15])


def test_baselines_ask_for_workers_that_finish_in_eight_slots() -> None:
    job = library.load("eris/tiny").jobs[0]  # 3 chunks, E = 3, P = 4
    assert workers_asked(job) == 1
    big = dataclasses.replace(Waiting(0, job, np.array([40, 0])))
    assert big.slots_needed(2) == 15  # 40 · 3 / (4 · 2)


def test_baselines_put_the_server_beside_a_worker_on_the_cheapest_site() -> None:
    auction = library.load("eris/tiny")
    room = SlotRoom(auction, 0)
    room.held[0] = [0.0, 4.0]  # site 0 is dearer now
    waiting = Waiting(2, auction.jobs[2], np.array([2, 2]))
    placement = room.place(waiting, 3)
    assert placement is not None
    assert placement.server == 1
    assert placement.workers.tolist() == [1, 2]
    assert room.place(waiting, 4) is None
    assert room.place(waiting, 4, fewer=True) is not None


def test_baselines_lower_chunks_until_transfer_fits() -> None:
    # job 2: λ = 2, budget 4; two workers beside the server, one remote takes 2 MB
    auction = library.load("eris/tiny").replace(transfer_budget=1.0, occupied=None)
    room = SlotRoom(auction, 1)
    waiting = Waiting(2, auction.jobs[2], np.array([2, 2]))
    placement = room.place(waiting, 3)
    assert placement is not None
    ran = room.run(waiting, placement)
    assert ran is not None
    assert ran.moved == 0
    assert [site for site, _ in ran.workers] == [placement.server]
    assert room.transferred == 0.0
