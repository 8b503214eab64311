"""What decisions are worth, what they use, and what is wrong with them."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from farkas.certificates import check, from_json
from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.online import algorithms, environments
from farkas.online.eris.environment import Award, Ledger, Piece, SlotDecision, usage
from tests.generators.eris import auction_in, one_resource


def test_the_certificate_of_a_run_proves_itself() -> None:
    auction = library.load("eris/tiny")
    run = algorithms["eris.eris"].run(auction)
    import msgspec

    certificate = from_json(msgspec.json.encode(run.certificate.certificate))
    assert check(certificate, instance=auction).bound == Fraction(run.certificate.exact)
    assert run.ratio == pytest.approx(float(run.certificate) / run.value)
    assert run.numbers["sum of payoff bounds"] >= run.value - run.numbers["revenue"] - 1e-9


def piece(**changes: object) -> Piece:
    return dataclasses.replace(
        Piece(job=0, slot=0, server=0, workers=((0, 1),), moved=0), **changes
    )


def test_usage_counts_servers_workers_and_remote_parameters() -> None:
    auction = library.load("eris/tiny")  # job 2: w = (1, 1), s = (0, 1), λ = 2, θ = 2
    decision = SlotDecision((), (Piece(2, 1, 0, ((0, 1), (1, 2)), 1),))
    transfer, resource = usage(auction, [decision])
    assert transfer[1] == 2.0 * 1 + 2.0 * 2
    assert resource[0, :, 1].tolist() == [1.0, 2.0]
    assert resource[1, :, 1].tolist() == [2.0, 2.0]
    names = [f"use of {name}" for name in auction.resource_names]
    for counted in (auction, auction_in(auction, units=1 / 32)):
        shares = environments["eris"].evaluate(counted, [decision]).costs[1]
        assert [shares[name] for name in names] == pytest.approx([3 / 3, 4 / 15])


def test_worth_counts_in_the_slot_of_completion() -> None:
    # worth 20 and 15: both chunks in slot 1, at 1 cpu each of 2
    auction = library.load("eris/one_chunk_twice")
    run = piece(slot=1, workers=((0, 1), (1, 1)))
    outcome = environments["eris"].evaluate(
        auction, [SlotDecision((Award(0, True, 1, payment=3.0),), (run,)), SlotDecision()]
    )
    assert outcome.value == 15.0
    assert [slot["welfare"] for slot in outcome.costs] == [0.0, 15.0]
    assert [slot["revenue"] for slot in outcome.costs] == [0.0, 3.0]
    assert [slot["use of cpu"] for slot in outcome.costs] == [0.0, 1.0]
    assert outcome.numbers["accepted"] == 1.0
    assert outcome.numbers["rejected"] == auction.num_jobs - 1.0
    assert "sum of payoff bounds" not in outcome.numbers


def test_payoff_bounds_are_added_when_every_job_has_one() -> None:
    auction = one_resource({}, {})
    awards = [Award(i, accepted=False, payoff_bound=bound) for i, bound in ((0, 1.5), (1, 2.0))]
    evaluate = environments["eris"].evaluate
    assert evaluate(auction, [SlotDecision(tuple(awards))]).numbers["sum of payoff bounds"] == 3.5
    assert "sum of payoff bounds" not in evaluate(auction, [SlotDecision((awards[0],))]).numbers


def test_arrivals_are_numbered_in_the_whole_instance() -> None:
    auction = one_resource({}, {"arrival": 2}, {"arrival": 2})
    arrivals = environments["eris"].arrivals(auction)
    assert [[i for i, _ in slot.jobs] for slot in arrivals] == [[0], [], [1, 2]]
    assert environments["eris"].known(auction).jobs == ()


def test_schedules_are_booked_where_and_when_they_run() -> None:
    # from slot 1 on: worker and server at site 1, a worker at site 0 that is remote, a chunk moved
    auction = one_resource(
        {"arrival": 1, "server_demand": [0.5], "parameter_size": 3.0}, transfer_budget=8.0
    )
    ledger, job = Ledger(auction), auction.jobs[0]
    ledger.book(job, [Piece(0, 2, 1, ((0, 1), (1, 1)), 1)])
    assert ledger.transferred.tolist() == [0.0, 0.0, 4.0]
    assert ledger.used[:, 0].tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 1.5]]
    # half of the budget at base 2, half and three quarters of 2 gpus at base 4
    assert ledger.prices.transfer.tolist() == pytest.approx([0.0, 0.0, 2**0.5 - 1])
    assert ledger.prices.resource[:, 0, 2].tolist() == pytest.approx([1.0, 4**0.75 - 1])
    ledger.book(job, [])
    assert ledger.used.sum() == 2.5


def test_the_floor_is_a_share_of_what_earlier_jobs_offered_for_a_unit() -> None:
    # worth 10 for 2 epochs of one chunk, 2 worker-slots of a gpu; then 2 for one worker-slot
    auction = one_resource({"epochs": 2}, {"utility": [2.0, 1.0, 0.0]})
    ledger = Ledger(auction, floor=0.5)
    assert (ledger.prices.resource == 0).all()  # whoever comes first meets prices (6)
    twin = ledger.copy()
    for job, price in zip(auction.jobs, [0.5 * 10 / 2, 0.5 * 12 / 3], strict=True):
        ledger.hear(job)
        assert (ledger.prices.resource == price).all()
    ledger.book(auction.jobs[0], [piece()])
    assert ledger.prices.resource[0, 0].tolist() == [2.0 + 4**0.5 - 1, 2.0, 2.0]
    assert (twin.prices.resource == 0).all()
    twin.hear(auction.jobs[0])
    assert (twin.prices.resource == 2.5).all()
    with pytest.raises(InvalidOption, match="price_floor = -1"):
        Ledger(auction, floor=-1.0)


def test_the_floor_is_shared_by_what_was_asked_for_in_worker_slots() -> None:
    # worth 10 for 3 epochs of 2 chunks at 4 chunks a worker-slot: 1.5 worker-slots of 2 gpus
    auction = one_resource().replace(
        resource_names=["gpu", "cpu", "ssd"],
        site_capacity=[[2.0] * 3] * 2,
        price_base_resource=[4.0] * 3,
        jobs=[
            {
                "arrival": 0, "utility": [10.0] * 3, "data": [2, 0], "epochs": 3, "worker_rate": 4,
                "worker_demand": [2.0, 1.0, 0.0], "server_demand": [0.0] * 3, "parameter_size": 1.0,
            }
        ],
    )  # fmt: skip
    ledger = Ledger(auction, floor=0.5)
    ledger.hear(auction.jobs[0])
    assert ledger.unit_floor().tolist() == [0.5 * 10 / 3 / 2, 0.5 * 10 / 1.5 / 2, 0.0]


@pytest.mark.parametrize("nothing_asked", [{"data": [0, 0]}, {"worker_demand": [0.0]}])
def test_jobs_that_ask_for_nothing_leave_the_floor(nothing_asked) -> None:
    auction = one_resource({}, {"utility": [1000.0, 1.0, 0.0], **nothing_asked})
    ledger = Ledger(auction, floor=0.5)
    for job in auction.jobs:
        ledger.hear(job)
        assert (ledger.prices.resource == 5.0).all()
