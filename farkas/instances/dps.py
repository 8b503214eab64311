"""Kind dps: a provider prices and places parameter-server jobs with unknown budgets."""

import dataclasses
import math
from fractions import Fraction
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import msgspec
import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.base import (
    Count,
    Index,
    Instance,
    Nonnegative,
    Positive,
    Record,
    Row,
    column,
    frozen,
    length,
    require,
    require_length,
    require_shape,
    require_sorted,
    table,
)
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.tolerances import ROUNDING

AtLeastOne = Annotated[float, msgspec.Meta(ge=1.0)]
Installed = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Counts = tuple[tuple[Installed, ...], ...]
Step = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]


def _product_up(price: float, units: int) -> float:
    """Least double that is no less than a price of units."""
    near = price * units
    if math.isinf(near) or Fraction(near) >= Fraction(price) * units:
        return near
    return math.nextafter(near, math.inf)


class Job(Record, frozen=True, kw_only=True, gc=False):
    """One training job and its user's budget; symbols of the paper after ";"."""

    arrival: Index  #: Slot; t_i.
    #: worker_type, ps_type: types asked for; k and m.
    worker_type: Index
    #: workers, ps: how many of them, >= 1; d_ik and d_im.
    workers: Count
    ps_type: Index
    ps: Count
    model_size: Nonnegative  #: Gbit; w.
    epochs: AtLeastOne  #: At least 1; α.
    epoch_compute: Positive  #: Slots of computation per epoch, > 0; β.
    #: What the user pays at most; v. Algorithms learn it by accept and decline only.
    budget: Nonnegative


class Learning(Record, frozen=True, kw_only=True):
    """Changes to the constants of the pricing algorithm; defaults are the published ones."""

    #: Fixed grid step for every type, at most 1 since the grid is empty beyond; δ.
    delta: Step | None = None
    #: delta_scale, delta_max: multiple of the published δ, and its cap, at most 1.
    delta_scale: Positive = 1.0
    delta_max: Step = 0.5
    #: theta_scale, explore_cap: multiple of the published share of explored jobs, and its cap; θ.
    theta_scale: Nonnegative = 1.0
    explore_cap: Nonnegative | None = None
    eta_scale: Nonnegative = 1.0  #: Multiple of the confidence constant; η.


class FixedPrices(Record, frozen=True, kw_only=True):
    """Unit prices that never change, one per worker type and one per server type."""

    worker: Row
    ps: Row


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Workers or parameter servers: what jobs ask for, and what there is."""

    #: types, units, arrival: type asked for, how many units, and arrival slot; shape (jobs,).
    types: Ints
    units: Ints
    arrival: Ints
    installed: Ints  #: Units by server, shape (servers, types).
    capacity: Ints  #: Units in all, shape (types,).

    @property
    def on_server(self) -> Ints:
        """Units of the type a job asks for on each server, shape (jobs, servers)."""
        return self.installed[:, self.types].T


class Market(Instance, frozen=True, kw_only=True, tag="dps"):
    """Servers, job types and a stream of users."""

    bookkeeping: ClassVar[frozenset[str]] = Instance.bookkeeping | {"bfp_attained"}

    horizon: Count  #: Number of slots; T.
    #: A job j still holds resources at slot t iff t_j + τ_j >= t (``"closed"``, as printed) or iff
    #: t_j + τ_j > t (``"half_open"``).
    occupancy: Literal["closed", "half_open"] = "closed"
    #: ``"ceil"``: whole slots; ``"none"``: real runtimes.
    runtime_rounding: Literal["ceil", "none"] = "ceil"
    slot_seconds: Positive = 300.0  #: Length of a slot.
    price_cap: Positive | None = 1.0  #: Upper bound of unit prices; null for none; P̄.
    #: server_workers, server_ps: shapes (servers, worker types), (servers, server types): installed
    #: units.
    server_workers: Counts
    server_ps: Counts
    #: worker_bandwidth, ps_bandwidth: Gbit/s per type, > 0; null is infinite; h and H.
    worker_bandwidth: tuple[Positive | None, ...]
    ps_bandwidth: tuple[Positive | None, ...]
    jobs: tuple[Job, ...]  #: By arrival; ties in list order.
    #: dps, fixed_prices, price_grid: inputs of single algorithms.
    dps: Learning | None = None
    fixed_prices: FixedPrices | None = None
    price_grid: Row | None = None
    #: Bookkeeping: marks an instance whose best fixed price is a supremum only.
    bfp_attained: bool | None = None

    def check(self) -> None:
        """Check shapes, types and order of jobs."""
        shape = (self.num_servers, self.num_worker_types)
        require_shape(self.server_workers, shape, "$.server_workers", ("server", "worker type"))
        shape = (self.num_servers, self.num_ps_types)
        require_shape(self.server_ps, shape, "$.server_ps", ("server", "server type"))
        if (np.diff(self.arrival) < 0).any():
            require_sorted([job.arrival for job in self.jobs], "$.jobs", "arrival")
        fits = (self.arrival < self.horizon) & (self.worker_type < self.num_worker_types)
        for index in np.flatnonzero(~fits | (self.ps_type >= self.num_ps_types))[:1].tolist():
            self._check_job(self.jobs[index], f"$.jobs[{index}]")
        if self.fixed_prices is not None:
            where = "$.fixed_prices"
            types = (self.num_worker_types, self.num_ps_types)
            require_length(self.fixed_prices.worker, types[0], f"{where}.worker", "worker type")
            require_length(self.fixed_prices.ps, types[1], f"{where}.ps", "server type")
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            finite = np.isfinite(self.raw_spread)
        for index in np.flatnonzero(~finite)[:1]:
            require(False, f"runtime of jobs[{index}] overflows; give smaller numbers")

    def _check_job(self, job: Job, where: str) -> None:
        limits = {
            "arrival": ("horizon", self.horizon),
            "worker_type": ("number of worker types", self.num_worker_types),
            "ps_type": ("number of server types", self.num_ps_types),
        }
        for field, (name, limit) in limits.items():
            value = getattr(job, field)
            message = f"Expected {field} < {name} = {limit}, got {value} - at `{where}.{field}`"
            require(value < limit, message)

    num_servers = length("server_workers")  #: Number of servers; S.
    num_worker_types = length("worker_bandwidth")  #: Number of worker types; K.
    num_ps_types = length("ps_bandwidth")  #: Number of parameter server types; M.
    num_jobs = length("jobs")  #: Number of jobs; N.

    @property
    def learning(self) -> Learning:
        """Constants of the pricing algorithm, published ones unless given."""
        return self.dps or Learning()

    arrival = column("jobs", "arrival", np.int64)  #: Arrival slots, shape (jobs,).

    #: Worker type of each job, shape (jobs,).
    worker_type = column("jobs", "worker_type", np.int64)

    ps_type = column("jobs", "ps_type", np.int64)  #: Server type of each job, shape (jobs,).

    workers = column("jobs", "workers", np.int64)  #: Workers of each job, shape (jobs,); d_ik.

    ps = column("jobs", "ps", np.int64)  #: Parameter servers of each job, shape (jobs,); d_im.

    budget = column("jobs", "budget", np.float64)  #: Budgets, shape (jobs,); v.

    #: Installed workers, shape (servers, worker types).
    installed_workers = table("server_workers", np.int64, width="num_worker_types")

    #: Installed parameter servers, shape (servers, server types).
    installed_ps = table("server_ps", np.int64, width="num_ps_types")

    @cached_property
    def worker_capacity(self) -> Ints:
        """Installed workers in all, shape (worker types,); C_k."""
        return frozen(self.installed_workers.sum(axis=0), np.int64)

    @cached_property
    def ps_capacity(self) -> Ints:
        """Installed parameter servers in all, shape (server types,); C_m."""
        return frozen(self.installed_ps.sum(axis=0), np.int64)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """Workers, and parameter servers."""
        start, installed, capacity = self.arrival, self.installed_workers, self.worker_capacity
        return (
            Side(self.worker_type, self.workers, start, installed, capacity),
            Side(self.ps_type, self.ps, start, self.installed_ps, self.ps_capacity),
        )

    @cached_property
    def bandwidth(self) -> Floats:
        """Gbit/s between a worker and a server elsewhere, shape (jobs,); b = min(h, H / d)."""
        worker, ps = _bandwidths(self.worker_bandwidth), _bandwidths(self.ps_bandwidth)
        return frozen(np.minimum(worker[self.worker_type], ps[self.ps_type] / self.workers))

    @cached_property
    def raw_colocated(self) -> Floats:
        """Slots on one server, unrounded, shape (jobs,); α β."""
        return frozen([job.epochs * job.epoch_compute for job in self.jobs])

    @cached_property
    def raw_spread(self) -> Floats:
        """Slots when spread, unrounded, shape (jobs,); α β + 2 α w / (b x slot length)."""
        traffic = np.array([2.0 * job.epochs * job.model_size for job in self.jobs])
        return frozen(self.raw_colocated + traffic / (self.bandwidth * self.slot_seconds))

    @cached_property
    def colocated_runtime(self) -> Floats:
        """Runtime on one server, slots, shape (jobs,); τ¹."""
        return frozen(self._rounded(self.raw_colocated))

    @cached_property
    def spread_runtime(self) -> Floats:
        """Runtime when spread over servers, slots, shape (jobs,); τ⁰ >= τ¹."""
        return frozen(self._rounded(self.raw_spread))

    def _rounded(self, slots: Floats) -> Floats:
        if self.runtime_rounding == "none":
            return slots
        # a number of slots, whatever their length, and the same part of a slot for every length
        return np.maximum(1.0, np.ceil(slots - ROUNDING))

    @cached_property
    def hosts(self) -> Bools:
        """Each server, empty, can host the job alone, shape (jobs, servers)."""
        found = np.empty((self.num_servers, self.num_jobs), np.bool_)
        workers, ps = self.sides
        for server, row in enumerate(found):  # one by one, a table of all units takes GB
            row[:] = workers.installed[server][workers.types] >= workers.units
            row &= ps.installed[server][ps.types] >= ps.units
        return frozen(found.T, np.bool_)

    @cached_property
    def fits(self) -> Bools:
        """All servers together can host the job, shape (jobs,)."""
        workers, ps = (side.capacity[side.types] >= side.units for side in self.sides)
        return frozen(workers & ps, np.bool_)

    @cached_property
    def least_runtime(self) -> Floats:
        """Shortest runtime that any placement reaches, shape (jobs,); τ^min."""
        return frozen(np.where(self.hosts.any(axis=1), self.colocated_runtime, self.spread_runtime))

    @cached_property
    def capped_reward(self) -> Floats:
        """Most a job can pay under the price cap, shape (jobs,); min(v, P̄ (d_k + d_m)).

        Rounded up, so that what bounds these also bounds payments.
        """
        if self.price_cap is None:
            return self.budget
        units, place = np.unique(self.workers + self.ps, return_inverse=True)
        most = [_product_up(self.price_cap, each) for each in units.tolist()]
        return frozen(np.minimum(self.budget, np.array(most, dtype=float)[place]))

    @cached_property
    def colocated_end(self) -> Floats:
        """When a job on one server ends, shape (jobs,); t + τ¹."""
        return frozen(self._end(self.colocated_runtime))

    @cached_property
    def spread_end(self) -> Floats:
        """When a job spread over servers ends, shape (jobs,); t + τ⁰."""
        return frozen(self._end(self.spread_runtime))

    @cached_property
    def least_end(self) -> Floats:
        """Earliest end that any placement reaches, shape (jobs,)."""
        return frozen(self._end(self.least_runtime))

    def _end(self, runtime: Floats) -> Floats:
        # A runtime below the spacing of doubles must not vanish: every job holds its own slot.
        begin = self.arrival.astype(float)
        return floats(np.maximum(begin + runtime, np.nextafter(begin, np.inf)))

    def last_held(self, end: Floats) -> Ints:
        """Last slot, below the horizon, in which jobs that end at ``end`` hold their resources."""
        last = np.floor(end) if self.occupancy == "closed" else np.ceil(end) - 1.0
        return np.minimum(last, self.horizon - 1.0).astype(np.int64)

    @cached_property
    def last_slot(self) -> Ints:
        """Last slot in which a job holds resources at the least, shape (jobs,)."""
        return frozen(self.last_held(self.least_end), np.int64)

    def require_cap(self, what: str) -> float:
        """Return the price cap; raises `NotApplicable` where there is none."""
        if self.price_cap is None:
            raise NotApplicable(f"{what} needs a price_cap; this market has none")
        return self.price_cap

    def require_prices(self, what: str) -> tuple[Floats, Floats]:
        """Return the fixed prices by type; raises `NotApplicable` where there are none."""
        if self.fixed_prices is None:
            raise NotApplicable(f"{what} needs an instance with fixed_prices")
        return np.array(self.fixed_prices.worker), np.array(self.fixed_prices.ps)

    def asked(self, worker: Floats, ps: Floats) -> Floats:
        """Return what every job pays at unit prices by type, shape (jobs,)."""
        return floats(worker[self.worker_type] * self.workers + ps[self.ps_type] * self.ps)

    def still_held(self, end: float, slot: float) -> bool:
        """Whether a job that ends at ``end`` = t_j + τ_j still holds its resources at ``slot``."""
        return end >= slot if self.occupancy == "closed" else end > slot


def _bandwidths(given: tuple[float | None, ...]) -> Floats:
    return np.array([np.inf if value is None else value for value in given], dtype=float)
