"""Sums of products have one order, whatever BLAS does."""

import numpy as np
import pytest

from farkas.portable.products import dot, matmul, weighted

RNG = np.random.default_rng(7)


def one_by_one(left, right):
    """Products added in the order of the inner index, by hand."""
    found = np.zeros((len(left), right.shape[1]))
    for i in range(left.shape[0]):
        for j in range(right.shape[1]):
            for k in range(left.shape[1]):
                found[i, j] += left[i, k] * right[k, j]
    return found


@pytest.mark.parametrize("shape", [(5, 3, 4), (1, 40, 2), (6, 1, 1), (0, 3, 2)])
def test_matmul_adds_in_the_order_of_the_inner_index(shape):
    rows, inner, columns = shape
    left, right = RNG.normal(size=(rows, inner)), RNG.normal(size=(inner, columns))
    assert np.array_equal(matmul(left, right), one_by_one(left, right))
    # whatever their layout, which BLAS looks at
    assert np.array_equal(matmul(np.asfortranarray(left), right[:, ::-1])[:, ::-1],
                          matmul(left, right))  # fmt: skip


def test_matmul_of_a_vector_and_of_stacks():
    left, vector = RNG.normal(size=(4, 3)), RNG.normal(size=3)
    assert matmul(left, vector) == pytest.approx(left @ vector, rel=1e-14)
    stack, right = RNG.normal(size=(2, 4, 3)), RNG.normal(size=(3, 5))
    assert np.array_equal(matmul(stack, right)[1], matmul(stack[1], right))


def test_dot_broadcasts():
    left, right = RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2, 4))
    assert dot(left[:, :, None], right) == pytest.approx(np.einsum("rk,rkt->", left, right))
    assert dot(np.zeros(0), np.zeros(0)) == 0.0


@pytest.mark.parametrize("shape", [(3,), (3, 4)])
def test_weighted_adds_over_the_middle(shape):
    weights, values = RNG.normal(size=shape), RNG.normal(size=(5, 3, 4))
    by_hand = weights[0] * values[:, 0] + weights[1] * values[:, 1] + weights[2] * values[:, 2]
    assert np.array_equal(weighted(weights, values), by_hand)
    assert np.array_equal(weighted(weights[:0], values[:, :0]), np.zeros((5, 4)))
