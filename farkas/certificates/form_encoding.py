"""The linear form inside a certificate file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from farkas.certificates.encoding import PackedForm, inflate
from farkas.certificates.files import RELAXATION, Certificate
from farkas.errors import NotACertificate
from farkas.forms import LinearForm, Sense, SparseRows
from farkas.messages import named, quoted
from farkas.numbers import Array, Floats, Ints

if TYPE_CHECKING:
    from farkas.certificates.linear import FormCertificate


def own_form(certificate: FormCertificate) -> LinearForm:
    """Form inside a certificate; what the certificate says of it must agree with its name.

    Raises `NotACertificate` when kind or options contradict the program's name, or the data make no
    form.
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
