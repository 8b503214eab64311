"""Exponentials with the same bits on every machine; see `farkas.portable.entrywise`.

x = k (ln 2)/64 + r, so that e^x = 2^(k div 64) · 2^((k mod 64)/64) · e^r with |r| < 2^-7.5.

>>> exp(1.0)
2.718281828459045
"""

import math
from typing import Any

import numpy as np

from farkas.portable.constants import LN2, ONE, TO_33, TO_WHOLE, parts_of
from farkas.portable.entrywise import Arrays, Numbers, entrywise, series


def _roots_of_two(count: int) -> list[int]:
    """2^(j / count) for j = 0, ..., count − 1; ``count`` is a power of two."""
    root = 2 * ONE
    for _ in range(count.bit_length() - 1):
        root = math.isqrt(root * ONE)
    found = [ONE]
    while len(found) < count:
        found.append(found[-1] * root // ONE)
    return found


STEPS_LOG = 6
STEPS = 1 << STEPS_LOG
STEPS_PER_UNIT = STEPS * ONE / LN2
STEP, STEP_REST = parts_of(LN2 // STEPS, 41)  # 35 bits: k times them is exact
ROOTS = tuple(zip(*(parts_of(root, 25) for root in _roots_of_two(STEPS)), strict=True))
"""2^(j/64) in 26 bits, whose products with 26 bits of r are exact, and the rest."""
ROOT_TABLES: dict[Any, Any] = {Numbers: ROOTS, Arrays: [np.array(column) for column in ROOTS]}
LOWEST, HIGHEST, ORDINARY = -746.0, 710.0, 700.0
"""Beyond the first two e^x is 0 and infinite; up to the last it is neither, nor subnormal."""
EXP_2 = [1.0 / math.factorial(n) for n in range(6, 1, -1)]
"""Taylor coefficients of r², r³, ..., the last first."""


def scaled(x: Any, exponent: Any, of: Any) -> Any:
    """Return ``x * 2**exponent``, rounded once."""
    half = exponent >> 1
    return x * of.power_of_two(half) * of.power_of_two(exponent - half)


def exp_parts(x: Any, low: Any, of: Any) -> tuple[Any, Any, Any, Any]:
    """E^(x + low) = 2^e (a + b + c); a and b have few bits, c is below 2^-16."""
    steps = x * STEPS_PER_UNIT + TO_WHOLE - TO_WHOLE
    near = x - steps * STEP
    rest = low - steps * STEP_REST
    r = near + rest
    high = r + TO_33 - TO_33
    beyond = near - high + rest + r * r * series(r, EXP_2)
    whole = of.whole(steps)
    root, root_rest = (table[whole & (STEPS - 1)] for table in ROOT_TABLES[of])
    c = root * beyond + root_rest * (1.0 + (high + beyond))
    return whole >> STEPS_LOG, root, root * high, c


def exponential(x: Any, low: Any, of: Any) -> Any:
    """e^(x + low)."""
    exponent, a, b, c = exp_parts(x, low, of)
    return scaled(a + (b + c), exponent, of)


def exp_beyond(x: float) -> float:
    """e^x for every double x."""
    if LOWEST < x < HIGHEST:
        return float(exponential(x, 0.0, Numbers))
    return 0.0 if x < 0.0 else x * math.inf


@entrywise(lambda x: abs(x) < ORDINARY, exp_beyond)
def exp(x: Any, of: Any) -> Any:
    """e^x."""
    return exponential(x, 0.0, of)
