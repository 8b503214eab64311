"""Numbers inside certificate files."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.certificates.packed import ExactVector, PackedForm, deflate, inflate
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
    vector = ExactVector.of(np.array(values))
    again = msgspec.json.decode(msgspec.json.encode(vector), type=ExactVector)
    assert again.floats("v", len(values)).tolist() == values


def test_packed_forms_keep_the_hash():
    rng = np.random.default_rng(8)
    for _ in range(100):
        one = random_form(rng)
        one = one.replace(integer=rng.random(one.num_columns) < 0.5)
        if rng.random() < 0.5:
            one = one.replace(implied_upper=np.full(one.num_columns, 3.0))
        assert PackedForm.of(one).form("again", one.sense).sha256 == one.sha256


def test_inflating_stops_at_the_promised_size():
    with pytest.raises(NotACertificate, match="cannot hold"):
        inflate(deflate(b"abc"), 10**9, "data")
    with pytest.raises(NotACertificate, match="promise"):
        inflate(deflate(b"abcd"), 3, "data")
    with pytest.raises(NotACertificate, match="not base64"):
        inflate("ü", 3, "data")
