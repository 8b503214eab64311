"""The program that places jobs anew: against columns and rows written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.offline.dps import place_program
from farkas.offline.dps.place_program import (
    PS,
    SPREAD,
    WHOLE,
    WORKERS,
    PlaceColumns,
    best_places,
    place_form,
)
from farkas.offline.dps.placements import Placements
from farkas.offline.dps.reassigning import Reassigning
from farkas.offline.dps.timeline import Placed, ServerTimeline
from farkas.relaxations.dps.server_prices import ServerProgram
from farkas.relaxations.dps.server_trees import ServerTrees
from farkas.solvers import solve
from tests.generators.dps import posted, random_market


def columns(*listed):
    what, job, server, most = (np.array(each) for each in zip(*listed, strict=True))
    return PlaceColumns(what, job, server, most.astype(float))


def best(ways, timeline, payment):
    jobs = np.unique(ways.job)
    form = place_form(ways, jobs, timeline, np.array(payment))
    return solve(form, gap=0.0).require_optimal()


@pytest.mark.parametrize(("units", "worth"), [(1, 5.0), (2, 8.0)])
def test_jobs_at_one_time_share_a_server(units, worth):
    """One unit each: the dearer of two, or both of them."""
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 1, 5.0), units=units)
    ways = columns((WHOLE, 0, 0, 1), (WHOLE, 1, 0, 1))
    assert best(ways, ServerTimeline(market), [3.0, 5.0]).objective == worth


def test_those_who_stay_leave_less():
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 1, 5.0), units=1)
    timeline = ServerTimeline(market)
    timeline.put(1, Placed(np.array([0]), np.array([1]), np.array([1])))
    assert best(columns((WHOLE, 0, 0, 1)), timeline, [3.0, 5.0]).objective == 0


def test_spread_jobs_have_all_their_units():
    """Two workers on two servers of the group; one of two parameter servers is elsewhere."""
    market = posted((0, 1.0, 2, 7.0), units=2).replace(
        server_workers=[[1], [1], [0]], server_ps=[[1], [0], [1]]
    )
    ways = [
        (SPREAD, 0, -1, 1), (WORKERS, 0, 0, 1), (WORKERS, 0, 1, 1), (PS, 0, 0, 1),
        (PS, 0, 2, 1),
    ]  # fmt: skip
    timeline = ServerTimeline(market)
    answer = best(columns(*ways), timeline, [7.0])
    assert answer.objective == 7
    assert answer.point.tolist() == [1, 1, 1, 1, 1]
    for missing in range(1, 5):
        fewer = [way for number, way in enumerate(ways) if number != missing]
        assert best(columns(*fewer), timeline, [7.0]).objective == 0


def test_a_server_elsewhere_is_held_by_one():
    """Two jobs ask for one parameter server elsewhere each; there is one in all."""
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 1, 5.0), units=1).replace(
        server_workers=[[2], [0]], server_ps=[[0], [1]]
    )
    ways = columns(*(
        each
        for job in (0, 1)
        for each in ((SPREAD, job, -1, 1), (WORKERS, job, 0, 1), (PS, job, 1, 1))
    ))  # fmt: skip
    assert best(ways, ServerTimeline(market), [3.0, 5.0]).objective == 5


def random_program(seed):
    """Jobs of a random market, all ways, and a point that serves some of them one by one."""
    market = random_market(seed, jobs=10, servers=4, types=2)
    timeline = ServerTimeline(market)
    program = ServerProgram(market, "budget" if market.price_cap is None else "capped")
    *_, priced = program.rounds()
    found = Placements(program, priced)
    trees = ServerTrees(program, priced)
    anew = Reassigning(found.packing, program, priced, trees)
    jobs = np.flatnonzero(found.packing.paying)
    found.packing.fill(jobs)
    before = {job: found.packing.take(job) for job in jobs.tolist() if found.packing.served[job]}
    ways = anew._ways(jobs, math.inf, before)
    form = place_form(ways, jobs, timeline, found.packing.payment)
    return form, ways.job, anew._start(ways, before), sum(found.packing.payment[list(before)])


@pytest.mark.parametrize("seed", range(12))
def test_a_large_program_earns_no_more_than_all_its_columns_and_no_less_than_its_start(
    seed, monkeypatch
):
    monkeypatch.setattr(place_program, "FEW_COLUMNS", 0)
    form, job, start, earned = random_program(seed)
    if not form.num_columns:
        return
    assert not form_faults(form, start)
    assert form.objective(start) == pytest.approx(earned)
    whole = solve(form, gap=0.0).require_optimal().objective
    point, work = best_places(form, job, start, gap=0.0)
    reached = earned if point is None else form.objective(point)
    assert earned - 1e-9 <= reached <= whole + 1e-9
    if point is None:  # the linear relaxation earns no more
        assert whole == pytest.approx(earned)
    assert work >= 0


@pytest.mark.parametrize("seed", range(12))
def test_columns_are_kept_that_the_relaxation_or_the_start_takes_or_parts_of_jobs_may(
    seed, monkeypatch
):
    form, job, start, _ = random_program(seed)
    if not form.num_columns:
        return
    kept = []

    def watched(form, **options):
        if form.integer.any():
            kept.append(form.upper > 0)
        return solve(form, **options)

    monkeypatch.setattr(place_program, "FEW_COLUMNS", 0)
    monkeypatch.setattr(place_program, "NEAR", 0.3)
    monkeypatch.setattr(place_program, "solve", watched)
    point, _ = best_places(form, job, start, gap=0.0)
    relaxed = solve(form.replace(integer=np.zeros_like(form.integer)), gap=0.0)
    gain = relaxed.objective - form.objective(start)
    parts = {int(j) for j, x in zip(job, relaxed.point, strict=True) if abs(x - round(x)) > 1e-6}
    if not parts:  # nothing is better
        assert not kept
        assert form.objective(point) == pytest.approx(relaxed.objective)
        return
    if gain < 1e-9:
        assert (point, kept) == (None, [])
        return
    for column, (j, x, was) in enumerate(zip(job, relaxed.point, start, strict=True)):
        mine = form.matrix.columns == column
        priced = form.matrix.values[mine] @ relaxed.row_duals[form.matrix.rows[mine]]
        near = j in parts and abs(form.cost[column] - priced) <= 0.3 * gain
        assert kept[0][column] == ((near or x > 0 or was > 0) and form.upper[column] > 0)


def form_faults(form, point):
    """Rows and bounds that a point misses."""
    sums = np.zeros(form.num_rows)
    np.add.at(sums, form.matrix.rows, form.matrix.values * point[form.matrix.columns])
    low, high = sums < form.row_lower - 1e-9, sums > form.row_upper + 1e-9
    return [*np.flatnonzero(low | high), *np.flatnonzero((point < 0) | (point > form.upper))]
