"""Eris's guarantee, and slots of an auction: the prices that prove its bound."""

from collections.abc import Mapping
from typing import Any

from farkas.certificates.eris import ErisPrices
from farkas.experiments.figures import Figure, PlotAxis, Series
from farkas.experiments.sweeps.guarantee import guarantee
from farkas.experiments.sweeps.trajectory import certificate, trajectory
from farkas.instances.eris import Auction
from farkas.numbers import Floats
from farkas.online import Run
from farkas.portable.logarithms import log

SCHEDULES = ("eris.antman", "eris.eris", "eris.liquid", "eris.offline",
             "eris.optimum", "eris.tiresias")  # fmt: skip
"""Welfare that any of them reaches, the optimum reaches."""


@guarantee("eris.eris", "printed", source="Eris Theorem 5", witnesses=SCHEDULES,
           claim="eris.competitive_ratio")  # fmt: skip
def as_printed(instance: Auction, options: Mapping[str, Any]) -> float:
    """2 log2(γ of transfer times the largest γ of a resource), over the optimum of (2)."""
    largest = float(instance.price_base.max(initial=1.0))
    return 2 * log(instance.price_base_transfer * largest) / log(2.0)


@trajectory("eris", "Dual prices of resources")
def resource_prices(instance: Auction, run: Run) -> Figure | None:
    """Prices β of the certificate by resource: mean over the sites, with their range."""
    _, resource = _prices(instance, run)
    if resource is None:
        return None
    slots = list(range(instance.slots))
    series = [
        Series(name, slots, prices.mean(axis=0), prices.min(axis=0), prices.max(axis=0), "step")
        for name, prices in zip(instance.resource_names, resource.swapaxes(0, 1), strict=True)
    ]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("price", "welfare per unit"), series=series)


@trajectory("eris", "Dual price of transfer")
def transfer_price(instance: Auction, run: Run) -> Figure | None:
    """Price α of the certificate for a MB of transfer."""
    transfer, _ = _prices(instance, run)
    if transfer is None:
        return None
    series = [Series("transfer", list(range(instance.slots)), transfer, chart="step")]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("price", "welfare per MB"), series=series)


def _prices(instance: Auction, run: Run) -> tuple[Floats, Floats] | tuple[None, None]:
    """Prices of transfer and of resources in the certificate."""
    found = certificate(run)
    return found.read_prices(instance) if isinstance(found, ErisPrices) else (None, None)
