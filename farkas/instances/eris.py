"""Kind eris: an auction of edge sites to training jobs whose data lie at all sites."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

import msgspec
import numpy as np

from farkas.instances.base import (
    Count,
    Floats,
    Index,
    Instance,
    Ints,
    Matrix,
    Nonnegative,
    Record,
    Row,
    frozen,
    require,
    require_length,
    require_shape,
    require_sorted,
)

PriceBase = Annotated[float, msgspec.Meta(ge=2.0)]
# Products of these three stay exact 64-bit integers.
Chunks = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Passes = Annotated[int, msgspec.Meta(ge=1, le=10**6)]
Rate = Annotated[int, msgspec.Meta(ge=1, le=10**12)]

FLOOR_SLACK = 1e-9
"""Quotients of capacities are rounded down with this slack."""


class Job(Record, frozen=True, kw_only=True):
    """One training job; symbols of the paper after ";".

    Parameters
    ----------
    arrival
        Slot; a.
    utility
        Shape (slots - arrival,), value if completed in slot ``arrival + k``; >= 0, non-increasing;
        f.
    data
        Shape (sites,), chunks stored at each site; D.
    epochs
        Passes over every chunk, >= 1; E.
    worker_rate
        Chunk passes of one worker per slot, >= 1; P.
    worker_demand, server_demand
        Shape (resources,), units per worker and per parameter server; w and s.
    parameter_size
        MB per slot between the server and each worker at another site; λ.
    """

    arrival: Index
    utility: Row
    data: tuple[Chunks, ...]
    epochs: Passes
    worker_rate: Rate
    worker_demand: Row
    server_demand: Row
    parameter_size: Nonnegative


class Occupied(Record, frozen=True, kw_only=True):
    """Use by jobs accepted earlier.

    Parameters
    ----------
    transfer
        Shape (slots,), MB; ρ.
    resources
        Shape (sites, resources, slots), units; η.
    """

    transfer: Row
    resources: tuple[Matrix, ...]


class Auction(Instance, frozen=True, kw_only=True, tag="eris"):
    """Sites, prices and jobs of an auction.

    Parameters
    ----------
    slots, sites
        T and R.
    resource_names
        One per resource; K of them.
    site_capacity
        Shape (sites, resources), units per slot, >= 0; C.
    transfer_budget
        MB per slot for all sites together; B.
    chunk_size
        MB per moved chunk; θ.
    price_base_transfer, price_base_resource
        Bases of the exponential prices, >= 2; scalar and shape (resources,); γ.
    jobs
        By arrival; ties in list order, which is the order of the auction.
    occupied
        State on the arrival of every job; read by prices and best schedules only, empty for all
        programs and runs.  Nothing if left out.
    """

    slots: Count
    sites: Count
    resource_names: tuple[str, ...]
    site_capacity: Matrix
    transfer_budget: Nonnegative
    chunk_size: Nonnegative
    price_base_transfer: PriceBase
    price_base_resource: tuple[PriceBase, ...]
    jobs: tuple[Job, ...]
    occupied: Occupied | None = None

    def check(self) -> None:
        """Check shapes, order of jobs, utilities, and use against capacity."""
        shape = (self.sites, self.num_resources)
        require_shape(self.site_capacity, shape, "$.site_capacity", ("site", "resource"))
        require_length(
            self.price_base_resource, self.num_resources, "$.price_base_resource", "resource"
        )
        require_sorted([job.arrival for job in self.jobs], "$.jobs", "arrival")
        for index, job in enumerate(self.jobs):
            self._check_job(job, f"$.jobs[{index}]")
        if self.occupied is not None:
            self._check_occupied(self.occupied)

    def _check_job(self, job: Job, where: str) -> None:
        require(
            job.arrival < self.slots,
            f"Expected arrival < slots = {self.slots}, got {job.arrival} - at `{where}.arrival`",
        )
        require_length(
            job.utility, self.slots - job.arrival, f"{where}.utility", "slot from arrival on"
        )
        for index in range(1, len(job.utility)):
            before, value = job.utility[index - 1 : index + 1]
            require(
                value <= before,
                f"Expected utility {value} <= {before} of the slot before - "
                f"at `{where}.utility[{index}]`",
            )
        require_length(job.data, self.sites, f"{where}.data", "site")
        for field in ("worker_demand", "server_demand"):
            require_length(getattr(job, field), self.num_resources, f"{where}.{field}", "resource")

    def _check_occupied(self, occupied: Occupied) -> None:
        where = "$.occupied.resources"
        require_length(occupied.transfer, self.slots, "$.occupied.transfer", "slot")
        shape = (self.sites, self.num_resources, self.slots)
        require_shape(occupied.resources, shape, where, ("site", "resource", "slot"))
        for slot, use in enumerate(occupied.transfer):
            require(
                use <= self.transfer_budget,
                f"Expected use {use} <= transfer_budget = {self.transfer_budget:g} - "
                f"at `$.occupied.transfer[{slot}]`",
            )
        excess = np.argwhere(self.used_resources > self.capacity[:, :, None])
        for site, resource, slot in excess[:1]:
            require(
                False,
                f"Expected use {self.used_resources[site, resource, slot]} <= "
                f"site_capacity = {self.capacity[site, resource]:g} - "
                f"at `{where}[{site}][{resource}][{slot}]`",
            )

    @property
    def num_resources(self) -> int:
        """Number of resources; K."""
        return len(self.resource_names)

    @property
    def num_jobs(self) -> int:
        """Number of jobs; I."""
        return len(self.jobs)

    @cached_property
    def capacity(self) -> Floats:
        """Units per slot, shape (sites, resources); C."""
        return frozen(np.reshape(self.site_capacity, (self.sites, self.num_resources)))

    @cached_property
    def price_bases(self) -> Floats:
        """Shape (resources,); γ_k."""
        return frozen(self.price_base_resource)

    @cached_property
    def used_transfer(self) -> Floats:
        """MB in use when jobs arrive, shape (slots,); ρ."""
        if self.occupied is None:
            return frozen(np.zeros(self.slots))
        return frozen(self.occupied.transfer)

    @cached_property
    def used_resources(self) -> Floats:
        """Units in use when jobs arrive, shape (sites, resources, slots); η."""
        shape = (self.sites, self.num_resources, self.slots)
        if self.occupied is None:
            return frozen(np.zeros(shape))
        return frozen(np.reshape(self.occupied.resources, shape))

    @cached_property
    def arrival(self) -> Ints:
        """Arrival slots, shape (jobs,); a."""
        return frozen([job.arrival for job in self.jobs], np.int64)

    @cached_property
    def utility(self) -> Floats:
        """Value if completed in a slot, shape (jobs, slots); 0 before arrival; f."""
        values = np.zeros((self.num_jobs, self.slots))
        for index, job in enumerate(self.jobs):
            values[index, job.arrival :] = job.utility
        return frozen(values)

    @cached_property
    def chunks(self) -> Ints:
        """Chunks by site, shape (jobs, sites); D."""
        data = [job.data for job in self.jobs]
        return frozen(np.reshape(np.array(data, np.int64), (self.num_jobs, self.sites)), np.int64)

    @cached_property
    def total_chunks(self) -> Ints:
        """Chunks of each job, shape (jobs,); D̄."""
        return frozen(self.chunks.sum(axis=1), np.int64)

    @cached_property
    def epochs(self) -> Ints:
        """Passes over every chunk, shape (jobs,); E."""
        return frozen([job.epochs for job in self.jobs], np.int64)

    @cached_property
    def worker_rate(self) -> Ints:
        """Chunk passes per worker and slot, shape (jobs,); P."""
        return frozen([job.worker_rate for job in self.jobs], np.int64)

    @cached_property
    def worker_demand(self) -> Floats:
        """Units per worker, shape (jobs, resources); w."""
        rows = np.array([job.worker_demand for job in self.jobs], dtype=float)
        return frozen(np.reshape(rows, (self.num_jobs, self.num_resources)))

    @cached_property
    def server_demand(self) -> Floats:
        """Units per parameter server, shape (jobs, resources); s."""
        rows = np.array([job.server_demand for job in self.jobs], dtype=float)
        return frozen(np.reshape(rows, (self.num_jobs, self.num_resources)))

    @cached_property
    def parameter_size(self) -> Floats:
        """MB per slot and remote worker, shape (jobs,); λ."""
        return frozen([job.parameter_size for job in self.jobs])

    @cached_property
    def workers_needed(self) -> Ints:
        """Workers that train all data in one slot, shape (jobs,); N = ceil(E D̄ / P)."""
        return frozen(-(-self.epochs * self.total_chunks // self.worker_rate), np.int64)

    @cached_property
    def most_workers(self) -> Ints:
        """Workers that an empty site can host and a job can use, shape (jobs, sites); G."""
        most = np.repeat(self.workers_needed[:, None], self.sites, axis=1)
        for job in range(self.num_jobs):
            demand = self.worker_demand[job]
            used = demand > 0
            if used.any():
                with np.errstate(over="ignore"):
                    quotient = self.capacity[:, used] / demand[used]
                hosted = np.floor(quotient + FLOOR_SLACK).min(axis=1)
                most[job] = np.minimum(most[job], np.minimum(hosted, 2.0**62).astype(np.int64))
        return frozen(most, np.int64)
