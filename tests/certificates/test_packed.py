"""Numbers inside certificate files."""

from __future__ import annotations

import base64
import zlib

import msgspec
import numpy as np
import pytest

from farkas.certificates.packed import ExactVector, deflate, inflate, pack, rational, shown, unpack
from farkas.certificates.packed_form import unpacked
from farkas.certificates.repair import exact_vector, packed_form
from farkas.errors import NotACertificate
from tests.generators.forms import random_form


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


@pytest.mark.parametrize(
    ("values", "exponent", "numbers"),
    [
        ([1024.0, 3072.0], -10, (1, 3)), ([1.0, 0.0, -6.0], 0, (1, -6)), ([0.75, 2.0], 2, (3, 8)),
        ([], 0, ()), ([0.5], 1, (1,)), ([3.0 * 2.0**100], -100, (3,)), ([-0.0], 0, ()),
    ],
)  # fmt: skip
def test_vectors_are_written_with_the_shortest_numbers(values, exponent, numbers):
    vector = exact_vector(np.array(values))
    assert (vector.exponent, vector.numbers) == (exponent, numbers)
    assert vector.positions == tuple(np.flatnonzero(values).tolist())


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


@pytest.mark.parametrize(
    "text", ["", "+1", "01", "1/0", "1/-2", "1/02", "1.5", "1e3", " 1", "1\n", "9" * 4001, "--1"]
)
def test_what_is_no_fraction_is_refused_and_shown_short(text):
    with pytest.raises(NotACertificate, match=r"bound: .* is not a fraction") as caught:
        rational(text, "bound")
    assert len(str(caught.value)) < 90


def test_numbers_are_shown_with_ten_digits_and_long_ones_cut():
    assert (shown("1/3"), shown("-7/2")) == ("0.3333333333", "-3.5")
    assert shown("1" + "0" * 400) == "1" + "0" * 36 + "..."
    assert (shown("x" * 40), shown("x" * 41)) == ("x" * 40, "x" * 37 + "...")
    for text, seen in (("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "...")):
        with pytest.raises(NotACertificate, match=f"'{seen}' is not"):
            rational(text, "bound")


def test_arrays_keep_their_shape_and_lose_only_the_sign_of_zero():
    values = np.array([[1.5, -0.0], [np.inf, -2.0]])
    again = unpack(pack(values), (2, 2), "v")
    assert again.tolist() == values.tolist()
    assert not np.signbit(again[0, 1])
    for shape in ((4,), (1, 4)):
        assert unpack(pack(values), shape, "v").shape == shape
    for shape in ((3,), (5,), (2, 3)):
        with pytest.raises(NotACertificate, match="v: "):
            unpack(pack(values), shape, "v")


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
