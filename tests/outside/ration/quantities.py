"""Named numbers of a stock."""

from __future__ import annotations

import itertools

from farkas.quantities import quantity


@quantity("ration.best")
def best(instance):
    """Worth of the best choice of whole requests, by enumeration."""
    choices = itertools.product((0, 1), repeat=len(instance.requests))
    fitting = (
        sum(x * r.worth for x, r in zip(choice, instance.requests, strict=True))
        for choice in choices
        if sum(x * r.units for x, r in zip(choice, instance.requests, strict=True))
        <= instance.units
    )
    return max(fitting)
