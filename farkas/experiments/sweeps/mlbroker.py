"""mlBroker's guarantees, and slots of its runs: workers, prices, multipliers of the bound."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from farkas.certificates.mlbroker import MlbrokerPrices
from farkas.experiments.figures import Figure, PlotAxis, Series
from farkas.experiments.sweeps.guarantee import guarantee
from farkas.experiments.sweeps.trajectory import certificate, trajectory
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import deployment_bound
from farkas.numbers import Floats
from farkas.online import Run
from farkas.portable.logarithms import log1p

INTEGER = (
    "mlbroker.central", "mlbroker.gr", "mlbroker.ir", "mlbroker.local", "mlbroker.mlbroker",
    "mlbroker.oasis", "mlbroker.offline", "mlbroker.one_shot", "mlbroker.opt",
    "mlbroker.optimum",
)  # fmt: skip
"""Their decisions are points of every relaxation, at no smaller cost there."""

MOST_SITES = 6
"""More sites than this are summed up by their mean and range."""


def _epsilon(instance: Brokerage, options: Mapping[str, Any]) -> float:
    return float(options.get("epsilon") or instance.epsilon)


@guarantee("mlbroker.fractional", "printed", source="mlBroker Theorem 3", witnesses=INTEGER,
           claim="mlbroker.theorem3")  # fmt: skip
def as_printed(instance: Brokerage, options: Mapping[str, Any]) -> float:
    """2 + (1 + ε) ln(1 + 1/ε), over the optimum of the relaxation (9)."""
    return _r1(_epsilon(instance, options))


def _r1(epsilon: float) -> float:
    return 2 + (1 + epsilon) * log1p(1 / epsilon)


@guarantee(
    "mlbroker.fractional",
    "repaired",
    source="mlBroker Theorem 3, repaired",
    witnesses=INTEGER,
    claim="mlbroker.theorem3_corrected",
)
def repaired(instance: Brokerage, options: Mapping[str, Any]) -> float | None:
    """max(1, σ) + R ε σ / κ with σ = ln(1 + 1/ε).

    κ = 1 for the tight relaxation; for the printed one κ is the least, over jobs, of
    max over slots (Y + 1) / U.  Needs deployment that never falls: printed semantics.
    """
    if options.get("semantics", "printed") != "printed":
        return None
    epsilon = _epsilon(instance, options)
    sigma = log1p(1 / epsilon)
    extra = instance.num_sites * epsilon * sigma / _least_presence(instance, options)
    return max(1.0, sigma) + extra


@guarantee("mlbroker.mlbroker", "printed", source="mlBroker Theorem 5", witnesses=INTEGER,
           claim="mlbroker.theorem5")  # fmt: skip
def whole_algorithm(instance: Brokerage, options: Mapping[str, Any]) -> float | None:
    """r₁ r₂ of Theorems 3 and 4, over the cheapest whole placement; none where r₂ is infinite."""
    from farkas.proofs.mlbroker.integral import ClaimedRatio  # here: it loads sympy

    if not instance.num_pairs:
        return None
    factor = _r1(_epsilon(instance, options)) * ClaimedRatio.of(instance).total
    return factor if math.isfinite(factor) else None


def _least_presence(instance: Brokerage, options: Mapping[str, Any]) -> float:
    """Total deployment that every job is charged for at least; κ."""
    if options.get("relax", "tight") == "tight" or not instance.num_pairs:
        return 1.0
    most: dict[int, int] = {}
    for job, needed in zip(instance.pair_job, instance.workers_needed, strict=True):
        most[job] = max(most.get(job, 0), int(needed) + 1)
    return min(most.values()) / deployment_bound(instance, "printed")


@trajectory("mlbroker", "Workers")
def workers(instance: Brokerage, run: Run) -> Figure | None:
    """Workers placed at the sites, summed over jobs."""
    placed = _placed(instance, run)
    if placed is None:
        return None
    return Figure(x=PlotAxis("slot"), y=PlotAxis("workers"), series=_by_site(placed))


@trajectory("mlbroker", "Price paid per worker")
def price(instance: Brokerage, run: Run) -> Figure | None:
    """Resource cost of a slot over its workers: it falls where thresholds of discounts are met."""
    placed = _placed(instance, run)
    if placed is None or len(run.costs) != instance.num_slots:
        return None
    count = placed.sum(axis=1)
    paid = np.full(instance.num_slots, np.nan)
    cost = np.array([slot.get("resource", 0.0) for slot in run.costs])
    np.divide(cost, count, out=paid, where=count > 0)
    series = [Series("all sites", list(range(len(paid))), paid, chart="step")]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("price", "USD per worker and slot"), series=series)


@trajectory("mlbroker", "Dual prices of presence")
def presence(instance: Brokerage, run: Run) -> Figure | None:
    """Multiplier of the deployment cost (8h) in the certificate, mean over the slot's jobs."""
    found = certificate(run)
    if not isinstance(found, MlbrokerPrices) or not instance.num_pairs:
        return None
    move = found.read_guide(instance).move
    mean = np.full((instance.num_slots, instance.num_sites), np.nan)
    for slot in range(instance.num_slots):
        pairs = instance.pairs_at(slot)
        if len(pairs):
            mean[slot] = move[pairs].mean(axis=0)
    return Figure(x=PlotAxis("slot"), y=PlotAxis("multiplier", "USD"), series=_by_site(mean))


def _placed(instance: Brokerage, run: Run) -> Floats | None:
    """Workers by slot and site, shape (slots, sites); None where the run does not say."""
    if len(run.decisions) != instance.num_slots:
        return None
    placed = np.zeros((instance.num_slots, instance.num_sites))
    for slot, decision in enumerate(run.decisions):
        if decision.get("jobs"):
            placed[slot] = np.asarray(decision["workers"], dtype=float).sum(axis=0)
    return placed


def _by_site(values: Floats) -> list[Series]:
    """One line a site; mean and range when they are many.  Shape (slots, sites)."""
    slots = list(range(len(values)))
    if values.shape[1] <= MOST_SITES:
        return [
            Series(f"site {site}", slots, column, chart="step")
            for site, column in enumerate(values.T)
        ]
    name = f"mean of {values.shape[1]} sites, with range"
    return [
        Series(name, slots, values.mean(axis=1), values.min(axis=1), values.max(axis=1), "step")
    ]
