"""Spans in a search: proofs in time, and values that the rows ask for."""

from __future__ import annotations

import contextlib
import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import farkas
from farkas.certificates.eris_spans import Span
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.models.eris.prices import Prices
from farkas.offline import Ascent, Rung
from farkas.offline.eris import span_columns as module
from farkas.offline.eris.packing import Packing
from farkas.offline.eris.priced_columns import price_columns
from farkas.offline.eris.span_columns import SpannedRound, proves, spanned
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.relaxations.eris.span_rows import SpanRow, SpanRows
from tests.certificates.test_eris_cases import two_large
from tests.generators.eris import auction_in, one_resource
from tests.offline.eris.test_priced import searched


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


def test_prices_are_as_near_as_a_fiftieth_of_the_gap(monkeypatch):
    assert Told(monkeypatch, [(1.0, 1.0)], gap=Fraction(1, 10)).close == pytest.approx(0.002)
    assert Told(monkeypatch, [(1.0, 1.0)]).close == 0.0


def test_a_bound_that_has_not_fallen_is_not_proved_again(monkeypatch):
    assert Told(monkeypatch, [(1.0, 1.0)]).proved == []
    assert Told(monkeypatch, [(1.0 - 2.0**-30, 1.0)]).proved == [1.0 - 2.0**-30]
    # without a value none is near enough before the end
    told = Told(monkeypatch, [(0.9, 1.0), (0.8, 0.9)])
    assert told.proved == [pytest.approx(0.8)]


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
