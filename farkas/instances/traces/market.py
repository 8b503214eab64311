"""What imports to kind dps share: jobs, and what no trace holds of them."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.base import Count, Positive
from farkas.instances.generate.dps import Published
from farkas.instances.traces.importer import Path
from farkas.instances.traces.table import Line, lines
from farkas.instances.traces.window import Window
from farkas.instances.variates import normals
from farkas.messages import named
from farkas.numbers import Floats
from farkas.portable import exp, uniform

RANGES = Published()
SHORTEST = 1.0  #: Seconds that a job runs at least.


class Lasting(Protocol):
    """A job of a trace."""

    @property
    def duration(self) -> float:
        """How long it ran, seconds."""

    @property
    def num_gpus(self) -> int:
        """GPUs it held."""


class MarketWindow(Window, frozen=True, kw_only=True):
    """Options that every import to kind dps has.

    Parameters
    ----------
    gpus_per_ps
        One parameter server for so many GPUs of a job, rounded up.
    budget_grows
        What a drawn budget is proportional to: the demand at base prices, as in the published
        ranges, or also the time that the job runs (divided by the mean of all imported jobs).
    price_cap
        Largest price of a unit for a whole job, USD.  Drawn budgets are in proportion to it, so
        that it brings the unit of money; 1 if left out.  Where the trace says what jobs are worth,
        the largest worth of a job per GPU if left out.
    """

    slot_seconds: Positive = 300.0
    slots: Count = 10_000
    gpus_per_ps: Count = 4
    budget_grows: Literal["with_demand", "with_demand_and_time"] = "with_demand"
    price_cap: Positive | None = None

    @property
    def money(self) -> float:
        """Unit of drawn budgets, USD."""
        return 1.0 if self.price_cap is None else self.price_cap

    def shared_fields(
        self, rng: np.random.Generator, worker_types: int, ps_types: int
    ) -> dict[str, Any]:
        """Slots, and bandwidths of types from the published ranges; drawn first."""
        return {
            "horizon": self.slots,
            "slot_seconds": self.slot_seconds,
            "price_cap": self.money,
            "worker_bandwidth": uniform(rng, *RANGES.worker_bandwidth, worker_types),
            "ps_bandwidth": uniform(rng, *RANGES.ps_bandwidth, ps_types),
        }

    def jobs_of(
        self,
        trace: Sequence[tuple[int, Lasting]],
        types: Sequence[tuple[int, int]],
        prices: tuple[Floats, Floats],
        rng: np.random.Generator,
    ) -> list[dict[str, Any]]:
        """Fields of the jobs of a trace.

        Parameters
        ----------
        trace
            Arrival slots and jobs, by time.
        types
            Worker type and server type of each job.
        prices
            Base prices of a unit, shapes (worker types,), (server types,).
        rng
            Draws, job by job: model size, epochs, budget noise.
        """
        size, radius, angle, other_radius, other_angle = rng.random((len(trace), 5)).T
        low, high = RANGES.model_size
        sizes = low + (high - low) * size
        spread = normals(radius, angle)[0], normals(other_radius, other_angle)[0]
        epochs = np.maximum(1.0, RANGES.epochs_median * exp(RANGES.epochs_spread * spread[0]))
        noise = exp(RANGES.budget_spread * spread[1])
        jobs = [
            self._job(slot, job, kinds, prices, *drawn)
            for (slot, job), kinds, *drawn in zip(
                trace, types, sizes.tolist(), epochs.tolist(), noise.tolist(), strict=True
            )
        ]
        if self.budget_grows == "with_demand_and_time":
            length = [max(job.duration, SHORTEST) for _, job in trace]
            mean = math.fsum(length) / max(len(length), 1)
            for job, seconds in zip(jobs, length, strict=True):
                job["budget"] *= seconds / mean
        return jobs

    def _job(
        self,
        slot: int,
        job: Lasting,
        kinds: tuple[int, int],
        prices: tuple[Floats, Floats],
        size: float,
        epochs: float,
        noise: float,
    ) -> dict[str, Any]:
        workers, ps = job.num_gpus, -(-job.num_gpus // self.gpus_per_ps)
        worth = float(prices[0][kinds[0]]) * workers + float(prices[1][kinds[1]]) * ps
        slots = max(job.duration, SHORTEST) / self.slot_seconds
        return {
            "arrival": slot,
            "worker_type": kinds[0],
            "workers": workers,
            "ps_type": kinds[1],
            "ps": ps,
            "model_size": size,
            "epochs": epochs,
            "epoch_compute": slots / epochs,
            "budget": worth * noise * self.money,
        }


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
