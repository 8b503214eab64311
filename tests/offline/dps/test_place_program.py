"""The program that places jobs anew: against columns and rows written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.offline.dps.place_program import (
    ELSEWHERE,
    PS,
    SPREAD,
    WHOLE,
    WORKERS,
    PlaceColumns,
    place_form,
)
from farkas.offline.dps.timeline import Placed, ServerTimeline
from farkas.solvers import solve
from tests.generators.dps import posted


def columns(*listed):
    what, job, server, most = (np.array(each) for each in zip(*listed, strict=True))
    return PlaceColumns(what, job, server, most.astype(float))


def best(ways, timeline, own, payment):
    jobs = np.unique(ways.job)
    form = place_form(ways, jobs, timeline, np.array(payment), np.array(own))
    return solve(form, gap=0.0).require_optimal()


@pytest.mark.parametrize(("units", "worth"), [(1, 5.0), (2, 8.0)])
def test_jobs_at_one_time_share_a_server(units, worth):
    """One unit each: the dearer of two, or both of them."""
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 1, 5.0), units=units)
    ways = columns((WHOLE, 0, 0, 1), (WHOLE, 1, 0, 1))
    assert best(ways, ServerTimeline(market), [0], [3.0, 5.0]).objective == worth


def test_those_who_stay_leave_less():
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 1, 5.0), units=1)
    timeline = ServerTimeline(market)
    timeline.put(1, Placed(np.array([0]), np.array([1]), np.array([1])))
    assert best(columns((WHOLE, 0, 0, 1)), timeline, [0], [3.0, 5.0]).objective == 0


def test_spread_jobs_have_all_their_units():
    """Two workers on two servers of the group; one of two parameter servers is elsewhere."""
    market = posted((0, 1.0, 2, 7.0), units=2).replace(
        server_workers=[[1], [1], [0]], server_ps=[[1], [0], [1]]
    )
    ways = [
        (SPREAD, 0, -1, 1), (WORKERS, 0, 0, 1), (WORKERS, 0, 1, 1), (PS, 0, 0, 1),
        (ELSEWHERE, 0, -1, 1),
    ]  # fmt: skip
    timeline = ServerTimeline(market)
    answer = best(columns(*ways), timeline, [0, 1], [7.0])
    assert answer.objective == 7
    assert answer.point.tolist() == [1, 1, 1, 1, 1]
    for missing in range(1, 5):
        fewer = [way for number, way in enumerate(ways) if number != missing]
        assert best(columns(*fewer), timeline, [0, 1], [7.0]).objective == 0


def test_servers_elsewhere_are_counted_together():
    """Two jobs ask for one parameter server elsewhere each; there is one in all."""
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 1, 5.0), units=1).replace(
        server_workers=[[2], [0]], server_ps=[[0], [1]]
    )
    ways = columns(*(
        each
        for job in (0, 1)
        for each in ((SPREAD, job, -1, 1), (WORKERS, job, 0, 1), (ELSEWHERE, job, -1, 1))
    ))  # fmt: skip
    assert best(ways, ServerTimeline(market), [0], [3.0, 5.0]).objective == 5
