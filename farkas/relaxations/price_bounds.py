"""Bounds by prices, by name; the prices are found anew for every instance.

A kind registers them beside what finds the prices::

    @price_bounds.register("eris.pooled_prices")
    def pooled_prices(auction: Auction, seconds: float) -> ErisPrices: ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from farkas.certificates.files import Certificate
from farkas.registry import Registry

#: Called with an instance and the seconds it may take; raises a `FarkasError` without a bound.
PriceBound = Callable[[Any, float], Certificate]
price_bounds: Registry[PriceBound] = Registry(
    "bound by prices", "farkas.relaxations", "farkas.online"
)
