"""MPS and LP text reads back as the same program."""

from __future__ import annotations

import highspy
import numpy as np
import pytest

from farkas.errors import FileProblem, UnsupportedForm
from farkas.forms import Axis, Block
from farkas.forms.writers import _mps_side, column_names, row_names, write_lp, write_mps
from tests.generators.forms import INF, random_form, small

WRITERS = {"mps": write_mps, "lp": write_lp}


def read(path):
    highs = highspy.Highs()
    highs.silent()
    assert highs.readModel(str(path)) != highspy.HighsStatus.kError
    return highs.getLp()


def contents(form):
    """Everything that decides the optimum, by names; rows without sides do not."""
    rows, columns = row_names(form), column_names(form)
    entries = [
        {columns[j]: value for j, value in zip(where, values.tolist(), strict=True)}
        for where, values in map(form.matrix.row, range(form.num_rows))
    ]
    sides = zip(rows, form.row_lower.tolist(), form.row_upper.tolist(), entries, strict=True)
    ends = zip(
        columns,
        form.lower.tolist(),
        form.upper.tolist(),
        form.cost.tolist(),
        form.integer.tolist(),
        strict=True,
    )
    return (
        form.sense,
        form.offset,
        {row: (low, high, part) for row, low, high, part in sides if (low, high) != (-INF, INF)},
        {name: tuple(rest) for name, *rest in ends},
    )


def merged(rows, lower, upper, entries):
    """The two rows of a ranged one, which LP splits, as one again."""
    joined = {}
    for name, low, high, part in zip(rows, lower, upper, entries, strict=True):
        whole = name.removesuffix(".lower").removesuffix(".upper")
        known = joined.get(whole, (-INF, INF, part))
        assert known[2] == part
        joined[whole] = (max(low, known[0]), min(high, known[1]), part)
    return [(name, *rest) for name, rest in joined.items()]


def read_contents(lp):
    columns, rows = list(lp.col_names_), list(lp.row_names_)
    starts, index, value = lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_
    entries = [{} for _ in rows]
    for j, name in enumerate(columns):
        for k in range(starts[j], starts[j + 1]):
            if value[k]:
                entries[index[k]][name] = value[k]
    integer = [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_]
    integer = integer or [False] * len(columns)
    sides = merged(rows, lp.row_lower_, lp.row_upper_, entries)
    ends = list(zip(columns, lp.col_lower_, lp.col_upper_, lp.col_cost_, integer, strict=True))
    offset = lp.offset_
    if "constant" in columns:
        (_, *one, offset, whole) = ends.pop(columns.index("constant"))
        assert (one, whole) == ([1, 1], False)
    return (
        "max" if lp.sense_ == highspy.ObjSense.kMaximize else "min",
        offset,
        {row: (low, high, part) for row, low, high, part in sides if (low, high) != (-INF, INF)},
        {name: tuple(rest) for name, *rest in ends},
    )


@pytest.mark.ids(1)
@pytest.mark.parametrize("suffix", WRITERS)
def test_every_shape_reads_back_exactly(suffix, tmp_path):
    rng = np.random.default_rng(12)
    path = tmp_path / f"model.{suffix}"
    for turn in range(300):
        if turn % 2:
            form = random_form(rng)
        else:
            form = random_form(rng, number=lambda size: rng.standard_normal(size) * 1e3)
        form = form.replace(integer=rng.random(form.num_columns) < 0.3)
        WRITERS[suffix](form, path)
        assert read_contents(read(path)) == contents(form), path.read_text()


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_negative_upper_bound_keeps_the_lower_bound_zero(suffix, tmp_path):
    # 0 <= x <= -1 is empty; a reader that drops the 0 would accept x = -1
    form = small([[1.0]], cost=[1.0], row_lower=[-5], upper=[-1.0])
    path = tmp_path / f"model.{suffix}"
    WRITERS[suffix](form, path)
    lp = read(path)
    assert (lp.col_lower_[0], lp.col_upper_[0]) == (0, -1)


@pytest.mark.parametrize("suffix", WRITERS)
def test_integers_without_bounds_do_not_become_binary(suffix, tmp_path):
    form = small([[1.0]], cost=[1.0], row_lower=[7], integer=[True])
    path = tmp_path / f"model.{suffix}"
    WRITERS[suffix](form, path)
    assert read(path).col_upper_[0] == INF


def test_names_are_unique_short_and_free_of_spaces():
    axis = Axis(("i",), np.arange(3, dtype=np.int64)[:, None])
    long = "very_long_" * 40
    form = small(np.ones((4, 6)), cost=np.ones(6)).replace(
        columns=(Block(long + "one", "", 0, (axis,)), Block(long + "two", "", 3, (axis,))),
        rows=(
            Block("free", "", 0),
            Block("supply of site", "", 1),
            Block("supply_of_site", "", 2),
            Block("e5", "", 3),
        ),
    )
    names = column_names(form)
    assert len(set(names)) == 6
    assert max(map(len, names)) == 255
    assert row_names(form) == ["free_", "supply_of_site", "supply_of_site#2", "_e5"]
    other = form.replace(rows=tuple(
        Block(name, "", i) for i, name in enumerate(["inflow", "Nanometre", "qsection", "st."])
    ))  # fmt: skip
    assert row_names(other) == ["_inflow", "_Nanometre", "qsection_", "st._"]


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(("field", "value"), [("row_lower", INF), ("upper", -INF)])
def test_sides_that_text_cannot_hold_are_refused_and_nothing_is_written(
    suffix, field, value, tmp_path
):
    form = small([[1.0]], cost=[1.0], row_lower=[7]).replace(**{field: np.array([value])})
    path = tmp_path / f"model.{suffix}"
    with pytest.raises(UnsupportedForm, match="no such side"):
        WRITERS[suffix](form, path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_missing_directory_is_one_clear_error(suffix, tmp_path):
    form = small([[1.0]], cost=[1.0], row_lower=[7])
    with pytest.raises(FileProblem, match="there is no directory"):
        WRITERS[suffix](form, tmp_path / "missing" / f"model.{suffix}")


TEXTS = {
    "lp": """\
\\ small
Minimize
 obj: +1.0 column(0) -0.5 column(1) +0.75 column(2) +0.5 constant
Subject To
 row(0): +1.0 column(0) +0.5 column(1) >= 1.0
 row(1): +0 column(0) <= 4.0
 row(2).lower: -2.0 column(0) +0.25 column(2) >= -3.0
 row(2).upper: -2.0 column(0) +0.25 column(2) <= 5.0
Bounds
 -inf <= column(1) <= 2.0
 constant = 1.0
General
 column(0)
End
""",
    "mps": """\
NAME small
ROWS
 N obj
 G row(0)
 L row(1)
 G row(2)
COLUMNS
 MARKER 'MARKER' 'INTORG'
 column(0) obj 1.0
 column(0) row(0) 1.0
 column(0) row(2) -2.0
 MARKER 'MARKER' 'INTEND'
 column(1) obj -0.5
 column(1) row(0) 0.5
 column(2) obj 0.75
 column(2) row(2) 0.25
 constant obj 0.5
RHS
 rhs row(0) 1.0
 rhs row(1) 4.0
 rhs row(2) -3.0
RANGES
 range row(2) 8.0
BOUNDS
 LO bound column(0) 0.0
 PL bound column(0)
 MI bound column(1)
 UP bound column(1) 2.0
 FX bound constant 1.0
ENDATA
""",
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_sign_and_side_is_written_out(suffix, tmp_path):
    form = small(
        [[1, 0.5, 0], [0, 0, 0], [-2, 0, 0.25]], cost=[1, -0.5, 0.75],
        row_lower=[1, -INF, -3], row_upper=[INF, 4, 5],
        lower=[0, -INF, 0], upper=[INF, 2, INF], integer=[True, False, False], offset=0.5,
    )  # fmt: skip
    path = tmp_path / f"model.{suffix}"
    WRITERS[suffix](form, path)
    assert path.read_text() == TEXTS[suffix]


@pytest.mark.parametrize(
    ("low", "high", "letter", "next_up"),
    [
        (-5.11, -3.18, "G", False),
        (-3.96, 0.41, "L", False),
        (-4.2, 8.0, "G", True),
        (-2.0, 1.39, "L", True),
    ],
)
def test_widths_of_ranges_land_on_the_other_side_in_the_arithmetic_of_readers(
    low, high, letter, next_up
):
    ranged = small([[1.0]], cost=[1.0], row_lower=[low], row_upper=[high])
    written, side, width = _mps_side(ranged, 0)
    assert (written, width > high - low) == (letter, next_up)
    assert (side, side + width if letter == "G" else side - width) == (
        (low, high) if letter == "G" else (high, low)
    )


@pytest.mark.parametrize(("low", "high"), [(-6.5, 6.2), (-9.9, 3.3), (-1e308, 1e308)])
def test_ranges_that_no_width_reaches_are_refused(low, high):
    ranged = small([[1.0]], cost=[1.0], row_lower=[low], row_upper=[high])
    with pytest.raises(UnsupportedForm, match="no exact range in MPS; write LP"):
        _mps_side(ranged, 0)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-INF, INF, ("N", 0.0, None)),
        (-INF, 2.0, ("L", 2.0, None)),
        (2.0, INF, ("G", 2.0, None)),
        (2.0, 2.0, ("E", 2.0, None)),
    ],
)
def test_rows_have_the_letter_of_their_sides(low, high, said):
    assert _mps_side(small([[1.0]], cost=[1], row_lower=[low], row_upper=[high]), 0) == said
