"""Functions of numbers and arrays with the same bits on every machine, and what they are built of.

Only operations are used whose results IEEE 754 fixes: +, −, ×, comparisons, rounding to integers
and shifts of the exponent.  Results are within 0.52 ulp of the true value (`expm1`, `sinpi` and
`cospi`: 0.8; with subnormal numbers: 1) over the whole range; the tests measure it.

Functions take a number or an array and give the same bits for both.  Outside the domain they are
NaN, at its ends infinite, and nothing warns; the sign of zero is not kept.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from farkas.numbers import Floats
from farkas.portable.constants import ROOT_HALF, VELTKAMP

FEW = 16
"""Up to so many entries are computed one by one."""
BLOCK = 4096
"""Entries computed at a time: what is in between stays in the cache."""
BITS_OF_ROOT_HALF = int(np.float64(ROOT_HALF).view(np.int64))


class Numbers:
    """What has to be written differently for numbers and for arrays: here, for numbers."""

    whole: Any = staticmethod(int)

    @staticmethod
    def power_of_two(exponent: Any) -> Any:
        """0 where it would be subnormal."""
        return math.ldexp(1.0, exponent) if exponent > -1023 else 0.0

    @staticmethod
    def normalized(x: Any) -> Any:
        """Return m within [√½, √2) and e with x = m 2^e."""
        m, exponent = math.frexp(x)
        return (m, exponent) if m >= ROOT_HALF else (m + m, exponent - 1)

    @staticmethod
    def where(condition: Any, one: Any, other: Any) -> Any:
        """As `numpy.where`."""
        return one if condition else other


class Arrays:
    """The same for arrays."""

    where: Any = staticmethod(np.where)

    @staticmethod
    def whole(x: Any) -> Any:
        """Integers of whole numbers."""
        return x.astype(np.int64)

    @staticmethod
    def power_of_two(exponent: Any) -> Any:
        """0 where it would be subnormal."""
        return (np.maximum(exponent + 1023, 0) << 52).view(np.float64)

    @staticmethod
    def normalized(x: Any) -> Any:
        """Return m within [√½, √2) and e with x = m 2^e."""
        bits = x.view(np.int64)
        exponent = (bits - BITS_OF_ROOT_HALF) >> 52
        return (bits - (exponent << 52)).view(np.float64), exponent


def series(x: Any, coefficients: list[float]) -> Any:
    """Polynomial with ``coefficients``, the highest first."""
    total = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        total += coefficient
        total *= x
    total += coefficients[-1]
    return total


def halves(x: Any) -> tuple[Any, Any]:
    """Split x into its first 26 bits and its last 26."""
    high = x * VELTKAMP
    high = high - (high - x)
    return high, x - high


class Entrywise(Protocol):
    """A function of numbers, or of the entries of arrays, which are broadcast."""

    @overload
    def __call__(self, x: float, /, *more: float) -> float: ...
    @overload
    def __call__(self, x: npt.ArrayLike, /, *more: npt.ArrayLike) -> Floats: ...


def entrywise(
    inside: Callable[..., Any], beyond: Callable[..., float]
) -> Callable[[Callable[..., Any]], Entrywise]:
    """Make a function of numbers and arrays of one that is right ``inside`` only.

    Parameters
    ----------
    inside
        Where the decorated function may be called; asked about numbers and about arrays.
    beyond
        What to answer for numbers elsewhere, NaN included.
    """

    def decorate(function: Callable[..., Any]) -> Entrywise:
        def of_numbers(*numbers: float) -> float:
            return float(function(*numbers, Numbers) if inside(*numbers) else beyond(*numbers))

        def of_block(*parts: Floats) -> Floats:
            good = inside(*parts)
            if good.all():
                return np.asarray(function(*parts, Arrays))
            found = np.empty_like(parts[0])
            found[good] = function(*(part[good] for part in parts), Arrays)
            found[~good] = [beyond(*one) for one in _rows(part[~good] for part in parts)]
            return found

        def of_entries(*flat: Floats) -> Floats:
            if flat[0].size <= FEW:
                return np.array([of_numbers(*one) for one in _rows(flat)])
            found = np.empty(flat[0].size)
            with np.errstate(all="ignore"):
                for start in range(0, found.size, BLOCK):
                    block = slice(start, start + BLOCK)
                    found[block] = of_block(*(one[block] for one in flat))
            return found

        @functools.wraps(function)
        def of_all(*given: Any) -> Any:
            if all(isinstance(one, float | int) for one in given):
                return of_numbers(*map(float, given))
            arrays = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in given))
            found = of_entries(*(array.ravel() for array in arrays))
            return found.reshape(arrays[0].shape)[()]

        return of_all

    return decorate


def _rows(columns: Iterable[Floats]) -> Iterator[tuple[float, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)
