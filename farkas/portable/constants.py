"""Constants and tables of the elementary functions, derived from whole numbers.

Whole numbers stand for multiples of 2**-PRECISION.  Quotients of integers and `math.ldexp` round as
IEEE 754 says, so that the same floats come out everywhere and none has to be believed.
"""

import math
import sys

PRECISION = 128
ONE = 1 << PRECISION
LEAST = sys.float_info.min
"""The least number that is not subnormal."""


def _log_of(top: int, bottom: int) -> int:
    """ln(top / bottom) = 2 artanh(d / s), d = top − bottom, s = top + bottom; top >= bottom."""
    difference, total = top - bottom, top + bottom
    power, found, odd = 2 * ONE * difference // total, 0, 1
    while power:
        found += power // odd
        power = power * difference**2 // total**2
        odd += 2
    return found


def _arctan_of_inverse(number: int) -> int:
    """Arctan(1 / number)."""
    power, found, odd = ONE // number, 0, 1
    while power:
        found += power // odd if odd % 4 == 1 else -(power // odd)
        power //= number**2
        odd += 2
    return found


def _roots_of_two(count: int) -> list[int]:
    """2^(j / count) for j = 0, ..., count − 1; ``count`` is a power of two."""
    root = 2 * ONE
    for _ in range(count.bit_length() - 1):
        root = math.isqrt(root * ONE)
    found = [ONE]
    while len(found) < count:
        found.append(found[-1] * root // ONE)
    return found


def _parts(number: int, unit: int) -> tuple[float, float]:
    """Nearest multiple of 2**-unit, and what is left."""
    shift = PRECISION - unit
    head = (number + (1 << (shift - 1))) >> shift
    return math.ldexp(head, -unit), math.ldexp(number - (head << shift), -PRECISION)


def _rounder(unit: int) -> float:
    """Return what rounds x to a multiple of 2**-unit when added and taken away again."""
    return 1.5 * math.ldexp(1.0, 52 - unit)


TO_WHOLE, TO_26, TO_33 = _rounder(0), _rounder(26), _rounder(33)
VELTKAMP = 2.0**27 + 1.0
"""Factor that splits 53 bits into 26 and 26; Veltkamp (1968)."""
LN2 = _log_of(2, 1)
PI = 16 * _arctan_of_inverse(5) - 4 * _arctan_of_inverse(239)  # Machin (1706)
PI_HEAD, PI_REST = _parts(PI, 24)
RAISE = 2.0**500
"""Brings numbers below `farkas.tolerances.NORMAL` back to where their parts are normal."""

# exp: x = k (ln 2)/64 + r, so that e^x = 2^(k div 64) · 2^((k mod 64)/64) · e^r with |r| < 2^-7.5.
STEPS_LOG = 6
STEPS = 1 << STEPS_LOG
STEPS_PER_UNIT = STEPS * ONE / LN2
STEP, STEP_REST = _parts(LN2 // STEPS, 41)  # 35 bits: k times them is exact
ROOTS = tuple(zip(*(_parts(root, 25) for root in _roots_of_two(STEPS)), strict=True))
"""2^(j/64) in 26 bits, whose products with 26 bits of r are exact, and the rest."""
LOWEST, HIGHEST, ORDINARY = -746.0, 710.0, 700.0
"""Beyond the first two e^x is 0 and infinite; up to the last it is neither, nor subnormal."""
MOST_EXPONENT = 2.0**64
"""Beyond, a power of any base but 1 is 0 or infinite."""

# log: x = 2^e m with m near i/128; c near 128/i in 16 bits makes m c − 1 exact in two parts.
GRID, FIRST, LAST = 128, 91, 182
SHORT = 1 << 16
ROOT_HALF = math.sqrt(0.5)
LN2_HEAD, LN2_REST = _parts(LN2, 42)  # multiples of 2^-42 below 2^10 add exactly


def _minus_log(number: int) -> int:
    """−ln(number / SHORT)."""
    return _log_of(SHORT, number) if number <= SHORT else -_log_of(number, SHORT)


_FACTORS = [(SHORT * GRID + i // 2) // i for i in range(FIRST, LAST)]
LOGS = (
    tuple(number / SHORT for number in _FACTORS),
    *zip(*(_parts(_minus_log(number), 42) for number in _FACTORS), strict=True),
)
"""The factors c for i = FIRST, ..., LAST − 1, and −ln c in two parts."""

# Taylor coefficients, the last first.
EXP_2 = [1.0 / math.factorial(n) for n in range(6, 1, -1)]  # of r², r³, ...
LOG_2 = [(-1.0) ** (n + 1) / n for n in range(7, 1, -1)]  # of r², r³, ...
LOG_3 = [(-1.0) ** (n + 1) / n for n in range(9, 2, -1)]  # of r³, r⁴, ...
SIN_3 = [(-1.0) ** n / math.factorial(2 * n + 1) for n in range(8, 0, -1)]  # of z³, z⁵, ...
COS_4 = [(-1.0) ** n / math.factorial(2 * n) for n in range(8, 1, -1)]  # of z⁴, z⁶, ...
