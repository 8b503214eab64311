"""Sines and cosines with the same bits on every machine; see `farkas.portable.entrywise`.

>>> sinpi(0.25), cospi(0.25)
(0.7071067811865476, 0.7071067811865476)
"""

import math
from typing import Any

import numpy as np

from farkas.portable.constants import ONE, TO_WHOLE, parts_of
from farkas.portable.entrywise import Arrays, Numbers, entrywise, halves, series
from farkas.tolerances import NORMAL


def _arctan_of_inverse(number: int) -> int:
    """Arctan(1 / number)."""
    power, found, odd = ONE // number, 0, 1
    while power:
        found += power // odd if odd % 4 == 1 else -(power // odd)
        power //= number**2
        odd += 2
    return found


PI = 16 * _arctan_of_inverse(5) - 4 * _arctan_of_inverse(239)  # Machin (1706)
PI_HEAD, PI_REST = parts_of(PI, 24)
REMAINDERS: dict[Any, Any] = {Numbers: math.fmod, Arrays: np.fmod}
RAISE = 2.0**500
"""Brings numbers below `farkas.tolerances.NORMAL` back to where their parts are normal."""
# Taylor coefficients, the last first.
SIN_3 = [(-1.0) ** n / math.factorial(2 * n + 1) for n in range(8, 0, -1)]  # of z³, z⁵, ...
COS_4 = [(-1.0) ** n / math.factorial(2 * n) for n in range(8, 1, -1)]  # of z⁴, z⁶, ...


def _turned(x: Any, of: Any) -> tuple[Any, Any]:
    """Sin(π x) and cos(π x)."""
    x = REMAINDERS[of](x, 2.0)
    quarters = 2.0 * x + TO_WHOLE - TO_WHOLE
    turn = x - 0.5 * quarters  # exact, at most 1/4
    high, low = halves(turn)
    angle, rest = high * PI_HEAD, low * PI_HEAD + turn * PI_REST
    z = angle + rest
    square = z * z
    sine = angle + (rest + z * square * series(square, SIN_3))
    half = 0.5 * square
    head = 1.0 - half
    rest = angle - z + rest
    cosine = head + (1.0 - head - half + (square * square * series(square, COS_4) - z * rest))
    quarters = of.whole(quarters)
    odd = (quarters & 1) == 1
    sine, cosine = of.where(odd, cosine, sine), of.where(odd, sine, cosine)
    return (
        of.where((quarters & 2) == 0, sine, -sine),
        of.where(((quarters + 1) & 2) == 0, cosine, -cosine),
    )


def _sin_beyond(x: float) -> float:
    if not abs(x) < NORMAL:
        return math.nan
    return float(_turned(x * RAISE, Numbers)[0]) / RAISE  # there the sine is a straight line


@entrywise(lambda x: (abs(x) >= NORMAL) & (abs(x) < math.inf), _sin_beyond)
def sinpi(x: Any, of: Any) -> Any:
    """Sin(π x), exact at multiples of 1/2."""
    return _turned(x, of)[0]


@entrywise(lambda x: abs(x) < math.inf, lambda _: math.nan)
def cospi(x: Any, of: Any) -> Any:
    """Cos(π x), exact at multiples of 1/2."""
    return _turned(x, of)[1]
