"""Who competes for units of a type in which slot."""

import numpy as np
import pytest

from farkas.algebra import Set
from farkas.algebra.declare import Declarations
from farkas.instances import library
from farkas.models.dps import windows
from farkas.models.dps.windows import MarketSide
from tests.generators.dps import empty_market, posted, random_market

LAST = np.array([2, 1, 4, 5])
LONGER = np.array([3, 1, 4, 5])


def side():
    """Jobs of type 0 from slots 0, 1, 3, and one of type 1 from slot 1."""
    ones = np.ones(4, int)
    return MarketSide(
        types=np.array([0, 0, 0, 1]),
        demand=ones,
        start=np.array([0, 1, 3, 1]),
        capacity=np.array([2, 2]),
        installed=np.array([[1, 2], [3, 4], [5, 6]]),
    )


def test_capacity_is_stated_where_the_last_of_some_jobs_arrives():
    # jobs 0 and 1 meet in slot 1, job 2 comes when both are gone; slot 0 is part of slot 1
    assert windows.clique_rows(side(), [LAST]).tolist() == [[0, 1], [0, 3], [1, 1]]
    # a job that may stay until slot 3 meets job 2, yet jobs 0 and 1 still meet without it
    assert windows.clique_rows(side(), [LONGER]).tolist() == [[0, 1], [0, 3], [1, 1]]
    # one that stays in every case makes slot 1 needless only when nobody leaves before slot 3
    whole = np.array([3, 3, 4, 5])
    assert windows.clique_rows(side(), [whole]).tolist() == [[0, 3], [1, 1]]
    assert windows.clique_rows(side(), [whole, LAST]).tolist() == [[0, 1], [0, 3], [1, 1]]


def test_who_holds_units_in_a_row():
    rows = windows.clique_rows(side(), [LAST])
    assert [j.tolist() for j in windows.jobs_at(rows, side(), LAST)] == [[0, 1], [2], [3]]
    assert [j.tolist() for j in windows.jobs_at(rows, side(), LONGER)] == [[0, 1], [0, 2], [3]]


def test_earlier_jobs_of_the_type_that_are_still_there():
    assert [j.tolist() for j in windows.earlier(side(), LAST, [0, 1, 2, 3])] == [[], [0], [], []]
    assert [j.tolist() for j in windows.earlier(side(), LONGER, [2])] == [[0]]


def test_units_on_servers_are_those_of_the_type_asked_for():
    assert side().on_server.tolist() == [[1, 3, 5], [1, 3, 5], [1, 3, 5], [2, 4, 6]]
    market = library.load("dps/tiny")
    workers, ps = windows.worker_side(market), windows.ps_side(market)
    assert workers.demand.tolist() == [2, 2, 3, 4, 1]
    assert ps.demand.tolist() == [1, 2, 1, 1, 3]
    assert (workers.capacity.tolist(), ps.capacity.tolist()) == ([4, 3], [3])


def test_nobody_needs_no_row():
    market = empty_market()
    nobody = windows.worker_side(market)
    rows = windows.clique_rows(nobody, [market.last_slot])
    assert rows.shape == (0, 2)
    assert windows.jobs_at(rows, nobody, market.last_slot) == []


def test_rows_and_demands_are_declared_by_name():
    market = posted((0, 2, 1, 1.0), (1, 1, 3, 1.0), units=4)
    m = Declarations()
    m.jobs = Set([1], label="job")
    windows.declare_demand(m, market, np.array([1]))
    ends = {"now": market.last_slot, "soon": market.last_slot - 1}
    windows.declare_rows(m, "rows", windows.ps_side(market), **ends)
    assert (m.workers.values.tolist(), m.ps.values.tolist()) == ([3], [3])
    assert (m.worker_capacity.values.tolist(), m.ps_capacity.values.tolist()) == ([4], [4])
    # the first job holds slots 0 and 1, or only 0 when it leaves sooner
    assert m.rows.table.tolist() == [[0, 0], [0, 1]]
    assert m.now.table[:, 0].tolist() == [0, 0, 1]
    assert (m.soon.counts.tolist(), m.soon.table[:, 0].tolist()) == ([1, 0], [0])


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_scarce_where_all_who_meet_there_ask_for_too_much(seed):
    market = random_market(seed, jobs=9)
    sides = windows.worker_side(market), windows.ps_side(market)
    for each, rows in zip(sides, windows.scarce_rows(market), strict=True):
        wanted = []
        for kind, slot in windows.clique_rows(each, [market.last_slot]).tolist():
            asked = sum(
                each.demand[job]
                for job in range(market.num_jobs)
                if each.types[job] == kind
                and each.start[job] <= slot <= market.last_slot[job]
                and market.fits[job]
            )
            if asked > each.capacity[kind]:
                wanted.append([kind, slot])
        assert rows.tolist() == wanted


def test_two_who_take_all_together_leave_nothing_scarce():
    market = posted((0, 2.0, 2, 1.0), (1, 1.0, 2, 1.0), units=4)
    assert [len(rows) for rows in windows.scarce_rows(market)] == [0, 0]
    market = market.replace(server_workers=[[3]])
    assert [rows.tolist() for rows in windows.scarce_rows(market)] == [[[0, 1]], []]
    assert [len(rows) for rows in windows.scarce_rows(empty_market())] == [0, 0]
