"""Bounds from multipliers."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

import farkas.kernels
from farkas.exact import node_bounds
from farkas.exact.bound_propagation import Nearby, VertexFinder, derived, rounded_end
from farkas.exact.node_bounds import (
    BoundProblem,
    Deadline,
    OutOfTime,
    contradicting,
    gain_of,
    rounded_up,
)
from farkas.exact.solver import prove_form
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import BASIC, LOWER, UPPER, Basis, End
from tests.generators.rational import keeps, program, random_integer


def form(sense: str = "min") -> RationalForm:
    """Min 3x + 2y + 1 over x / 2 + y >= 2, x - y <= 3: at (0, 2), 5."""
    sign = 1 if sense == "min" else -1
    return program([["1/2", 1], [1, -1]], cost=[3 * sign, 2 * sign], rows=[(2, None), (None, 3)],
                   sense=sense, offset=sign)  # fmt: skip


def test_multipliers_of_a_solver_are_of_the_rows_as_written() -> None:
    weights = BoundProblem(form()).rounded(np.array([2.0, 0.0]))
    assert weights is not None
    assert weights.value([0, 0], [None, None]) == 5
    assert F(weights.factors[0], weights.denominator) == 1


def test_multipliers_against_infinite_sides_count_as_nothing() -> None:
    weights = BoundProblem(form()).rounded(np.array([-2.0, 3.0]))
    assert weights is not None
    assert weights.factors == {}
    assert weights.value([0, 0], [None, None]) == 1
    assert BoundProblem(form()).exact([F(0), F(1)]).value([0, 0], [9, 9]) is None


def test_multipliers_that_are_no_numbers_give_none() -> None:
    assert BoundProblem(form()).rounded(np.array([np.nan, 0.0])) is None
    assert BoundProblem(form()).rounded(np.array([np.inf, 0.0])) is None


def test_bounds_are_infinite_where_ends_are() -> None:
    weights = BoundProblem(form()).exact([F(0), F(0)])
    assert weights.value([None, 0], [None, None]) is None
    assert weights.value([F(1, 2), 0], [None, None]) == F(5, 2)


def test_rays_count_costs_as_nothing() -> None:
    empty = program([[1, 1]], cost=[5, 5], rows=[(9, None)], ends=[(0, 2)] * 2, offset=7)
    weights = BoundProblem(empty).rounded(np.array([1e-30]), ray=True)
    assert weights is not None
    assert weights.value([0, 0], [2, 2]) == 5
    assert weights.value([0, 0], [9, 9]) == -9


def test_gains() -> None:
    assert gain_of([F(6), F(-4), F(0)], [True, True, False]) == 2
    assert gain_of([F(1, 2), F(1, 3)], [True, True]) == F(1, 6)
    assert gain_of([F(6), F(1)], [True, False]) == 0
    assert gain_of([F(0)], [True]) == 0
    assert rounded_up(F(5, 2), F(2), F(1, 3)) == F(13, 3)
    assert rounded_up(F(13, 3), F(2), F(1, 3)) == F(13, 3)
    assert rounded_up(F(5, 2), F(0), F(9)) == F(5, 2)


def test_time_runs_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(node_bounds, "clock", lambda: now[0])
    clock = Deadline(2.0)
    clock.check()
    assert clock.left == 2.0
    now[0] = 101.5
    clock.check()
    assert clock.left == 0.5
    part = clock.part(0.5)
    now[0] = 101.7
    assert part.left == pytest.approx(0.05)
    now[0] = 103.0
    assert clock.left == 0.0
    with pytest.raises(OutOfTime):
        clock.check()


def test_whoever_is_asked_can_stop_the_clock_and_its_parts() -> None:
    pressed = []
    clock = Deadline(1000.0, lambda: bool(pressed))
    part = clock.part(0.5)
    assert 400 < part.left <= 500
    assert not clock.stopped
    pressed.append(True)
    assert part.stopped
    assert (clock.left, part.left) == (0.0, 0.0)
    with pytest.raises(OutOfTime):
        part.check()


def test_compiling_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(farkas.kernels.time, "perf_counter", lambda: now[0])
    limit = Deadline(2.0)

    def translate(kernel: farkas.kernels.Kernel) -> None:
        now[0] += 100.0

    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    _ = farkas.kernels.Kernel(len, None).machine
    now[0] += 0.5
    assert limit.left == 1.5


def test_rows_and_bounds_are_named_as_in_the_source() -> None:
    form = program(
        [["1/2", "1/2"], [1, 0], [0, 1]], cost=[1, 1], rows=[(3, None), (None, 2), (None, 9)],
        ends=[(0, None), (0, "7/2")],
    ).replace(row_names=("demand", "cap", "spare"), column_names=("x", "y"))  # fmt: skip
    found = prove_form(form)
    assert found.status == "infeasible"
    assert found.contradiction() == ["row demand: >= 3", "row cap: <= 2", "column y: <= 7/2"]


def test_crossed_bounds_and_sides_are_named() -> None:
    form = program([[2]], cost=[1], rows=[(3, 1)], ends=[(5, 4)])
    found = contradicting(form, prove_form(form).certificate)
    assert found == ["column 0: >= 5 and <= 4", "row 0: >= 3 and <= 1"]


def test_integer_programs_name_what_their_trees_use() -> None:
    form = program([[2, 4]], cost=[1, 1], rows=[(3, 3)], ends=[(0, 2)] * 2, whole=[1, 1])
    found = prove_form(form)
    assert found.status == "infeasible"
    assert any(said.startswith("row 0") for said in found.contradiction())


def test_nothing_contradicts_where_there_is_a_point() -> None:
    form = program([[1]], cost=[1], rows=[(1, None)])
    assert prove_form(form).contradiction() == []
    assert contradicting(form, None) == []


FREE = [(None, None)] * 2


def test_an_equation_is_told_once() -> None:
    form = program([[3, 6]], cost=[1, 0], rows=[(7, 7)], ends=FREE, whole=[1, 1])
    assert prove_form(form).contradiction() == ["row 0: = 7"]
    wide = program([[10, -10]], cost=[1, 0], rows=[("3/10", "97/10")], ends=FREE, whole=[1, 1])
    assert sorted(prove_form(wide).contradiction()) == ["row 0: <= 97/10", "row 0: >= 3/10"]


def test_ends_that_cuts_are_measured_from_are_told_and_no_others() -> None:
    # 2x - 2y + z = 1 wants z odd, at least 0 and at most 1/2: x and y need no end
    form = program([[2, -2, 1]], cost=[0] * 3, rows=[(1, 1)],
                   ends=[*FREE, (0, "1/2")], whole=[1, 1, 1])  # fmt: skip
    told = prove_form(form).contradiction()
    assert told == ["row 0: = 1", "column 2: <= 1/2", "column 2: >= 0"]


@pytest.mark.parametrize(("value", "upper", "whole", "end"), [
    ("7/2", True, True, 3), ("7/2", False, True, 4), ("-7/2", True, True, -4),
    ("3", True, True, 3), ("7/2", True, False, "7/2"), ("7/2", False, False, "7/2"),
    ("1/3", True, False, "11184811/33554432"), ("1/3", False, False, "11184810/33554432"),
    ("-1/3", True, False, "-11184810/33554432"), ("-1/3", False, False, "-11184811/33554432"),
    ("0", True, False, 0),
])  # fmt: skip
def test_whole_columns_are_rounded_inwards_and_others_outwards(
    value: str, upper: bool, whole: bool, end: int | str
) -> None:
    assert rounded_end(F(value), upper=upper, whole=whole) == F(end)


def test_finite_ends_stay_unless_all_are_asked_for() -> None:
    form = program([[1, 1]], cost=[1, 1], rows=[(None, 3)], ends=[(0, 9), (0, 9)])
    assert derived(BoundProblem(form), None)[2] == []
    assert derived(BoundProblem(form), None, everything=True)[1] == [3, 3]


def test_no_point_is_cut_off() -> None:
    found = 0
    for seed in range(60):
        form = random_integer(seed)
        below = BoundProblem(form.replace(lower=(None,) * form.num_columns))
        found += sum(not step.upper for step in derived(below, None)[2])
        free = form.replace(upper=(None,) * form.num_columns)
        lower, upper, _ = derived(BoundProblem(free), None)
        for k in range(40):
            point = [F((k * (j + 3) * 7) % 11 - 3) for j in range(form.num_columns)]
            if keeps(free, point):
                pairs = zip(point, lower, upper, strict=True)
                assert all((a is None or a <= x) and (b is None or x <= b) for x, a, b in pairs)
    assert found > 0, "one open end is enough"


def basis(columns: list[int], rows: list[int]) -> Basis:
    return Basis(np.array(columns, dtype=np.int8), np.array(rows, dtype=np.int8))


def close() -> RationalForm:
    """Min -x - y, x + y <= 1, x + (1 + 1e-21) y <= 1: doubles see the same row twice."""
    return program([[1, 1], [1, "1000000000000000000001/1000000000000000000000"]], cost=[-1, -1],
                   rows=[(None, 1), (None, 1)])  # fmt: skip


@pytest.mark.parametrize("order", [-200, 0, 200])
@pytest.mark.parametrize("wrong", [
    basis([LOWER, BASIC], [UPPER, BASIC]),  # y = 1 breaks the second row by 1e-21
    basis([LOWER, BASIC], [BASIC, UPPER]),  # y a little below 1 is not the best
], ids=["primal", "dual"])  # fmt: skip
def test_a_basis_that_misses_by_what_no_double_sees_is_mended(wrong: Basis, order: int) -> None:
    form = close()
    form = form.replace(cost=tuple(c * F(2) ** order for c in form.cost))
    finder = VertexFinder(form)
    vertex = finder.vertex(wrong)
    missed = max(vertex.primal, vertex.dual)
    assert 0 < missed < F(1, 10**20)
    nearby, found = Nearby(form), wrong
    for _ in range(3):  # one round may trade a side that is missed for a sign
        end, found = nearby.solve(vertex, found, Deadline())
        assert end is End.OPTIMAL
        vertex = finder.vertex(found)
        if not vertex.primal and not vertex.dual:
            break
    assert (vertex.primal, vertex.dual) == (0, 0)
    assert form.objective(vertex.point) == -(F(2) ** order)
