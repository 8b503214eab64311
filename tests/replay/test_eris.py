"""Decisions of auctions in exact arithmetic: agreement with the environment, refusals, flows."""

from __future__ import annotations

import types
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.errors import NotACertificate
from farkas.instances.eris import Auction
from farkas.online import algorithms
from farkas.replay import Replay, audit
from farkas.replay.eris import PieceEntry, processed, replay
from farkas.tolerances import ROUNDING
from tests.generators.eris import one_resource, random_auction
from tests.references.eris_judge import executable, schedule_arrays
from tests.tools.edits import Path, edits


def replayed(auction: Auction, decisions: Any) -> Replay:
    """Replay decisions as a file holds them."""
    plain = msgspec.json.decode(msgspec.json.encode(decisions))
    run = types.SimpleNamespace(algorithm="eris.eris", kind="eris", options={}, decisions=plain)
    return replay(auction, run)


def tight() -> Auction:
    """One job that needs both slots, both workers and its one move; its worth falls each slot."""
    return one_resource(
        {"data": [2, 1], "utility": [9.0, 7.0, 4.0], "server_demand": [1.0]},
        site_capacity=[[2.0], [1.0]],
        transfer_budget=2.0,
    )


def tight_decisions() -> list[dict[str, Any]]:
    """Slot 0: a chunk at site 0; slot 1: its other chunk there with a chunk moved from site 1."""
    award = {"job": 0, "accepted": True, "completed": 1, "payment": 0.5, "payoff_bound": 2.0}
    pieces = [
        {"job": 0, "slot": 0, "server": 0, "workers": [[0, 1]], "moved": 0},
        {"job": 0, "slot": 1, "server": 1, "workers": [[0, 2]], "moved": 1},
    ]
    return [{"awards": [award], "pieces": pieces}, *[{"awards": [], "pieces": []}] * 2]


def test_the_value_is_the_worth_of_the_slot_of_completion() -> None:
    # three chunks on one and then two workers of site 0; slot 1 moves θ = 1 MB and exchanges
    # λ = 1 MB with each of two workers away from the server at site 1: 3 MB
    auction = tight().replace(transfer_budget=3.0)
    found = replayed(auction, tight_decisions())
    assert found == Replay(F(7), F(7))
    broken = replayed(tight(), tight_decisions()).broken
    assert broken == ("slot 1 transfers 3 of 2 MB",)


HARMLESS: set[Path] = {
    (0, "awards", 0, "payment"),  # welfare does not depend on money that changes hands
    (0, "awards", 0, "payoff_bound"),
    (0, "pieces", 0, "server"),  # site 1 has room for the server, the budget for the worker
    (0, "pieces", 0, "workers", 0, 0),  # so it has for the worker, beside the chunk stored there
    (0, "pieces", 0, "workers", 0, 1),  # site 0 has room for a second worker
    (0, "pieces", 0, "moved"),  # the slot has MB left
}


def test_every_edit_of_a_schedule_is_refused_unless_it_still_fits() -> None:
    auction = tight().replace(transfer_budget=3.0)
    seen = set()
    for path, changed in edits(tight_decisions()):
        try:
            if replayed(auction, changed) == Replay(F(7), F(7)):
                seen.add(path)
        except NotACertificate:
            continue
    assert seen <= HARMLESS


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ((0, "awards", 0, "job"), 1, "does not exist"),
        ((0, "awards", 0, "completed"), 2, "said to complete in slot 2, and runs until 1"),
        ((0, "awards", 0, "accepted"), False, "is rejected, and completes"),
        ((0, "pieces", 0, "slot"), 1, "has two servers in one slot"),
        ((0, "pieces", 1, "slot"), 3, "outside the instance"),
        ((0, "pieces", 1, "moved"), 0, "cannot process all its data"),
        ((0, "pieces", 1, "workers"), [[0, 1]], "cannot process all its data"),
        ((0, "pieces", 1, "server"), 0, "of 2 gpu at site 0"),
        ((0, "pieces", 1, "server"), 2, "outside the instance"),
    ],
)
def test_refusals_name_what_is_broken(path: Path, value: Any, words: str) -> None:
    decisions: Any = tight_decisions()
    place = decisions
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    found = replayed(tight().replace(transfer_budget=3.0), decisions)
    assert any(words in said for said in found.broken), found.broken


@pytest.mark.parametrize("name", algorithms.names("eris."))
def test_profit_and_payoffs_are_the_welfare_of_every_seller(name: str) -> None:
    auction = random_auction(3, most_chunks=4, most_slots=6, jobs=5)
    run = algorithms[name].run(auction)
    if run.violations:
        return
    awards = [award for slot in run.decisions for award in slot["awards"] if award["accepted"]]
    jobs = [(auction.jobs[award["job"]], award) for award in awards]
    payoffs = sum(
        F(job.utility[award["completed"] - job.arrival]) - F(award["payment"])
        for job, award in jobs
    )
    assert run.value_exact is not None
    assert float(F(run.value_exact) - payoffs) == pytest.approx(run.numbers["revenue"])
    assert audit(run, auction) is not None
    run.numbers["revenue"] += 1.0
    with pytest.raises(NotACertificate, match="the profit is said to be"):
        audit(run, auction)


def test_a_job_is_decided_about_once_and_runs_after_its_arrival_only() -> None:
    auction = one_resource({"arrival": 1})
    award = {"job": 0, "accepted": True, "completed": 1, "payment": 0.0, "payoff_bound": None}
    piece = {"job": 0, "slot": 1, "server": 0, "workers": [[0, 1]], "moved": 0}
    empty = {"awards": [], "pieces": []}
    good = [empty, {"awards": [award], "pieces": [piece]}, empty]
    assert replayed(auction, good) == Replay(F(10), F(10))
    soon = {"awards": [], "pieces": [piece | {"slot": 0}]}
    early = [soon, {"awards": [award], "pieces": [piece]}, empty]
    assert "before its arrival" in replayed(auction, early).broken[0]
    guessed = [{"awards": [award], "pieces": [piece]}, empty, empty]
    said = ("job 0 is decided about in slot 0, before it arrives",)
    assert replayed(auction, guessed).broken == said
    late = [empty, {"awards": [award], "pieces": []}, {"awards": [], "pieces": [piece]}]
    said = ("slot 1 is decided about in slot 2, when it is over",)
    assert replayed(auction, late).broken == said
    rejected = award | {"accepted": False, "completed": None}
    for second in (award, rejected):
        twice = [empty, {"awards": [award, second], "pieces": [piece]}, empty]
        assert "decided about twice" in replayed(auction, twice).broken[0]
    for left in ({"completed": 1}, {"completed": None, "payment": 1.0}):
        alone = [empty, {"awards": [award | {"accepted": False} | left], "pieces": []}, empty]
        assert replayed(auction, alone).broken == ("job 0 is rejected, and completes or pays",)
    assert replayed(auction, good[:2]).broken == ("2 decisions for 3 slots",)


@pytest.mark.parametrize(
    "decisions",
    [
        None, {}, [[]], [{"awards": []}], [{"awards": [], "pieces": [], "more": 1}],
        *(
            [{"awards": [], "pieces": [{"job": 0, "slot": 0, "server": 0, "workers": [], "moved": 0,
                                        **wrong}]}]
            for wrong in ({"job": 0.5}, {"workers": [[0, 0]]}, {"server": -1}, {"moved": True})
        ),
    ],
)  # fmt: skip
def test_what_is_no_decision_is_refused(decisions: Any) -> None:
    with pytest.raises(NotACertificate, match="decisions of the run"):
        replayed(one_resource({}), decisions)


def capacity_less(share: float) -> tuple[Auction, list[Any]]:
    """A worker of 1/(1 - share) units on a site of one, and a transfer budget that just holds."""
    auction = one_resource(
        {"utility": [10.0], "worker_demand": [1.0]}, slots=1, site_capacity=[[1 - share], [1.0]]
    )
    award = {"job": 0, "accepted": True, "completed": 0, "payment": 0.0, "payoff_bound": None}
    piece = {"job": 0, "slot": 0, "server": 0, "workers": [[0, 1]], "moved": 0}
    return auction, [{"awards": [award], "pieces": [piece]}]


def test_a_rounding_error_too_much_is_told_and_a_millionth_is_refused() -> None:
    auction, decisions = capacity_less(2.0**-40)
    found = replayed(auction, decisions)
    assert (found.excess, found.broken) == (1 / (1 - F(1, 2**40)) - 1, ())
    auction, decisions = capacity_less(1e-6)
    assert replayed(auction, decisions).broken == ("slot 0 uses 1 of 0.999999 gpu at site 0",)


@pytest.mark.slow
def test_no_worker_more_than_fits_is_a_rounding_error_of_many() -> None:
    # 1000 workers need half a millionth of a worker more than there is: a share of 5e-10, which
    # counts as kept, but bounds go by 999 workers, which do not process all data in time
    for room, broken in ((1000.0, False), (1000 - 5e-10, False), (1000 - 5e-7, True)):
        auction = one_resource(
            {"data": [1000], "utility": [10.0]}, sites=1, slots=1, site_capacity=[[room]]
        )
        award = {"job": 0, "accepted": True, "completed": 0, "payment": 0.0, "payoff_bound": None}
        piece = {"job": 0, "slot": 0, "server": 0, "workers": [[0, 1000]], "moved": 0}
        found = replayed(auction, [{"awards": [award], "pieces": [piece]}])
        assert any("1000 workers at site 0" in words for words in found.broken) == broken
        assert bool(found.broken) == broken
        run = algorithms["eris.eris"].run(auction)
        assert run.certificate is not None
        assert (run.certificate.fraction > F(10) - F(1, 10**8)) != broken


def test_no_server_that_the_bound_knows_nothing_of() -> None:
    for more, broken in ((1e-10, False), (ROUNDING * 129 / 128, True)):
        auction = one_resource(
            {"utility": [10.0], "server_demand": [1 + more], "worker_demand": [0.0]},
            sites=1, slots=1, site_capacity=[[1.0]],
        )  # fmt: skip
        award = {"job": 0, "accepted": True, "completed": 0, "payment": 0.0, "payoff_bound": None}
        piece = {"job": 0, "slot": 0, "server": 0, "workers": [[0, 1]], "moved": 0}
        found = replayed(auction, [{"awards": [award], "pieces": [piece]}])
        assert any("does not hold it" in words for words in found.broken) == broken
        assert bool(found.broken) == broken


def test_a_job_without_data_completes_on_arrival_and_runs_nowhere() -> None:
    auction = one_resource({"data": [0, 0]})
    award = {"job": 0, "accepted": True, "completed": 0, "payment": 0.0, "payoff_bound": None}
    empty = {"awards": [], "pieces": []}
    decisions = [{"awards": [award], "pieces": []}, empty, empty]
    assert replayed(auction, decisions).low == 10
    decisions[0] = {"awards": [award | {"completed": 1}], "pieces": []}
    assert replayed(auction, decisions).broken


@pytest.mark.parametrize("seed", range(300))
def test_the_largest_flow_decides_as_a_library_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sites, slots = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    chunks = rng.integers(0, 5, sites).tolist()
    auction = one_resource(
        {"data": chunks, "epochs": int(rng.integers(1, 3)), "worker_rate": int(rng.integers(1, 4))},
        sites=sites, slots=slots, site_capacity=[[9.0]] * sites,
    )  # fmt: skip
    pieces = [
        PieceEntry(
            job=0, slot=slot, server=0, moved=int(rng.integers(0, 4)),
            workers=tuple((int(r), int(rng.integers(1, 4))) for r in rng.integers(0, sites, 2)),
        )
        for slot in range(slots)
    ]  # fmt: skip
    (job,) = auction.jobs
    most = processed(job, pieces)
    # exactly as many chunks, at the same sites, can be processed, and not one more
    for total in (most, most + 1):
        lesser = np.array(chunks)
        while lesser.sum() > total:
            lesser[int(np.argmax(lesser))] -= 1
        if lesser.sum() == total:
            other = msgspec.structs.replace(job, data=tuple(lesser.tolist()))
            can = executable(other, *schedule_arrays(other, pieces, sites))
            assert can == (processed(other, pieces) >= total)
    assert executable(job, *schedule_arrays(job, pieces, sites)) == (most >= sum(chunks))
