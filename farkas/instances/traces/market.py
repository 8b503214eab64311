"""What imports to kind dps share: jobs, and what no trace holds of them."""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
import numpy as np

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.base import Count, Positive
from farkas.instances.generate.dps import Published
from farkas.instances.rounding import guarded_ceil
from farkas.instances.traces.importer import Account, Importer, Path, moment, numbers, span
from farkas.instances.traces.table import MISSING, Line, Words, as_words, lines, seconds
from farkas.instances.variates import normals
from farkas.messages import named
from farkas.numbers import Floats
from farkas.portable_functions import exp, uniform


@dataclasses.dataclass(frozen=True, slots=True)
class MarketJob:
    """A job of a trace."""

    submitted: float  #: Seconds, from any begin.
    duration: float  #: Seconds.
    num_gpus: int  #: GPUs held while running.


J = TypeVar("J", bound=MarketJob)


class Window(Importer, frozen=True, kw_only=True):
    """Options that every importer of timed jobs has.

    Parameters
    ----------
    slot_seconds
        Length of a slot.
    slots
        Number of slots.
    jobs
        At most this many jobs, the earliest; all if left out.
    start
        Begin of the window: a time such as ``"2017-10-09 07:00"``, or seconds after the first job
        of the trace.  If left out, the first job whose window is busy: at least as many jobs come
        in it as in an average one.  (Public traces often begin with a few stray jobs.)
    incomplete
        What to do with a line that lacks a cell that is needed: refuse the table, or leave it out.
    missing
        Words that stand for an empty cell, in any case of letters; text parts them by commas.
    """

    mark: ClassVar[str] = ","  #: What parts the cells of a table.

    slot_seconds: Positive = 3600.0
    slots: Count = 24
    jobs: Annotated[int, msgspec.Meta(ge=0)] | None = None
    start: float | str | None = None
    incomplete: Literal["refuse", "leave_out"] = "refuse"
    missing: Words = MISSING

    @property
    def dated(self) -> bool:
        """Whether times of the trace are dates, not seconds since a begin of its own."""
        return False

    def complete_lines(
        self, path: Path, columns: Sequence[str], needed: Sequence[str], dropped: Account
    ) -> Iterator[Line]:
        """Iterate over the lines of a table of jobs that lack none of the cells that are needed.

        Raises `FileProblem`: the table is damaged, or lacks a cell and `incomplete` refuses it.
        ``columns`` are what it has at least, ``needed`` those in which a cell may not be missing;
        ``dropped`` takes the number of incomplete lines that are left out.
        """
        for line in lines(path, columns, as_words(self.missing), self.mark):
            lacking = [column for column in needed if not line.value(column)]
            if not lacking:
                yield line
            elif self.incomplete == "leave_out":
                dropped["incomplete"] += 1
            else:
                raise FileProblem(
                    f"{line.lacks(lacking[0])}; incomplete=leave_out leaves such lines out"
                    + ("; missing=WORDS says what counts" if line.text(lacking[0]) else "")
                )

    def begin(self, times: list[float]) -> float:
        """Begin of the window in seconds, for jobs that came at ``times``, ascending."""
        if self.start is None:
            return self._first_busy(np.array(times))
        if not isinstance(self.start, str):
            return times[0] + self.start
        try:
            return seconds(self.start)
        except ValueError:
            raise InvalidOption(
                f"start = {self.start!r}; give seconds after the first job, "
                "or a time such as 2017-10-09 07:00"
            ) from None

    def _first_busy(self, times: Floats) -> float:
        """First job's time after which a window holds at least the trace's average."""
        length = self.slot_seconds * self.slots
        windows = math.floor((times[-1] - times[0]) / length) + 1
        counts = np.searchsorted(times, times + length) - np.arange(len(times))
        return float(times[np.argmax(counts * windows >= len(times))])

    def cut(self, trace: Iterable[J], dropped: Account) -> list[tuple[int, J]]:
        """Return (arrival slot, job) of the jobs inside, by time; count the others in ``dropped``.

        Jobs that come at the same second keep the order of the trace.
        """
        ordered = sorted(trace, key=lambda job: job.submitted)
        if not ordered:
            return []
        begin = self.begin([job.submitted for job in ordered])
        self._tell(ordered, begin, dropped)
        inside: list[tuple[int, J]] = []
        for job in ordered:
            slot = math.floor((job.submitted - begin) / self.slot_seconds)
            if not 0 <= slot < self.slots:
                dropped["outside the window"] += 1
            elif self.jobs is not None and len(inside) >= self.jobs:
                dropped["beyond the number asked for"] += 1
            else:
                inside.append((slot, job))
        if not inside and self.jobs != 0:
            first, last = self._moment(ordered[0]), self._moment(ordered[-1])
            raise InvalidOption(
                f"start = {self.start}: no job comes in the window {self._window(begin)}; the "
                f"first one comes at {first}, the last at {last}"
            )
        return inside

    def _tell(self, ordered: Sequence[MarketJob], begin: float, account: Account) -> None:
        """Say what was understood of the jobs with a GPU, those outside of the window with them."""
        ordered = [job for job in ordered if job.num_gpus > 0] or ordered
        first, last = self._moment(ordered[0]), self._moment(ordered[-1])
        account.told |= {
            "durations": numbers([job.duration for job in ordered], said=span),
            "arrivals": f"from {first} to {last}",
            "GPUs": numbers([job.num_gpus for job in ordered], "a job"),
            "window": f"{self._window(begin)}: {self.slots} slots of {span(self.slot_seconds)}",
        }

    def _window(self, begin: float) -> str:
        end = begin + self.slots * self.slot_seconds
        return f"from {moment(begin, self.dated)} to {moment(end, self.dated)}"

    def _moment(self, job: MarketJob) -> str:
        return moment(job.submitted, self.dated)

    def last_slot(self, arrival: int, job: MarketJob) -> int:
        """Last slot of a job that arrives in slot ``arrival``, cut at the end of the window."""
        length = max(1, int(guarded_ceil(job.duration / self.slot_seconds)))
        return min(arrival + length, self.slots) - 1


RANGES = Published()
SHORTEST = 1.0  #: Seconds that a job runs at least.


class MarketWindow(Window, frozen=True, kw_only=True):
    """Options that every import to kind dps has.

    Parameters
    ----------
    gpus_per_ps
        One parameter server for so many GPUs of a job, rounded up.
    price_cap
        Largest price of a unit for a whole job, USD.  Drawn budgets are in proportion to it, so
        that it brings the unit of money; 1 if left out.  Where the trace says what jobs are worth,
        the largest worth of a job per GPU if left out.
    """

    slot_seconds: Positive = 300.0
    slots: Count = 10_000
    gpus_per_ps: Count = 4
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
        trace: Sequence[tuple[int, MarketJob]],
        types: Sequence[tuple[int, int]],
        prices: tuple[Floats, Floats],
        rng: np.random.Generator,
    ) -> list[dict[str, Any]]:
        """Fields of the jobs of a trace; draws, job by job: model size, epochs, budget noise.

        ``types`` are worker type and server type of each job, ``prices`` base prices of a unit,
        shapes (worker types,) and (server types,).
        """
        size, radius, angle, other_radius, other_angle = rng.random((len(trace), 5)).T
        low, high = RANGES.model_size
        sizes = low + (high - low) * size
        spread = normals(radius, angle)[0], normals(other_radius, other_angle)[0]
        epochs = np.maximum(1.0, RANGES.epochs_median * exp(RANGES.epochs_spread * spread[0]))
        noise = exp(RANGES.budget_spread * spread[1])
        jobs = []
        for (slot, job), (kind, ps_kind), gbit, alpha, factor in zip(
            trace, types, sizes.tolist(), epochs.tolist(), noise.tolist(), strict=True
        ):
            workers, ps = job.num_gpus, -(-job.num_gpus // self.gpus_per_ps)
            worth = float(prices[0][kind]) * workers + float(prices[1][ps_kind]) * ps
            slots = max(job.duration, SHORTEST) / self.slot_seconds
            jobs.append(
                {
                    "arrival": slot,
                    "worker_type": kind,
                    "workers": workers,
                    "ps_type": ps_kind,
                    "ps": ps,
                    "model_size": gbit,
                    "epochs": alpha,
                    "epoch_compute": slots / alpha,
                    "budget": worth * factor * self.money,
                }
            )
        return jobs


COLUMNS = ("instance", "gpu_count", "region", "on_demand_usd_per_hour", "reserved_usd_per_hour")


@dataclasses.dataclass(frozen=True, slots=True)
class GpuPrice:
    """Price of one GPU in one region, USD per hour, on demand and reserved."""

    region: str
    on_demand: float
    reserved: float


def read_prices(path: Path, instance: str) -> list[GpuPrice]:
    """Prices per GPU of an instance type, in the regions that quote both, by region name.

    Raises `FileProblem`: the table is damaged, or lists a region twice; `InvalidOption`: no region
    quotes both prices for that type.
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
