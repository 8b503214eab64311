"""Rows of other matrices."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from farkas.forms.matrices import as_scipy, rows_of_dense, rows_of_scipy


def test_dense_and_scipy_matrices_give_the_same_rows():
    dense = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
    for rows in (rows_of_dense(dense), rows_of_scipy(sp.csc_array(dense))):
        assert rows.starts.tolist() == [0, 1, 3, 3]
        assert rows.columns.tolist() == [1, 0, 2]
        assert rows.values.tolist() == [1.5, 2.0, -1.0]
        assert rows.rows.tolist() == [0, 1, 1]
        assert as_scipy(rows).toarray().tolist() == dense.tolist()


def test_duplicates_are_summed_and_cancelled_entries_dropped():
    # (0,0): 1 + 2 = 3; (0,1): 1 - 1 = 0
    entries = sp.coo_array(([1.0, 2.0, 1.0, -1.0], ([0, 0, 0, 0], [0, 0, 1, 1])), shape=(1, 2))
    rows = rows_of_scipy(entries)
    assert (rows.columns.tolist(), rows.values.tolist()) == ([0], [3.0])
