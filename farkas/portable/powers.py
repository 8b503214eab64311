"""Powers with the same bits on every machine; see `farkas.portable.entrywise`.

>>> power(2.0, 0.5)
1.4142135623730951
"""

import math
from typing import Any

from farkas.portable.constants import LEAST, TO_33
from farkas.portable.entrywise import Numbers, entrywise, halves, series
from farkas.portable.exponentials import HIGHEST, LOWEST, exponential
from farkas.portable.logarithms import log_parts

LOG_3 = [(-1.0) ** (n + 1) / n for n in range(9, 2, -1)]  # of r³, r⁴, ...
"""Taylor coefficients, the last first."""

MOST_EXPONENT = 2.0**64
"""Beyond, a power of any base but 1 is 0 or infinite."""


def _long_log(x: Any, of: Any) -> tuple[Any, Any]:
    """Return ln x in two parts, to 68 bits."""
    h, r, t = log_parts(x, None, of)
    head = h + r
    t = h - head + r + t
    high = r + TO_33 - TO_33
    square = 0.5 * high * high
    log = head - square
    t = head - log - square + t
    return log, t + (r * r * r * series(r, LOG_3) - 0.5 * (r - high) * (r + high))


def _product(x: Any, y: Any) -> tuple[Any, Any]:
    """Return x y in two parts; Dekker (1971)."""
    (x_high, x_low), (y_high, y_low) = halves(x), halves(y)
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
    return exponential(x, of.where(inside, low, 0.0), of)


def _power_beyond(base: float, exponent: float) -> float:
    if not base >= 0.0 or math.isnan(exponent):
        return math.nan
    if base == 1.0 or exponent == 0.0:
        return 1.0
    if 0.0 < base < math.inf and abs(exponent) < MOST_EXPONENT:
        return float(_power(base, exponent, Numbers))
    return math.inf if (base > 1.0) == (exponent > 0.0) else 0.0


@entrywise(
    lambda base, exponent: (base >= LEAST) & (base < math.inf) & (abs(exponent) < MOST_EXPONENT),
    _power_beyond,
)
def power(base: Any, exponent: Any, of: Any) -> Any:
    """Return ``base ** exponent``; bases >= 0."""
    return _power(base, exponent, of)
