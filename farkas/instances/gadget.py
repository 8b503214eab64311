"""Kind gadget: rings of workers embedded into a network of servers, slot by slot."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Annotated, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.instances.base import (
    Count,
    Floats,
    Index,
    Instance,
    Ints,
    Nonnegative,
    Positive,
    Record,
    Row,
    frozen,
    require,
    require_length,
)
from farkas.instances.utility import AnyUtility, is_concave, is_monotone

Bools = npt.NDArray[np.bool_]
Limits = tuple[Nonnegative | None, ...]

FLOOR_SLACK = 1e-9
"""Quotients of capacities are rounded down with this slack."""


class Node(Record, frozen=True, kw_only=True):
    """A server or a switch.

    Parameters
    ----------
    server
        Only servers host workers.
    capacity
        Shape (resources,), units; null is unlimited; C.
    """

    name: str = ""
    server: bool = True
    capacity: Limits


class Link(Record, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """A directed link between nodes; bandwidth in Gbps, null is unlimited; B."""

    source: Index
    target: Index
    bandwidth: Nonnegative | None


class Timing(Record, frozen=True, kw_only=True):
    """Constants of the iteration time of ring all-reduce, in one consistent set of units."""

    gradient_size: Nonnegative
    bandwidth: Positive
    compute_speed: Positive
    forward_time_per_sample: Nonnegative
    batch_size: Nonnegative
    backward_time: Nonnegative
    overhead: Nonnegative


class Job(Record, frozen=True, kw_only=True):
    """One preemptible training job; symbols of the paper after ";".

    Parameters
    ----------
    arrival
        First usable slot; at or after the horizon the job never runs; a.
    demand
        Shape (resources,), units per worker; l.
    budget
        Shape (resources,), units x slots over the job's life; null is unlimited; F.
    max_workers
        Largest ring; N.
    fixed_workers
        Ring size of the baselines; ``max_workers`` if left out.
    bandwidth
        Gbps per edge of the ring; b.
    efficiency
        Progress per worker-slot; ζ.
    utility
        Value of progress; μ.
    timing
        Only for iteration times.
    """

    arrival: Index
    demand: Row
    budget: Limits
    max_workers: Count
    fixed_workers: Count | None = None
    bandwidth: Nonnegative
    efficiency: Positive
    utility: AnyUtility
    timing: Timing | None = None

    def reward(self, worker_slots: npt.ArrayLike) -> Floats:
        """Value after ``worker_slots``, any shape; μ(ζ z)."""
        return self.utility.value(self.efficiency * np.asarray(worker_slots, dtype=float))


class Cluster(Instance, frozen=True, kw_only=True, tag="gadget"):
    """A network of servers and the jobs that come to it.

    Parameters
    ----------
    horizon
        Number of slots; T.
    resources
        Names; the first is the one that least-attained-service counts; R of them.
    nodes, links
        The network; the order of links is the order in which baselines search.
    jobs
        In file order, which is the order of all job indices.
    slot
        Slot of the single-slot programs, at which no job has run yet; 0 if left out.
    medium
        Bookkeeping: which expensive values are wanted.
    """

    bookkeeping: ClassVar[frozenset[str]] = Instance.bookkeeping | {"medium"}

    horizon: Count
    resources: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    jobs: tuple[Job, ...]
    slot: Index | None = None
    medium: bool | None = None

    def check(self) -> None:
        """Check shapes, the ends of links, and the evaluated slot."""
        for index, node in enumerate(self.nodes):
            require_length(
                node.capacity, self.num_resources, f"$.nodes[{index}].capacity", "resource"
            )
        for index, link in enumerate(self.links):
            for field, end in (("from", link.source), ("to", link.target)):
                require(
                    end < self.num_nodes,
                    f"Expected a node < {self.num_nodes}, got {end} - "
                    f"at `$.links[{index}].{field}`",
                )
        for index, job in enumerate(self.jobs):
            for field in ("demand", "budget"):
                where = f"$.jobs[{index}].{field}"
                require_length(getattr(job, field), self.num_resources, where, "resource")
        require(
            self.evaluated_slot < self.horizon,
            f"Expected slot < horizon = {self.horizon}, got {self.slot} - at `$.slot`",
        )

    @property
    def evaluated_slot(self) -> int:
        """Slot of the single-slot programs."""
        return self.slot or 0

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def num_resources(self) -> int:
        """Number of resources; R."""
        return len(self.resources)

    @property
    def num_jobs(self) -> int:
        """Number of jobs."""
        return len(self.jobs)

    @cached_property
    def is_server(self) -> Bools:
        """Which nodes host workers, shape (nodes,)."""
        return frozen([node.server for node in self.nodes], np.bool_)

    @cached_property
    def capacity(self) -> Floats:
        """Units, shape (nodes, resources), infinite where unlimited, 0 at switches; C."""
        rows = [
            [_limit(value) if node.server else 0.0 for value in node.capacity]
            for node in self.nodes
        ]
        return frozen(np.reshape(np.array(rows, float), (self.num_nodes, self.num_resources)))

    @cached_property
    def link_ends(self) -> Ints:
        """Source and target of the links that join two nodes, shape (real links, 2).

        Links from a node to itself are ignored everywhere.
        """
        ends = [(link.source, link.target) for link in self._real_links]
        return frozen(np.reshape(np.array(ends, np.int64), (len(ends), 2)), np.int64)

    @cached_property
    def link_bandwidth(self) -> Floats:
        """Gbps of the same links, infinite where unlimited; B."""
        return frozen([_limit(link.bandwidth) for link in self._real_links])

    @property
    def _real_links(self) -> list[Link]:
        return [link for link in self.links if link.source != link.target]

    @cached_property
    def arrival(self) -> Ints:
        """First usable slots, shape (jobs,); a."""
        return frozen([job.arrival for job in self.jobs], np.int64)

    @cached_property
    def demand(self) -> Floats:
        """Units per worker, shape (jobs, resources); l."""
        rows = np.array([job.demand for job in self.jobs], dtype=float)
        return frozen(np.reshape(rows, (self.num_jobs, self.num_resources)))

    @cached_property
    def budget(self) -> Floats:
        """Units x slots, shape (jobs, resources), infinite where unlimited; F."""
        rows = [[_limit(value) for value in job.budget] for job in self.jobs]
        return frozen(np.reshape(np.array(rows, float), (self.num_jobs, self.num_resources)))

    @cached_property
    def max_workers(self) -> Ints:
        """Largest rings, shape (jobs,); N."""
        return frozen([job.max_workers for job in self.jobs], np.int64)

    @cached_property
    def fixed_workers(self) -> Ints:
        """Ring sizes of the baselines as given, shape (jobs,)."""
        return frozen([job.fixed_workers or job.max_workers for job in self.jobs], np.int64)

    @cached_property
    def bandwidth(self) -> Floats:
        """Gbps per ring edge, shape (jobs,); b."""
        return frozen([job.bandwidth for job in self.jobs])

    @cached_property
    def efficiency(self) -> Floats:
        """Progress per worker-slot, shape (jobs,); ζ."""
        return frozen([job.efficiency for job in self.jobs])

    @cached_property
    def hosted(self) -> Ints:
        """Workers of a job that an empty node can host, shape (jobs, nodes); cap <= N."""
        most = np.zeros((self.num_jobs, self.num_nodes), dtype=np.int64)
        for index in range(self.num_jobs):
            most[index] = _whole(self.capacity, self.demand[index], int(self.max_workers[index]))
        return frozen(np.where(self.is_server, most, 0), np.int64)

    @cached_property
    def lifetime(self) -> Floats:
        """Worker-slots that the budget allows, whole or infinite, shape (jobs,); Z."""
        whole = [
            _lifetime(budget, demand)
            for budget, demand in zip(self.budget, self.demand, strict=True)
        ]
        return frozen(whole)

    @cached_property
    def largest_ring(self) -> Ints:
        """Largest ring of a job that has not run yet, shape (jobs,); kmax(0)."""
        most = np.minimum(self.max_workers, self.hosted.sum(axis=1))
        return frozen(np.minimum(most, self.lifetime), np.int64)

    @cached_property
    def most_worker_slots(self) -> Ints:
        """Worker-slots a job can ever get, shape (jobs,): by budget, ring size and horizon."""
        slots = np.maximum(0, self.horizon - self.arrival)
        return frozen(np.minimum(slots * self.max_workers, self.lifetime), np.int64)

    def active_jobs(self, slot: int) -> Ints:
        """Jobs that have arrived by ``slot`` and may run at all, ascending."""
        return np.flatnonzero((self.arrival <= slot) & (self.lifetime >= 1)).astype(np.int64)

    def is_monotone(self, job: int) -> bool:
        """Whether more worker-slots never lower the job's value."""
        one = self.jobs[job]
        return is_monotone(one.utility, one.efficiency, int(self.most_worker_slots[job]))

    def is_concave(self, job: int) -> bool:
        """Whether each further worker-slot adds at most as much as the one before."""
        one = self.jobs[job]
        return is_concave(one.utility, one.efficiency, int(self.most_worker_slots[job]))


def _limit(value: float | None) -> float:
    return math.inf if value is None else value


def _whole(available: Floats, demand: Floats, most: int) -> Ints:
    """Whole workers that fit into ``available`` (..., resources), at most ``most``."""
    used = demand > 0
    fit = np.full(available.shape[:-1], float(most))
    if used.any():
        with np.errstate(over="ignore"):
            quotient = available[..., used] / demand[used]
        fit = np.minimum(fit, np.floor(quotient + FLOOR_SLACK).min(-1))
    return fit.astype(np.int64)


def _lifetime(budget: Floats, demand: Floats) -> float:
    used = demand > 0
    if not used.any():
        return math.inf
    with np.errstate(over="ignore"):
        return float(np.floor(budget[used] / demand[used] + FLOOR_SLACK).min())
