"""LP files, held against HiGHS's own reader."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import sys
import zipfile
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

from farkas.errors import FileProblem, UnsupportedForm
from farkas.forms import Axis, Block, model_text
from farkas.forms.feasibility import (
    box,
    find_block,
    full_name,
    index_in,
    relation,
    short_name,
)
from farkas.forms.lp import read_lp
from farkas.forms.model_text import read_model
from farkas.forms.rational import Numbers, RationalForm
from farkas.instances.library import load
from farkas.models.mlbroker.placement import Offline
from tests.conformance.solvers.cases import form
from tests.tools.highs_reading import agrees

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


def parse_lp(text: str, where: str = "m.lp", numbers: Numbers = "decimal") -> RationalForm:
    return read_lp(text, where, numbers)[0]


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
    form = parse_lp(TEXT, numbers="binary")
    assert F(form.row(0)[2][1]) / form.factors[0] == F(0.1)


@pytest.mark.ids(99)
@pytest.mark.parametrize(("line", "low", "high"), [
    ("x >= -3", -3, None), ("x = 2", 2, 2), ("x < 4", 0, 4), ("4 >= x", 0, 4), ("1 <= x", 1, None),
    ("x <= -1", 0, -1), ("x >= -5\n x <= -1", -5, -1), ("-inf <= x <= 3", None, 3),
    ("x <= -1\n x >= -5", -5, -1), ("x <= 5\n x <= 3", 0, 3), ("x free\n x <= 3", None, 3),
    ("x = 2\n x <= 5", 2, 5), ("x <= 4 y <= 9", 0, 4), ("+-0.0 <= x <= +4.0 0 <= y", 0, 4),
    ("x <= 1e20", 0, None), ("x >= -infinity", None, None), ("x free", None, None),
    ("- 2 <= x <= + 5", -2, 5), ("x =< 3", 0, 3), ("3 => x", 0, 3), ("x <= +inf", 0, None),
])  # fmt: skip
def test_every_bound(line: str, low: object, high: object, tmp_path: Path) -> None:
    text = f"min\n x\nst\n c: x + y >= 1\nbounds\n {line}\nend\n"
    form = parse_lp(text)
    assert (form.lower[0], form.upper[0]) == (low, high)


@pytest.mark.parametrize("line", ["x >= inf", "x <= -inf", "x = inf", "x >= 1e21"])
def test_bounds_that_no_point_keeps_are_refused(line: str) -> None:
    with pytest.raises(FileProblem, match="infinity"):
        parse_lp(f"min\n x\nst\n c: x >= 1\nbounds\n {line}\nend\n")


@pytest.mark.ids(99)
@pytest.mark.parametrize("row", [
    "x + y >= 1", "x + y > 1", "x + y => 1", "c: x + y >= 1", "1 <= x + y", "x + x - x + y >= 1",
    "2 x + 2 y - x - y >= +1", "x\n + y >=\n 1", "- - x + y >= 1", "1\nx\n+\ny\n>=\n+\n1",
    "min: x + y >= 1", "1 <= x + y <= inf", "1 <= x\n + y\n <= 1e30",
])  # fmt: skip
def test_rows_in_many_spellings_are_one(row: str) -> None:
    form = parse_lp(f"min\n x + y\nsubject to\n {row}\nend\n")
    assert form.row(0) == [(0, 1), (1, 1)]
    assert (form.row_lower, form.row_upper) == ((1,), (None,))


def test_rows_of_constants_end_at_their_line_or_label() -> None:
    form = parse_lp("min\n x + y\nst\n 0 <= 5\n x + y >= 2\n c: <= 4\n 3 >= 1 d: y <= 1\nend\n")
    assert [form.row(i) for i in range(5)] == [[], [(0, 1), (1, 1)], [], [], [(1, 1)]]
    assert [sides(form, i) for i in range(5)] == [
        (-5, None), (2, None), (None, 4), (None, 2), (None, 1)]  # fmt: skip


BINARY = "max\n x\nst\n c: x + y <= 9\n{}\nend\n"


@pytest.mark.parametrize(("sections", "low", "high"), [
    ("bounds\n x = 0\nbinaries\n x", 0, 0), ("bounds\n x >= 1\nbinaries\n x", 1, 1),
    ("binaries\n x\nbounds\n x = 0", 0, 0), ("bounds\n x free\nbinaries\n x", 0, 1),
    ("bounds\n -3 <= x <= 7\nbinaries\n x", 0, 1), ("bounds\n x = 5\nbinaries\n x", 5, 1),
    ("bounds\n x <= 0\nbinaries\n x", 0, 0), ("bounds\n x <= 0.5\nbinaries\n x", 0, F(1, 2)),
    ("bounds\n x <= -2\nbinaries\n x", 0, -2), ("binaries\n x\ngenerals\n x", 0, 1),
    ("bounds\n 0 <= x <= 0\ngeneral x\nbinary x", 0, 0),
])  # fmt: skip
def test_a_binary_column_lies_within_its_bounds(sections: str, low: F, high: F) -> None:
    form = parse_lp(BINARY.format(sections))
    assert (form.lower[0], form.upper[0]) == (low, high)
    assert form.integer.tolist() == [True, False]


@pytest.mark.parametrize("text", [
    "Maximize obj: x + 2 y\nSubject To c1: x + y <= 4\nBounds x <= 3\nGenerals x y\nEnd",
    "max\nobj: x + 2 y\nst c1: x + y <= 4\nbound x <= 3\nint\nx\nINTEGERS y",
    "MAXIMUM\robj:x + 2y\rsuch  that\rc1:x + y<=4\rbounds\rx<=3\rgen\rx y\rend\r",
    "\ufeffmax\r\n x + 2y\r\ns.t.\r\n x + y <= 4\r\nbounds\r\n x <= 3\r\ngen x y",
])  # fmt: skip
def test_a_section_begins_a_line_and_text_may_follow(text: str, tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    path.write_bytes(text.encode())
    form = read_model(path)
    assert (form.cost, form.row(0), sides(form, 0)) == ((1, 2), [(0, 1), (1, 1)], (None, 4))
    assert (form.upper, form.integer.tolist()) == ((3, None), [True, True])


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_no_other_mark_ends_a_line(mark: str) -> None:
    text = f"min\n x\nst\n c: x >= 1\n\\ more {mark} d: x >= 100\nend\n"
    assert parse_lp(text).num_rows == 1
    with pytest.raises(FileProblem, match="line 4: unexpected"):
        parse_lp(text.replace("c: x", f"c:{mark} x"))


def test_lazy_rows_and_user_cuts_are_rows_with_a_note() -> None:
    form = parse_lp("min\n x\nst\n x >= 1\nLazy Constraints\n x >= 3\nUser Cuts\n x >= 2\nend")
    assert [sides(form, i)[0] for i in range(3)] == [1, 3, 2]
    assert [note.partition(": ")[2] for note in form.notes] == [
        "lazy rows are read as rows", "user cuts are read as rows"]  # fmt: skip


@pytest.mark.parametrize(("section", "note"), [
    ("generals\n taks", 'line 6: column "taks" stands in Generals alone; did you mean "tasks"?'),
    ("st\n d: 2tasks >= 1", 'line 6: "2tasks" is a number and a column'),
    ("bounds\n z <= 3", 'line 6: column "z" stands in Bounds alone'),
    ("bounds\n tasks <= 3\n tasks <= 2", 'line 7: a bound of "tasks" of line 6 is replaced'),
    ("bounds\n tasks <= -3", 'line 6: "tasks" is at least 0 unless a lower bound is stated'),
])  # fmt: skip
def test_what_is_seldom_meant_has_a_note(section: str, note: str) -> None:
    assert parse_lp(f"min\n tasks\nst\n c: tasks >= 1\n{section}\nend\n").notes == (note,)


@pytest.mark.ids(99)
@pytest.mark.parametrize(("old", "new", "problem"), [
    ("Maximize", "Hello", "neither Minimize"), ("x - y >= -1", "cap: x - y >= -1", "stands twice"),
    ("<= 8", "<= y", "not the column"), ("<= 8", "<=", "not the column|too soon"),
    ("z free", "z loose", "expected <=, >="), ("+ 2 y", "+ 2 § y", "sign is missing"),
    ("0.1 z", "0.1e9999 z", "no number"), ("= 3.5", "= inf", "no number is = infinity"),
    ("+ 2 y", "+ 2 \x1b y", "unexpected"), ("x - y >= -1", "x - y >= 1e400", ">= infinity"),
    ("x - y >= -1", "inf <= 5", ">= infinity"), ("x - y >= -1", "-inf >= 5", "<= -infinity"),
    # terms without a sign between them
    ("- 2 y", "2 y", 'sign is missing between "1.5" "x" and "2"'),
    ("1.5 x", "1.5 2 x", "sign is missing"), ("1.5 x", "1,5 x", "unexpected"),
    ("1.5 x", "1.5.2 x", "sign is missing"), ("   + 4", "   4", "sign is missing"),
    # one number behind the relation
    ("<= 8", "<= 2 y", 'a column stands behind the relation; one number may: "y"'),
    ("<= 8", "<= 8 + 1", "a sum stands behind the relation"), ("<= 8", ">= 2 <= 8", "second relat"),
    ("<= 8", "<= 8 x - y >= 2", "a column stands behind"), ("<= 8", "\n", "sign is missing"),
    ("x - y >= -1", "x - y - 1 >= -1", "a constant beside columns"),
    ("x - y >= -1", "-1 <= x - y + 2", "a constant beside columns"),
    (" two: 1 <= x", " two: 1 >= x", "of one direction"),
    (" two: 1 <= x", " two: 1 = x", "an equation beside"),
    ("same: x", "a=b: x", 'the name "a=b" holds a relation'),
    ("same: x", "2: x", "a label cannot be"), ("+ z = 3.5", "+ inf = 3.5", "is not finite"),
    # names that some readers split
    ("- 2 y", "+ x+y", r'a sign within "x\+y": write blanks'),
    ("- 2 y", "+ f[New-York]", "a sign within"), ("1.5 x", "1.5 (x + y)", "unexpected"),
    # sections
    ("z free", "bin <= 4", '"bin" begins a section and names no column'),
    ("x <= 4", "x <= 4 + 1", "expected a column"), ("x <= 4", "2 x <= 4", "expected a column"),
    ("z free", "z <= 3\n z free", "has a bound in another line"),
    ("Maximize", "/* lp_solve */\nmax: x;", "lp_solve's own format"),
    ("Maximize", "max: 3x + 2y;", "lp_solve's own format"),
    ("Subject To", "Minimize\n x\nSubject To", "a second objective"),
])  # fmt: skip
def test_a_broken_file_is_refused_with_its_line(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    with pytest.raises(FileProblem, match=problem) as caught:
        parse_lp(TEXT.replace(old, new, 1))
    assert str(caught.value).startswith("m.lp, line ")
    assert str(caught.value).isprintable()


def test_text_after_the_end_is_refused_and_columns_are_not_needed() -> None:
    with pytest.raises(FileProblem, match="after End"):
        parse_lp(TEXT + "Bounds\n x <= 3\n")
    constant = parse_lp("min\n obj: 3\nst\nend\n")
    assert (constant.num_columns, constant.offset) == (0, 3)


@pytest.mark.parametrize(("old", "new", "word"), [
    ("+ 4\n", "+ [ x ^ 2 ] / 2\n", "quadratic"), ("0.1 z", "[ x * y ]", "quadratic"),
    ("Generals", "Semi-Continuous", "semicontinuous"),
    ("Generals\n y", "SOS\n s: S1:: x:1 y:2", "special ordered"),
    ("x - y >= -1", "b = 1 -> x - y >= -1", "indicator"),
    ("Generals", "General Constraints", "general constraints"),
    ("Generals\n y", "General Constraints\n g: r = MAX ( x , y )", "general constraints"),
    ("Maximize", "Maximize multi-objectives", "several objectives"),
    ("Generals\n y", "Scenarios 2", "scenarios"), ("x - y >= -1", "3 x * y >= 1", "quadratic"),
])  # fmt: skip
def test_what_is_no_linear_program_is_refused_by_name(old: str, new: str, word: str) -> None:
    assert old in TEXT
    with pytest.raises(UnsupportedForm, match=word):
        parse_lp(TEXT.replace(old, new, 1))


def test_highs_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    # HiGHS refuses rows with two sides, and keeps one of two terms of a column
    path.write_text(TEXT.replace(" two: 1 <= x + z <= 6\n", "").replace("+ 3 x", ""))
    agrees(path)
    path.write_text("min\n x\nst\n c: x + y >= -9\nbounds\n x <= 1\n y >= -inf\nend\n")
    agrees(path)


INF = math.inf


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ((-INF, [1, -2], 3), "x[0] - 2 x[1] <= 3"),
        ((4, [-1, 0.5], 4), "- x[0] + 0.5 x[1] = 4"),
        ((1, [0, 1], INF), "x[1] >= 1"),
        ((1, [1, 1], 2), "1 <= x[0] + x[1] <= 2"),
        ((-INF, [1, 1], INF), "x[0] + x[1] free"),
        ((0, [0, 0], INF), "0 >= 0"),
    ],
)
def test_every_kind_of_row_is_written_out(row, text):
    assert relation(form([0, 0], [row]), 0) == text


def test_long_rows_say_how_much_is_left_out():
    assert relation(form([0] * 5, [(0, [1] * 5, INF)]), 0, most=2) == (
        "x[0] + x[1] + ... (3 more terms) >= 0"
    )


def test_columns_are_named_after_their_variable():
    one = Offline().form(load("mlbroker/tiny"))
    assert relation(one, one.row_block("enough_workers").start).count("moved[0,0,") == 2
    assert box(one, one.column_block("workers").start, "lower") == "workers[0,0,0] >= 0"


def axis(labels, *members):
    return Axis(labels, np.array(members, dtype=np.int64).reshape(len(members), len(labels)))


MOVED = Block(
    "moved", "8a", 4, (axis(("job", "slot"), (3, 7), (5, 1)), axis(("site",), (0,), (2,), (9,)))
)


def test_positions_run_like_nested_loops_with_the_last_axis_innermost():
    assert MOVED.size == 6
    assert [index_in(MOVED, k) for k in range(4, 10)] == [
        (3, 7, 0),
        (3, 7, 2),
        (3, 7, 9),
        (5, 1, 0),
        (5, 1, 2),
        (5, 1, 9),
    ]


def test_a_position_is_named_in_words_and_in_short():
    assert full_name(MOVED, 8) == "moved[job=5, slot=1, site=2]  (8a)"
    assert short_name(MOVED, 8) == "moved[5,1,2]"


@pytest.mark.parametrize("position", [3, 10])
def test_positions_outside_a_family_are_refused(position):
    with pytest.raises(IndexError, match="outside moved"):
        index_in(MOVED, position)


def test_the_family_of_a_position_is_found_past_empty_families():
    empty = Block("nothing", "", 4, (Axis(("job",), np.zeros((0, 1), np.int64)),))
    first = Block("first", "", 0, (axis(("k",), *[(k,) for k in range(4)]),))
    blocks = [first, empty, MOVED]
    assert [find_block(blocks, k).name for k in (0, 3, 4, 9)] == ["first", "first"] + ["moved"] * 2
    with pytest.raises(IndexError, match="no family"):
        find_block(blocks, 10)


MPS = "NAME m\nROWS\n N c\n G r\nCOLUMNS\n x c 1 r 1\nRHS\n s r 0.3\nENDATA\n"
LP = "min\n x\nst\n r: x >= 0.3\nend\n"


def test_sides_from_1e20_on_are_none(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    path.write_text(f"min x\nst\n r: x >= -1e20\n q: x >= -{10**20 - 1}\nend\n")
    assert read_model(path).row_lower == (None, 1 - F(10) ** 20)


def zipped(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("any name", content)
    return stream.getvalue()


PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zip": zipped}


@pytest.mark.parametrize(
    "name", ["m.mps", "M.MPS", "m.lp", "m.mps.gz", "m.LP.gz", "m.mps.bz2", "m.lp.xz", "m.mps.zip"]
)
def test_the_suffix_says_the_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = (MPS if "mps" in name.lower() else LP).encode()
    path.write_bytes(PACKED.get(name.rpartition(".")[2], bytes)(content))
    form = read_model(path)
    assert (form.row_lower, form.factors) == ((F(3, 10),), (1,))
    assert form.name == "m" or name.startswith("M")


@pytest.mark.parametrize("name", ["m.txt", "m", "m.gz", "m.txt.gz", "gz", ".mps.txt"])
def test_another_suffix_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(MPS)
    with pytest.raises(FileProblem, match=r"\.mps or \.lp"):
        read_model(path)


@pytest.mark.parametrize("packing", ["", *PACKED])
@pytest.mark.parametrize("text", [MPS, LP, "* note\n\n" + MPS, "\\ note\n" + LP])
def test_standard_input_shows_its_format(
    text: str, packing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = PACKED.get(packing, bytes)(text.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    form = read_model("-")
    assert (form.row_lower, form.num_columns) == ((F(3, 10),), 1)


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    for name, text in (("m.mps", MPS), ("m.lp", LP)):
        for encoding in ("utf-8-sig", "utf-16"):
            path = tmp_path / name
            path.write_bytes(text.encode(encoding))
            assert read_model(path).column_names == ("x",)


@pytest.mark.parametrize(("spoil", "problem"), [
    (lambda c: c[:-9], "cut off"), (lambda c: b"no gzip" + c, "no gz file"),
    (lambda c: c[:15] + bytes([c[15] ^ 255]) + c[16:], "gz file|cut off"),
    (lambda c: c + b"tail", "no gz file|cut off"),
])  # fmt: skip
def test_damaged_archives_are_refused(spoil, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "m.mps.gz"
    path.write_bytes(spoil(gzip.compress(MPS.encode())))
    with pytest.raises(FileProblem, match=problem):
        read_model(path)


def test_what_unfolds_into_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_text, "LARGEST_INFLATED", 100)
    path = tmp_path / "m.mps.gz"
    path.write_bytes(gzip.compress(MPS.encode() + b"* comment\n" * 50))
    with pytest.raises(FileProblem, match="unfolds into more than 100"):
        read_model(path)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.mps", "(none).mps"):
        with pytest.raises(FileProblem, match=r"none\)?\.mps") as caught:
            read_model(path)
        assert "\n" not in str(caught.value)


def test_other_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "m.mps"
    path.write_bytes(MPS.replace(" x ", " café ").encode("latin-1"))
    assert read_model(path).column_names == ("café",)


def test_rows_without_a_name_take_one_that_is_free() -> None:
    form = parse_lp("min\n x\nst\n x >= 1\n c1: x >= 2\n x >= 3\nend\n")
    assert len(set(form.row_names)) == 3
    assert form.row_names[1] == "c1"


def test_a_file_that_may_be_cut_short_says_so(tmp_path: Path) -> None:
    file, text = tmp_path / "a.lp", "min\n obj: x + y\nst\n c: x + y >= 2\n"
    file.write_text(text)
    (note,) = read_model(file).notes
    assert note == "line 4: the file ends without End; it may be cut short"
    file.write_text(f"{text}end\n")
    assert not read_model(file).notes
