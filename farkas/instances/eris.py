"""Kind eris: edge sites auction slots of workers, servers and transfer to training jobs.

Slots and sites count from 0.  A job that arrives in slot a may run in the slots a .. T - 1; what
it is worth depends on the slot in which the last chunk is processed.
"""

from functools import cached_property
from typing import Annotated

import msgspec
import numpy as np

from farkas.instances.base import (
    LARGEST_EXACT,
    Count,
    Index,
    Instance,
    Matrix,
    Nonnegative,
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
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import ROUNDING, allowed

PriceBase = Annotated[float, msgspec.Meta(ge=2.0)]


class Job(Record, frozen=True, kw_only=True):
    """One training job; every chunk at every site is processed ``epochs`` times."""

    name: str = ""
    arrival: Index  #: First slot in which the job may run; a.
    #: Shape (slots - arrival,), >= 0, never increasing: worth if the last chunk is processed in
    #: slot arrival + k; f.
    utility: Row
    data: tuple[Index, ...]  #: Shape (sites,), chunks stored at each site; D.
    epochs: Count  #: Passes over each chunk, >= 1; E.
    worker_rate: Count  #: Passes over one chunk that one worker makes in one slot, >= 1; P.
    #: worker_demand, server_demand: shape (resources,), units per worker and per parameter server,
    #: >= 0; w and s.
    worker_demand: Row
    server_demand: Row
    #: MB that a worker away from the parameter server exchanges per slot, >= 0; λ.
    parameter_size: Nonnegative


class Occupancy(Record, frozen=True, kw_only=True):
    """What is in use when a job arrives."""

    transfer: Row  #: Shape (slots,), MB; ρ.
    resources: tuple[Matrix, ...]  #: Shape (sites, resources, slots), units; η.


class Auction(Instance, frozen=True, kw_only=True, tag="eris"):
    """Sites, prices and jobs of an auction.  Eris section III; symbols of the paper after ";"."""

    #: slots, sites: counts, >= 1; T, R.
    slots: Count
    sites: Count
    resource_names: tuple[str, ...]  #: One name per resource type; their number is K.
    site_capacity: Matrix  #: Shape (sites, resources), units per slot, >= 0; C.
    transfer_budget: Nonnegative  #: MB per slot, shared by all sites, >= 0; B.
    chunk_size: Nonnegative  #: MB per chunk moved to another site, >= 0; θ.
    price_base_transfer: PriceBase  #: Base of the price of transfer, >= 2; γ_d.
    #: Shape (resources,), bases of the resource prices, >= 2; γ_k.
    price_base_resource: tuple[PriceBase, ...]
    jobs: tuple[Job, ...]  #: In order of arrival; equal arrivals keep file order.
    #: State that every job meets on arrival, for prices and single-job programs; null is empty.
    #: Offline programs and online runs begin with an empty system whatever it says.
    occupied: Occupancy | None = None

    def check(self) -> None:
        """Check shapes, the order of arrivals, utilities and the state."""
        resources = self.num_resources
        require(
            len(set(self.resource_names)) == resources,
            "Expected different names of resources - at `$.resource_names`",
        )
        require_shape(
            self.site_capacity, (self.sites, resources), "$.site_capacity", ("site", "resource")
        )
        require_length(self.price_base_resource, resources, "$.price_base_resource", "resource")
        require_sorted((job.arrival for job in self.jobs), "$.jobs", "arrival")
        for index, job in enumerate(self.jobs):
            self._check_job(job, f"$.jobs[{index}]")
        if self.occupied is not None:
            self._check_occupied(self.occupied)

    def _check_job(self, job: Job, where: str) -> None:
        require(
            job.arrival < self.slots,
            f"Expected arrival < slots = {self.slots}, got {job.arrival} - at `{where}.arrival`",
        )
        for field in ("worker_demand", "server_demand"):
            require_length(getattr(job, field), self.num_resources, f"{where}.{field}", "resource")
        require_length(job.data, self.sites, f"{where}.data", "site")
        require_length(
            job.utility, self.slots - job.arrival, f"{where}.utility", "slot from the arrival on"
        )
        for after, (earlier, later) in enumerate(zip(job.utility, job.utility[1:], strict=False)):
            require(
                later <= earlier,
                f"Expected utility {later:g} <= {earlier:g} of the slot before - "
                f"at `{where}.utility[{after + 1}]`",
            )
        passes = job.epochs * sum(job.data)
        require(
            passes < LARGEST_EXACT,
            f"epochs x data = {passes:.3g}; too many passes to count exactly - at `{where}`",
        )

    def _check_occupied(self, occupied: Occupancy) -> None:
        where = "$.occupied"
        require_length(occupied.transfer, self.slots, f"{where}.transfer", "slot")
        require_shape(
            occupied.resources,
            (self.sites, self.num_resources, self.slots),
            f"{where}.resources",
            ("site", "resource", "slot"),
        )
        for slot, used in enumerate(occupied.transfer):
            require(
                used <= allowed(self.transfer_budget),
                f"Expected use <= transfer_budget = {self.transfer_budget:g}, got {used:g} - "
                f"at `{where}.transfer[{slot}]`",
            )
        over = self.used > allowed(self.capacity)[:, :, None]
        for site, resource, slot in np.argwhere(over)[:1].tolist():
            require(
                False,
                f"Expected use <= capacity {self.site_capacity[site][resource]:g}, got "
                f"{occupied.resources[site][resource][slot]:g} - "
                f"at `{where}.resources[{site}][{resource}][{slot}]`",
            )

    # --- counts ---------------------------------------------------------------------------------

    num_resources = length("resource_names")  #: Number of resource types; K.
    num_jobs = length("jobs")  #: Number of jobs; I.

    # --- sites and the state ----------------------------------------------------------------------

    #: Units per slot, shape (sites, resources); C.
    capacity = table("site_capacity", np.float64, width="num_resources")

    @cached_property
    def price_base(self) -> Floats:
        """Bases of the resource prices, shape (resources,); γ_k."""
        return frozen(self.price_base_resource)

    @cached_property
    def used(self) -> Floats:
        """Units in use on arrival, shape (sites, resources, slots); η."""
        shape = (self.sites, self.num_resources, self.slots)
        if self.occupied is None:
            return frozen(np.zeros(shape))
        return frozen(np.reshape(np.array(self.occupied.resources, dtype=float), shape))

    @cached_property
    def transferred(self) -> Floats:
        """MB in use on arrival, shape (slots,); ρ."""
        return frozen(np.zeros(self.slots) if self.occupied is None else self.occupied.transfer)

    # --- jobs -------------------------------------------------------------------------------------

    arrival = column("jobs", "arrival", np.int64)  #: First slot of each job, shape (jobs,); a.

    #: Chunks by job and site, shape (jobs, sites); D.
    data = column("jobs", "data", np.int64, width="sites")

    @cached_property
    def chunks(self) -> Ints:
        """Chunks of each job at all sites together, shape (jobs,); D̄."""
        return frozen(self.data.sum(axis=1), np.int64)

    epochs = column("jobs", "epochs", np.int64)  #: Passes over each chunk, shape (jobs,); E.

    #: Passes over one chunk that a worker makes in one slot, shape (jobs,); P.
    worker_rate = column("jobs", "worker_rate", np.int64)

    #: MB that a worker away from the server exchanges per slot, shape (jobs,); λ.
    parameter_size = column("jobs", "parameter_size", np.float64)

    #: Units per worker, shape (jobs, resources); w.
    worker_demand = column("jobs", "worker_demand", np.float64, width="num_resources")

    #: Units per parameter server, shape (jobs, resources); s.
    server_demand = column("jobs", "server_demand", np.float64, width="num_resources")

    @cached_property
    def most_workers(self) -> Ints:
        """Workers a whole empty site can use, shape (jobs, sites); G.

        No more than process all chunks, ⌈E D̄ / P⌉, and no more than the site's capacity holds.
        """
        needed = -(-self.epochs * self.chunks // self.worker_rate)
        return frozen(hosted(self.capacity, self.worker_demand[:, None], needed[:, None]), np.int64)

    @cached_property
    def server_fits(self) -> Bools:
        """Whether an empty site holds the parameter server, shape (jobs, sites)."""
        fits = self.server_demand[:, None] <= allowed(self.capacity)
        return frozen(fits.all(axis=2), np.bool_)


def workers_for(chunks: int, epochs: int, worker_rate: int) -> int:
    """Workers that process ``chunks`` chunks in one slot: ⌈E q / P⌉, in exact integers.

    >>> workers_for(3, epochs=2, worker_rate=4)
    2
    """
    return -(-epochs * chunks // worker_rate)


def hosted(free: Floats, demand: Floats, most: int | Ints) -> Ints:
    """Workers that fit in ``free`` units, at most ``most``; nothing fits where a unit is lacking.

    Counts are rounded down but for `ROUNDING`: 0.3 units hold three workers of 0.1.  The last axis
    is that of resources.
    """
    shape = np.broadcast_shapes(free.shape, demand.shape)
    with np.errstate(over="ignore"):  # beyond doubles is without a limit
        counts = np.divide(free, demand, out=np.full(shape, np.inf), where=demand > 0)
    least = np.floor(counts + ROUNDING).min(axis=-1, initial=np.inf)
    return np.where((free < 0).any(axis=-1), 0, np.minimum(least, most)).astype(np.int64)


def left_over(capacity: Floats, used: Floats) -> Floats:
    """Units left of ``capacity``; use beyond it by a rounding error leaves nothing, not less."""
    left = capacity - used
    return np.where((left < 0) & (used <= allowed(capacity)), 0.0, left)
