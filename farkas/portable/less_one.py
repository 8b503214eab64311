"""Exponentials less 1 with the same bits on every machine; see `farkas.portable.exponentials`.

>>> expm1(1.0)
1.718281828459045
"""

from typing import Any

from farkas.portable.entrywise import entrywise
from farkas.portable.exponentials import ORDINARY, exp_beyond, exp_parts, scaled


@entrywise(lambda x: abs(x) < ORDINARY, lambda x: -1.0 if x < 0.0 else exp_beyond(x))
def expm1(x: Any, of: Any) -> Any:
    """e^x − 1, also where x is small."""
    exponent, a, b, c = exp_parts(x, 0.0, of)
    one = of.power_of_two(-exponent)
    # a − one, what rounding lost of it (Knuth's sum), and b on top: both have few bits
    less = a - one
    back = less - a
    lost = (a - (less - back)) - (one + back)
    head = less + b
    lost += b - (head - less)
    return scaled(head + (lost + c), exponent, of)
