"""Schedules chosen among many: they fit the rows of a master, and those of spans."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra.formulation import programs
from farkas.certificates.eris_spans import Span
from farkas.exact.bounding import Deadline
from farkas.models.eris.prices import Prices
from farkas.offline import Ascent, ladders
from farkas.offline.eris.choice import chosen_columns, decisions_of
from farkas.offline.eris.priced_columns import price_columns
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.relaxations.eris.schedule_master import ScheduleMaster
from farkas.relaxations.eris.span_rows import SpanRow, SpanRows
from farkas.solvers import solve
from tests.generators.eris import one_resource, random_auction


def test_schedules_are_chosen_that_fit_the_rows_together():
    jobs = [{"utility": [10.0, 4.0, 0.0]} for _ in range(5)]
    auction = one_resource(*jobs)
    pricer, ascent = JobPricer(auction), Ascent("max", Deadline(), Fraction(0))
    *_, last = price_columns(pricer, Deadline(), pooled=True)
    pricer.bound(last.prices)
    plan = chosen_columns(
        ScheduleMaster(auction, pooled=True),
        last.columns,
        last.prices,
        pricer.chosen.payoff,
        ascent,
    )
    assert len(set(plan.job.tolist())) == 5
    assert plan.worth.sum() == 4 * 10 + 4
    assert (ScheduleMaster(auction, pooled=True).rows(plan).sum(axis=0) <= [10] * 3 + [4] * 3).all()
    assert np.array_equal(plan.busy.toarray().sum(axis=0), [4, 1, 0])


def test_rows_of_spans_hold_for_what_is_chosen_and_what_is_charged_is_cost():
    # both jobs in the first slot fit 4; a span that says one at most lets one of them in
    job = {"data": [2], "utility": [10.0, 4.0]}
    auction = one_resource(job, dict(job), slots=2, sites=1, site_capacity=[[4.0]])
    master, ascent = ScheduleMaster(auction, pooled=True), Ascent("max", Deadline(), Fraction(0))
    pricer, columns = JobPricer(auction), None
    for early in (0.0, 9.0):
        pricer.bound(Prices(np.zeros(2), np.array([[[early, 0.0]]])))
        columns = pricer.columns() if columns is None else columns.join(pricer.columns())
    spans, free = SpanRows(auction), Prices.zero(auction)
    ten, first = np.full(2, 10.0), Span(first=0, last=0, resource=0, unit=1.0, jobs=(0, 1))
    assert chosen_columns(master, columns, free, ten, ascent).worth.tolist() == [10, 10]
    spans.add([SpanRow(first, np.ones(2), 1.0)])
    # late schedules are 6 short of 10, too much of 10, and at a charge of 6 as good as early ones
    plan = chosen_columns(master, columns, free, ten, ascent, spans)
    assert plan.worth.tolist() == [10]
    spans.multipliers = np.array([6.0])
    plan = chosen_columns(master, columns, free, np.full(2, 4.0), ascent, spans)
    assert sorted(plan.worth.tolist()) == [4, 10]


@pytest.mark.parametrize("seed", range(20))
def test_decisions_are_worth_the_objective(seed):
    auction = random_auction(seed, most_chunks=4, jobs=4)
    form = programs.build("eris.offline[compact]").form(auction)
    answer = solve(form)
    point = np.where(form.integer, np.rint(answer.point), answer.point)
    run = ladders["eris.optimum"].run(auction, decisions_of(auction, form, point))
    assert not run.violations
    # a schedule may end before the slot that the point says, never after it
    assert float(Fraction(run.reached)) == pytest.approx(answer.objective, rel=1e-6, abs=1e-6)
