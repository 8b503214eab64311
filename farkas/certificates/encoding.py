"""Numbers inside a certificate file: arrays as text, and exact sparse vectors.

Everything read back is checked before memory is spent on it: a file never costs more than a fixed
multiple of its own size.
"""

from __future__ import annotations

import base64
import binascii
import decimal
import math
import re
import zlib
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np

from farkas.errors import NotACertificate
from farkas.numbers import Floats

Size = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Exponent = Annotated[int, msgspec.Meta(ge=-1024, le=1074)]

LARGEST_EXPANSION = 1100  #: Deflate never packs more than 1032 bytes into one.

#: Bytes of the arrays of one part of a file: ten million entries, a kilobyte each when checked.
LARGEST_UNPACKED = 2**28

AT_ONCE = 4000  #: Digits that Python converts at once; those of a fraction where nothing says more.
_RATIONAL = re.compile(r"(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")


class FilePart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a certificate file.  Unknown fields are refused."""


class ExactVector(FilePart, frozen=True, kw_only=True):
    """A vector of ``size`` doubles; entry ``positions[k]`` is ``numbers[k] * 2**-exponent``."""

    size: Size  #: Length, with the zeros.
    exponent: Exponent  #: Common binary exponent.
    positions: tuple[Size, ...]  #: Ascending, below ``size``.
    numbers: tuple[int, ...]  #: Integers, not 0; each times ``2**-exponent`` is a double.

    def floats(self, what: str, size: int) -> Floats:
        """Return the doubles, shape (size,); raises :class:`NotACertificate` if they are none."""
        if self.size != size:
            raise NotACertificate(f"{what}: {self.size} entries, needed {size}")
        if len(self.positions) != len(self.numbers):
            raise NotACertificate(
                f"{what}: {len(self.positions)} positions for {len(self.numbers)} numbers"
            )
        where = np.array(self.positions, dtype=np.int64)
        if len(where) and (where[-1] >= size or not (np.diff(where) > 0).all()):
            raise NotACertificate(f"{what}: positions do not ascend below {size}")
        values = np.zeros(size)
        values[where] = [self._double(number, what) for number in self.numbers]
        return values

    def _double(self, number: int, what: str) -> float:
        if number == 0:
            raise NotACertificate(f"{what}: a stored number is 0; leave it out")
        zeros = trailing_zeros(number)
        odd, power = number >> zeros, zeros - self.exponent
        if odd.bit_length() <= 53 and power >= -1074 and odd.bit_length() + power <= 1024:
            return math.ldexp(odd, power)
        raise NotACertificate(f"{what}: {_clipped(number)} * 2**{-self.exponent} is not a double")


class PackedForm(FilePart, frozen=True, kw_only=True):
    """A linear form without its names."""

    rows: Size
    columns: Size
    entries: Size
    implied: bool  #: Whether implied bounds follow the stated ones.
    offset: float  #: Constant of the objective.
    #: Base64 of the deflated little-endian arrays: starts (int64), columns (int32), values, cost,
    #: row_lower, row_upper, lower, upper [, implied_lower, implied_upper] (float64), and the
    #: integrality bits.
    data: str


def inflate(text: str, size: int, what: str) -> bytes:
    """Undo `deflate`; raises :class:`NotACertificate` unless exactly ``size`` bytes come."""
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NotACertificate(f"{what}: not base64") from None
    if size > LARGEST_UNPACKED:
        raise NotACertificate(f"{what}: {size} bytes; {LARGEST_UNPACKED} are the most")
    if size > LARGEST_EXPANSION * len(packed):
        raise NotACertificate(f"{what}: {len(packed)} packed bytes cannot hold {size}")
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(packed, size + 1)
    except zlib.error:
        raise NotACertificate(f"{what}: cannot be decompressed") from None
    if len(raw) != size or not stream.eof or stream.unused_data:
        raise NotACertificate(f"{what}: does not hold the {size} bytes that the sizes promise")
    return raw


def unpack(text: str, shape: tuple[int, ...], what: str) -> Floats:
    """Undo `pack`; raises :class:`NotACertificate` when the file holds another size."""
    raw = inflate(text, 8 * math.prod(shape), what)
    return np.frombuffer(raw, "<f8").astype(float).reshape(shape)


def shown(text: str) -> str:
    """Ten digits of a fraction, for messages; the text itself where no double holds it."""
    try:
        return f"{float(rational(text, 'bound')):.10g}"
    except (OverflowError, NotACertificate):
        return text if len(text) <= 40 else text[:37] + "..."


def rational(text: str, what: str, most: int = AT_ONCE) -> Fraction:
    """Read ``p`` or ``p/q`` of ``most`` digits each; raises `NotACertificate` for anything else."""
    found = _RATIONAL.fullmatch(text) if len(text) <= 2 * most + 2 else None
    if found is None or max(len(found[2]), len(found[3] or "")) > most:
        seen = text if len(text) <= 40 else text[:37] + "..."
        raise NotACertificate(f"{what}: {seen!r} is not a fraction like -7/2")
    if len(text) <= AT_ONCE:
        return Fraction(text)
    exact = Fraction(int(decimal.Decimal(found[2])), int(decimal.Decimal(found[3] or 1)))
    return -exact if found[1] else exact


def trailing_zeros(number: int) -> int:
    """Return how many binary digits end the number and are 0; 0 for 0."""
    return (number & -number).bit_length() - 1 if number else 0


def _clipped(number: int) -> str:
    return str(number) if abs(number) < 10**20 else "a long number"


def deflate(raw: bytes) -> str:
    """Compress and write as base64."""
    return base64.b64encode(zlib.compress(raw, 1)).decode("ascii")


def pack(values: Floats) -> str:
    """Write doubles of any shape, little-endian, deflated and as base64; -0 becomes 0."""
    return deflate((np.ascontiguousarray(values) + 0.0).astype("<f8").tobytes())
