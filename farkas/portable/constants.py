"""What the constants and tables of the elementary functions are derived from: whole numbers.

Whole numbers stand for multiples of 2**-PRECISION.  Quotients of integers and `math.ldexp` round as
IEEE 754 says, so that the same floats come out everywhere and none has to be believed.
"""

import math
import sys

PRECISION = 128
ONE = 1 << PRECISION
LEAST = sys.float_info.min
"""The least number that is not subnormal."""


def log_of(top: int, bottom: int) -> int:
    """ln(top / bottom) = 2 artanh(d / s), d = top − bottom, s = top + bottom; top >= bottom."""
    difference, total = top - bottom, top + bottom
    power, found, odd = 2 * ONE * difference // total, 0, 1
    while power:
        found += power // odd
        power = power * difference**2 // total**2
        odd += 2
    return found


def parts_of(number: int, unit: int) -> tuple[float, float]:
    """Nearest multiple of 2**-unit, and what is left."""
    shift = PRECISION - unit
    head = (number + (1 << (shift - 1))) >> shift
    return math.ldexp(head, -unit), math.ldexp(number - (head << shift), -PRECISION)


def rounder(unit: int) -> float:
    """Return what rounds x to a multiple of 2**-unit when added and taken away again."""
    return 1.5 * math.ldexp(1.0, 52 - unit)


TO_WHOLE, TO_26, TO_33 = rounder(0), rounder(26), rounder(33)
VELTKAMP = 2.0**27 + 1.0
"""Factor that splits 53 bits into 26 and 26; Veltkamp (1968)."""
LN2 = log_of(2, 1)
ROOT_HALF = math.sqrt(0.5)
