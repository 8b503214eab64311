"""Warm sessions of HiGHS: every change reaches the model in the solver, whole or by position."""

import copy
import dataclasses
import pickle
import types

import numpy as np
import pytest

from farkas.forms import FeasibilityReport, check_point, scale
from farkas.forms.matrices import as_scipy
from farkas.forms.scale import units_of
from farkas.solvers import Answer, Claimed, Reason, open_session, solve
from farkas.solvers.highs_session import FAR, HighsSession, KeptPoint, UnitDrift, _union, kept
from farkas.tolerances import FEASIBLE
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


def test_an_entry_set_to_zero_is_gone():
    session = open_session(form([1, 1], [(2, [1, 1], INF)], upper=9.0))
    session.update(entries=([0], [0], [0.0]))
    assert session.solve().point == pytest.approx([0, 2])
    assert session.form.matrix.size == 1


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


def test_units_are_measured_again_only_where_they_may_have_moved_far(monkeypatch):
    measured = []
    usual = scale.units_of
    monkeypatch.setattr(scale, "units_of", lambda one: measured.append(one) or usual(one))
    session = open_session(form([1, 1], [(1, [1, 1], INF)]))
    for side in (1.0, 1.5, 3.0, 200.0, 0.7):
        session.update(row_lower=([0], [side]))
        assert session.solve().objective == pytest.approx(side)
    assert len(measured) == 1
    session.update(row_lower=[2.0**9])
    assert session.solve().objective == 2.0**9
    assert len(measured) == 2
    session.add_rows([[1.0, 0.0]], 2.0**8, INF)
    assert session.solve().objective == 2.0**9
    assert len(measured) == 3


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
    "entry": lambda s: s.update(entries=([0], [0], [TINY])),
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


NAMES = ("cost", "row_lower", "row_upper", "lower", "upper")


def apart(left, right):
    """Largest difference of the units of rows and columns."""
    pairs = ((left.rows, right.rows), (left.columns, right.columns))
    return max(int(np.abs(a - b).max(initial=0)) for a, b in pairs)


def drawn(rng):
    """A form with sides and bounds of all sizes, some of them missing or 0."""
    rows, columns = rng.integers(1, 6, 2)

    def numbers(size, missing):
        values = np.ldexp(rng.uniform(0.5, 1, size), rng.integers(-40, 40, size))
        kind = rng.random(size)
        return np.where(kind < 0.2, 0.0, np.where(kind < 0.6, missing, values))

    dense = np.ldexp(1.0, rng.integers(-9, 9, (rows, columns))) * (
        rng.random((rows, columns)) < 0.6
    )
    return form(
        numbers(columns, 0.0),
        [(-low, line, high) for low, line, high in zip(
            numbers(rows, INF), dense, numbers(rows, INF), strict=True
        )],
        lower=-numbers(columns, 0.0),
        upper=numbers(columns, INF),
        integer=rng.random(columns) < 0.2,
    )  # fmt: skip


def test_units_never_move_by_more_than_the_exponent_that_moved_most():
    rng, moved, reached = np.random.default_rng(5), 0, 0
    for _ in range(3000):
        first = drawn(rng)
        drift, data = UnitDrift(first), {name: getattr(first, name).copy() for name in NAMES}
        for _ in range(3):
            name = str(rng.choice(NAMES))
            size = len(data[name])
            where = None if rng.random() < 0.3 else rng.integers(0, size, 2).astype(np.int32)
            at = slice(None) if where is None else where
            data[name][at] = data[name][at] * 2.0 ** rng.integers(-6, 7)
            drift.change(name, where, data[name][at])
            now = units_of(first.replace(**data))
            assert apart(now, drift.units) <= drift.most
            moved += apart(now, drift.units) > 0
            reached += apart(now, drift.units) == drift.most > 0
    assert moved > 200
    assert reached > 100  # the bound is no larger than it has to be


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cost", 2.0, 0.0),
        ("cost", 0.0, 2.0),
        ("row_lower", 2.0, 0.0),
        ("row_lower", 0.0, 2.0),
        ("row_upper", 2.0, INF),
        ("row_upper", INF, 2.0),
        ("lower", 0.0, -INF),
        ("lower", 2.0, 0.0),
        ("upper", INF, 0.0),
        ("upper", 0.0, INF),
        ("upper", 2.0, 0.0),
    ],
)
def test_nothing_is_known_once_a_zero_or_an_absent_side_becomes_another_thing(name, old, new):
    sides = {"row_lower": 0.0, "row_upper": INF} | ({name: old} if name.startswith("row") else {})
    more = {name: np.array([old])} if name in ("lower", "upper") else {}
    one = form(
        [old if name == "cost" else 1.0],
        [(sides["row_lower"], [1.0], sides["row_upper"])],
        **more,
    )
    drift = UnitDrift(one)
    drift.change(name, None, np.array([new]))
    assert drift.most >= FAR


@pytest.mark.parametrize(("old", "new"), [(0.0, INF), (INF, 0.0)])
def test_a_side_that_measures_nothing_may_become_another_that_measures_nothing(old, new):
    drift = UnitDrift(form([1.0], [(-INF, [1.0], old)]))
    drift.change("row_upper", None, np.array([new]))
    assert drift.most == 0


def test_what_moved_once_counts_until_units_are_measured_again():
    drift = UnitDrift(form([1.0], [(1.0, [1.0], INF)]))
    for value, most in ((1.5, 0), (8.0, 3), (1.0, 3), (0.25, 3), (2.0**-5, 5)):
        drift.change("row_lower", np.array([0], np.int32), np.array([value]))
        assert drift.most == most


def report(one, point, share=1.0):
    units = one.units
    return kept(one, as_scipy(one.matrix), np.array(point), share * units.row, share * units.column)


# x + y between 2 and 4, x <= 3: rows and columns are measured in 1 or 2
ONE = form([1, 1], [(2, [1, 1], 4)], upper=[3, INF])


@pytest.mark.parametrize(
    ("point", "holds"),
    [
        ([1.0, 1.0], True),
        ([3.0, 1.0], True),
        ([1.0, 1.0 - 0.9 * FEASIBLE], True),
        ([1.0, 1.0 - 4 * FEASIBLE], False),
        ([3.0, 1.0 + 0.9 * FEASIBLE], True),
        ([3.0, 1.0 + 9 * FEASIBLE], False),
        ([3.0 + 9 * FEASIBLE, 0.5], False),
        ([-0.9 * FEASIBLE, 2.5], True),
        ([-4 * FEASIBLE, 2.5], False),
        ([np.nan, 2.0], False),
        ([0.0, np.inf], False),
        ([-np.inf, np.inf], False),
    ],
)
def test_a_point_holds_where_no_side_is_missed_by_a_share_of_a_unit(point, holds):
    found = report(ONE, point)
    assert bool(found) is holds
    if holds:
        assert check_point(ONE, np.array(point))


def test_what_holds_in_smaller_units_holds_by_the_usual_check():
    rng, held = np.random.default_rng(2), [0, 0]
    for _ in range(300):
        size = np.ldexp(1.0, rng.integers(-20, 20, 3))
        one = form(
            [1, 1, 1],
            [(side, row / size, INF) for side, row in zip(
                rng.integers(0, 3, 2), rng.integers(-2, 3, (2, 3)), strict=True
            )],
            upper=size * 4,
        )  # fmt: skip
        point = size * rng.integers(0, 5, 3)
        point += size * FEASIBLE * rng.choice([0, 0, 1e-3, -1e-3, 0.6, 3], 3)
        for share in (1.0, 2.0**-8):
            found = report(one, point, share)
            usual = check_point(one, point)
            if found is not None:
                assert usual
                assert (found.worst, found.count, found.violations) == (usual.worst, 0, ())
                assert str(found) == str(usual)
            held[found is not None] += 1
    assert min(held) > 50


def test_a_report_is_one_like_any_other():
    found = report(ONE, [1.0, 1.0 - 0.5 * FEASIBLE])
    assert isinstance(found, KeptPoint)
    assert found.worst == check_point(ONE, np.array([1.0, 1.0 - 0.5 * FEASIBLE])).worst > 0
    for copied in (copy.copy(found), pickle.loads(pickle.dumps(found))):
        assert copied == FeasibilityReport(found.worst, 0, ())
    assert dataclasses.asdict(found) == {"worst": found.worst, "count": 0, "violations": ()}


def test_no_unit_at_all_asks_for_a_point_that_misses_nothing():
    assert report(ONE, [1.0, 1.0], 0.0)
    assert report(ONE, [1.0, 1.0 - 2.0**-50], 0.0) is None
