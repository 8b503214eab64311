"""Sums of numbers that are the same on every machine and in every version of Python."""

import functools
import math
import operator
from collections.abc import Iterable


def added(numbers: Iterable[float]) -> float:
    """Σ numbers, one after the other; Python's own ``sum`` carries corrections from 3.12 on.

    >>> added([1.0, 1e16, -1e16])
    0.0
    """
    return float(functools.reduce(operator.add, numbers, 0.0))


def added_up(numbers: Iterable[float]) -> float:
    """Return the smallest double that is at least Σ numbers, of which all are finite.

    `math.fsum` rounds correctly, so that it also knows the sign of what it left out.

    >>> added_up([0.5, 0.25]), added_up([1.0, 2.0**-60]) == 1.0 + 2.0**-52
    (0.75, True)
    """
    terms = list(numbers)
    total = math.fsum(terms)
    return math.nextafter(total, math.inf) if math.fsum([*terms, -total]) > 0 else total
