"""Functions with the same bits on every machine, for instances and the programs that they become.

A seed names an instance and its hash, and a certificate speaks of a program to the last bit.  The
code of numpy depends on the processor.  Here IEEE 754 fixes every result.  A generator's
``random``, ``integers``, ``permutation`` and ``choice`` have the same bits everywhere.
"""

import decimal
import math
from collections.abc import Iterable
from typing import overload

import numpy as np
import numpy.typing as npt

from farkas.numbers import Floats, floats

Shape = int | tuple[int, ...]


def _split(numbers: Iterable[decimal.Decimal], bits: int) -> tuple[Floats, Floats]:
    """Nearest multiples of 2**-bits, and the rests."""
    exact = list(numbers)
    heads = [(number * 2**bits).to_integral_value() / 2**bits for number in exact]
    rests = [number - head for number, head in zip(exact, heads, strict=True)]
    return np.array(heads, float), np.array(rests, float)


with decimal.localcontext(decimal.Context(prec=80)):
    _PI = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
    _LN2 = decimal.Decimal(2).ln()
    _STEPS_PER_UNIT = float(64 / _LN2)
    (_STEP,), (_STEP_REST,) = _split([_LN2 / 64], 41)
    _ROOTS, _ROOT_RESTS = _split([(_LN2 * k / 64).exp() for k in range(64)], 25)
    (_LN2_HEAD,), (_LN2_REST,) = _split([_LN2], 42)
    # near 128 / k, in 16 bits
    _FACTORS = [decimal.Decimal((2**23 + k // 2) // k) / 2**16 for k in range(91, 182)]
    _LOGS, _LOG_RESTS = _split([-factor.ln() for factor in _FACTORS], 42)
    (_PI_HEAD,), (_PI_REST,) = _split([_PI], 24)
_FACTOR_OF = np.array(_FACTORS, float)
# Taylor coefficients, the last first
_EXP_2 = [1.0 / math.factorial(n) for n in range(6, 1, -1)]
_LOG_2 = [(-1.0) ** (n + 1) / n for n in range(7, 1, -1)]
_SIN_3 = [(-1.0) ** n / math.factorial(2 * n + 1) for n in range(8, 0, -1)]
_COS_4 = [(-1.0) ** n / math.factorial(2 * n) for n in range(8, 1, -1)]


def exp(x: npt.ArrayLike) -> Floats:
    """e^x = 2^(k div 64) · 2^((k mod 64)/64) · e^r with |r| < 2^-7.5."""
    given = np.clip(np.asarray(x, float), -746.0, 710.0)  # beyond, e^x is 0 and infinite
    steps = np.rint(given * _STEPS_PER_UNIT)
    near, rest = given - steps * _STEP, -steps * _STEP_REST
    r = near + rest
    high = np.rint(r * 2.0**33) / 2.0**33
    beyond = near - high + rest + r * r * np.polyval(_EXP_2, r)
    k = steps.astype(np.intc)
    root = _ROOTS[k & 63]
    low = root * beyond + _ROOT_RESTS[k & 63] * (1.0 + (high + beyond))
    with np.errstate(over="ignore", under="ignore"):
        return floats(np.ldexp(root + (root * high + low), k >> 6))


def log(x: npt.ArrayLike) -> Floats:
    """Ln x for x >= 0: with x = 2^e m and c near 1/m in few bits, m c − 1 is exact in two parts."""
    m, e = np.frexp(np.asarray(x, float))
    small = m < math.sqrt(0.5)
    m, e = np.where(small, m + m, m), e - small
    k = (m * 128 - 90.5).astype(np.intc)
    high = np.rint(m * 2.0**26) / 2.0**26
    one, two = high * _FACTOR_OF[k] - 1.0, (m - high) * _FACTOR_OF[k]
    r = one + two
    lost = one - r + two
    rest = e * _LN2_REST + _LOG_RESTS[k] + (lost - lost * r)
    whole = e * _LN2_HEAD + _LOGS[k]
    head = whole + r
    found = head + (whole - head + r + (rest + r * r * np.polyval(_LOG_2, r)))
    return floats(np.where(m > 0.0, found, -np.inf))


def log1p(x: npt.ArrayLike) -> Floats:
    """ln(1 + x) for finite x > −1, also where x is small; Kahan (1985)."""
    given = np.asarray(x, float)
    near = 1.0 + given
    exact = near == 1.0
    return floats(np.where(exact, given, log(near) * (given / np.where(exact, 1.0, near - 1.0))))


def turn(x: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return sin(π x) and cos(π x), exact at multiples of 1/2."""
    given = np.fmod(np.asarray(x, float), 2.0)
    quarters = np.rint(2.0 * given)
    part = given - 0.5 * quarters  # exact, at most 1/4
    high = part * (2.0**27 + 1.0)  # Veltkamp: the first 26 bits
    high = high - (high - part)
    angle, rest = high * _PI_HEAD, (part - high) * _PI_HEAD + part * _PI_REST
    z = angle + rest
    square = z * z
    sine = angle + (rest + z * square * np.polyval(_SIN_3, square))
    half = 0.5 * square
    head = 1.0 - half
    rest = angle - z + rest
    cosine = head + (1.0 - head - half + (square * square * np.polyval(_COS_4, square) - z * rest))
    k = quarters.astype(np.intc)
    sine, cosine = np.where(k & 1, cosine, sine), np.where(k & 1, sine, cosine)
    return floats(np.where(k & 2, -sine, sine)), floats(np.where((k + 1) & 2, -cosine, cosine))


@overload
def uniform(rng: np.random.Generator, low: float, high: float) -> float: ...
@overload
def uniform(
    rng: np.random.Generator, low: npt.ArrayLike, high: npt.ArrayLike, shape: Shape
) -> Floats: ...
def uniform(
    rng: np.random.Generator, low: npt.ArrayLike, high: npt.ArrayLike, shape: Shape | None = None
) -> float | Floats:
    """Draw between ``low`` and ``high``; numpy's own rounds once or twice."""
    least = np.asarray(low, float)
    found = least + (np.asarray(high, float) - least) * rng.random(shape)
    return float(found) if shape is None else np.asarray(found)
