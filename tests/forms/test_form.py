"""The linear form: data checks, names, exact values, hash."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest

from farkas.errors import UnknownName
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from tests.generators.forms import INF, random_form, small


def form():
    return small([[1, 0, 2], [0, 3, 0]], cost=[1, 2, 3], row_lower=[1, 2], offset=0.5)


@pytest.mark.parametrize(
    "field", ["cost", "lower", "upper", "row_lower", "row_upper", "integer", "implied_upper"]
)
def test_arrays_of_a_wrong_length_are_refused(field):
    with pytest.raises(ValueError, match=f"{field} has shape"):
        form().replace(**{field: np.zeros(7)})


def test_a_cost_of_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        form().replace(cost=np.array([1.0, np.nan, 0.0]))


def test_points_are_read_by_variable():
    point = np.array([1.0, 2.0, 4.0])
    assert form().values(point, "column").tolist() == [1, 2, 4]
    assert form().objective(point) == 1 + 4 + 12 + 0.5
    assert form().row_values(np.array([5.0, 6.0]), "row").tolist() == [5, 6]


def test_unknown_families_are_named_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean column"):
        form().column_block("colum")


def test_safe_bounds_are_the_tighter_of_stated_and_implied():
    both = form().replace(implied_upper=np.array([4.0, INF, 9.0]), upper=np.array([5.0, 6.0, 7.0]))
    assert both.safe_upper.tolist() == [4, 6, 7]
    assert both.safe_lower.tolist() == [0, 0, 0]
    below = form().replace(implied_lower=np.array([1.0, -INF, -2.0]))
    below = below.replace(lower=np.array([0.0, 0.5, -3.0]), upper=np.array([8.0, 8.0, 8.0]))
    assert below.safe_lower.tolist() == [1, 0.5, -2]
    assert below.safe_upper.tolist() == [8, 8, 8]


CHANGES = {
    "sense": "max",
    "offset": 1.0,
    "cost": np.array([1.0, 2.0, 4.0]),
    "row_lower": np.array([1.0, 2.5]),
    "row_upper": np.array([1.0, INF]),
    "lower": np.array([0.0, 0.0, -1.0]),
    "upper": np.array([INF, INF, 1.0]),
    "integer": np.array([False, False, True]),
    "implied_lower": np.array([0.0, 0.0, 1.0]),
    "implied_upper": np.array([INF, INF, 1.0]),
    "matrix": rows_of_dense([[1, 0, 2], [0, 0, 3]]),
}


@pytest.mark.parametrize("field", CHANGES)
def test_the_hash_feels_every_number(field):
    assert form().replace(**{field: CHANGES[field]}).sha256 != form().sha256


@pytest.mark.parametrize("offset", [0.0, -0.0, 0.5, -1.0])
def test_the_hash_is_of_these_bytes(offset):
    form = small(
        [[2.0, 0.0], [0.0, -3.0]], cost=[1.0, 5.0], row_lower=[1.0, -INF], row_upper=[INF, 4.0],
        lower=[-0.0, 1.0], upper=[9.0, INF], integer=[False, True], sense="max", offset=offset,
        implied_lower=np.array([-1.0, 2.0]), implied_upper=np.array([8.0, INF]),
    )  # fmt: skip
    numbers = [2, -3, 1, 5, 1, -INF, INF, 4, 0, 1, 9, INF, 0, 2, 8, INF]
    head = struct.pack("<qqd3q2i", 2, 2, offset + 0.0, 0, 1, 2, 0, 1)
    body = head + struct.pack("<16d", *numbers) + b"\x40"
    assert form.sha256 == hashlib.sha256(b"farkas form 1\nmax" + body).hexdigest()


def test_the_hash_does_not_feel_names_or_the_sign_of_zero():
    renamed = form().replace(name="other", rows=(), columns=(), lower=np.array([-0.0, 0.0, -0.0]))
    assert renamed.sha256 == form().sha256


def test_random_forms_cover_every_kind_of_side():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(50):
        one: LinearForm = random_form(rng)
        for low, high in zip(one.lower, one.upper, strict=True):
            seen.add((low == high, bool(np.isfinite(low)), bool(np.isfinite(high))))
    assert len(seen) == 5
