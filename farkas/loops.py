"""Loops that kernels share.

Kernels loop over numbers.  ``target[:] = source`` is compiled together with the messages for shapes
that do not fit, and sorting together with all of numpy's ways to sort: seconds where a loop takes
hundredths.
"""

import numpy as np

from farkas.compiled import Floats1, Floats2, Ints1, Out, compiled


@compiled
def copy_floats(source: Floats1, target: Out[Floats1]) -> None:
    """Copy numbers to the begin of ``target``."""
    for k in range(len(source)):
        target[k] = source[k]


@compiled
def copy_ints(source: Ints1, target: Out[Ints1]) -> None:
    """Copy whole numbers to the begin of ``target``."""
    for k in range(len(source)):
        target[k] = source[k]


@compiled
def scale(factor: float, source: Floats2, target: Out[Floats2]) -> None:
    """Write the multiple of a matrix to the first rows and columns of ``target``."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = factor * source[i, j]


@compiled
def add_up(counts: Ints1) -> int:
    """Sum of whole numbers."""
    total = 0
    for k in range(len(counts)):
        total += counts[k]
    return total


@compiled
def ascending(values: Floats1) -> Ints1:
    """Return the places of ``values`` from the least to the greatest; equal ones as they stand.

    Merge sort from the bottom.
    """
    count, width = len(values), 1
    order, merged = np.empty(count, np.int64), np.empty(count, np.int64)
    for k in range(count):
        order[k] = k
    while width < count:
        for begin in range(0, count, 2 * width):
            middle, end = min(begin + width, count), min(begin + 2 * width, count)
            left, right = begin, middle
            for k in range(begin, end):
                if right == end or (left < middle and values[order[left]] <= values[order[right]]):
                    merged[k], left = order[left], left + 1
                else:
                    merged[k], right = order[right], right + 1
        order, merged = merged, order
        width *= 2
    return order
