"""Exact feasibility of points."""

from __future__ import annotations

import base64
import zlib
from fractions import Fraction as F

import msgspec
import numpy as np
import pytest

from farkas.certificates import exact_feasibility, exact_value
from farkas.certificates.encoding import (
    ExactVector,
    deflate,
    inflate,
    pack,
    rational,
    shown,
    unpack,
)
from farkas.certificates.form_encoding import unpacked
from farkas.certificates.repair import exact_vector, packed_form
from farkas.errors import NotACertificate
from tests.certificates.test_bound import magnitudes
from tests.generators.forms import INF, random_form, small


def test_rounding_errors_that_floats_cannot_see_are_seen():
    # 0.1 + 0.2 exceeds 0.3 in binary, but 0.1 + 0.2 <= 0.30000000000000004 = 0.1 + 0.2 rounded up
    form = small([[1, 1]], cost=[1, 1], row_upper=[0.3])
    point = np.array([0.1, 0.2])
    with pytest.raises(NotACertificate, match=r"row\[i=0\]: the point violates the upper side"):
        exact_feasibility(form, point)
    exact_feasibility(form, point, 1e-15)


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ([0.5, 0.25], r"row\[i=0\]: the point violates the lower side"),
        ([3, 2], r"row\[i=0\]: the point violates the upper side"),
        ([4, 0], r"column\[i=0\]: the point violates the bound"),
        ([2, -0.5], r"column\[i=1\]: the point violates the bound"),
        ([1.75, 0], r"column\[i=0\]: the point violates the integrality"),
        ([np.nan, 0], r"column\[i=0\]: the point holds nan"),
        ([0.0], "shape"),
    ],
)
def test_each_violation_is_named(point, words):
    form = small(
        [[1, 1]], cost=[1, 1], row_lower=[1], row_upper=[4], upper=[3, 3], integer=[True, False]
    )
    if point == [0.5, 0.25]:
        form = form.replace(integer=np.array([False, False]))
    with pytest.raises(NotACertificate, match=words):
        exact_feasibility(form, np.array(point))


def feasible_by_fractions(form, point):
    def inside(v, low, high):
        return (low == -INF or v >= F(low)) and (high == INF or v <= F(high))

    x = [F(float(v)) for v in point]
    if not all(map(inside, x, form.lower.tolist(), form.upper.tolist())):
        return False
    activity = [
        sum((F(float(a)) * x[j] for j, a in zip(*form.matrix.row(i), strict=True)), F(0))
        for i in range(form.num_rows)
    ]
    return all(map(inside, activity, form.row_lower.tolist(), form.row_upper.tolist()))


@pytest.mark.parametrize("exponent", [0, 2, 300])
def test_feasibility_agrees_with_fractions(exponent):
    rng = np.random.default_rng(exponent)
    number = magnitudes(rng, exponent)
    answers = []
    for _ in range(600):
        form = random_form(rng, most_rows=2, most_columns=3, number=number)
        point = np.clip(number(form.num_columns), form.lower, form.upper)
        answers.append(feasible_by_fractions(form, point))
        try:
            exact_feasibility(form, point)
        except NotACertificate:
            assert not answers[-1]
        else:
            assert answers[-1]
    assert 50 < sum(answers) < 550


@pytest.mark.parametrize("tolerance", [np.nan, np.inf, -1e-9, 1.0])
def test_a_tolerance_outside_its_range_is_refused(tolerance):
    form = small([[1, 1]], cost=[1, 1], row_upper=[3])
    with pytest.raises(NotACertificate, match="tolerance"):
        exact_feasibility(form, np.zeros(2), tolerance)


def test_sides_that_are_no_numbers_are_refused():
    form = small([[1, 1]], cost=[1, 1], row_upper=[3])
    for name in ("row_lower", "row_upper", "lower", "upper"):
        broken = form.replace(**{name: np.full_like(getattr(form, name), np.nan)})
        with pytest.raises(NotACertificate, match="is not a number"):
            exact_feasibility(broken, np.zeros(2))


STEP = 2.0**-20


@pytest.mark.parametrize("tolerance", [0.0, STEP])
def test_the_first_violation_is_named_and_the_others_are_counted(tolerance):
    # x = (2 + 2 STEP, 5, 5) against x <= 2: the first one within the tolerance of 2 * STEP
    form = small(np.zeros((0, 3)), cost=[1.0] * 3, upper=[2.0] * 3)
    point = np.array([2 + 2 * STEP, 5.0, 5.0])
    words = r"\[i=1\].*\(and 1 more\)" if tolerance else r"\[i=0\].*\(and 2 more\)"
    with pytest.raises(NotACertificate, match=words):
        exact_feasibility(form, point, tolerance)
    with pytest.raises(NotACertificate) as caught:
        exact_feasibility(form, np.array([2.0, 2.0, 5.0]), tolerance)
    assert "more" not in str(caught.value).removesuffix(f"more than {tolerance:g}")


def test_values_need_a_finite_offset():
    form = small(np.zeros((0, 1)), cost=[1.0], offset=INF)
    with pytest.raises(NotACertificate, match="offset"):
        exact_value(form, np.ones(1))


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0.0, 0.0],
        [1.0, -2.0, 0.0, 3.0],
        [0.1, 1e-300, -1e300],
        [5e-324, 1.7976931348623157e308],
        [2.0**1023],
        [1024.0, 2048.0],
    ],
)
def test_exact_vectors_hold_every_double(values):
    vector = exact_vector(np.array(values))
    again = msgspec.json.decode(msgspec.json.encode(vector), type=ExactVector)
    assert again.floats("v", len(values)).tolist() == values


def test_numbers_are_shown_with_ten_digits_and_long_ones_cut():
    assert (shown("1/3"), shown("-7/2")) == ("0.3333333333", "-3.5")
    assert shown("1" + "0" * 400) == "1" + "0" * 36 + "..."
    assert (shown("x" * 40), shown("x" * 41)) == ("x" * 40, "x" * 37 + "...")
    for text, seen in (("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "...")):
        with pytest.raises(NotACertificate, match=f"'{seen}' is not"):
            rational(text, "bound")


def test_deflated_bytes_end_where_they_are_said_to():
    packed = base64.b64decode(deflate(b"abc"))
    for spoilt in (packed + b"x", packed[:-1], packed[:-5]):
        with pytest.raises(NotACertificate, match=r"promise|decompressed"):
            inflate(base64.b64encode(spoilt).decode(), 3, "data")
    for size in (2, 4):
        with pytest.raises(NotACertificate, match="promise"):
            inflate(deflate(b"abc"), size, "data")
    assert inflate(deflate(b"abc"), 3, "data") == b"abc"
    # zeros shrink to a thousandth: what deflate can pack is never refused
    assert inflate(deflate(b"\0" * 10**6), 10**6, "data") == b"\0" * 10**6


def test_no_part_holds_more_than_a_quarter_of_a_gigabyte():
    text = base64.b64encode(bytes(250_000)).decode()
    for size, said in ((2**28, "cannot be decompressed"), (2**28 + 1, "268435456 are the most")):
        with pytest.raises(NotACertificate, match=said):
            inflate(text, size, "data")


def test_doubles_are_written_in_one_order_whatever_the_machine_and_without_a_sign_of_zero():
    values = np.array([[1.5, -0.0], [-2.0, 5e-324]])
    raw = zlib.decompress(base64.b64decode(pack(values.astype(">f8"))))
    assert raw == (values + 0.0).astype("<f8").tobytes()
    assert unpack(pack(values), (2, 2), "v").tolist() == [[1.5, 0.0], [-2.0, 5e-324]]


def test_packed_forms_keep_the_hash():
    rng = np.random.default_rng(8)
    for _ in range(100):
        one = random_form(rng)
        one = one.replace(integer=rng.random(one.num_columns) < 0.5)
        if rng.random() < 0.5:
            one = one.replace(implied_upper=np.full(one.num_columns, 3.0))
        assert unpacked(packed_form(one), "again", one.sense).sha256 == one.sha256


@pytest.mark.parametrize(
    ("number", "exponent", "value"),
    [
        (1, 1074, 5e-324), (2**53 - 1, -971, 1.7976931348623157e308), (2**53 - 1, 1074, None),
        (2**54, 0, 2.0**54), (-3, 1, -1.5), (1, -1023, 2.0**1023), (2**53 + 2, 0, 2.0**53 + 2),
        (2**53 + 1, 0, "no"), (1, -1024, "no"), (3, -1023, "no"), (0, 0, "no"),
    ],
)  # fmt: skip
def test_a_number_is_a_double_or_refused(number, exponent, value):
    vector = ExactVector(size=1, exponent=exponent, positions=(0,), numbers=(number,))
    if value == "no":
        with pytest.raises(NotACertificate, match=r"is not a double|a stored number is 0"):
            vector.floats("v", 1)
    else:
        expected = np.ldexp(float(2**53 - 1), -1074) if value is None else value
        assert vector.floats("v", 1).tolist() == [expected]
