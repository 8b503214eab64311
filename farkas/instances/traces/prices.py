"""Prices of cloud instance types with GPUs, by region."""

import dataclasses

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces.importer import Path
from farkas.instances.traces.table import Line, lines
from farkas.messages import named

COLUMNS = ("instance", "gpu_count", "region", "on_demand_usd_per_hour", "reserved_usd_per_hour")


@dataclasses.dataclass(frozen=True, slots=True)
class GpuPrice:
    """Price of one GPU in one region, USD per hour, on demand and reserved."""

    region: str
    on_demand: float
    reserved: float


def read_prices(path: Path, instance: str) -> list[GpuPrice]:
    """Prices per GPU of an instance type, in the regions that quote both, by region name.

    Parameters
    ----------
    path
        Table with one line per instance type and region.
    instance
        Instance type, for example ``g4dn.12xlarge``.

    Raises
    ------
    FileProblem
        The table is damaged, or lists a region twice.
    InvalidOption
        No region quotes both prices for that type.
    """
    known: set[str] = set()
    found: dict[str, GpuPrice] = {}
    for line in lines(path, COLUMNS):
        known.add(line.text("instance"))
        price = _price(line) if line.text("instance") == instance else None
        if price is not None:
            if price.region in found:
                raise FileProblem(
                    f"{line.place}: {named(instance)} in {named(price.region)} stands twice"
                )
            found[price.region] = price
    if instance not in known:
        raise InvalidOption.near(f"no prices for instance {instance!r}", instance, known)
    if not found:
        raise InvalidOption(f"no region quotes both prices for instance {instance!r}")
    return [found[region] for region in sorted(found)]


def _price(line: Line) -> GpuPrice | None:
    """None where one of the two prices is not quoted."""
    on_demand = line.number_or_none("on_demand_usd_per_hour")
    reserved = line.number_or_none("reserved_usd_per_hour")
    if on_demand is None or reserved is None:
        return None
    gpus = line.whole("gpu_count")
    if gpus == 0 or not 0 <= reserved <= on_demand:
        raise FileProblem(f"{line.place}: expected GPUs >= 1 and 0 <= reserved <= on demand")
    return GpuPrice(line.text("region") or line.filled("region"), on_demand / gpus, reserved / gpus)
