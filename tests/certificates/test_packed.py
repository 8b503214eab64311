"""Numbers inside certificate files."""

from __future__ import annotations

import base64
import zlib
from fractions import Fraction as F

import msgspec
import numpy as np
import pytest

from farkas.certificates.making import exact_vector, packed_form
from farkas.certificates.packed import ExactVector, deflate, inflate, pack, rational, shown, unpack
from farkas.certificates.packed_form import unpacked
from farkas.errors import NotACertificate
from tests.generators.forms import random_form, small


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


def test_inflating_stops_at_the_promised_size():
    with pytest.raises(NotACertificate, match="cannot hold"):
        inflate(deflate(b"abc"), 10**8, "data")
    with pytest.raises(NotACertificate, match="promise"):
        inflate(deflate(b"abcd"), 3, "data")
    with pytest.raises(NotACertificate, match="not base64"):
        inflate("ü", 3, "data")


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


def test_numbers_below_the_smallest_double_are_refused():
    with pytest.raises(NotACertificate, match="is not a double"):
        ExactVector(size=1, exponent=1075, positions=(0,), numbers=(3,)).floats("v", 1)


@pytest.mark.parametrize(
    ("size", "positions", "numbers", "words"),
    [(3, (2,), (1,), "3 entries, needed 2"), (2, (0, 1), (1,), "2 positions for 1 numbers"),
     (2, (2,), (1,), "do not ascend"), (2, (0, 0), (1, 1), "do not ascend"),
     (2, (1, 0), (1, 1), "do not ascend")],
)  # fmt: skip
def test_vectors_of_another_shape_are_refused(size, positions, numbers, words):
    vector = ExactVector(size=size, exponent=0, positions=positions, numbers=numbers)
    with pytest.raises(NotACertificate, match=words):
        vector.floats("v", 2)
    fine = ExactVector(size=2, exponent=0, positions=(0, 1), numbers=(1, 2))
    assert fine.floats("v", 2).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "value"),
    [("-7/2", F(-7, 2)), ("0", F(0)), ("10", F(10)), ("0/5", F(0)), ("9" * 4000, F(10**4000 - 1))],
)
def test_fractions_are_read(text, value):
    assert rational(text, "bound") == value


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


def test_base64_has_no_letters_of_its_own():
    text = deflate(bytes(24))
    assert inflate(text, 24, "data") == bytes(24)
    for other in (f"{text[:4]}!{text[4:]}", f"{text[:4]}\n{text[4:]}"):
        with pytest.raises(NotACertificate, match="not base64"):
            inflate(other, 24, "data")


def test_no_part_holds_more_than_a_quarter_of_a_gigabyte():
    text = base64.b64encode(bytes(250_000)).decode()
    for size, said in ((2**28, "cannot be decompressed"), (2**28 + 1, "268435456 are the most")):
        with pytest.raises(NotACertificate, match=said):
            inflate(text, size, "data")


def test_bytes_are_deflated_and_written_as_base64():
    assert zlib.decompress(base64.b64decode(deflate(b"abc"))) == b"abc"
    assert inflate(deflate(b"abc"), 3, "data") == b"abc"


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


def one_row(**changes):
    """A packed form of two columns and two rows, with parts replaced."""
    form = small([[1.0, 2.0], [0.0, 3.0]], cost=[1, 2], integer=[True, False])
    parts = {
        "starts": form.matrix.starts, "columns": form.matrix.columns,
        "values": form.matrix.values, "cost": form.cost, "row_lower": form.row_lower,
        "row_upper": form.row_upper, "lower": form.lower, "upper": form.upper,
    } | {name: np.array(value) for name, value in changes.items()}  # fmt: skip
    types = {"starts": "<i8", "columns": "<i4"}
    raw = b"".join(part.astype(types.get(name, "<f8")).tobytes() for name, part in parts.items())
    data = deflate(raw + np.packbits(form.integer).tobytes())
    packed = packed_form(form)
    return unpacked(msgspec.structs.replace(packed, data=data), "small", "min"), form


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"starts": [0, 2, 2]}, "row starts"), ({"starts": [1, 2, 3]}, "row starts"),
        ({"starts": [0, 4, 3]}, "row starts"), ({"columns": [0, 2, 1]}, "column index"),
        ({"columns": [-1, 1, 1]}, "column index"), ({"columns": [1, 0, 1]}, "do not ascend"),
        ({"columns": [1, 1, 1]}, "do not ascend"), ({"values": [1, 0, 3]}, "stores a zero"),
        ({"values": [1, np.inf, 3]}, "not finite"), ({"cost": [1, np.nan]}, "cost is not finite"),
        ({"row_lower": [np.nan, 0]}, "is NaN"), ({"upper": [0, np.nan]}, "is NaN"),
    ],
)  # fmt: skip
def test_broken_arrays_are_refused_by_name(changes, words):
    with pytest.raises(NotACertificate, match=f"data: .*{words}"):
        one_row(**changes)


def test_sound_arrays_are_read_whatever_their_rows():
    again, form = one_row()
    assert again.sha256 == form.sha256
    # the same entries in one row and an empty one; a row that begins left of where the last ended
    for starts, columns in (([0, 2, 3], [0, 1, 0]), ([0, 0, 2], None), ([0, 3, 3], None)):
        if columns is not None:
            assert one_row(starts=starts, columns=columns)[0].matrix.columns.tolist() == columns


@pytest.mark.parametrize("side", ["row_lower", "row_upper", "lower", "upper"])
def test_every_side_that_is_not_a_number_is_refused(side):
    form = small([[1.0]], cost=[1.0], row_lower=[0.0], row_upper=[1.0], lower=[0.0], upper=[1.0])
    packed = packed_form(form)
    plain = np.frombuffer(inflate(packed.data, 16 + 4 + 8 * 6 + 1, "data")[:-1], np.uint8).copy()
    at = 20 + 8 * (2 + ["row_lower", "row_upper", "lower", "upper"].index(side))
    plain[at : at + 8] = np.frombuffer(np.array([np.nan]).tobytes(), np.uint8)
    bad = msgspec.structs.replace(packed, data=deflate(plain.tobytes() + b"\0"))
    with pytest.raises(NotACertificate, match="a side or bound is NaN"):
        unpacked(bad, "toy", "min")
