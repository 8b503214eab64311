"""Arrays as text."""

from __future__ import annotations

import base64
import zlib

import numpy as np

from farkas.certificates.packed import deflate, inflate, pack, unpack


def test_bytes_are_deflated_and_written_as_base64():
    assert zlib.decompress(base64.b64decode(deflate(b"abc"))) == b"abc"
    assert inflate(deflate(b"abc"), 3, "data") == b"abc"


def test_doubles_are_written_in_one_order_whatever_the_machine_and_without_a_sign_of_zero():
    values = np.array([[1.5, -0.0], [-2.0, 5e-324]])
    raw = zlib.decompress(base64.b64decode(pack(values.astype(">f8"))))
    assert raw == (values + 0.0).astype("<f8").tobytes()
    assert unpack(pack(values), (2, 2), "v").tolist() == [[1.5, 0.0], [-2.0, 5e-324]]
