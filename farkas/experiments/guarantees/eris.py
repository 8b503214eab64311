"""Guarantees of the auction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from farkas.experiments.guarantees.registry import guarantee
from farkas.instances.eris import Auction

SCHEDULES = ("eris.antman", "eris.eris", "eris.liquid", "eris.offline", "eris.tiresias")
"""Welfare that any of them reaches, the optimum reaches."""


@guarantee("eris.eris", "printed", source="Eris Theorem 5", witnesses=SCHEDULES)
def as_printed(instance: Auction, options: Mapping[str, Any]) -> float:
    """2 log2(γ of transfer times the largest γ of a resource), over the optimum of (2)."""
    largest = float(instance.price_base.max(initial=1.0))
    return 2 * math.log2(instance.price_base_transfer * largest)
