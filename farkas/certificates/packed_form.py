"""The linear form inside a certificate file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from farkas.certificates.packed import FilePart, Size, inflate
from farkas.errors import NotACertificate
from farkas.forms import LinearForm, Sense, SparseRows
from farkas.numbers import Array, Floats, Ints


class PackedForm(FilePart, frozen=True, kw_only=True):
    """A linear form without its names.

    Parameters
    ----------
    rows, columns, entries
        Sizes.
    implied
        Whether implied bounds follow the stated ones.
    offset
        Constant of the objective.
    data
        Base64 of the deflated little-endian arrays: starts (int64), columns (int32), values, cost,
        row_lower, row_upper, lower, upper [, implied_lower, implied_upper] (float64), and the
        integrality bits.
    """

    rows: Size
    columns: Size
    entries: Size
    implied: bool
    offset: float
    data: str

    def form(self, name: str, sense: Sense) -> LinearForm:
        """Rebuild the form; raises :class:`NotACertificate` when the data make none."""
        m, n, k = self.rows, self.columns, self.entries
        lengths = [m + 1, k, k, n, m, m, n, n, *([n, n] if self.implied else [])]
        types = ["<i8", "<i4", *["<f8"] * (len(lengths) - 2)]
        widths = [4 if kind == "<i4" else 8 for kind in types]
        size = sum(a * b for a, b in zip(lengths, widths, strict=True)) + (n + 7) // 8
        *parts, bits = _arrays(inflate(self.data, size, "data"), types, lengths)
        starts, columns, values, cost, row_lower, row_upper, lower, upper, *implied = parts
        _check_matrix(starts, columns, values, n)
        for what, part in (("cost", cost), ("offset", np.array([self.offset]))):
            if not np.isfinite(part).all():
                raise NotACertificate(f"data: {what} is not finite")
        for part in (row_lower, row_upper, lower, upper, *implied):
            if np.isnan(part).any():
                raise NotACertificate("data: a side or bound is NaN")
        return LinearForm(
            name=name,
            sense=sense,
            cost=cost,
            offset=self.offset,
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
