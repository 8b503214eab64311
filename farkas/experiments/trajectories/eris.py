"""Slots of an auction: the prices that prove its bound."""

from __future__ import annotations

from farkas.certificates.eris import PriceCertificate
from farkas.experiments.figures import Axis, Figure, Series
from farkas.experiments.trajectories.registry import certificate, trajectory
from farkas.instances.eris import Auction
from farkas.online import Run


@trajectory("eris", "Dual prices of resources")
def resource_prices(instance: Auction, run: Run) -> Figure | None:
    """Prices β of the certificate by resource: mean over the sites, with their range."""
    found = certificate(run)
    if not isinstance(found, PriceCertificate):
        return None
    _, resource = found.read_prices(instance)
    slots = list(range(instance.slots))
    series = [
        Series(name, slots, prices.mean(axis=0), prices.min(axis=0), prices.max(axis=0), "step")
        for name, prices in zip(instance.resource_names, resource.swapaxes(0, 1), strict=True)
    ]
    return Figure(x=Axis("slot"), y=Axis("price", "welfare per unit"), series=series)


@trajectory("eris", "Dual price of transfer")
def transfer_price(instance: Auction, run: Run) -> Figure | None:
    """Price α of the certificate for a MB of transfer."""
    found = certificate(run)
    if not isinstance(found, PriceCertificate):
        return None
    transfer, _ = found.read_prices(instance)
    series = [Series("transfer", list(range(instance.slots)), transfer, chart="step")]
    return Figure(x=Axis("slot"), y=Axis("price", "welfare per MB"), series=series)
