"""Random variates from nothing but uniform ones; numpy's own call the C library.

A generator's ``random``, ``integers``, ``permutation`` and ``choice`` have the same bits everywhere
and are used as they are; ``uniform`` rounds once or twice, as the compiler likes.
"""

import math
from typing import overload

import numpy as np
import numpy.typing as npt

from farkas.numbers import Floats, Ints
from farkas.portable.exponentials import exp
from farkas.portable.logarithms import log
from farkas.portable.turns import cospi, sinpi

Shape = int | tuple[int, ...]


@overload
def uniform(rng: np.random.Generator, low: float, high: float) -> float: ...
@overload
def uniform(
    rng: np.random.Generator, low: npt.ArrayLike, high: npt.ArrayLike, shape: Shape
) -> Floats: ...
def uniform(
    rng: np.random.Generator, low: npt.ArrayLike, high: npt.ArrayLike, shape: Shape | None = None
) -> float | Floats:
    """Draw between ``low`` and ``high``, which are broadcast; the stream of numpy's ``uniform``."""
    least = np.asarray(low, dtype=np.float64)
    found = least + (np.asarray(high, dtype=np.float64) - least) * rng.random(shape)
    return float(found) if shape is None else np.asarray(found)


@overload
def exponential(rng: np.random.Generator) -> float: ...
@overload
def exponential(rng: np.random.Generator, shape: Shape) -> Floats: ...
def exponential(rng: np.random.Generator, shape: Shape | None = None) -> float | Floats:
    """Draw with mean 1, one uniform number each."""
    return -log(1.0 - rng.random(shape))  # 1 - u is exact and never 0


@overload
def normal(rng: np.random.Generator) -> float: ...
@overload
def normal(rng: np.random.Generator, shape: Shape) -> Floats: ...
def normal(rng: np.random.Generator, shape: Shape | None = None) -> float | Floats:
    """Draw with mean 0 and variance 1, two at a time; Box and Muller (1958).

    All radii are drawn first, then all angles; a number alone uses one of each.
    """
    if shape is None:
        return math.sqrt(2.0 * exponential(rng)) * cospi(2.0 * rng.random())
    count = math.prod(shape) if isinstance(shape, tuple) else shape
    radius = np.sqrt(2.0 * exponential(rng, -(-count // 2)))
    turn = 2.0 * rng.random(len(radius))
    pairs = np.stack([radius * cospi(turn), radius * sinpi(turn)], axis=1)
    return pairs.ravel()[:count].reshape(shape)


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
    found = np.empty(count)
    left = np.arange(count)
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
