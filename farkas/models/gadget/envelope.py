"""Upper concave envelopes of rewards."""

import numpy as np

from farkas.kernels import Floats1, compiled


@compiled(steps=len)
def envelope(values: Floats1) -> Floats1:
    """Evaluate the least concave function above ``values`` at 0, 1, ..., len(values) - 1.

    ``values``: shape (points,), at least one point.
    """
    count = len(values)
    corners = np.empty(count, np.int64)
    used = 0
    for m in range(count):
        while used > 1:
            left, middle = corners[used - 2], corners[used - 1]
            rise = (values[m] - values[left]) * (middle - left)
            if (values[middle] - values[left]) * (m - left) > rise:
                break
            used -= 1
        corners[used] = m
        used += 1
    hull = values.copy()
    for c in range(used - 1):
        left, right = corners[c], corners[c + 1]
        slope = (values[right] - values[left]) / (right - left)
        for m in range(left + 1, right):
            hull[m] = values[left] + slope * (m - left)
    return hull
