"""Sums of products in an order of their own: BLAS, behind ``@``, sums as its processor likes.

Numpy's ``sum`` and ``cumsum`` and the products of sparse matrices have a fixed order.
"""

import numpy as np

from farkas.numbers import Floats, Ints


def dot(left: Floats, right: Floats | Ints) -> float:
    """Σ left right, arrays that are broadcast.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((left * right).sum())


def matmul(left: Floats, right: Floats) -> Floats:
    """Return ``left @ right``, one inner index after the other; meant for short inner axes.

    Parameters
    ----------
    left
        Shape (..., inner).
    right
        Shape (inner, columns) or (inner,).

    >>> matmul(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0], [4.0, 1.0]])).tolist()
    [[11.0, 2.0]]
    """
    if right.ndim == 1:
        return np.asarray((left * right).sum(axis=-1))
    found = np.zeros((*left.shape[:-1], right.shape[1]))
    for inner, row in enumerate(right):
        found += left[..., inner, None] * row
    return found


def weighted(weights: Floats, values: Floats) -> Floats:
    """Σ_k weights[k] values[:, k, :].

    Parameters
    ----------
    weights
        Shape (inner,), or (inner, last) to weigh every last index in its own way.
    values
        Shape (first, inner, last).

    >>> weighted(np.array([2.0, 1.0]), np.array([[[1.0], [3.0]], [[0.0], [4.0]]])).tolist()
    [[5.0], [4.0]]
    """
    found = np.zeros((values.shape[0], values.shape[2]))
    for inner, weight in enumerate(weights):
        found += weight * values[:, inner]
    return found
