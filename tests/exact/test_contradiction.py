"""What contradicts each other, by name."""

from __future__ import annotations

from farkas.exact.bounding import contradicting
from farkas.exact.proving import prove_form
from tests.generators.rational import program


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


def test_equations_are_named_as_such() -> None:
    form = program([[2, 2], [1, 1]], cost=[0, 0], rows=[(2, 2), (3, 3)], ends=[(None, None)] * 2)
    assert prove_form(form).contradiction() == ["row 0: = 2", "row 1: = 3"]


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
