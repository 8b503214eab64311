"""A small linear program, and its certificate."""

from __future__ import annotations

import numpy as np

from farkas.certificates import (
    certify,
)
from tests.generators.forms import INF, small


def form():
    """min x + 2y + 1/2 with x + y >= 3, x - y <= 1, 0 <= x <= 5, y >= 0; optimum (2, 1): 4.5."""
    return small(
        [[1, 1], [1, -1]],
        cost=[1, 2],
        row_lower=[3, -INF],
        row_upper=[INF, 1],
        upper=[5, INF],
        offset=0.5,
    )


def good(**more):
    # y = (3/2, -1/2): 3 * 3/2 - 1/2 + 1/2 = 4.5
    return certify(form(), np.array([1.5, -0.5]), **more)
