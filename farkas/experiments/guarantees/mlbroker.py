"""Guarantees of the broker's algorithms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from farkas.experiments.guarantees.registry import guarantee
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import deployment_bound

INTEGER = (
    "mlbroker.central", "mlbroker.gr", "mlbroker.ir", "mlbroker.local", "mlbroker.mlbroker",
    "mlbroker.oasis", "mlbroker.offline", "mlbroker.one_shot", "mlbroker.opt",
)  # fmt: skip
"""Their decisions are points of every relaxation, at no smaller cost there."""


def _epsilon(instance: Brokerage, options: Mapping[str, Any]) -> float:
    return float(options.get("epsilon") or instance.epsilon)


@guarantee("mlbroker.fractional", "printed", source="mlBroker Theorem 3", witnesses=INTEGER)
def as_printed(instance: Brokerage, options: Mapping[str, Any]) -> float:
    """2 + (1 + ε) ln(1 + 1/ε), over the optimum of the relaxation (9)."""
    epsilon = _epsilon(instance, options)
    return 2 + (1 + epsilon) * math.log1p(1 / epsilon)


@guarantee(
    "mlbroker.fractional",
    "repaired",
    source="mlBroker Theorem 3, repaired",
    witnesses=INTEGER,
)
def repaired(instance: Brokerage, options: Mapping[str, Any]) -> float | None:
    """max(1, σ) + R ε σ / κ with σ = ln(1 + 1/ε).

    κ = 1 for the tight relaxation; for the printed one κ is the least, over jobs, of
    max over slots (Y + 1) / U.  Needs deployment that never falls: printed semantics.
    """
    if options.get("semantics", "printed") != "printed":
        return None
    epsilon = _epsilon(instance, options)
    sigma = math.log1p(1 / epsilon)
    extra = instance.num_sites * epsilon * sigma / _least_presence(instance, options)
    return max(1.0, sigma) + extra


def _least_presence(instance: Brokerage, options: Mapping[str, Any]) -> float:
    """Total deployment that every job is charged for at least; κ."""
    if options.get("relax", "tight") == "tight" or not instance.num_pairs:
        return 1.0
    most: dict[int, int] = {}
    for job, needed in zip(instance.pair_job, instance.workers_needed, strict=True):
        most[job] = max(most.get(job, 0), int(needed) + 1)
    return min(most.values()) / deployment_bound(instance, "printed")
