"""Prices on a grid of integers, rounded down, whose sums stay inside 64 bits."""

import numpy as np

from farkas.certificates.guards import finite, whole
from farkas.errors import NotACertificate
from farkas.numbers import Floats, Ints

#: Stands for infinity: above every sum of prices, see `grid_exponent`; a few of it fit 64 bits.
FORBIDDEN = 1 << 59

PRICE_BITS = 40  #: Prices become integers of at most so many bits.

SUM_BITS = 58  #: Costs that are possible stay below ``2**SUM_BITS``.


def grid_exponent(largest: float, terms: int = 1) -> int:
    """Exponent g so that ``terms`` prices up to ``largest * 2**g`` add up to less than FORBIDDEN.

    Prices are below 2^PRICE_BITS and below 2^(SUM_BITS - b - 1), where ``terms`` has b bits: the
    sum of so many is below 2^(SUM_BITS - 1), and roundings cannot double it.

    Raises
    ------
    NotACertificate
        When the largest price is not finite, or so many cannot be added up.
    """
    if not 0 <= largest < np.inf:
        raise NotACertificate(f"prices add up to {largest}")
    bits = min(PRICE_BITS, SUM_BITS - 1 - max(1, terms).bit_length())
    if bits < 1:
        raise NotACertificate(f"{terms} prices cannot be added up exactly")
    return 0 if largest == 0 else bits - int(np.frexp(largest)[1])


def rounded_down(amount: Floats, price: Floats, exponent: int) -> Ints:
    """Floor of Σ_r amount_r price_r, over the last axis, on the grid ``2**-exponent``.

    Products and sums of doubles are correctly rounded, so the next double below is a lower bound.

    Parameters
    ----------
    amount, price
        Finite, >= 0.

    Raises
    ------
    NotACertificate
        When a number is negative or not finite, or a sum is too large.
    """
    for what, values in (("amounts", amount), ("prices", price)):
        if (finite(values, what) < 0).any():
            raise NotACertificate(f"{what}: a number is negative")
    total = np.zeros(np.broadcast_shapes(amount.shape, price.shape)[:-1])
    with np.errstate(over="ignore"):  # refused below
        for r in range(amount.shape[-1]):
            product = np.nextafter(amount[..., r] * price[..., r], -np.inf)
            total = np.nextafter(total + np.maximum(product, 0.0), -np.inf)
        scaled = np.floor(np.ldexp(np.maximum(total, 0.0), exponent))
    return whole(scaled, "prices", bits=PRICE_BITS + 1)
