"""Warm sessions of HiGHS: every change reaches the model in the solver, whole or by position."""

import types

import numpy as np
import pytest

from farkas.forms import check_point
from farkas.solvers import Answer, Claimed, Reason, open_session, solve
from farkas.solvers.highs_session import HighsSession, _union
from tests.conformance.solvers.cases import INF, form


def held(session: HighsSession):
    """Cost, bounds and sides as HiGHS has them, in the units of the form."""
    lp, units = session._solver.getLp(), session._units
    columns, rows = units.columns, units.rows
    return {
        "cost": np.ldexp(lp.col_cost_, units.cost - columns).tolist(),
        "lower": np.ldexp(lp.col_lower_, columns).tolist(),
        "upper": np.ldexp(lp.col_upper_, columns).tolist(),
        "row_lower": np.ldexp(lp.row_lower_, rows).tolist(),
        "row_upper": np.ldexp(lp.row_upper_, rows).tolist(),
    }


@pytest.mark.parametrize("name", ["cost", "lower", "upper", "row_lower", "row_upper"])
@pytest.mark.parametrize("whole", [True, False])
def test_each_array_is_passed_on_and_no_other(name, whole):
    session = open_session(form([1, 2], [(0, [1, 2], 9), (0, [1, 0], 9)], upper=[7.0, 8.0]))
    before = held(session)
    session.update(**{name: [3.0, 4.0] if whole else ([1], [4.0])})
    first = 3.0 if whole else before[name][0]
    assert held(session) == {**before, name: [first, 4.0]}


def test_both_bounds_at_different_positions_arrive():
    session = open_session(form([1, 1, 1], upper=9.0))
    session.update(lower=([0], [2.0]), upper=([2], [5.0]))
    assert (held(session)["lower"], held(session)["upper"]) == ([2, 0, 0], [9, 9, 5])


def test_positions_are_joined_and_all_means_all():
    assert _union([np.array([2], np.int32), np.array([0, 2], np.int32)]).tolist() == [0, 2]
    assert _union([np.array([2], np.int32)]).tolist() == [2]
    assert _union([np.array([2], np.int32), None]) is None


def test_new_integer_columns_are_whole_and_others_are_not():
    # max x + y + z with x + 2y + 2z <= 2.5 after two columns join, y whole, z not; x <= 0.25:
    # x = 0.25 leaves 2.25: y = 1 and z = 0.125, or z alone 1.125; y = 1, z = 1/8 sums to the same
    session = open_session(form([1], [(-INF, [1], 2.5)], upper=0.25, sense="max"))
    session.add_columns([[2.0], [2.0]], [1.5, 1.0], upper=[INF, INF], integer=[True, False])
    answer = session.solve()
    # y is worth more: y = 1, z = 1/8, value 1/4 + 3/2 + 1/8
    assert answer.point == pytest.approx([0.25, 1.0, 0.125])
    assert answer.objective == pytest.approx(1.875)


def test_new_rows_cut_the_last_optimum_off():
    session = open_session(form([1, 1], [(2, [1, 1], INF)]))
    session.solve()
    assert session.add_rows([[1, 0], [0, 1]], [1.5, 1.0], INF) == range(1, 3)
    assert session.solve().point == pytest.approx([1.5, 1.0])


def test_crossing_bounds_are_settled_before_the_solver_is_asked():
    session = open_session(form([1], [(2, [1], INF)]))
    session.update(lower=[3.0], upper=[2.0])
    answer = session.solve()
    assert (answer.claim, answer.solver) == (Claimed.INFEASIBLE, "highs")
    session.update(upper=[4.0])
    assert session.solve().objective == pytest.approx(3)


def test_a_solver_that_throws_gives_an_answer(monkeypatch):
    session = open_session(form([1], [(2, [1], INF)]))

    def explode(*_):
        raise RuntimeError("out of memory")

    monkeypatch.setattr("farkas.solvers.highs_session.solve_loaded", explode)
    assert session.solve().message == "out of memory"


def test_a_start_is_handed_over_in_the_units_of_the_solver(monkeypatch):
    # x + 4 y >= 2^40: HiGHS counts columns in powers of 2
    session, seen = open_session(form([1, 1], [(2.0**40, [1, 4], INF)])), []

    def listen(solver, form, options, start):
        seen.append(start)
        return Answer(reason=Reason.TIME, claim=Claimed.NONE)

    monkeypatch.setattr("farkas.solvers.highs_session.solve_loaded", listen)
    session.solve(start=np.array([2.0**39, 2.0**37]))
    columns = session._units.columns
    assert columns.all()
    assert seen[0].tolist() == [2.0 ** (39 - int(columns[0])), 2.0 ** (37 - int(columns[1]))]


@pytest.mark.parametrize(
    ("first", "short", "claim"),
    [
        # within 1e-6 of the first side, and not of the side that stands now
        (2.0**40, 1e-3, Claimed.NONE),
        (2.0**3, 4e-6, Claimed.NONE),
        (2.0**3, 9e-7, Claimed.OPTIMAL),
        (2.0**-3, 9e-7, Claimed.OPTIMAL),
    ],
)
def test_a_point_is_judged_in_the_units_of_the_form_as_it_now_stands(
    first, short, claim, monkeypatch
):
    # x + y >= first, then >= 1
    session = open_session(form([1, 1], [(first, [1, 1], INF)]))
    session.solve()
    session.update(row_lower=[1.0])
    point = np.array([1 - short, 0.0])

    def lie(*_):
        shown = np.ldexp(point, -session._units.columns)
        return Answer(reason=Reason.FINISHED, claim=Claimed.OPTIMAL, raw_point=shown)

    monkeypatch.setattr("farkas.solvers.highs_session.solve_loaded", lie)
    answer = session.solve()
    assert answer.claim is claim
    if claim is Claimed.OPTIMAL:
        assert answer.report.worst == check_point(session.form, answer.point).worst > 0


def test_a_model_far_from_one_by_now_is_passed_anew_with_its_basis():
    session = open_session(form([1, 1], [(2.0**40, [1, 1], INF)]))
    session.solve()
    first = session._units.rows.tolist()
    session.update(row_lower=[2.0**37])
    session.solve()
    assert session._units.rows.tolist() == first
    session.update(row_lower=[1.0])
    answer = session.solve()
    assert answer.objective == 1.0
    assert session._units.rows.tolist() == [0]
    # the optimal basis of before is optimal: nothing is left to do
    assert session._solver.getInfoValue("simplex_iteration_count")[1] == 0


TINY = 5e-324
CHANGES = {
    "cost": lambda s: s.update(cost=[TINY, 2.0**50]),
    "bound": lambda s: s.update(upper=([0], [3 * TINY])),
    "side": lambda s: s.update(row_upper=([0], [3 * TINY]), row_lower=([0], [-INF])),
    "row": lambda s: s.add_rows([[TINY, 1.0]], 1.0, INF),
    "column": lambda s: s.add_columns([[TINY]], 2.0**60, 0.0, 2.0**-60),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_no_power_of_two_moves_exactly_is_passed_as_it_is(name):
    # measured in 2^60 and more, the smallest double would be 0, and an entry or bound gone
    one = form([2.0**-60, 1], [(2.0**60, [2.0**60, 1], INF)])
    session = open_session(one)
    CHANGES[name](session)
    warm, cold = session.solve(), solve(session.form)
    assert (warm.claim, warm.objective) == (cold.claim, cold.objective)
    names = ("cost", "lower", "upper", "row_lower", "row_upper")
    assert held(session) == {name: getattr(session.form, name).tolist() for name in names}


def test_a_model_that_highs_refuses_is_an_answer(monkeypatch):
    def refuse(*_):
        raise RuntimeError("HiGHS refused the model")

    monkeypatch.setattr("farkas.solvers.highs_session.pass_form", refuse)
    session = open_session(form([1, 1], [(1, [1, 1], INF)]))
    session.update(cost=[1, 2], lower=([0], [1.0]))
    session.add_rows([[1, 2]], 1.0, INF)
    session.add_columns([[1, 2]], 1.0)
    answer = session.solve()
    assert (answer.claim, answer.reason) == (Claimed.NONE, Reason.ERROR)
    assert answer.message == "HiGHS refused the model"


@pytest.mark.parametrize("what", ["changeColsCost", "changeColsBounds", "addRows", "addCols"])
def test_a_change_that_highs_refuses_is_passed_with_the_whole_model(what):
    session = open_session(form([1, 1], [(1, [1, 1], INF)]))

    class Refusing:
        def __init__(self, solver):
            self.solver = solver

        def __getattr__(self, name):
            kept = getattr(self.solver, name)
            return kept if name != what else lambda *_: types.SimpleNamespace(value=-1)

    session._solver = Refusing(session._solver)
    session.update(cost=[1, 2], lower=([0], [0.25]))
    session.add_rows([[1, 0]], -INF, 0.5)
    session.add_columns([[0.5, 0.0]], 1.0, upper=0.5)
    # min x + 2 y + z with x + y + z/2 >= 1, x <= 1/2, z <= 1/2: 1/2 + 2/4 + 1/2
    assert session.solve().objective == pytest.approx(1.5)


def test_rows_alone_may_be_far_from_one():
    session = open_session(form([1, 1], [(2.0**40, [1, 1], INF)], integer=[0, 1]))
    # terms of 1 and a side of 2^40 are 2^13 in the mean, but at most 2^16 below the largest
    assert session._units.rows.tolist() == [24]
    session.update(row_lower=[1.0])
    assert session.solve().objective == 1.0
    assert session._units.rows.tolist() == [0]
