"""Programs in whole numbers: the same points, or a refusal that names what is in the way."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import UnsupportedForm
from farkas.forms import check_point
from farkas.solvers.ortools_whole import LARGEST, whole_program
from tests.conformance.solvers.cases import INF, form


def rows_of(arrays):
    starts = arrays["starts"]
    for i in range(len(arrays["row_lower"])):
        at = slice(starts[i], starts[i + 1])
        yield (
            arrays["columns"][at],
            arrays["values"][at],
            arrays["row_lower"][i],
            arrays["row_upper"][i],
        )


def allows(arrays, point) -> bool:
    x = np.array(point)
    if (x < arrays["lower"]).any() or (x > arrays["upper"]).any():
        return False
    return all(low <= values @ x[where] <= high for where, values, low, high in rows_of(arrays))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_same_points_have_the_same_values(seed, sense):
    rng = np.random.default_rng(seed)
    lines = rng.integers(-6, 7, (3, 3)) * rng.choice([0.25, 1.0, 3.0], (3, 1))
    middle = lines @ rng.integers(-2, 3, 3)
    case = form(
        (rng.integers(-9, 10, 3) / 8).tolist(),
        [
            (m - w if rng.random() < 0.7 else -INF, line.tolist(), m + w)
            for m, w, line in zip(middle, rng.uniform(0, 4, 3), lines, strict=True)
        ],
        lower=-2.5,
        upper=2.25,
        integer=range(3),
        sense=sense,
    )
    whole = whole_program(case, "x")
    toward = 1 if sense == "min" else -1
    seen = 0
    for point in itertools.product(range(-3, 4), repeat=3):
        kept = bool(check_point(case, np.array(point, dtype=float), tolerance=0.0))
        assert allows(whole.arrays, point) is kept if not whole.empty else not kept, point
        if kept:
            cost = whole.unit * int(whole.arrays["cost"] @ np.array(point))
            assert toward * cost == sum(
                Fraction(c) * x for c, x in zip(case.cost, point, strict=True)
            )
            seen += 1
    assert seen or whole.empty or seed not in (0, 1)


def test_numbers_are_the_doubles_they_are_as_small_as_they_can_be():
    # 0.1 is 3602879701896397 / 2^55; 6 and 4 are 3 and 2 in twos, 25 of them at most 12
    case = form(
        [0.75, -1.5], [(-INF, [6, 4], 25), (0.05, [0.1, 0.2], INF)], upper=9, integer=[0, 1]
    )
    whole = whole_program(case, "x")
    assert whole.unit == Fraction(3, 4)
    assert whole.arrays["cost"].tolist() == [1, -2]
    first, second = rows_of(whole.arrays)
    assert (first[1].tolist(), first[3]) == ([3, 2], 12)
    assert (second[1].tolist(), second[2]) == ([1, 2], 1)


def test_ends_follow_from_rows_one_after_the_other():
    # 2 x <= 7 gives x <= 3, and with -y + x >= -5, that is y <= x + 5, y <= 8; z >= x - y >= -8
    case = form(
        [1, 1, 1],
        [(-INF, [2, 0, 0], 7), (-5, [1, -1, 0], INF), (0, [-1, 1, 1], 9)],
        lower=[0, 0, -INF],
        upper=INF,
        integer=range(3),
    )
    arrays = whole_program(case, "x").arrays
    assert arrays["lower"].tolist() == [0, 0, -8]
    assert arrays["upper"].tolist() == [3, 8, 12]


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (form([1], [(1, [1], INF)], integer=[0]), "x: column 0 has no upper bound, and no row"),
        (
            form([1], [(-INF, [1], 1)], lower=-INF, integer=[0]),
            "x: column 0 has no lower bound, and no row",
        ),
        (
            form([1, 1], [(1, [0.1, 2**30], INF)], upper=9, integer=[0, 1]),
            "x: row 0 needs numbers of more than 64 bits",
        ),
        (form([1e-9, 2**40], upper=9, integer=[0, 1]), "x: the objective needs numbers of more"),
        (form([0], upper=2.0**62, integer=[0]), "x: column 0 needs numbers of more than 64"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(case, words):
    with pytest.raises(UnsupportedForm) as refusal:
        whole_program(case, "x")
    assert str(refusal.value).startswith(words)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (form([1], lower=0.25, upper=0.75, integer=[0]), "column 0: no whole number within"),
        (form([1], [(1, [2], 1)], upper=3, integer=[0]), "row 0: no whole number between its"),
    ],
)
def test_where_no_whole_number_fits_nothing_is_asked(case, words):
    assert whole_program(case, "x").empty.startswith(words)


def test_sides_that_no_sum_reaches_are_cut_to_64_bits():
    case = form([0], [(-1e300, [1], 1e300)], upper=3, integer=[0])
    arrays = whole_program(case, "x").arrays
    assert (arrays["row_lower"].tolist(), arrays["row_upper"].tolist()) == ([-LARGEST], [LARGEST])
