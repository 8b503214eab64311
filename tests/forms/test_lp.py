"""LP files, held against HiGHS's own reader."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

from farkas.errors import FileProblem, UnsupportedForm
from farkas.exact.linear import solve_linear
from farkas.forms.lp import parse_lp
from farkas.forms.model_text import read_model
from farkas.forms.rational import RationalForm
from farkas.forms.writers import write_lp
from farkas.solvers.highs import new_solver, pass_form
from tests.generators.forms import random_form

TEXT = """\
\\ a comment
Maximize
 goal: 1.5 x - 2 y + 3 x \\ twice
   + 4
Subject To
 cap: x + 2 y + 0.1 z <= 8
 x - y >= -1
 two: 1 <= x + z <= 6
 same: x + y + z = 3.5
Bounds
 x <= 4
 -2 <= y <= 5
 z free
Generals
 y
Binaries
 b
End
"""


def sides(form: RationalForm, i: int) -> tuple[F | None, F | None]:
    low, high = (None if x is None else x / form.factors[i]
                 for x in (form.row_lower[i], form.row_upper[i]))  # fmt: skip
    return low, high


def test_everything_is_read_as_written() -> None:
    form = parse_lp(TEXT, "dir/m.lp")
    assert (form.name, form.sense, form.offset) == ("m", "max", 4)
    assert form.column_names == ("x", "y", "z", "b")
    assert form.cost == (F(9, 2), -2, 0, 0)
    assert form.row_names == ("cap", "c2", "two", "same")
    assert [sides(form, i) for i in range(4)] == [(None, 8), (-1, None), (1, 6), (F(7, 2), F(7, 2))]
    assert form.row(0) == [(0, 10), (1, 20), (2, 1)]
    assert form.lower == (0, -2, None, 0)
    assert form.upper == (4, 5, None, 1)
    assert form.integer.tolist() == [False, True, False, True]


def test_binary_reading_takes_the_nearest_doubles() -> None:
    form = parse_lp(TEXT, "m.lp", numbers="binary")
    assert F(form.row(0)[2][1]) / form.factors[0] == F(0.1)


@pytest.mark.parametrize(("line", "low", "high"), [
    ("x >= -3", -3, None), ("x = 2", 2, 2), ("x < 4", 0, 4), ("4 >= x", 0, 4), ("1 <= x", 1, None),
    ("x <= -1", None, -1), ("x >= -5\n x <= -1", -5, -1), ("-inf <= x <= 3", None, 3),
    ("x <= 1e20", 0, None), ("x >= -infinity", None, None), ("x free", None, None),
    ("- 2 <= x <= + 5", -2, 5), ("x =< 3", 0, 3), ("3 => x", 0, 3), ("x <= +inf", 0, None),
])  # fmt: skip
def test_every_bound(line: str, low: object, high: object, tmp_path: Path) -> None:
    text = f"min\n x\nst\n c: x + y >= 1\nbounds\n {line}\nend\n"
    form = parse_lp(text, "m.lp")
    assert (form.lower[0], form.upper[0]) == (low, high)


@pytest.mark.parametrize("line", ["x >= inf", "x <= -inf", "x = inf", "x >= 1e21"])
def test_bounds_that_no_point_keeps_are_refused(line: str) -> None:
    with pytest.raises(FileProblem, match="infinity"):
        parse_lp(f"min\n x\nst\n c: x >= 1\nbounds\n {line}\nend\n", "m.lp")


@pytest.mark.parametrize("row", [
    "x + y >= 1", "x + y > 1", "x + y => 1", "c: x + y >= 1", "1 <= x + y", "x + x - x + y >= 1",
    "x + y + 2 >= 3", "2 x + 2 y - x - y >= +1", "x\n + y >=\n 1", "- - x + y >= 1",
])  # fmt: skip
def test_rows_in_many_spellings_are_one(row: str) -> None:
    form = parse_lp(f"min\n x + y\nsubject to\n {row}\nend\n", "m.lp")
    assert form.row(0) == [(0, 1), (1, 1)]
    assert (form.row_lower, form.row_upper) == ((1,), (None,))


@pytest.mark.parametrize(("old", "new", "problem"), [
    ("Maximize", "Hello", "before Minimize"), ("x - y >= -1", "cap: x - y >= -1", "stands twice"),
    ("<= 8", "<= y", "no number"), ("<= 8", "<=", "no number|too soon"),
    ("z free", "z loose", "unexpected"), ("+ 2 y", "+ 2 § y", "unexpected"),
    ("0.1 z", "0.1e9999 z", "no number"), ("= 3.5", "= inf", "infinite side"),
    ("+ 2 y", "+ 2 \x1b y", "unexpected"), ("x - y >= -1", "x - y >= 1e400", "of 1e20 or more"),
])  # fmt: skip
def test_a_broken_file_is_refused_with_its_line(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    with pytest.raises(FileProblem, match=problem) as caught:
        parse_lp(TEXT.replace(old, new, 1), "m.lp")
    assert str(caught.value).startswith("m.lp, line ")
    assert str(caught.value).isprintable()


def test_text_after_the_end_and_programs_without_columns_are_refused() -> None:
    with pytest.raises(FileProblem, match="after End"):
        parse_lp(TEXT + "Bounds\n x <= 3\n", "m.lp")
    with pytest.raises(FileProblem, match="no columns"):
        parse_lp("min\n obj: 3\nst\nend\n", "m.lp")


@pytest.mark.parametrize(("old", "new", "word"), [
    ("+ 4\n", "+ [ x ^ 2 ] / 2\n", "quadratic"), ("0.1 z", "[ x * y ]", "quadratic"),
    ("Generals", "Semi-Continuous", "semicontinuous"),
    ("Generals\n y", "SOS\n s: S1:: x:1 y:2", "special ordered"),
    ("x - y >= -1", "b = 1 -> x - y >= -1", "indicator"),
    ("Generals", "General Constraints", "general constraints"),
])  # fmt: skip
def test_what_is_no_linear_program_is_refused_by_name(old: str, new: str, word: str) -> None:
    assert old in TEXT
    with pytest.raises(UnsupportedForm, match=word):
        parse_lp(TEXT.replace(old, new, 1), "m.lp")


def agrees(path: Path) -> None:
    """Hold a reading as doubles against HiGHS's, whose columns stand in another order."""
    solver = new_solver()
    solver.setOptionValue("small_matrix_value", 1e-12)
    solver.readModel(str(path))
    lp = solver.getLp()
    form = read_model(path, numbers="binary")
    ours = form.linear
    order = [form.column_names.index(str(name)) for name in lp.col_names_]
    assert sorted(order) == list(range(ours.num_columns))
    assert lp.offset_ == ours.offset
    assert (int(lp.sense_) == 1) is (form.sense == "min")
    for theirs, mine in [
        (lp.col_cost_, ours.cost[order]), (lp.col_lower_, ours.lower[order]),
        (lp.col_upper_, ours.upper[order]), (lp.row_lower_, ours.row_lower),
        (lp.row_upper_, ours.row_upper),
    ]:  # fmt: skip
        np.testing.assert_array_equal(np.array(theirs), mine)
    kinds = [int(k) for k in lp.integrality_] or [0] * lp.num_col_
    assert kinds == ours.integer[order].astype(int).tolist()
    assert len(lp.a_matrix_.value_) == form.num_entries


def test_highs_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    # HiGHS reads no row with two sides, and the last of two terms of a column
    path.write_text(TEXT.replace(" two: 1 <= x + z <= 6\n", "").replace("+ 3 x", ""))
    agrees(path)
    path.write_text("min\n x\nst\n c: x + y >= -9\nbounds\n x <= 1\n y >= -inf\nend\n")
    agrees(path)


def test_what_is_written_here_and_by_highs_is_read_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    for k in range(40):
        form = random_form(rng, number=lambda size: np.round(rng.normal(size=size), 3))
        path = tmp_path / f"{k}.lp"
        write_lp(form, path)
        agrees(path)
        solver = new_solver()
        pass_form(solver, form)
        other = tmp_path / f"{k}h.mps"
        solver.writeModel(str(other))
        if not form.num_rows:
            continue
        ours, theirs = (read_model(p, numbers="binary") for p in (path, other))
        relaxed = [f.replace(integer=np.zeros(f.num_columns, dtype=bool)) for f in (ours, theirs)]
        one, two = (solve_linear(f) for f in relaxed)
        assert one.status == two.status
        if one.value is not None and two.value is not None:  # 15 digits, and ranges are differences
            assert float(one.value) == pytest.approx(float(two.value), rel=1e-12, abs=1e-12)
