"""Columns and rows in turn: every bound above the optimum, and below what prices alone prove."""

from __future__ import annotations

import contextlib
import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import farkas
from farkas.certificates.eris import prove_welfare, short
from farkas.certificates.eris_cases import ErisSpans, Span
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.models.eris.prices import Prices
from farkas.offline import Ascent, Rung
from farkas.offline.eris import span_columns as module
from farkas.offline.eris.cases import price_columns
from farkas.offline.eris.packing import Packing
from farkas.offline.eris.span_columns import (
    SpannedRound,
    SpanPricer,
    proves,
    span_columns,
    spanned,
)
from farkas.relaxations.eris.priced_jobs import JobPricer, finishes
from farkas.relaxations.eris.schedule_master import SpanRow, SpanRows
from farkas.relaxations.eris.welfare_bound import relaxation_by_columns
from tests.certificates.test_eris_cases import two_large
from tests.generators.eris import auction_in, one_resource, random_auction
from tests.offline.eris.test_choice import searched
from tests.tools.optimum import optimum


def columns_searched(auction, close=1e-9):
    pricer = JobPricer(auction)
    *_, start = price_columns(pricer, Deadline(), pooled=True)
    return start, list(span_columns(pricer, start, Deadline(), close))


def test_of_two_large_jobs_one_completes_early():
    start, rounds = columns_searched(two_large())
    assert start.bound == pytest.approx(17)
    assert rounds[-1].bound == pytest.approx(14)
    assert rounds[-1].value == pytest.approx(14)
    assert len(rounds[0].spans) == 0


@pytest.mark.parametrize("seed", range(40))
def test_bounds_fall_from_that_of_prices_and_stay_above_the_optimum(seed):
    auction = random_auction(seed, most_chunks=5, most_slots=5, jobs=7)
    start, rounds = columns_searched(auction)
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
    _, rounds = columns_searched(auction, close)
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


def test_later_is_counted_from_the_slot_in_which_the_schedule_is_done():
    # worth 6, 4, 7, 1 for 4: slot 1 is for nothing, and completion one slot after it earns 7
    auction, bound, found = priced_in_span([9.0, 0.0, 9.0, 9.0], 4.0)
    assert bound == pytest.approx(7 + 4)
    assert found.worth.tolist() == [7]
    assert finishes(found, auction).tolist() == [2]
    assert found.busy.toarray().tolist() == [[0, 1, 1, 0]]


def test_time_ends_between_rounds(monkeypatch):
    pricer = JobPricer(two_large())
    *_, start = price_columns(pricer, Deadline(), pooled=True)
    with pytest.raises(OutOfTime):
        list(span_columns(pricer, start, Deadline(0.0), 1e-9))
    monkeypatch.setattr(module, "MOST_ROUNDS", 1)
    (only,) = span_columns(pricer, start, Deadline(), 1e-9)
    assert only.bound == pytest.approx(17)


def three_large():
    """Two jobs of three chunks and one of a chunk in a slot of five workers, of worth 10, 10, 9."""
    large, small = {"data": [3], "utility": [10.0, 4.0]}, {"data": [1], "utility": [9.0, 1.0]}
    return one_resource(large, dict(large), small, slots=2, sites=1, site_capacity=[[5.0]])


@pytest.mark.parametrize(("auction", "best"), [(two_large(), 14), (three_large(), 23)])
def test_spans_close_what_prices_leave(auction, best):
    found = searched(auction, gap=1e-6)
    assert found.complete
    assert found.value == best
    certificate = found.run.certificate.certificate
    assert certificate["certificate"] == "eris_spans"
    assert farkas.check(found.run, auction).proof.bound == found.bound
    assert any(step.method == module.METHOD for step in found.steps)


@pytest.mark.parametrize("power", [-30, 30])
def test_other_units_scale_both_sides(power):
    plain = searched(three_large(), gap=1e-6)
    money = searched(auction_in(three_large(), money=2.0**power), gap=1e-6)
    units = searched(auction_in(three_large(), units=2.0**power), gap=1e-6)
    assert money.value == plain.value * Fraction(2) ** power
    assert float(money.bound) == pytest.approx(float(plain.bound) * 2.0**power, rel=1e-9)
    assert units.value == plain.value
    assert float(units.bound) == pytest.approx(float(plain.bound), rel=1e-9)


def ready(auction, seconds=60.0):
    pricer = JobPricer(auction)
    *_, start = price_columns(pricer, Deadline(), pooled=True)
    return Packing(pricer), start, Ascent("max", Deadline(seconds), Fraction(0))


def test_what_has_no_proof_ends_the_search_in_words(monkeypatch):
    def refused(*given):
        raise NotACertificate("utility: inf is out of range")

    monkeypatch.setattr(module.ErisSpans, "of", refused)
    with pytest.raises(NoAnswer, match="prices of schedules and of spans: utility: inf"):
        list(spanned(*ready(two_large())))


def test_without_rows_or_time_nothing_is_told():
    assert list(spanned(*ready(one_resource({}, {})))) == []
    assert list(spanned(*ready(two_large(), 0.0))) == []


def test_what_was_proved_by_the_deadline_counts(monkeypatch):
    plain = module.span_columns

    def late(*given):
        yield from plain(*given)
        raise OutOfTime("now")

    monkeypatch.setattr(module, "span_columns", late)
    climber, found = spanned(*ready(two_large())), []
    with contextlib.suppress(OutOfTime):
        found.extend(climber)
    assert float(found[0].bound.fraction) == pytest.approx(14)


def test_a_bound_is_proved_when_it_is_much_nearer_or_near_enough():
    ascent = Ascent("max", Deadline(), Fraction(1, 100))
    assert not proves(90.0, 100.0, ascent)  # no value is known
    ascent.run = searched(two_large()).run
    assert ascent.value == 14
    assert proves(16.0, 18.0, ascent)
    assert not proves(16.1, 18.0, ascent)
    assert not proves(16.0, 16.0, ascent)
    assert proves(14.14, 14.2, ascent)
    assert not proves(14.15, 14.2, ascent)
    # near enough, but no less than what is proved already
    assert not proves(14.1, 14.1, ascent)
    assert not proves(14.11, 14.1, ascent)


class Told:
    """Rounds with other bounds and masters, and what is made of them."""

    def __init__(self, monkeypatch, rounds, gap=Fraction(0), reached=None):
        packing, start, ascent = ready(two_large())
        ascent.gap = gap
        if reached is not None:
            ascent.run = SimpleNamespace(reached=reached)
        real = list(module.span_columns(packing.pricer, start, Deadline(), 0.0))[-1]
        self.taken, self.proved, self.close, self.packed = 0, [], None, {}

        def columns(pricer, found, deadline, close):
            self.close = close
            for bound, value in rounds:
                self.taken += 1
                yield dataclasses.replace(real, bound=start.bound * bound, value=value)

        def packed(*given, **named):
            self.packed = named
            return iter(())

        def proved(auction, found):
            self.proved.append(found.bound / start.bound)
            return Rung(module.METHOD)

        monkeypatch.setattr(module, "span_columns", columns)
        monkeypatch.setattr(module, "packed", packed)
        monkeypatch.setattr(module, "_proved", proved)
        list(spanned(packing, start, ascent))


def test_rows_are_looked_for_until_three_rounds_bring_no_progress(monkeypatch):
    still = [(1.0, 10.0)] * 9
    assert Told(monkeypatch, still).taken == 4
    falling = [(1.0, 10.0), (1.0, 10.0), (1.0, 10.0), (1.0, 8.0), *still]
    assert Told(monkeypatch, falling).taken == 7
    rising = [(1.0, 10.0), (1.0, 11.0), (1.0, 12.0), (1.0, 10.5), *still]
    assert Told(monkeypatch, rising).taken == 4
    # less than a fiftieth of the gap asked for is no progress, more is
    little = [(1.0, 10.0 - 0.001 * n) for n in range(9)]
    assert Told(monkeypatch, little, gap=Fraction(1, 10)).taken == 4
    assert Told(monkeypatch, little, gap=Fraction(1, 1000)).taken == 9


def test_schedules_are_chosen_under_rows_of_all_sites_together(monkeypatch):
    told = Told(monkeypatch, [(0.9, 1.0)])
    assert told.packed["pooled"] is True
    assert len(told.packed["spans"]) > 0


def test_a_bound_has_to_be_much_nearer_than_what_was_proved_last(monkeypatch):
    # from 17 to a value of 14: 15.4 is half the way or more, 15.3 is no news then, and 14.6 is
    bounds = [(bound / 17, 10.0) for bound in (15.4, 15.3, 14.6)]
    told = Told(monkeypatch, bounds, reached=Fraction(14))
    assert told.proved == pytest.approx([15.4 / 17, 14.6 / 17])


def test_schedules_are_packed_at_the_prices_and_charges_of_the_last_round(monkeypatch):
    packing, start, ascent = ready(two_large())
    spans, asked = SpanRows(packing.auction), []
    span = Span(first=0, last=0, resource=0, unit=1.0, jobs=(0, 1))
    spans.add([SpanRow(span, np.ones(2), 1.0)])
    spans.multipliers = np.array([4.0])
    prices = Prices(np.array([0.25, 0.0]), np.array([[[0.5, 0.0]]]))
    last = SpannedRound(start.bound, prices, spans, 14.0, start.columns)

    def packed(packing, *given, **named):
        asked.append((packing.prices, packing.pricer.chosen.payoff.tolist()))
        return iter(())

    monkeypatch.setattr(module, "span_columns", lambda *given: iter([last]))
    monkeypatch.setattr(module, "packed", packed)
    assert list(spanned(packing, start, ascent)) == []
    ((guide, payoff),) = asked
    assert guide.transfer.tolist() == [0.25, 0.0]
    assert guide.resource.tolist() == [[[0.5, 0.005]]]  # nothing is for nothing
    # early two workers for 1/2 each and 4 for the span leave 5 of 10; late it is 4
    assert payoff == pytest.approx([5.0, 5.0])


def settled(auction, *, pooled):
    rounds = list(price_columns(JobPricer(auction), Deadline(), pooled=pooled))
    bounds = [found.bound for found in rounds]
    assert bounds == sorted(bounds, reverse=True)
    return rounds[-1]


@pytest.mark.ids(6)
@pytest.mark.parametrize("seed", range(25))
def test_bounds_are_never_below_the_optimum_and_settle_at_the_master(seed):
    auction = random_auction(seed, most_chunks=4, jobs=5)
    best = optimum("eris.offline", auction)
    pooled, by_site = settled(auction, pooled=True), settled(auction, pooled=False)
    tiny = 1e-6 * max(best, 1.0)
    assert by_site.bound >= relaxation_by_columns(auction).value - tiny >= best - 2 * tiny
    assert pooled.bound >= by_site.bound - tiny
    for found in (pooled, by_site):
        proved = prove_welfare(auction, short(found.prices.transfer), short(found.prices.resource))
        assert float(proved) == pytest.approx(found.bound, rel=1e-6, abs=1e-9)
        assert found.value == pytest.approx(found.bound, rel=1e-5, abs=1e-9) or not found.value > 0
