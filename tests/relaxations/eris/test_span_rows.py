"""Rows of spans: valid for every choice that fits, violated by what they were looked for."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.eris_cases import Span, charged, most_charged
from farkas.errors import NoAnswer
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.priced_jobs import JobPricer, finishes
from farkas.relaxations.eris.schedule_master import (
    ScheduleMaster,
    SpanRow,
    SpanRows,
    rounded,
    runs,
    settled_prices,
    unit_of,
    violated_rows,
)
from farkas.relaxations.eris.welfare_bound import (
    generate_columns,
    relaxation_by_columns,
)
from farkas.solvers import solve
from tests.generators.eris import auction_in, one_resource, random_auction
from tests.tools.optimum import optimum


def choices(size, room):
    """All choices that fit, as rows of zeros and ones."""
    every = np.array(list(itertools.product([0, 1], repeat=len(size))))
    return every[every @ size <= room]


@pytest.mark.parametrize("seed", range(120))
def test_what_is_rounded_holds_for_all_choices_and_not_for_the_shares(seed):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 9, rng.integers(2, 9))
    room = int(rng.integers(1, size.sum() + 1))
    share = np.where(
        rng.random(len(size)) < 0.5, rng.integers(0, 2, len(size)), rng.random(len(size))
    )
    share *= min(1.0, room / max(share @ size, 1e-9))
    found = rounded(size, share, room)
    if found is None:
        return
    distance, charges = found
    assert (charges >= 0).all()
    assert charges.max() == 1.0
    most = (choices(size, room) @ charges).max()
    # not more than what the inequality itself says, whose distance is measured
    assert charges @ share - most >= distance * np.linalg.norm(charges) - 1e-9 > 0


def test_a_row_by_hand():
    # 2 (e_1 + e_2) <= 3 and e = (1, 1/2): divided by 2 and rounded, e_1 + e_2 <= 1, violated by
    # 1/2 at length sqrt(2)
    distance, charges = rounded(np.array([2, 2]), np.array([1.0, 0.5]), 3)
    assert charges == pytest.approx([1.0, 1.0])
    assert distance == pytest.approx(0.5 / np.sqrt(2))
    # two small ones are complete and leave 2 of 4 for size 4: 4 e - (1 - a) - (1 - b) <= 2; divided
    # by 4 the rest is 1/2, and -1/4 counts as -1 + (3/4 - 1/2) / (1 - 1/2)
    _, charges = rounded(np.array([4, 1, 1]), np.array([0.5, 1.0, 1.0]), 4)
    assert charges == pytest.approx([1.0, 0.5, 0.5])
    assert rounded(np.array([2, 2]), np.array([1.0, 0.0]), 3) is None


def two_large():
    """Two jobs of two chunks share a slot of three workers: one completes early, the other late."""
    job = {"data": [2], "utility": [10.0, 4.0]}
    return one_resource(job, dict(job), slots=2, sites=1, site_capacity=[[3.0]])


def by_slot(auction):
    """Schedules that run in one slot, of every job."""
    pricer, found = JobPricer(auction), None
    for slot in range(auction.slots):
        here = pricer._slot == slot
        finish = np.where(auction.arrival <= slot, slot - auction.arrival, -1)
        chunks = auction.chunks[pricer._owner]
        workers = np.where(here, chunks, 0)[:, None]
        some = pricer.columns_of(finish, workers, np.where(here, 0, -1), np.zeros(len(here)))
        found = some if found is None else found.join(some)
    return found


@pytest.mark.parametrize("factor", [1.0, 2.0**-30, 0.3])
def test_half_of_a_job_early_is_forbidden(factor):
    auction = auction_in(two_large(), units=factor)
    columns = by_slot(auction)
    assert columns.worth.tolist() == [10, 10, 4, 4]
    master, spans = ScheduleMaster(auction, pooled=True), SpanRows(auction)
    form, _ = master.form(columns, integer=False, spans=spans)
    answer = solve(form)
    assert answer.objective == pytest.approx(17)  # one and a half complete early
    tight = np.array([[True, False]])
    (row,) = violated_rows(auction, columns, answer.point, tight)
    assert (row.span.first, row.span.last, row.span.jobs) == (0, 0, (0, 1))
    assert row.charges / row.limit == pytest.approx([1.0, 1.0])
    assert violated_rows(auction, columns, answer.point, ~tight) == []
    spans.add([row])
    assert len(spans) == 1
    form, _ = master.form(columns, integer=False, spans=spans)
    answer = solve(form)
    assert answer.objective == pytest.approx(14)
    assert violated_rows(auction, columns, answer.point, tight) == []
    _, multipliers, value = master.duals(columns, spans=spans)
    assert value == pytest.approx(14)
    assert multipliers * row.limit == pytest.approx([6.0])


def test_of_the_spans_that_end_in_a_slot_the_most_violated_are_kept():
    # all complete in the last of three slots of 2.  From there on a job of 3 is 1 too much, at
    # length 3; one of 4 more, 3 at length 5; one of 12 more, 13 at length 13
    jobs = [{"arrival": slot, "data": [size]} for slot, size in enumerate((12, 4, 3))]
    auction = one_resource(*jobs, sites=1, site_capacity=[[2.0]])
    columns = by_slot(auction)
    share = (auction.arrival[columns.job] + finishes(columns, auction) == 2).astype(float)
    found = violated_rows(auction, columns, share, np.array([[True] * 3]))
    assert [(row.span.first, row.span.last) for row in found] == [(0, 2), (1, 2)]
    assert found[0].charges == pytest.approx([1, 1 / 3, 1 / 4])


@pytest.mark.parametrize("seed", range(30))
def test_rows_charge_who_completes_in_their_span(seed):
    auction = random_auction(seed, most_chunks=3, most_slots=4, jobs=6)
    rng, pricer = np.random.default_rng(seed), JobPricer(auction)
    spans = SpanRows(auction)
    for _ in range(3):
        first = int(rng.integers(auction.slots))
        last = int(rng.integers(first, auction.slots))
        inside = (auction.arrival >= first) & (auction.arrival <= last) & (auction.chunks > 0)
        jobs = tuple(np.flatnonzero(inside).tolist())
        span = Span(first=first, last=last, resource=0, unit=1.0, jobs=jobs)
        spans.add([SpanRow(span, rng.random(len(jobs)), 1.0)])
    spans.rows.append(spans.rows[0])  # of the same span
    spans.multipliers = rng.integers(0, 3, 4).astype(float)
    prices = Prices(np.zeros(auction.slots), rng.choice([0.0, 1.0, 9.0], auction.used.shape))
    pricer.bound(prices)
    columns = pricer.columns()
    matrix, worth = spans.matrix(columns).toarray(), {}
    for i, less in zip(*spans.worths(), strict=True):
        worth[int(i)] = less
    paid = spans.paid(columns)
    assert matrix.shape == (len(columns.job), 4)
    for n, i in enumerate(columns.job.tolist()):
        done = int(columns.busy[[n]].nonzero()[1].max())
        for row, entry in zip(spans.rows, matrix[n].tolist(), strict=True):
            counts = i in row.span.jobs and done <= row.span.last
            assert entry == (row.charges[row.span.jobs.index(i)] if counts else 0.0)
        assert paid[n] == pytest.approx(matrix[n] @ spans.multipliers)
        if i in worth:
            left = columns.worth[n] - paid[n]
            assert worth[i][done - auction.arrival[i]] == pytest.approx(left)
    # the certificate's worths are the same but for what makes them fall
    one, charges = spans.by_span()
    exact = charged(auction, one, charges)
    for i, less in worth.items():
        later = np.maximum.accumulate(np.maximum(less, 0.0)[::-1])[::-1]
        utility = exact.jobs[i].utility
        assert later[: len(utility)] == pytest.approx(np.array(utility), rel=1e-9, abs=1e-9)
    # together rows of a span are at most what each of them is
    total = sum(most_charged(auction, s, c) for s, c in zip(one, charges, strict=True))
    alone = sum(
        Fraction(m) * most_charged(auction, row.span, row.charges)
        for row, m in zip(spans.rows, spans.multipliers.tolist(), strict=True)
    )
    assert float(total) <= float(alone) * (1 + 1e-9)


def test_units_divide_what_jobs_need():
    jobs = [{"data": [2], "worker_demand": [w], "server_demand": [s]} for w, s in ((2, 2), (4, 1))]
    auction = one_resource(*jobs, {"data": [0], "worker_demand": [1.0]}, sites=1,
                           site_capacity=[[30.0]])  # fmt: skip
    assert unit_of(auction, 0) == 3.0  # 6 and 9
    for unit in (0.3, 2.0**-40, 2.0**40, 1e-300):
        assert unit_of(auction_in(auction, units=unit), 0) == pytest.approx(3 * unit, rel=1e-15)
    # 0.1 and 0.7 have no common part that is not far below both
    needs = ({"data": [1], "worker_demand": [w], "server_demand": [0.0]} for w in (0.1, 0.7))
    fine = one_resource(*needs, sites=1, site_capacity=[[30.0]])
    assert unit_of(fine, 0) == 0.1
    nothing = one_resource({"worker_demand": [0.0]})
    assert unit_of(nothing, 0) == 0.0
    assert unit_of(one_resource(), 0) == 0.0


def test_runs_of_marked_slots():
    marked = np.array([True, True, False, True, False])
    assert runs(marked) == [(0, 1), (3, 3)]
    assert runs(marked[:2]) == [(0, 1)]
    assert runs(marked[2:3]) == []


@pytest.mark.parametrize("seed", range(15))
def test_column_generation_closes_on_the_listed_relaxation(seed: int) -> None:
    auction = random_auction(seed)
    listed = optimum("eris.schedule_lp", auction)
    rounds = list(generate_columns(auction))
    assert rounds[-1].settled
    assert rounds[-1].value == pytest.approx(listed, abs=1e-5)
    assert rounds[-1].bound == pytest.approx(listed, abs=1e-5)
    # every round's bound holds, not only the last
    assert all(r.bound >= listed - 1e-6 for r in rounds)


def test_rounds_that_end_too_early_have_no_answer() -> None:
    auction = one_resource({}, {})
    with pytest.raises(NoAnswer, match="1 rounds"):
        relaxation_by_columns(auction, most_rounds=1)
    with pytest.raises(NoAnswer, match="0 rounds"):
        relaxation_by_columns(auction, most_rounds=0)
    assert relaxation_by_columns(auction).value == pytest.approx(20.0)


def settled(auction, rounds=60, **settings):
    pricer = JobPricer(auction)
    master = ScheduleMaster(auction, pooled=True, **settings)
    return settled_prices(pricer, master, Prices.zero(auction), rounds), pricer


def test_what_is_occupied_is_not_sold_again():
    jobs = [{"utility": [10.0, 7.0, 0.0]} for _ in range(3)]
    auction = one_resource(*jobs)
    (last, _), _ = settled(auction)
    assert last.resource == pytest.approx(0.0, abs=1e-6)
    occupied = np.zeros(3 + 2 * 3)
    occupied[3] = occupied[6] = 1.0  # one unit of each site in slot 0
    (last, _), _ = settled(auction, occupied=occupied)
    assert last.resource[:, 0, 0] == pytest.approx([3.0, 3.0], rel=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_prices_bound_the_optimum(seed):
    auction = random_auction(seed, most_chunks=4, jobs=5)
    (_, best), pricer = settled(auction)
    (_, close), _ = settled(auction, 60, times=None)
    wanted = optimum("eris.offline", auction)
    assert pricer.bound(best) >= wanted * (1 - 1e-9)
    assert pricer.bound(close) == pytest.approx(pricer.bound(best))


def test_rounds_end_where_bound_and_master_are_close():
    jobs = [{"utility": [10.0 + i, 7.0, 0.0]} for i in range(6)]
    auction = one_resource(*jobs)
    pricer, master = JobPricer(auction), ScheduleMaster(auction, pooled=True)
    _, near = settled_prices(pricer, master, Prices.zero(auction), 60, close=0.5)
    assert near.resource.max() == 0.0
    _, best = settled_prices(pricer, master, Prices.zero(auction), 60, close=1e-6)
    assert pricer.bound(best) < pricer.bound(near)
