"""MPS files, held against HiGHS's own reader."""

from __future__ import annotations

import re
from fractions import Fraction as F
from pathlib import Path

import pytest

from farkas.errors import FileProblem, UnsupportedForm
from farkas.forms.mps import _fields_by_position, read_mps
from farkas.forms.rational import Numbers, RationalForm
from tests.tools.highs_reading import agrees

TEXT = """\
* a comment
NAME          sample
ROWS
 N  cost
 L  low
 G  high
 E  same
 N  spare
COLUMNS
    x         cost              1.5   low              1
    x         high           0.1D+1   same            .1
    x         spare               7
    y         cost               -2   low              2
    y         same                3
RHS
    set       cost               -4   low              8
    set       high                1   same             3
{more}
ENDATA
"""


def parse_mps(text: str, where: str = "m.mps", numbers: Numbers = "decimal") -> RationalForm:
    return read_mps(text, where, numbers)[0]


def sample(more: str = "", **options: object) -> RationalForm:
    return parse_mps(TEXT.replace("{more}", more), "m.mps", **options)  # type: ignore[arg-type]


def sides(form: RationalForm, name: str) -> tuple[object, object]:
    i = form.row_names.index(name)
    factor = form.factors[i]
    return tuple(None if x is None else x / factor for x in (form.row_lower[i], form.row_upper[i]))  # type: ignore[return-value]


def ends(form: RationalForm, name: str) -> tuple[object, object]:
    j = form.column_names.index(name)
    return form.lower[j], form.upper[j]


def test_numbers_are_the_decimals_of_the_text() -> None:
    form = sample()
    assert (form.name, form.sense, form.numbers) == ("sample", "min", "decimal")
    assert form.cost == (F(3, 2), -2)
    assert form.offset == 4, "the negated right-hand side of the objective"
    assert (form.row_names, form.column_names) == (("low", "high", "same"), ("x", "y"))
    assert [sides(form, name) for name in form.row_names] == [(None, 8), (1, None), (3, 3)]
    assert form.row(2) == [(0, 1), (1, 30)]
    assert form.factors[2] == 10
    assert [ends(form, name) for name in "xy"] == [(0, None)] * 2
    assert not form.is_mip


def test_binary_reading_takes_the_nearest_doubles() -> None:
    form = sample(numbers="binary")
    assert F(form.row(2)[0][1], form.row(2)[1][1]) == F(0.1) / 3
    assert form.sha256 != sample().sha256


@pytest.mark.parametrize(("row", "span", "low", "high"), [
    ("low", "5", 3, 8), ("low", "-5", 3, 8), ("high", "5", 1, 6), ("high", "-5", 1, 6),
    ("same", "2", 3, 5), ("same", "-2", 1, 3), ("low", "1e30", None, 8), ("high", "inf", 1, None),
    ("same", "0", 3, 3),
])  # fmt: skip
def test_ranges_widen_by_kind_and_sign(
    row: str, span: str, low: int | None, high: int | None
) -> None:
    for name in ("rng  ", ""):
        assert sides(sample(f"RANGES\n    {name}{row}  {span}"), row) == (low, high)


@pytest.mark.ids(99)
@pytest.mark.parametrize(("lines", "low", "high", "whole"), [
    ("UP b x 4", 0, 4, False), ("UP x 4", 0, 4, False), ("LO b x -3/", None, None, None),
    ("LO b x -3", -3, None, False), ("FX b x 2.5", F(5, 2), F(5, 2), False),
    ("FR b x", None, None, False), ("FR x", None, None, False), ("MI b x", None, None, False),
    ("PL b x", 0, None, False), ("BV b x", 0, 1, True), ("LI b x 2", 2, None, True),
    ("UI b x 7", 0, 7, True), ("UP b x -1", None, -1, False),
    ("LO b x -5\n UP b x -1", -5, -1, False), ("UP b x 1e20", 0, None, False),
    ("UP b x Infinity", 0, None, False), ("LO b x -inf", None, None, False),
    ("FX b x 0\n BV b x", 0, 0, True), ("LO b x 1\n BV b x", 1, 1, True),
    ("FR b x\n BV b x", 0, 1, True), ("FX b x 5\n BV b x", 5, 1, True),
    ("UP b x -3\n BV b x", 0, -3, True), ("UP b x -3\n LO b x -9", -9, -3, False),
    ("LI b x 2\n UI b x 5", 2, 5, True), ("MI b x\n UP b x 5", None, 5, False),
    ("UP b x 5\n MI b x", None, 5, False),
    ("UP b x 1D1", 0, 10, False), ("FX b x 0", 0, 0, False), ("UP b x 0", 0, 0, False),
])  # fmt: skip
def test_every_bound(lines: str, low: object, high: object, whole: bool | None) -> None:
    more = f"BOUNDS\n {lines}"
    if whole is None:
        with pytest.raises(FileProblem, match="is no number"):
            sample(more)
        return
    form = sample(more)
    assert ends(form, "x") == (low, high)
    assert bool(form.integer[0]) is whole


@pytest.mark.parametrize("line", ["LO b x 1e20", "UP b x -1e20", "FX b x inf", "LO b x inf"])
def test_bounds_that_no_point_keeps_are_refused(line: str) -> None:
    with pytest.raises(FileProblem, match="infinity"):
        sample(f"BOUNDS\n {line}")


@pytest.mark.parametrize(
    ("row", "side", "words"), [("high", "1e400", ">= inf"), ("same", "-1e400", "<= -inf")]
)
def test_sides_beyond_doubles_that_no_point_keeps_are_refused(
    row: str, side: str, words: str
) -> None:
    with pytest.raises(FileProblem, match=f"no number is {words}"):
        parse_mps(re.sub(rf"(set .*{row} +)[13]", rf"\g<1>{side}", TEXT).format(more=""))


def test_marked_columns_are_whole_and_binary_without_bounds() -> None:
    text = TEXT.replace(
        "    y         cost ", "    M  'MARKER'  'INTORG'\n    y         cost "
    ).replace("RHS\n", "    M  'MARKER'  'INTEND'\n    z  low  1\nRHS\n", 1)
    form = parse_mps(text.replace("{more}", ""))
    assert form.integer.tolist() == [False, True, False]
    assert ends(form, "y") == (0, 1)
    stated = parse_mps(text.replace("{more}", "BOUNDS\n LO b y 0"), "m.mps")
    assert ends(stated, "y") == (0, None)


@pytest.mark.parametrize("head", [
    "OBJSENSE\n    MAX", "OBJSENSE MAX", "OBJSENSE\n  MAXIMIZE", "OBJSENSE\nMAX", "OBJSENSE\nmax",
])  # fmt: skip
def test_the_sense_is_read(head: str) -> None:
    assert parse_mps(TEXT.replace("ROWS\n", f"{head}\nROWS\n").replace("{more}", "")).sense == (
        "max"
    )


def test_names_with_blanks_are_read_at_fixed_positions() -> None:
    def line(*fields: str) -> str:
        places = (1, 4, 14, 24, 39, 49)
        text = ""
        for place, field in zip(places, fields, strict=False):
            text = text.ljust(place) + field
        return text + "\n"

    text = (
        "NAME          fixed\nROWS\n" + line("N", "the cost") + line("L", "row one") + "COLUMNS\n"
        + line("", "col one", "the cost", "1.0", "row one", "2.0")
        + "RHS\n" + line("", "rhs", "row one", "4.0")
        + "BOUNDS\n" + line("UP", "bnd", "col one", "3.0") + "ENDATA\n"
    )  # fmt: skip
    form = parse_mps(text, "m.mps")
    assert (form.row_names, form.column_names) == (("row one",), ("col one",))
    assert (form.cost, form.row_upper, form.upper, form.factors) == ((1,), (2,), (3,), (F(1, 2),))


@pytest.mark.ids(99)
@pytest.mark.parametrize(("old", "new", "problem"), [
    ("ENDATA", "", "without ENDATA"), (" L  low", " L  low\n L  low", "stands twice"),
    ("low              1\n", "nowhere   1\n", "unknown row"),
    ("ROWS\n", "FOO\n", "unknown section"),
    (" G  high", " Q  high", "N, L, G or E"), ("-2", "two", "is no number"),
    ("-2", "nan", "is no number"), ("-2", "1_0", "is no number"), ("-2", "1e9999", "is no number"),
    ("NAME          sample\n", "    x 1\n", "outside every section"),
    ("    x         spare               7\n", "    x  low  7\n", "stands twice in row"),
    ("RHS\n", "    x  spare  7\nRHS\n", "behind another"),
    ("{more}", "BOUNDS\n UP b", "needs a column and a number"),
    ("{more}", "BOUNDS\n XX b x 1", "unknown bound"), ("{more}", "OBJSENSE SIDE", "MIN nor MAX"),
    ("    y         cost               -2", "    y         cost   ", "one or two rows"),
    # what stands twice
    ("    y         cost ", "    x cost 1\n    y         cost ", 'cost of "x" stands in line 10'),
    ("{more}", "    set  high  2", 'side of "high" stands in line 17'),
    ("{more}", "RANGES\n r high 2\n r high 3", 'range of "high" stands in line 19'),
    *(("{more}", f"BOUNDS\n {one}\n {two}", 'a bound of "x" stands in line 19') for one, two in [
        ("UP b x 3", "UP b x 2"), ("LO b x 1", "LO b x 2"), ("FX b x 1", "UP b x 5"),
        ("FR b x", "UP b x 5"), ("UP b x 5", "FR b x"), ("LO b x -5", "MI b x"),
        ("PL b x", "UP b x 5"), ("BV b x", "UP b x 0"), ("BV b x", "FX b x 0"),
    ]),
    ("ROWS\n", "ROWS QUADOBJ\n", "text behind ROWS"), ("ENDATA", "ENDATA x", "text behind ENDATA"),
    ("ROWS\n", "OBJSENSE MAX\nOBJSENSE MIN\nROWS\n", "OBJSENSE stands twice"),
    ("RHS\n", "OBJSENSE MAX\nRHS\n", "or behind ROWS"),
    ("{more}", "BOUNDS\n BV b x y", "no number"),
    ("    set       high                1   same             3\n",
     "    set  high  1e30\nRANGES\n r  high  -3\n", "no number is >= infinity"),
    ("* a comment", "* a comment\r    set high 70", "a carriage return within a line"),
    ("    x         spare               7\n", "    x\x0cspare  7\n", "unexpected"),
    ("ROWS\n", "OBJNAME\n  nobody\nROWS\n", "OBJNAME names no row"),
    ("RHS\n", "OBJNAME\n  cost\nRHS\n", "OBJNAME stands behind ROWS"),
    ("ROWS\n", "OBJSENSE\n  MAXIMUM\nROWS\n", "neither MIN nor MAX"),
])  # fmt: skip
def test_a_broken_file_is_refused_with_its_line(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    with pytest.raises(FileProblem, match=problem) as caught:
        parse_mps(TEXT.replace(old, new, 1).replace("{more}", ""), "m.mps")
    assert "m.mps, line " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("section", "word"), [
    ("QUADOBJ", "quadratic"), ("QMATRIX", "quadratic"), ("QSECTION cost", "quadratic"),
    ("QCMATRIX low", "quadratic"), ("CSECTION c 0 QUAD", "cones"), ("SOS", "special ordered"),
    ("SOS1", "special ordered"), ("SETS", "special ordered"), ("INDICATORS", "indicator"),
    ("GENCONS", "general constraints"), ("PWLOBJ", "piecewise"), ("SCENARIOS", "scenarios"),
])  # fmt: skip
def test_what_is_no_linear_program_is_refused_by_name(section: str, word: str) -> None:
    assert sample(section).num_rows == 3, "an empty section says nothing"
    with pytest.raises(UnsupportedForm, match=word):
        sample(f"{section}\n    x  x  1")


@pytest.mark.parametrize("kind", ["SC", "SI"])
def test_semicontinuous_columns_are_refused_by_name(kind: str) -> None:
    with pytest.raises(UnsupportedForm, match="semicontinuous"):
        sample(f"BOUNDS\n {kind} b x 3")


def test_of_several_sets_the_first_that_states_a_number_counts() -> None:
    form = sample("    t  high  7  low  1\nBOUNDS\n UP b x 5\n UP c x 1\n UP c y 2")
    assert [sides(form, name) for name in form.row_names] == [(None, 8), (1, None), (3, 3)]
    assert [ends(form, name) for name in "xy"] == [(0, 5), (0, 2)]
    assert form.notes == (
        'line 18: the side of "high" stands in line 17, in set "set", which counts',
        'line 18: the side of "low" stands in line 16, in set "set", which counts',
        'line 21: a bound of "x" stands in line 20, in set "b", which counts',
    )


def test_columns_may_stand_in_bounds_alone() -> None:
    form = sample("BOUNDS\n LO b z 1\n UP z 4")
    assert (form.column_names, ends(form, "z"), form.cost[2]) == (("x", "y", "z"), (1, 4), 0)
    assert form.notes == ('line 19: column "z" stands in BOUNDS alone',)


@pytest.mark.parametrize("text", [
    TEXT.replace(" E  same", " E  same $ the last").replace("8\n", "8 $ side\n"),
    TEXT.replace("\n", "\r\n"), TEXT.replace("\n", "\r"), TEXT.replace("    ", "\t"),
    TEXT.replace("* a comment", "* a\x0c    set high 70\u2028    set high 80"),
    TEXT.replace("ROWS\n", "OBJNAME\n    cost\nROWS\n"), TEXT.replace("{more}", "QUADOBJ"),
    TEXT.replace(" E  same\n", "LAZYCONS\n E  same\n"),
])  # fmt: skip
def test_other_spellings_mean_the_same(text: str) -> None:
    assert parse_mps(text.replace("{more}", "")).sha256 == sample().sha256


@pytest.mark.parametrize("kind", ["FR", "MI", "BV"])
def test_a_set_may_be_called_as_a_column(kind: str) -> None:
    form = sample(f"BOUNDS\n {kind} y x")
    assert ends(form, "x") == {"FR": (None, None), "MI": (None, None), "BV": (0, 1)}[kind]
    assert ends(form, "y") == (0, None)


def test_another_objective_may_be_named_and_markers_may_have_any_name() -> None:
    text = TEXT.replace("ROWS\n", "OBJNAME spare\nROWS\n", 1).replace(
        "    y         cost ", "    M  'MARKER'  'INTORG'\n    y         cost "
    ).replace("RHS\n", "    INTORG  'MARKER'  'INTEND'\n    z  low  1\nRHS\n", 1)  # fmt: skip
    form = parse_mps(text.replace("{more}", ""))
    assert (form.cost, form.offset) == ((7, 0, 0), 0)
    assert form.integer.tolist() == [False, True, False]


def test_a_comment_of_pulp_is_no_sense() -> None:
    form = parse_mps("*SENSE:Maximize\n" + TEXT.replace("{more}", ""))
    assert form.sense == "min"
    assert "maximum" in form.notes[0]


def test_fields_at_fixed_positions_leave_nothing_between_them() -> None:
    # longer names cross the positions, where they would be cut in two
    text = TEXT.replace("high", "a row with a long name").replace("{more}", "")
    with pytest.raises(FileProblem, match="N, L, G or E"):
        parse_mps(text)


def test_sets_among_columns_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedForm, match="special ordered"):
        parse_mps(TEXT.replace("RHS\n", "    M  'MARKER'  'SOSORG'\nRHS\n", 1), "m.mps")


@pytest.mark.parametrize("more", [
    "RANGES\n r low 5 high -2\n r same -2", "BOUNDS\n MI b x\n UP b x -1",
    "BOUNDS\n LO b x -5\n UP b x -1", "BOUNDS\n BV b y", "BOUNDS\n UI b y 7\n LI b x -2",
    "BOUNDS\n UP b x 1e30\n FR b y", "BOUNDS\n FX b x 2.5",
])  # fmt: skip
def test_highs_reads_the_same(more: str, tmp_path: Path) -> None:
    path = tmp_path / "m.mps"
    path.write_text(TEXT.replace("{more}", more).replace("0.1D+1", "0.1e+1"))
    agrees(path)


def test_a_line_by_position_has_no_text_between_its_fields():
    line = " UP bnd       x 1       4"
    assert _fields_by_position(line) == ["UP", "bnd", "x 1", "4"]
    assert _fields_by_position(f"{line[:12]}z{line[13:]}") is None
