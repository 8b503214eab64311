"""Numbers inside a certificate file: arrays as text, and exact sparse vectors.

Everything read back is checked before memory is spent on it: a file never costs more than a fixed
multiple of its own size.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.certificates.files import RELAXATION, Certificate
from farkas.errors import NotACertificate
from farkas.forms import LinearForm, Sense, SparseRows
from farkas.messages import named, quoted
from farkas.numbers import Array, Floats, Ints

if TYPE_CHECKING:
    from farkas.certificates.linear import FormCertificate


Size = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Exponent = Annotated[int, msgspec.Meta(ge=-1024, le=1074)]

LARGEST_EXPANSION = 1100  #: Deflate never packs more than 1032 bytes into one.

#: Bytes of the arrays of one part of a file: ten million entries, a kilobyte each when checked.
LARGEST_UNPACKED = 2**28

_RATIONAL = re.compile(r"-?(?:0|[1-9][0-9]{0,3999})(?:/[1-9][0-9]{0,3999})?")


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


def rational(text: str, what: str) -> Fraction:
    """Read ``p`` or ``p/q``; raises :class:`NotACertificate` for anything else."""
    if not _RATIONAL.fullmatch(text):
        seen = text if len(text) <= 40 else text[:37] + "..."
        raise NotACertificate(f"{what}: {seen!r} is not a fraction like -7/2")
    return Fraction(text)


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


def own_form(certificate: FormCertificate) -> LinearForm:
    """Form inside a certificate; what the certificate says of it must agree with its name.

    Raises
    ------
    NotACertificate
        When kind or options contradict the program's name, or the data make no form.
    """
    require_own_name(certificate)
    if certificate.data is None:
        raise NotACertificate("the certificate holds no program data; check it with its instance")
    return unpacked(certificate.data, certificate.program, certificate.sense)


def require_own_name(certificate: Certificate) -> None:
    """Refuse a certificate whose kind or options contradict the name of its program."""
    name, _, variant = certificate.program.removeprefix(RELAXATION).partition("[")
    if certificate.kind is not None and not name.startswith(f"{certificate.kind}."):
        raise NotACertificate(
            f"the certificate names {named(certificate.program)} but says kind"
            f" {named(certificate.kind)}"
        )
    words = variant.removesuffix("]").split(",") if variant else []
    if certificate.options and list(certificate.options.values()) != words:
        raise NotACertificate(
            f"the certificate names {named(certificate.program)} but gives the options"
            f" {quoted(str(certificate.options))}"
        )


def unpacked(packed: PackedForm, name: str, sense: Sense) -> LinearForm:
    """Form that was packed; raises :class:`NotACertificate` when the data make none."""
    m, n, k = packed.rows, packed.columns, packed.entries
    lengths = [m + 1, k, k, n, m, m, n, n, *([n, n] if packed.implied else [])]
    types = ["<i8", "<i4", *["<f8"] * (len(lengths) - 2)]
    widths = [4 if kind == "<i4" else 8 for kind in types]
    size = sum(a * b for a, b in zip(lengths, widths, strict=True)) + (n + 7) // 8
    *parts, bits = _arrays(inflate(packed.data, size, "data"), types, lengths)
    starts, columns, values, cost, row_lower, row_upper, lower, upper, *implied = parts
    _check_matrix(starts, columns, values, n)
    for what, part in (("cost", cost), ("offset", np.array([packed.offset]))):
        if not np.isfinite(part).all():
            raise NotACertificate(f"data: {what} is not finite")
    for part in (row_lower, row_upper, lower, upper, *implied):
        if np.isnan(part).any():
            raise NotACertificate("data: a side or bound is NaN")
    return LinearForm(
        name=name,
        sense=sense,
        cost=cost,
        offset=packed.offset,
        matrix=SparseRows(starts, columns, values, n),
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
        integer=np.unpackbits(bits, count=n).astype(np.bool_),
        implied_lower=implied[0] if implied else None,
        implied_upper=implied[1] if implied else None,
    )


def _arrays(raw: bytes, types: list[str], lengths: list[int]) -> list[Array]:
    """Cut ``raw`` into arrays of native byte order; what is left comes last, as bytes."""
    parts: list[Array] = []
    start = 0
    for kind, length in zip(types, lengths, strict=True):
        part = np.frombuffer(raw, kind, length, start)
        parts.append(part.astype(part.dtype.newbyteorder("=")))
        start += part.nbytes
    return [*parts, np.frombuffer(raw, np.uint8, offset=start)]


def _check_matrix(starts: Ints, columns: npt.NDArray[np.int32], values: Floats, width: int) -> None:
    if starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any():
        raise NotACertificate("data: row starts do not ascend from 0 to the number of entries")
    if len(columns) and (columns.min() < 0 or columns.max() >= width):
        raise NotACertificate(f"data: a column index lies outside 0..{width - 1}")
    ascending = np.diff(columns) > 0
    borders = starts[1:-1]
    ascending[borders[(borders > 0) & (borders < len(columns))] - 1] = True
    if not ascending.all():
        raise NotACertificate("data: column indices of a row do not ascend")
    if not np.isfinite(values).all():
        raise NotACertificate("data: the matrix holds a number that is not finite")
    if not values.all():
        raise NotACertificate("data: the matrix stores a zero; leave it out")
