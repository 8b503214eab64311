"""Results of two instances held against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Numbers and words of nested lists and mappings, each with the names above it."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from leaves(entry, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from leaves(entry, path)
    else:
        yield path, value


def agree(found: Any, wanted: Any, share: float = 0.0) -> bool:
    """Whether two results are equal: numbers up to a share of the larger, NaN is NaN."""
    numbers = (int, float, Fraction)
    if not isinstance(found, numbers) or not isinstance(wanted, numbers):
        return bool(found == wanted)
    if found == wanted or (math.isnan(found) and math.isnan(wanted)):
        return True
    if not share or not (math.isfinite(found) and math.isfinite(wanted)):
        return False
    one, other = Fraction(found), Fraction(wanted)
    return abs(one - other) <= Fraction(share) * max(abs(one), abs(other))


def times(value: Any, power: int) -> Any:
    """Return a number times a power of two, without rounding; words and None as they are."""
    if isinstance(value, Fraction):
        return value * Fraction(2) ** power
    return math.ldexp(value, power) if isinstance(value, float) else value
