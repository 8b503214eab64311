"""Slots of a market: the prices posted, and those that prove the bound."""

from __future__ import annotations

import numpy as np

from farkas.certificates.dps import PriceCertificate
from farkas.experiments.figures import Axis, Figure, Series
from farkas.experiments.trajectories.registry import certificate, trajectory
from farkas.instances.base import Floats, Ints
from farkas.instances.dps import Market
from farkas.online import Run


@trajectory("dps", "Posted prices")
def posted_prices(instance: Market, run: Run) -> Figure | None:
    """Offer of every arriving job: its unit prices.  Jobs of one slot share its place."""
    offers = run.decisions
    if len(offers) != len(instance.jobs) or not offers or "worker_price" not in offers[0]:
        return None
    slots = instance.arrival.tolist()
    sides = {"worker": "worker_price", "parameter server": "ps_price"}
    series = [
        Series(name, slots, [_or_nan(offer[field]) for offer in offers])
        for name, field in sides.items()
    ]
    return Figure(x=Axis("slot"), y=Axis("price"), series=series)


def _or_nan(price: float | None) -> float:
    return float("nan") if price is None else float(price)


@trajectory("dps", "Dual prices")
def dual_prices(instance: Market, run: Run) -> Figure | None:
    """Prices of capacity in the certificate, summed over the types."""
    found = certificate(run)
    if not isinstance(found, PriceCertificate):
        return None
    prices = found.prices
    sides = {
        "workers": (prices.worker_positions, prices.worker_numbers),
        "parameter servers": (prices.ps_positions, prices.ps_numbers),
    }
    slots = list(range(instance.horizon))
    series = [
        Series(name, slots, _by_slot(instance.horizon, *side) / 2.0**prices.scale, chart="step")
        for name, side in sides.items()
    ]
    return Figure(x=Axis("slot"), y=Axis("price"), series=series)


def _by_slot(horizon: int, positions: Ints, numbers: Ints) -> Floats:
    """Sum over types, shape (horizon,)."""
    total = np.zeros(horizon)
    np.add.at(total, positions % horizon, numbers)
    return total
