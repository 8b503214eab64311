"""Columns and rows in turn: every bound above the optimum, and below what prices alone prove."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.eris_spans import ErisSpans, Span
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.models.eris.prices import Prices
from farkas.offline.eris import span_columns as module
from farkas.offline.eris.priced_columns import price_columns
from farkas.offline.eris.span_columns import SpanPricer, completing, span_columns
from farkas.relaxations.eris.priced_jobs import JobPricer, finishes
from farkas.relaxations.eris.span_rows import SpanRow, SpanRows
from tests.certificates.test_eris_cases import two_large
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


def searched(auction, close=1e-9):
    pricer = JobPricer(auction)
    *_, start = price_columns(pricer, Deadline(), pooled=True)
    return start, list(span_columns(pricer, start, Deadline(), close))


def test_of_two_large_jobs_one_completes_early():
    start, rounds = searched(two_large())
    assert start.bound == pytest.approx(17)
    assert rounds[-1].bound == pytest.approx(14)
    assert rounds[-1].value == pytest.approx(14)
    assert len(rounds[0].spans) == 0


@pytest.mark.parametrize("seed", range(40))
def test_bounds_fall_from_that_of_prices_and_stay_above_the_optimum(seed):
    auction = random_auction(seed, most_chunks=5, most_slots=5, jobs=7)
    start, rounds = searched(auction)
    best = optimum("eris.offline", auction)
    bounds = [start.bound, *(one.bound for one in rounds)]
    assert (np.diff(bounds) <= 0).all()
    for one in rounds:
        # multipliers are those of the bound, whatever was looked for later
        spans, charges = one.spans.by_span()
        made = ErisSpans.of(auction, spans, charges, one.prices.transfer, one.prices.resource)
        assert float(made.prove_bound(auction)) <= one.bound * (1 + 1e-9) + 1e-9
        assert one.bound >= best * (1 - 1e-9)
        resource = one.prices.resource
        assert (resource == resource[:1]).all()  # as those of the spans, which take all sites
        assert one.value <= one.bound * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize(("close", "most"), [(1.0, 1), (1e-12, module.MOST_PRICINGS)])
def test_jobs_are_priced_again_until_master_and_bound_are_near(monkeypatch, close, most):
    auction, priced = random_auction(1, most_chunks=5, most_slots=5, jobs=7), []
    price = SpanPricer.price

    def counted(*given):
        priced.append(1)
        return price(*given)

    monkeypatch.setattr(SpanPricer, "price", counted)
    _, rounds = searched(auction, close)
    assert len(rounds) <= len(priced) <= most * len(rounds)
    assert (len(priced) > len(rounds)) == (most > 1)


def priced_in_span(prices, factor):
    """One chunk of a job that pays for completing in the first two of four slots."""
    auction = one_resource({"utility": [10.0, 8.0, 7.0, 1.0]}, slots=4, sites=1,
                           site_capacity=[[1.0]])  # fmt: skip
    spans = SpanRows(auction)
    span = Span(first=0, last=1, resource=0, unit=1.0, jobs=(0,))
    spans.add([SpanRow(span, np.ones(1), 1.0)])
    spans.multipliers = np.array([factor])
    pricer = JobPricer(auction)
    before = pricer.jobs.worth.copy()
    cost = Prices(np.zeros(4), np.array([[prices]]))
    bound, found = SpanPricer(pricer).price(cost, spans)
    assert np.array_equal(pricer.jobs.worth, before)
    return auction, bound - cost.rent(auction), found


def test_who_is_done_may_complete_later_where_that_is_worth_more():
    # worth 6, 4, 7, 1 for 4: slot 0 is for nothing, but completion in slot 2 earns 7; with 4 of
    # the row the bound is 11
    auction, bound, found = priced_in_span([0.0, 9.0, 9.0, 9.0], 4.0)
    assert bound == pytest.approx(7 + 4)
    assert found.worth.tolist() == [7]
    assert finishes(found, auction).tolist() == [2]
    assert found.busy.toarray().tolist() == [[1, 0, 1, 0]]
    assert found.usage.toarray()[0, 4:].tolist() == [1, 0, 0, 0]
    # for 1 it is worth 9 at once
    auction, bound, found = priced_in_span([0.0, 9.0, 9.0, 9.0], 1.0)
    assert bound == pytest.approx(9 + 1)
    assert found.worth.tolist() == [10]
    assert finishes(found, auction).tolist() == [0]


def test_later_is_counted_from_the_slot_in_which_the_schedule_is_done():
    # worth 6, 4, 7, 1 for 4: slot 1 is for nothing, and completion one slot after it earns 7
    auction, bound, found = priced_in_span([9.0, 0.0, 9.0, 9.0], 4.0)
    assert bound == pytest.approx(7 + 4)
    assert found.worth.tolist() == [7]
    assert finishes(found, auction).tolist() == [2]
    assert found.busy.toarray().tolist() == [[0, 1, 1, 0]]


def test_a_schedule_that_completes_later_is_another_column():
    _, _, found = priced_in_span([0.0, 9.0, 9.0, 9.0], 1.0)
    late = completing(found, np.array([7.0]), np.array([2]))
    assert len(found.join(late).job) == 2
    assert len(found.join(completing(found, found.worth, np.array([0]))).job) == 1


def test_time_ends_between_rounds(monkeypatch):
    pricer = JobPricer(two_large())
    *_, start = price_columns(pricer, Deadline(), pooled=True)
    with pytest.raises(OutOfTime):
        list(span_columns(pricer, start, Deadline(0.0), 1e-9))
    monkeypatch.setattr(module, "MOST_ROUNDS", 1)
    (only,) = span_columns(pricer, start, Deadline(), 1e-9)
    assert only.bound == pytest.approx(17)


def test_no_solver_takes_longer_than_what_is_left(monkeypatch):
    limits, solve = [], module.solve

    def limited(form, time_limit=np.inf):
        limits.append(time_limit)
        return solve(form, time_limit=time_limit)

    monkeypatch.setattr(module, "solve", limited)
    pricer = JobPricer(two_large())
    *_, start = price_columns(pricer, Deadline(), pooled=True)
    rounds = list(span_columns(pricer, start, Deadline(60.0), 1e-9))
    assert len(limits) == len(rounds) > 0
    assert all(0 < limit <= 60.0 for limit in limits)
