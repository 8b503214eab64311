"""Matrices by rows made of other matrices, and handed to scipy; parts of forms."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from farkas.forms.form import Block, LinearForm, SparseRows
from farkas.numbers import Bools, Ints

if TYPE_CHECKING:
    import scipy.sparse as sp


def rows_of_scipy(matrix: sp.sparray | sp.spmatrix) -> SparseRows:
    """Sum duplicates, drop zeros and sort."""
    import scipy.sparse as sp

    csr = sp.csr_array(matrix)
    csr.sum_duplicates()
    if not csr.data.all():
        csr.eliminate_zeros()
    return SparseRows(
        csr.indptr.astype(np.int64, copy=False),
        csr.indices.astype(np.int32, copy=False),
        csr.data.astype(np.float64, copy=False),
        csr.shape[1],
    )


def as_scipy(matrix: SparseRows) -> sp.csr_array:
    """Return the same matrix for scipy; shares memory."""
    import scipy.sparse as sp

    return sp.csr_array((matrix.values, matrix.columns, matrix.starts), shape=matrix.shape)


def rows_of_dense(matrix: npt.ArrayLike) -> SparseRows:
    """Return the entries of a dense matrix that are not 0."""
    dense = np.asarray(matrix, dtype=np.float64)
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(len(dense) + 1)).astype(np.int64)
    return SparseRows(starts, columns.astype(np.int32), dense[rows, columns], dense.shape[1])


def part_of(form: LinearForm, slots: Bools) -> tuple[LinearForm, Ints]:
    """Cut out the rows and columns of some slots; also returns the places of these rows.

    ``slots``: which of them, shape (slots,).  The first set of every family has the slot last.
    Raises `ValueError`: a row of theirs has an entry in a column of other slots.
    """
    (rows, row_blocks), (columns, column_blocks) = (
        _kept(blocks, slots) for blocks in (form.rows, form.columns)
    )
    matrix = form.matrix
    counts = np.diff(matrix.starts)[rows]
    starts = np.append(0, np.cumsum(counts))
    at = np.arange(starts[-1]) + np.repeat(matrix.starts[rows] - starts[:-1], counts)
    if not np.isin(matrix.columns[at], columns).all():
        raise ValueError("rows of these slots share columns with others")
    places = np.searchsorted(columns, matrix.columns[at]).astype(np.int32)
    sides = ("cost", "lower", "upper", "integer", "implied_lower", "implied_upper")
    known = {name: side for name in sides if (side := getattr(form, name)) is not None}
    part = form.replace(
        matrix=SparseRows(starts, places, matrix.values[at], len(columns)),
        row_lower=form.row_lower[rows],
        row_upper=form.row_upper[rows],
        rows=row_blocks,
        columns=column_blocks,
        **{name: side[columns] for name, side in known.items()},
    )
    return part, rows


def _kept(blocks: tuple[Block, ...], slots: Bools) -> tuple[Ints, tuple[Block, ...]]:
    """Rows or columns of some slots, ascending, and their families."""
    places, kept, size = [], [], 0
    for block in blocks:
        outer, *inner = block.axes
        some = np.flatnonzero(slots[outer.members[:, -1]])
        width = block.size // max(outer.size, 1)
        places.append((block.start + some[:, None] * width + np.arange(width)).ravel())
        axes = (dataclasses.replace(outer, members=outer.members[some]), *inner)
        kept.append(dataclasses.replace(block, start=size, axes=axes))
        size += len(places[-1])
    return np.concatenate(places), tuple(kept)
