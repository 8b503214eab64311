"""Arrays as text in a certificate file."""

import base64
import zlib

import numpy as np

from farkas.numbers import Floats


def deflate(raw: bytes) -> str:
    """Compress and write as base64."""
    return base64.b64encode(zlib.compress(raw, 1)).decode("ascii")


def pack(values: Floats) -> str:
    """Write doubles of any shape, little-endian, deflated and as base64; -0 becomes 0."""
    return deflate((np.ascontiguousarray(values) + 0.0).astype("<f8").tobytes())
