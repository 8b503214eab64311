"""Knapsacks of spans: whatever they charge, no decisions are worth more than the bound."""

from __future__ import annotations

import functools
import itertools
import types
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, eris_cases, from_json, to_json
from farkas.certificates.eris import prove_welfare
from farkas.certificates.eris_cases import (
    ErisSpans,
    Span,
    charged,
    most_charged,
    prove_spans,
    room_of,
    sizes_of,
)
from farkas.certificates.packed import pack
from farkas.certificates.runs import require_run_bound
from farkas.errors import FileProblem, NotACertificate
from farkas.instances.eris import Auction
from farkas.replay.eris import replay
from tests.certificates.test_eris_cases import SEEDS, at, known, some_prices, two_large
from tests.generators.eris import auction_in, one_resource
from tests.references.eris_welfare import ways, welfare


def span(first, last, jobs, *, resource=0, unit=1.0):
    return Span(first=first, last=last, resource=resource, unit=unit, jobs=tuple(jobs))


def drawn_spans(rng, auction):
    """Some spans, with what they charge."""
    spans, charges = [], []
    for _ in range(int(rng.integers(0, 4))):
        first = int(rng.integers(auction.slots))
        last = int(rng.integers(first, auction.slots))
        inside = (auction.arrival >= first) & (auction.arrival <= last) & (auction.chunks > 0)
        jobs = np.flatnonzero(inside & (rng.random(len(inside)) < 0.8)).tolist()
        unit = float(rng.choice([0.5, 1.0, 0.7, 3.0]))
        spans.append(span(first, last, jobs, resource=int(rng.integers(2)), unit=unit))
        charges.append(rng.choice([0.0, 1.0, 7.0, 33.0], len(jobs)) * rng.choice([1.0, 0.3]))
    return spans, charges


@pytest.mark.parametrize("seed", SEEDS)
def test_no_decisions_are_worth_more_than_the_bound(seed):
    auction, worth = known(seed)
    rng = np.random.default_rng(seed)
    best = max(worth.values())
    for _ in range(6):
        spans, charges = drawn_spans(rng, auction)
        made = ErisSpans.of(auction, spans, charges, *some_prices(rng, auction))
        assert check(made, instance=auction).bound == Fraction(made.bound) >= best
        # what is paid, whatever is decided, is at most what the knapsacks say
        for finishes in worth:
            for one, some in zip(spans, charges, strict=True):
                paid = sum(
                    Fraction(charge)
                    for i, charge in zip(one.jobs, some.tolist(), strict=True)
                    if finishes[i] is not None and auction.arrival[i] + finishes[i] <= one.last
                )
                assert paid <= most_charged(auction, one, some)


def near(value, wanted):
    return wanted <= value <= wanted * (1 + Fraction(1, 2**36))


def test_a_span_proves_what_no_prices_do():
    # prices prove 17 at best (test_eris_cases.py). In the first slot one of two jobs of size 2 fits
    # into 3: charges of 6 each add up to 6, and leave each job 4, early or late: 6 + 4 + 4 = 14
    auction = two_large()
    assert max(welfare(auction, finishes) for finishes in ways(auction)) == 14
    bounds = [prove_welfare(auction, *at(price)) for price in np.arange(0.0, 12.0, 0.25)]
    assert near(min(bounds), 17)
    early, six = span(0, 0, [0, 1]), np.array([6.0, 6.0])
    assert near(prove_spans(auction, [early], [six], *at(0.0)), 14)
    # both fit into 4; one of them alone pays 6 of 10 in the knapsack, and the other nothing
    assert near(prove_spans(two_large(4.0), [early], [six], *at(0.0)), 20)
    assert near(prove_spans(auction, [span(0, 0, [0])], [np.array([6.0])], *at(0.0)), 20)
    # over both slots both jobs fit: 12 charged, 4 and 0 left of each, so that nothing is gained
    assert near(prove_spans(auction, [span(0, 1, [0, 1])], [six], *at(0.0)), 20)


def test_worth_by_hand():
    # [8, 4, 2, 1] from slot 1 on, 3 for completing by slot 2, its second: [5, 1, 2, 1], of which
    # the second is worth no less than the third; 3 more by slot 1: [2, 2, 2, 1]
    auction = one_resource({"arrival": 1, "utility": [8.0, 4.0, 2.0, 1.0]}, slots=5)
    one, three = span(0, 2, [0]), np.array([3.0])
    assert charged(auction, [one], [three]).jobs[0].utility == pytest.approx([5, 2, 2, 1])
    both = charged(auction, [one, span(1, 1, [0])], [three, three])
    assert both.jobs[0].utility == pytest.approx([2, 2, 2, 1])
    # never below nothing
    much = charged(auction, [span(1, 4, [0])], [np.array([5.0])])
    assert much.jobs[0].utility == pytest.approx([3, 0, 0, 0])
    assert charged(auction, [one], [np.zeros(1)]).jobs == auction.jobs


def test_what_a_difference_is_rounded_from_is_not_above_it():
    worth, charge = 1.0, 2.0**-60
    auction = one_resource({"utility": [worth, 0.0, 0.0]})
    left = charged(auction, [span(0, 0, [0])], [np.array([charge])]).jobs[0].utility[0]
    assert Fraction(left) >= Fraction(worth) - Fraction(charge)
    worth = 1.0 + 2.0**-52
    auction = one_resource({"utility": [worth, 0.0, 0.0]})
    charge = 3 * 2.0**-54  # the nearest double is 1
    left = charged(auction, [span(0, 0, [0])], [np.array([charge])]).jobs[0].utility[0]
    assert Fraction(left) >= Fraction(worth) - Fraction(charge)


@pytest.mark.parametrize("seed", range(60))
def test_knapsacks_against_all_choices(seed):
    rng = np.random.default_rng(seed)
    jobs = [
        {
            "data": [int(rng.integers(1, 4))],
            "epochs": int(rng.integers(1, 3)),
            "worker_rate": 1 + int(rng.integers(2)),
            "worker_demand": [float(rng.choice([0.0, 0.5, 1.0, 1.75]))],
            "server_demand": [float(rng.choice([0.0, 1.0]))],
        }
        for _ in range(int(rng.integers(1, 8)))
    ]
    auction = one_resource(*jobs, sites=1, site_capacity=[[float(rng.integers(0, 6))]])
    whole = span(0, int(rng.integers(3)), range(len(jobs)), unit=float(rng.choice([0.25, 1.0])))
    charges = np.round(rng.uniform(0, 9, len(jobs)), 2) * rng.choice([0.0, 1.0], len(jobs))
    room, unit = int(auction.capacity[0, 0] * (whole.last + 1) / whole.unit), whole.unit
    assert room_of(auction, whole) == room
    need = -(-auction.epochs * auction.chunks // auction.worker_rate)
    needs = need * auction.worker_demand[:, 0] + auction.server_demand[:, 0]
    assert sizes_of(auction, whole, np.arange(len(jobs))) == (needs // unit).tolist()
    best = Fraction(0)
    for chosen in itertools.product([False, True], repeat=len(jobs)):
        if sum((needs // unit)[list(chosen)]) <= room:
            best = max(best, sum(map(Fraction, charges[list(chosen)].tolist()), Fraction(0)))
    assert near(most_charged(auction, whole, charges), best)


def test_what_counts_as_fitting_fits():
    # three workers of 0.1 in 0.3, which are more than 0.3 by a rounding
    job = {"data": [3], "worker_demand": [0.1]}
    auction = one_resource(job, dict(job), sites=1, site_capacity=[[0.3]])
    tenth = span(0, 0, [0, 1], unit=0.1)
    assert room_of(auction, tenth) == 3
    assert sizes_of(auction, tenth, np.arange(2)) == [3, 3]
    assert most_charged(auction, tenth, np.array([2.0, 5.0])) == 5


@pytest.mark.parametrize("factor", [1.0, 2.0**-40, 2.0**40])
def test_other_units_prove_the_same(factor):
    auction = auction_in(two_large(), units=factor)
    early = span(0, 0, [0, 1], unit=factor)
    proved = prove_spans(auction, [early], [np.array([6.0, 6.0])], *at(0.0))
    assert proved == prove_spans(
        two_large(), [span(0, 0, [0, 1])], [np.array([6.0, 6.0])], *at(0.0)
    )


@functools.cache
def honest() -> tuple[Auction, ErisSpans]:
    auction = two_large()
    spans, charges = [span(0, 0, [0, 1]), span(0, 1, [1])], [np.array([6.0, 6.0]), np.zeros(1)]
    return auction, ErisSpans.of(auction, spans, charges, *at(0.0))


def test_a_certificate_survives_its_file_and_bounds_runs():
    auction, made = honest()
    read = from_json(to_json(made))
    assert read == made
    proof = check(read, instance=auction)
    assert (proof.bound, proof.sense, proof.program) == (
        Fraction(made.bound),
        "max",
        "eris.offline",
    )
    assert near(proof.bound, 14)
    require_run_bound(read, "eris", {}, "eris.eris", [])


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (span(1, 0, []), "from 1 to 0 of 2"),
        (span(0, 2, []), "from 0 to 2 of 2"),
        (span(0, 0, [], resource=1), "resource 1 of 1"),
        (span(0, 0, [], unit=float("inf")), "unit inf"),
        (span(0, 0, [0, 2]), "ascend below 2"),
        (span(0, 0, [1, 0]), "ascend below 2"),
        (span(0, 0, [1, 1]), "ascend below 2"),
        (span(1, 1, [0, 1]), "job 0 has no data, or does not arrive"),
    ],
)
def test_what_is_no_span_is_refused(one, words):
    auction, made = honest()
    forged = msgspec.structs.replace(
        made, spans=(one,), charges=pack(np.ones(len(one.jobs)))
    )  # fmt: skip
    with pytest.raises(NotACertificate, match=words):
        check(forged, instance=auction)


def test_who_arrives_later_or_has_no_data_cannot_be_charged():
    auction = one_resource({"data": [0, 0]}, {"arrival": 1})
    free = np.zeros(3), np.zeros(auction.used.shape)
    for one in (span(0, 0, [1]), span(0, 2, [0]), span(2, 2, [1])):
        with pytest.raises(NotACertificate, match="no data, or does not arrive"):
            prove_spans(auction, [one], [np.ones(1)], *free)
    prove_spans(auction, [span(0, 1, [1]), span(1, 1, [1])], [np.ones(1)] * 2, *free)


@pytest.mark.parametrize("bad", [-1.0, np.inf, np.nan])
def test_impossible_charges_and_prices_are_refused(bad):
    auction, made = honest()
    for place in range(3):
        charges = np.array([6.0, 6.0, 0.0])
        charges[place] = bad
        with pytest.raises(NotACertificate, match="charge is negative or not finite"):
            check(msgspec.structs.replace(made, charges=pack(charges)), instance=auction)
    for place in (0, 3):
        prices = np.zeros(4)
        prices[place] = bad
        with pytest.raises(NotACertificate, match="negative or not finite"):
            check(msgspec.structs.replace(made, prices=pack(prices)), instance=auction)


def test_fewer_or_more_numbers_than_needed_are_refused():
    auction, made = honest()
    for count in (2, 4):
        with pytest.raises(NotACertificate, match="charges"):
            check(msgspec.structs.replace(made, charges=pack(np.zeros(count))), instance=auction)
    for count in (3, 5):
        with pytest.raises(NotACertificate, match="prices"):
            check(msgspec.structs.replace(made, prices=pack(np.zeros(count))), instance=auction)


@pytest.mark.parametrize(
    "change",
    [
        {"spans": [{"first": -1, "last": 0, "resource": 0, "unit": 1.0, "jobs": []}]},
        {"spans": [{"first": 0, "last": 0, "resource": 0, "unit": 0.0, "jobs": []}]},
        {"spans": [{"first": 0, "last": 0, "resource": 0, "unit": 1.0, "jobs": [-1]}]},
        {"spans": [{"first": 0, "last": 0, "resource": 0, "unit": 1.0}]},
        {"spans": [{"first": 0, "last": 0, "resource": 0, "unit": 1.0, "jobs": [], "more": 1}]},
        {"spans": None},
        {"knapsacks": 1},
    ],
)
def test_a_file_of_another_shape_is_refused(change):
    plain = honest()[1].plain() | change
    with pytest.raises(FileProblem, match="no certificate"):
        from_json(msgspec.json.encode(plain))


def test_a_span_one_slot_off_proves_another_bound():
    # of the first slot one more: both jobs fit, and what is charged does not pay
    auction, made = honest()
    wider = msgspec.structs.replace(made.spans[0], last=1)
    forged = msgspec.structs.replace(made, spans=(wider, made.spans[1]))
    assert near(forged.prove_bound(auction), 20)
    with pytest.raises(NotACertificate, match="only"):
        check(forged, instance=auction)


def test_work_is_refused_before_it_is_done(monkeypatch):
    # two jobs of two units in a room of three: tables of four numbers, twice
    auction, made = honest()
    monkeypatch.setattr(eris_cases, "LONGEST_SEARCH", 8)
    check(made, instance=auction)
    monkeypatch.setattr(eris_cases, "LONGEST_SEARCH", 7)
    with pytest.raises(NotACertificate, match="jobs of a span: a proof would take 8 steps; 7 are"):
        check(made, instance=auction)
    monkeypatch.setattr(eris_cases, "MOST_CELLS", 2)
    with pytest.raises(NotACertificate, match="units of a span: a proof would take 3 steps"):
        check(made, instance=auction)
    # no room is larger than what all jobs of the span need
    monkeypatch.setattr(eris_cases, "MOST_CELLS", 4)
    monkeypatch.setattr(eris_cases, "LONGEST_SEARCH", 10)
    vast = one_resource(*[{"data": [2, 0]} for _ in range(2)], site_capacity=[[1e15], [1e15]])
    assert most_charged(vast, span(0, 0, [0, 1]), np.array([1.0, 2.0])) == 3


def test_charges_of_all_sizes_are_counted_safely():
    auction = two_large()
    one = span(0, 0, [0, 1])
    for tiny, huge in ((5e-324, 1e-323), (1e-300, 1e300), (1.7e308, 1.7e308)):
        most = most_charged(auction, one, np.array([tiny, huge]))
        assert near(most, Fraction(max(tiny, huge)))
        assert prove_spans(auction, [one], [np.array([tiny, huge])], *at(0.0)) >= 14
        both = most_charged(two_large(4.0), one, np.array([tiny, huge]))
        assert both >= Fraction(tiny) + Fraction(huge)


@pytest.mark.parametrize(
    ("capacity", "need", "fit"),
    [
        # three fill the slot in doubles, and exceed exactly what counts as fitting there
        (0.7015463661686019, 0.2338487889567161, 3),
        (1.0, 0.5 * (1 + 1.01e-9), 2),  # a replay forgives 65/64 of a rounding error of 1e-9
        (1.0, 0.5 * (1 + 1.02e-9), 1),
        (1.0, 0.5, 2),
    ],
)
def test_a_span_holds_all_that_a_replay_counts_as_fitting(capacity, need, fit):
    job = {"data": [1], "utility": [10.0], "worker_demand": [need], "server_demand": [0.0]}
    jobs = [dict(job) for _ in range(4)]
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[capacity]])
    everyone = span(0, 0, range(4), unit=need)
    assert room_of(auction, everyone) == fit
    assert most_charged(auction, everyone, np.full(4, 10.0)) == 10 * fit
    for many in range(1, 5):
        pieces = [
            {"job": i, "slot": 0, "server": 0, "workers": [[0, 1]], "moved": 0} for i in range(many)
        ]
        awards = [
            {"job": i, "accepted": i < many, "payment": 0.0, "completed": 0 if i < many else None,
             "payoff_bound": None}
            for i in range(4)
        ]  # fmt: skip
        run = types.SimpleNamespace(
            algorithm="eris.eris", kind="eris", options={},
            decisions=[{"pieces": pieces, "awards": awards}],
        )  # fmt: skip
        assert (not replay(auction, run).broken) is (many <= fit)


@pytest.mark.parametrize(("tiny", "power"), [(2.0**-1000, 1000), (5e-324, 0), (2.0**-41, 0)])
def test_a_charge_that_vanishes_beside_a_huge_one_counts_as_a_unit(tiny, power):
    # the huge one is 2**39 units exactly, so that no rounding of it hides what the tiny one is
    charges = np.array([tiny, 2.0**power])
    both = most_charged(two_large(4.0), span(0, 0, [0, 1]), charges)
    assert both == Fraction(2) ** power + Fraction(2) ** (power - 39)
    # what is not charged counts as nothing
    assert most_charged(two_large(4.0), span(0, 0, [0, 1]), charges * [0.0, 1.0]) == 2.0**power
