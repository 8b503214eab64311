"""The linear relaxation: every integrality requirement dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.certificates.files import Certificate
from farkas.forms import LinearForm
from farkas.registry import Registry


def relax(form: LinearForm) -> LinearForm:
    """Return ``form`` with all variables continuous; the same object when they already are.

    Bounds stay; implied bounds do not, since what some optimal integer point satisfies need not
    hold at any optimum of the relaxation.
    Its optimal value bounds that of ``form``: from below for ``min``, from above for ``max``.
    """
    if not form.is_mip:
        return form
    return form.replace(
        name=f"relaxation of {form.name}",
        integer=np.zeros(form.num_columns, np.bool_),
        implied_lower=None,
        implied_upper=None,
    )


# Bounds by prices, by name; the prices are found anew for every instance.
#
# A kind registers them beside what finds the prices::
#
#     @price_bounds.register("eris.pooled_prices")
#     def pooled_prices(auction: Auction, seconds: float) -> PricedTree: ...


#: Called with an instance and the seconds it may take; raises a `FarkasError` without a bound.
PriceBound = Callable[[Any, float], Certificate]
price_bounds: Registry[PriceBound] = Registry(
    "bound by prices", "farkas.relaxations", "farkas.online"
)
