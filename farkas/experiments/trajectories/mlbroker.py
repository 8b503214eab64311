"""Slots of a broker's run: workers, prices, and the multipliers that prove its bound."""

from __future__ import annotations

import numpy as np

from farkas.certificates.mlbroker import RunCertificate
from farkas.experiments.figures import Axis, Figure, Series
from farkas.experiments.trajectories.registry import certificate, trajectory
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Floats
from farkas.online import Run

MOST_SITES = 6
"""More sites than this are summed up by their mean and range."""


@trajectory("mlbroker", "Workers")
def workers(instance: Brokerage, run: Run) -> Figure | None:
    """Workers placed at the sites, summed over jobs."""
    placed = _placed(instance, run)
    if placed is None:
        return None
    return Figure(x=Axis("slot"), y=Axis("workers"), series=_by_site(placed))


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
    return Figure(x=Axis("slot"), y=Axis("price", "USD per worker and slot"), series=series)


@trajectory("mlbroker", "Dual prices of presence")
def presence(instance: Brokerage, run: Run) -> Figure | None:
    """Multiplier of the deployment cost (8h) in the certificate, mean over the slot's jobs."""
    found = certificate(run)
    if not isinstance(found, RunCertificate) or not instance.num_pairs:
        return None
    move = found.read_guide(instance).move
    mean = np.full((instance.num_slots, instance.num_sites), np.nan)
    for slot in range(instance.num_slots):
        pairs = instance.pairs_at(slot)
        if len(pairs):
            mean[slot] = move[pairs].mean(axis=0)
    return Figure(x=Axis("slot"), y=Axis("multiplier", "USD"), series=_by_site(mean))


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
