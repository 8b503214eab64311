"""Logarithms with the same bits on every machine; see `farkas.portable.entrywise`.

x = 2^e m with m near i/128; c near 128/i in 16 bits makes m c − 1 exact in two parts.

>>> log(10.0), log1p(1.0)
(2.302585092994046, 0.6931471805599453)
"""

import math
from typing import Any

import numpy as np

from farkas.portable.constants import LEAST, LN2, TO_26, log_of, parts_of
from farkas.portable.entrywise import Arrays, Numbers, entrywise, series

GRID, FIRST, LAST = 128, 91, 182
SHORT = 1 << 16
LN2_HEAD, LN2_REST = parts_of(LN2, 42)  # multiples of 2^-42 below 2^10 add exactly


def _minus_log(number: int) -> int:
    """−ln(number / SHORT)."""
    return log_of(SHORT, number) if number <= SHORT else -log_of(number, SHORT)


_FACTORS = [(SHORT * GRID + i // 2) // i for i in range(FIRST, LAST)]
LOGS = (
    tuple(number / SHORT for number in _FACTORS),
    *zip(*(parts_of(_minus_log(number), 42) for number in _FACTORS), strict=True),
)
"""The factors c for i = FIRST, ..., LAST − 1, and −ln c in two parts."""
LOG_TABLES: dict[Any, Any] = {Numbers: LOGS, Arrays: [np.array(column) for column in LOGS]}
LOG_2 = [(-1.0) ** (n + 1) / n for n in range(7, 1, -1)]  # of r², r³, ...
"""Taylor coefficients, the last first."""


def log_parts(x: Any, low: Any, of: Any) -> tuple[Any, Any, Any]:
    """ln(x + low) = h + ln(1 + r) + t; |r| < 2^-7.4, h = 0 or |h| > |r|, t below 2^-32."""
    m, exponent = of.normalized(x)
    place = of.whole(m * GRID + (0.5 - FIRST))
    factor, log, log_rest = (table[place] for table in LOG_TABLES[of])
    high = m + TO_26 - TO_26
    one, two = high * factor - 1.0, (m - high) * factor
    if low is not None:
        two += low * of.power_of_two(-exponent) * factor
    r = one + two
    lost = one - r + two
    t = exponent * LN2_REST + log_rest + (lost - lost * r)
    return exponent * LN2_HEAD + log, r, t


def logarithm(x: Any, low: Any, of: Any) -> Any:
    """ln(x + low), with |low| at most half an ulp of x."""
    h, r, t = log_parts(x, low, of)
    head = h + r
    return head + (h - head + r + (t + r * r * series(r, LOG_2)))


def log_beyond(x: float) -> float:
    """Ln x for every double x."""
    if 0.0 < x < math.inf:
        return float(logarithm(x, None, Numbers))
    return -math.inf if x == 0.0 else math.inf if x > 0.0 else math.nan


@entrywise(lambda x: (x >= LEAST) & (x < math.inf), log_beyond)
def log(x: Any, of: Any) -> Any:
    """Natural logarithm."""
    return logarithm(x, None, of)


@entrywise(lambda x: (x > -1.0) & (x < math.inf), lambda x: log_beyond(1.0 + x))
def log1p(x: Any, of: Any) -> Any:
    """ln(1 + x), also where x is small."""
    near = 1.0 + x
    back = near - 1.0
    return logarithm(near, (1.0 - (near - back)) + (x - back), of)
