"""What is added to a form is measured as if it had been there."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms.matrices import as_scipy, rows_of_scipy
from farkas.forms.scale import counting, units_of, units_of_columns, units_of_rows
from tests.forms.test_scale import drawn


@pytest.mark.parametrize("seed", range(20))
def test_rows_and_columns_added_later_are_measured_as_if_they_had_been_there(seed):
    old = drawn(np.random.default_rng(200 + seed))
    units = units_of(old)
    rows = units_of_rows(old.matrix, old.row_lower, old.row_upper, units.columns)
    if counting(old.lower, old.upper).all():
        assert rows.tolist() == units.rows.tolist()
    # a column by its bounds and by the unit of every row over its coefficient there
    across = rows_of_scipy(as_scipy(old.matrix).T)
    found = units_of_columns(across, old.lower, old.upper, old.integer, units.rows)
    dense = as_scipy(old.matrix).toarray()
    for j in range(old.num_columns):
        bounds = [abs(b) for b in (old.lower[j], old.upper[j]) if b and np.isfinite(b)]
        logs = [np.floor(np.log2(b)) for b in bounds]
        logs += [
            units.rows[i] - np.floor(np.log2(abs(dense[i, j]))) for i in np.flatnonzero(dense[:, j])
        ]
        assert found[j] == (0 if old.integer[j] else min(logs, default=0))
