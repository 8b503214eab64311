"""Exponentials, logarithms, powers and sines with the same bits on every machine.

Everything is built from operations whose results IEEE 754 fixes: +, −, ×, comparisons, rounding to
integers and shifts of the exponent.  Results are within 0.52 ulp of the true value (`expm1`,
`sinpi` and `cospi`: 0.8; with subnormal numbers: 1) over the whole range; the tests measure it.

Functions take a number or an array and give the same bits for both.  Outside the domain they are
NaN, at its ends infinite, and nothing warns; the sign of zero is not kept.

>>> exp(1.0), log(10.0), power(2.0, 0.5), sinpi(0.25)
(2.718281828459045, 2.302585092994046, 1.4142135623730951, 0.7071067811865476)
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from farkas.numbers import Floats
from farkas.portable.constants import (
    COS_4,
    EXP_2,
    FIRST,
    GRID,
    HIGHEST,
    LEAST,
    LN2_HEAD,
    LN2_REST,
    LOG_2,
    LOG_3,
    LOGS,
    LOWEST,
    MOST_EXPONENT,
    ORDINARY,
    PI_HEAD,
    PI_REST,
    RAISE,
    ROOT_HALF,
    ROOTS,
    SIN_3,
    STEP,
    STEP_REST,
    STEPS,
    STEPS_LOG,
    STEPS_PER_UNIT,
    TO_26,
    TO_33,
    TO_WHOLE,
    VELTKAMP,
)
from farkas.tolerances import NORMAL

FEW = 16
"""Up to so many entries are computed one by one."""
BLOCK = 4096
"""Entries computed at a time: what is in between stays in the cache."""
BITS_OF_ROOT_HALF = int(np.float64(ROOT_HALF).view(np.int64))


class _Number:
    """What has to be written differently for numbers and for arrays: here, for numbers."""

    roots: Any = ROOTS
    logs: Any = LOGS
    whole: Any = staticmethod(int)
    remainder: Any = staticmethod(math.fmod)

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
        return one if condition else other


class _Array:
    """The same for arrays."""

    roots: Any = [np.array(column) for column in ROOTS]
    logs: Any = [np.array(column) for column in LOGS]
    remainder: Any = staticmethod(np.fmod)
    where: Any = staticmethod(np.where)

    @staticmethod
    def whole(x: Any) -> Any:
        return x.astype(np.int64)

    @staticmethod
    def power_of_two(exponent: Any) -> Any:
        return (np.maximum(exponent + 1023, 0) << 52).view(np.float64)

    @staticmethod
    def normalized(x: Any) -> Any:
        bits = x.view(np.int64)
        exponent = (bits - BITS_OF_ROOT_HALF) >> 52
        return (bits - (exponent << 52)).view(np.float64), exponent


def _scaled(x: Any, exponent: Any, of: Any) -> Any:
    """Return ``x * 2**exponent``, rounded once."""
    half = exponent >> 1
    return x * of.power_of_two(half) * of.power_of_two(exponent - half)


def _series(x: Any, coefficients: list[float]) -> Any:
    """Polynomial with ``coefficients``, the highest first."""
    total = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        total += coefficient
        total *= x
    total += coefficients[-1]
    return total


def _exp_parts(x: Any, low: Any, of: Any) -> tuple[Any, Any, Any, Any]:
    """E^(x + low) = 2^e (a + b + c); a and b have few bits, c is below 2^-16."""
    steps = x * STEPS_PER_UNIT + TO_WHOLE - TO_WHOLE
    near = x - steps * STEP
    rest = low - steps * STEP_REST
    r = near + rest
    high = r + TO_33 - TO_33
    beyond = near - high + rest + r * r * _series(r, EXP_2)
    whole = of.whole(steps)
    root, root_rest = (table[whole & (STEPS - 1)] for table in of.roots)
    c = root * beyond + root_rest * (1.0 + (high + beyond))
    return whole >> STEPS_LOG, root, root * high, c


def _exp(x: Any, low: Any, of: Any) -> Any:
    exponent, a, b, c = _exp_parts(x, low, of)
    return _scaled(a + (b + c), exponent, of)


def _log_parts(x: Any, low: Any, of: Any) -> tuple[Any, Any, Any]:
    """ln(x + low) = h + ln(1 + r) + t; |r| < 2^-7.4, h = 0 or |h| > |r|, t below 2^-32."""
    m, exponent = of.normalized(x)
    place = of.whole(m * GRID + (0.5 - FIRST))
    factor, log, log_rest = (table[place] for table in of.logs)
    high = m + TO_26 - TO_26
    one, two = high * factor - 1.0, (m - high) * factor
    if low is not None:
        two += low * of.power_of_two(-exponent) * factor
    r = one + two
    lost = one - r + two
    t = exponent * LN2_REST + log_rest + (lost - lost * r)
    return exponent * LN2_HEAD + log, r, t


def _log(x: Any, low: Any, of: Any) -> Any:
    """ln(x + low), with |low| at most half an ulp of x."""
    h, r, t = _log_parts(x, low, of)
    head = h + r
    return head + (h - head + r + (t + r * r * _series(r, LOG_2)))


def _long_log(x: Any, of: Any) -> tuple[Any, Any]:
    """Return ln x in two parts, to 68 bits."""
    h, r, t = _log_parts(x, None, of)
    head = h + r
    t = h - head + r + t
    high = r + TO_33 - TO_33
    square = 0.5 * high * high
    log = head - square
    t = head - log - square + t
    return log, t + (r * r * r * _series(r, LOG_3) - 0.5 * (r - high) * (r + high))


def _halves(x: Any) -> tuple[Any, Any]:
    """Split x into its first 26 bits and its last 26."""
    high = x * VELTKAMP
    high = high - (high - x)
    return high, x - high


def _product(x: Any, y: Any) -> tuple[Any, Any]:
    """Return x y in two parts; Dekker (1971)."""
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    product = x * y
    rest = x_high * y_high - product + x_high * y_low + x_low * y_high
    return product, rest + x_low * y_low


def _power(base: Any, exponent: Any, of: Any) -> Any:
    """Return e^(exponent ln base)."""
    log, log_rest = _long_log(base, of)
    product, rest = _product(exponent, log)
    rest += exponent * log_rest
    x = product + rest
    low = product - x + rest
    inside = (x > LOWEST) & (x < HIGHEST)
    x = of.where(inside, x, of.where(x > 0.0, HIGHEST, LOWEST))
    return _exp(x, of.where(inside, low, 0.0), of)


def _turned(x: Any, of: Any) -> tuple[Any, Any]:
    """Sin(π x) and cos(π x)."""
    x = of.remainder(x, 2.0)
    quarters = 2.0 * x + TO_WHOLE - TO_WHOLE
    turn = x - 0.5 * quarters  # exact, at most 1/4
    high, low = _halves(turn)
    angle, rest = high * PI_HEAD, low * PI_HEAD + turn * PI_REST
    z = angle + rest
    square = z * z
    sine = angle + (rest + z * square * _series(square, SIN_3))
    half = 0.5 * square
    head = 1.0 - half
    rest = angle - z + rest
    cosine = head + (1.0 - head - half + (square * square * _series(square, COS_4) - z * rest))
    quarters = of.whole(quarters)
    odd = (quarters & 1) == 1
    sine, cosine = of.where(odd, cosine, sine), of.where(odd, sine, cosine)
    return (
        of.where((quarters & 2) == 0, sine, -sine),
        of.where(((quarters + 1) & 2) == 0, cosine, -cosine),
    )


class Entrywise(Protocol):
    """A function of numbers, or of the entries of arrays, which are broadcast."""

    @overload
    def __call__(self, x: float, /, *more: float) -> float: ...
    @overload
    def __call__(self, x: npt.ArrayLike, /, *more: npt.ArrayLike) -> Floats: ...


def _entrywise(
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
            return float(function(*numbers, _Number) if inside(*numbers) else beyond(*numbers))

        def of_block(*parts: Floats) -> Floats:
            good = inside(*parts)
            if good.all():
                return np.asarray(function(*parts, _Array))
            found = np.empty_like(parts[0])
            found[good] = function(*(part[good] for part in parts), _Array)
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
        def entrywise(*given: Any) -> Any:
            if all(isinstance(one, float | int) for one in given):
                return of_numbers(*map(float, given))
            arrays = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in given))
            found = of_entries(*(array.ravel() for array in arrays))
            return found.reshape(arrays[0].shape)[()]

        return entrywise

    return decorate


def _rows(columns: Iterable[Floats]) -> Iterator[tuple[float, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _exp_beyond(x: float) -> float:
    if LOWEST < x < HIGHEST:
        return float(_exp(x, 0.0, _Number))
    return 0.0 if x < 0.0 else x * math.inf


def _log_beyond(x: float) -> float:
    if 0.0 < x < math.inf:
        return float(_log(x, None, _Number))
    return -math.inf if x == 0.0 else math.inf if x > 0.0 else math.nan


def _power_beyond(base: float, exponent: float) -> float:
    if not base >= 0.0 or math.isnan(exponent):
        return math.nan
    if base == 1.0 or exponent == 0.0:
        return 1.0
    if 0.0 < base < math.inf and abs(exponent) < MOST_EXPONENT:
        return float(_power(base, exponent, _Number))
    return math.inf if (base > 1.0) == (exponent > 0.0) else 0.0


def _sin_beyond(x: float) -> float:
    if not abs(x) < NORMAL:
        return math.nan
    return float(_turned(x * RAISE, _Number)[0]) / RAISE  # there the sine is a straight line


@_entrywise(lambda x: abs(x) < ORDINARY, _exp_beyond)
def exp(x: Any, of: Any) -> Any:
    """e^x."""
    return _exp(x, 0.0, of)


@_entrywise(lambda x: abs(x) < ORDINARY, lambda x: -1.0 if x < 0.0 else _exp_beyond(x))
def expm1(x: Any, of: Any) -> Any:
    """e^x − 1, also where x is small."""
    exponent, a, b, c = _exp_parts(x, 0.0, of)
    one = of.power_of_two(-exponent)
    # a − one, what rounding lost of it (Knuth's sum), and b on top: both have few bits
    less = a - one
    back = less - a
    lost = (a - (less - back)) - (one + back)
    head = less + b
    lost += b - (head - less)
    return _scaled(head + (lost + c), exponent, of)


@_entrywise(lambda x: (x >= LEAST) & (x < math.inf), _log_beyond)
def log(x: Any, of: Any) -> Any:
    """Natural logarithm."""
    return _log(x, None, of)


@_entrywise(lambda x: (x > -1.0) & (x < math.inf), lambda x: _log_beyond(1.0 + x))
def log1p(x: Any, of: Any) -> Any:
    """ln(1 + x), also where x is small."""
    near = 1.0 + x
    back = near - 1.0
    return _log(near, (1.0 - (near - back)) + (x - back), of)


@_entrywise(
    lambda base, exponent: (base >= LEAST) & (base < math.inf) & (abs(exponent) < MOST_EXPONENT),
    _power_beyond,
)
def power(base: Any, exponent: Any, of: Any) -> Any:
    """Return ``base ** exponent``; bases >= 0."""
    return _power(base, exponent, of)


@_entrywise(lambda x: (abs(x) >= NORMAL) & (abs(x) < math.inf), _sin_beyond)
def sinpi(x: Any, of: Any) -> Any:
    """Sin(π x), exact at multiples of 1/2."""
    return _turned(x, of)[0]


@_entrywise(lambda x: abs(x) < math.inf, lambda _: math.nan)
def cospi(x: Any, of: Any) -> Any:
    """Cos(π x), exact at multiples of 1/2."""
    return _turned(x, of)[1]
