"""Matrices by rows made of other matrices, and handed to scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from farkas.forms.form import SparseRows

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
