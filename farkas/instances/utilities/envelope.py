"""The upper concave envelope of a utility on whole worker-slots."""

import itertools

import numpy as np

from farkas.numbers import Floats


def envelope(values: Floats) -> Floats:
    """Evaluate the least concave function above ``values`` at 0, 1, ..., len(values) - 1.

    ``values``: shape (points,), at least one point.
    """
    heights = values.tolist()
    corners: list[int] = []
    for m in range(len(heights)):
        while len(corners) > 1 and _below(heights, corners[-2], corners[-1], m):
            corners.pop()
        corners.append(m)
    hull = values.copy()
    for left, right in itertools.pairwise(corners):
        slope = (values[right] - values[left]) / (right - left)
        hull[left + 1 : right] = values[left] + slope * np.arange(1, right - left)
    return hull


def _below(heights: list[float], left: int, middle: int, right: int) -> bool:
    """Whether the middle point is on or below the chord of its neighbours."""
    rise = (heights[right] - heights[left]) * (middle - left)
    return (heights[middle] - heights[left]) * (right - left) <= rise
