"""Linear forms inside certificate files."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.certificates.making import packed_form
from farkas.certificates.packed import deflate, inflate, unpacked
from farkas.errors import NotACertificate
from tests.generators.forms import random_form, small


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
