"""Kind gadget: ring-all-reduce training jobs share the servers and links of a cluster.

In a slot a job runs one directed ring of identical workers.  Co-located workers talk for free;
every ring edge between two servers reserves the job's bandwidth along a directed path.  What a job
is worth depends on its *progress*, efficiency times the worker-slots it has received.
"""

from functools import cached_property

import msgspec
import numpy as np
import numpy.typing as npt

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
)
from farkas.instances.utilities import Utility
from farkas.numbers import Bools, Floats, Ints, floats, ints
from farkas.tolerances import ROUNDING

OptionalRow = tuple[Nonnegative | None, ...]


class Node(Record, frozen=True, kw_only=True):
    """A server or a switch."""

    name: str = ""  #: For people.
    server: bool = True  #: Whether it may host workers; switches only forward.
    capacity: OptionalRow  #: Shape (resources,), null for unlimited; C.


class Link(Record, frozen=True, kw_only=True):
    """A directed link."""

    #: source, target: node indices, ``from`` and ``to`` in the file. A link from a node to itself
    #: is ignored.
    source: Index = msgspec.field(name="from")
    target: Index = msgspec.field(name="to")
    bandwidth: Nonnegative | None  #: Gbps, null for unlimited; B.


class Timing(Record, frozen=True, kw_only=True):
    """What one training iteration of a ring consists of.  GADGET (1)."""

    gradient_size: Nonnegative  #: d, in the unit of bandwidth x time.
    bandwidth: Positive  #: b, between neighbours of the ring.
    compute_speed: Positive  #: G, gradient entries reduced per time.
    #: forward_time_per_sample, batch_size: t_f and M.
    forward_time_per_sample: Nonnegative
    batch_size: Nonnegative
    #: backward_time, overhead: t_b and γ.
    backward_time: Nonnegative
    overhead: Nonnegative


class Job(Record, frozen=True, kw_only=True):
    """One training job."""

    name: str = ""
    arrival: Index  #: First usable slot; at or after the horizon the job never runs; a.
    demand: Row  #: Shape (resources,), units per worker and slot; l.
    #: Shape (resources,), units x slots over the whole horizon, null for unlimited; F.
    budget: OptionalRow
    max_workers: Count  #: Largest ring; N.
    #: Ring size under FIFO and LAS; ``max_workers`` if left out.
    fixed_workers: Count | None = None
    bandwidth: Nonnegative  #: Gbps reserved by every ring edge between two servers; b.
    efficiency: Positive  #: Progress per worker-slot, > 0; ζ.
    utility: Utility  #: Reward of the job's final progress; μ.
    timing: Timing | None = None  #: Parts of an iteration, for quantity ``gadget.iteration_time``.


class Cluster(Instance, frozen=True, kw_only=True, tag="gadget"):
    """Nodes, links and jobs of a training cluster.  GADGET section IV; symbols after ";"."""

    bookkeeping = Instance.bookkeeping | {"medium"}

    horizon: Count  #: Number of slots; T.
    resources: tuple[str, ...]  #: Names; the first is the one that least-attained-service meters.
    #: nodes, links, jobs: in file order, which is the order of all indices.
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    jobs: tuple[Job, ...]
    #: Slot at which programs of a single slot are evaluated, before any progress.
    slot: Index | None = None
    medium: bool | None = None  #: Bookkeeping of collections of instances: too large to enumerate.

    def check(self) -> None:
        """Check shapes and node indices."""
        require(len(self.resources) > 0, "Expected at least one resource - at `$.resources`")
        names = [name for name in self.resources if self.resources.count(name) > 1]
        require(not names, f"resource {names[:1]} stands twice - at `$.resources`")
        width = len(self.resources)
        for u, node in enumerate(self.nodes):
            require_length(node.capacity, width, f"$.nodes[{u}].capacity", "resource")
        for e, link in enumerate(self.links):
            for field, end in (("from", link.source), ("to", link.target)):
                require(
                    end < len(self.nodes),
                    f"Expected node index < {len(self.nodes)}, got {end} - at "
                    f"`$.links[{e}].{field}`",
                )
        for i, job in enumerate(self.jobs):
            require_length(job.demand, width, f"$.jobs[{i}].demand", "resource")
            require_length(job.budget, width, f"$.jobs[{i}].budget", "resource")
        if self.slot is not None:
            require(
                self.slot < self.horizon,
                f"Expected slot < horizon = {self.horizon}, got {self.slot} - at `$.slot`",
            )
        self._check_rewards()

    def _check_rewards(self) -> None:
        """Refuse utilities that leave the range of doubles where a job can get."""
        for i, most in enumerate(self.reachable_slots.tolist()):
            with np.errstate(over="ignore", invalid="ignore"):
                reward = float(self.reward(i, most))
            require(
                bool(np.isfinite(reward)),
                f"Expected a finite reward after {most} worker-slots, got {reward} - at "
                f"`$.jobs[{i}].utility`",
            )

    # --- the substrate --------------------------------------------------------------------------

    num_nodes = length("nodes")
    num_jobs = length("jobs")
    num_resources = length("resources")

    @property
    def at_slot(self) -> int:
        """Slot of the single-slot programs."""
        return 0 if self.slot is None else self.slot

    is_server = column("nodes", "server", np.bool_)  #: Which nodes host workers, shape (nodes,).

    #: Units, shape (nodes, resources), infinite where unlimited; C.
    capacity = column("nodes", "capacity", np.float64, width="num_resources")

    @cached_property
    def link_index(self) -> Ints:
        """Links of the file that are no self-links, shape (links,)."""
        return frozen([e for e, k in enumerate(self.links) if k.source != k.target], np.int64)

    @cached_property
    def real_links(self) -> tuple[Link, ...]:
        """Links of the file that are no self-links."""
        return tuple(self.links[e] for e in self.link_index)

    #: Tail of every link but self-links, shape (links,).
    link_source = column("real_links", "source", np.int64)

    #: Head of every link but self-links, shape (links,).
    link_target = column("real_links", "target", np.int64)

    #: Gbps, shape (links,), infinite where unlimited; B.
    link_bandwidth = column("real_links", "bandwidth", np.float64)

    num_links = length("link_index")  #: Links that are no self-links.

    # --- jobs -----------------------------------------------------------------------------------

    arrival = column("jobs", "arrival", np.int64)  #: First usable slot, shape (jobs,); a.

    #: Units per worker, shape (jobs, resources); l.
    demand = column("jobs", "demand", np.float64, width="num_resources")

    #: Units x slots, shape (jobs, resources), infinite where unlimited; F.
    budget = column("jobs", "budget", np.float64, width="num_resources")

    max_workers = column("jobs", "max_workers", np.int64)  #: Largest ring, shape (jobs,); N.

    @cached_property
    def fixed_workers(self) -> Ints:
        """Ring size of FIFO and LAS, shape (jobs,), not yet capped."""
        return frozen([job.fixed_workers or job.max_workers for job in self.jobs], np.int64)

    bandwidth = column("jobs", "bandwidth", np.float64)  #: Gbps per ring edge, shape (jobs,); b.

    #: Progress per worker-slot, shape (jobs,); ζ.
    efficiency = column("jobs", "efficiency", np.float64)

    @cached_property
    def budget_slots(self) -> Floats:
        """min_r F / l, not rounded, shape (jobs,), infinite without a budget."""
        return frozen(_least_ratio(self.budget, self.demand))

    @cached_property
    def most_slots(self) -> Floats:
        """Worker-slots that the budgets allow, whole or infinite, shape (jobs,); Z."""
        return frozen(np.floor(self.budget_slots + ROUNDING))

    @cached_property
    def host_cap(self) -> Ints:
        """Workers that a node holds when it is empty, shape (jobs, nodes), 0 for switches.

        (5): floor(min_r C / l), at most N.
        """
        fit = _least_ratio(self.capacity[None, :, :], self.demand[:, None, :])
        held = np.minimum(np.floor(fit + ROUNDING), self.max_workers[:, None])
        return frozen(np.where(self.is_server, held, 0.0), np.int64)

    def link_cap(self, jobs: npt.ArrayLike) -> Floats:
        """How often a ring may use each link when it is alone, shape (..., links).

        ``jobs``: a job, or shape (...,).
        """
        need = self.bandwidth[np.asarray(jobs, np.int64)][..., None]
        # a ratio beyond doubles does not limit anything
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            cap = np.floor(self.link_bandwidth / need + ROUNDING)
        return floats(np.where(need > 0, cap, np.inf))

    @cached_property
    def largest_ring(self) -> Ints:
        """Workers in one slot without budgets and links, shape (jobs,): min(N, Σ_u cap)."""
        return frozen(np.minimum(self.max_workers, self.host_cap.sum(axis=1)), np.int64)

    def ring_limit(self, progress: npt.ArrayLike = 0.0) -> Ints:
        """Largest ring after ``progress`` worker-slots, shape (jobs,); kmax(z)."""
        left = self.most_slots - np.asarray(progress, dtype=float)
        return ints(np.maximum(0.0, np.minimum(left, self.largest_ring)).astype(np.int64))

    def active(self, slot: int, progress: npt.ArrayLike = 0.0) -> Bools:
        """Jobs that have arrived and have budget left, shape (jobs,); I[t]."""
        open_budget: Bools = np.asarray(progress, dtype=float) < self.most_slots
        return (self.arrival <= slot) & open_budget

    @cached_property
    def reachable_slots(self) -> Ints:
        """Worker-slots that fit budget and time left after arrival, shape (jobs,)."""
        slots = np.maximum(0, self.horizon - self.arrival)
        return frozen(np.minimum(self.most_slots, slots * self.largest_ring), np.int64)

    # --- rewards --------------------------------------------------------------------------------

    def reward(self, job: int, worker_slots: npt.ArrayLike) -> Floats:
        """Reward of a job that has received ``worker_slots``, any shape; μ(ζ z)."""
        return self.jobs[job].utility(self.jobs[job].efficiency * np.asarray(worker_slots, float))

    @cached_property
    def idle_reward(self) -> Floats:
        """Reward of never running, shape (jobs,); μ(0)."""
        return frozen([float(self.reward(i, 0.0)) for i in range(self.num_jobs)])

    def total_reward(self, worker_slots: npt.ArrayLike) -> float:
        """Sum of rewards; ``worker_slots`` has shape (jobs,)."""
        received = np.asarray(worker_slots, dtype=float)
        return sum((float(self.reward(i, z)) for i, z in enumerate(received)), 0.0)


def _least_ratio(available: Floats, wanted: Floats) -> Floats:
    """Divide and take the least over the last axis, ignoring what is not wanted or unlimited."""
    available, wanted = np.broadcast_arrays(available, wanted)
    ratio = np.full(available.shape, np.inf)
    counts = (wanted > 0) & np.isfinite(available)
    with np.errstate(over="ignore"):  # a ratio beyond doubles does not limit anything
        np.divide(available, wanted, out=ratio, where=counts)
    return floats(ratio.min(axis=-1, initial=np.inf))
