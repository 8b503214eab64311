"""Laws that instances are drawn by, with the same bits on every machine."""

import math
from collections.abc import Sequence

import numpy as np

from farkas.numbers import Floats, Ints
from farkas.portable_functions import Shape, exp, log, turn


def whole_columns(
    rng: np.random.Generator, ranges: Sequence[tuple[int, int]], count: int
) -> Floats:
    """Draw whole numbers, a column for each range with both its ends; shape (count, ranges)."""
    low, high = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    return rng.integers(low, high, (count, len(ranges)), endpoint=True).astype(float)


def exponential(rng: np.random.Generator, shape: Shape) -> Floats:
    """Draw with mean 1, one uniform number each."""
    return -log(1.0 - rng.random(shape))  # 1 - u is exact and never 0


def normal(rng: np.random.Generator, count: int) -> Floats:
    """Draw with mean 0 and variance 1, all radii before all angles."""
    pairs = -(-count // 2)
    radius, angle = rng.random(pairs), rng.random(pairs)
    return np.stack(normals(radius, angle), axis=1).ravel()[:count]


def normals(radius: Floats, angle: Floats) -> tuple[Floats, Floats]:
    """Two normal variates of two uniform ones; Box and Muller (1958)."""
    size = np.sqrt(-2.0 * log(1.0 - radius))
    sine, cosine = turn(2.0 * angle)
    return size * cosine, size * sine


def dirichlet(rng: np.random.Generator, concentration: float, shape: tuple[int, int]) -> Floats:
    """Draw rows of shares that sum to 1, all with one concentration, > 0."""
    if concentration == 1.0:
        weight = exponential(rng, shape)
    else:
        logs = _log_gamma(rng, concentration, math.prod(shape)).reshape(shape)
        weight = exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _log_gamma(rng: np.random.Generator, concentration: float, count: int) -> Floats:
    """Logarithms of gamma variates, which may be too small for numbers; Marsaglia, Tsang (2000)."""
    raised = concentration < 1.0
    size = concentration + raised - 1.0 / 3.0
    found, left = np.empty(count), np.arange(count)
    while len(left):
        x = normal(rng, len(left))
        root = np.maximum(1.0 + x / math.sqrt(9.0 * size), 0.0)
        cube = root * root * root
        bound = 0.5 * x * x + size * (1.0 - cube + log(cube))
        fits = log(1.0 - rng.random(len(left))) < bound
        found[left[fits]] = log(size * cube[fits])
        left = left[~fits]
    return found - exponential(rng, count) / concentration if raised else found


def multinomial(rng: np.random.Generator, count: int, shares: Floats) -> Ints:
    """Throw ``count`` balls at cells with ``shares``, shape (cells,); balls by cell."""
    upper = np.cumsum(shares)
    cells = np.searchsorted(upper / upper[-1], rng.random(count), side="right")
    return np.bincount(cells, minlength=len(upper))
