"""What the linear relaxation of the embedding program collapses to: servers alone fill up."""

import numpy as np

from farkas.algebra import ConvexProgram, IndexedSet, Param, Set, Sum, Var, constraint
from farkas.errors import NotApplicable
from farkas.extras import needed
from farkas.instances.gadget import Cluster
from farkas.instances.utilities import (
    LinearUtility,
    Log1p,
    QuadraticCost,
    Sqrt,
    TableUtility,
    Utility,
)
from farkas.models.gadget.base import SlotProgram, declare_capacities, declare_participants
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.slot import snapshot
from farkas.tolerances import TIE


class NodeLP(SlotProgram):
    """The embedding relaxation without ring edges: servers fill up, links never do."""

    name = "gadget.node_lp"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = snapshot(data)
        cluster = slot.cluster
        declare_participants(m, slot)
        declare_capacities(m, cluster, slot.jobs)
        m.chosen = Var(
            m.sizes,
            implied_upper=1,
            reason="the sizes of a job share one unit",
            doc="Share of the ring size; χ.",
        )
        fits = cluster.host_cap[slot.jobs] > 0
        hosts = np.argwhere(fits)
        m.places = Set(
            np.column_stack([slot.jobs[hosts[:, 0]], hosts[:, 1]]), label=("job", "node")
        )
        m.hosts_of = IndexedSet(m.jobs, [np.flatnonzero(row) for row in fits], label="node")
        m.jobs_on = IndexedSet(m.nodes, [slot.jobs[row] for row in fits.T], label="job")
        m.workers = Var(
            m.places,
            implied_upper=slot.largest[hosts[:, 0]],
            reason="no more workers than the largest size",
            doc="Workers on the node; w.",
        )

    @constraint("14", "jobs")
    def all_workers_placed(m, i):
        """The nodes host as many workers as the ring has."""
        placed = Sum(m.workers[i, u] for u in m.hosts_of[i])
        return placed == Sum(k * m.chosen[i, k] for k in m.sizes_of[i])

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Workers fit on their node."""
        return Sum(m.demand[i, r] * m.workers[i, u] for i in m.jobs_on[u]) <= m.capacity[u, r]


class LocalNodeLP(NodeLP):
    """The node relaxation in which a node holds of each ring what it can hold at all."""

    name = "gadget.local_node_lp"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        super().declare(m, data)
        slot = snapshot(data)
        shared = [
            (i, k, u, min(k, int(slot.cluster.host_cap[i, u])))
            for i, k in slot.pairs.tolist()
            for u in np.flatnonzero(slot.cluster.host_cap[i]).tolist()
        ]
        m.shares = Set([row[:3] for row in shared], label=("job", "size", "node"))
        m.held = Param(m.shares, values=[row[3] for row in shared])

    @constraint("5", "places")
    def local_capacity(m, i, u):
        """A node never holds more workers of one ring than fit on it when it is empty."""
        held = Sum(m.held[i, k, u] * m.chosen[i, k] for k in m.sizes_of[i])
        return m.workers[i, u] <= held


class GvneLP(Gvne):
    """Relaxation of GADGET (12)-(19) with fractional sizes, workers and ring edges.

    Its value is that of ``gadget.node_lp``: averaging the workers of a ring over their positions
    keeps all node loads and makes every ring edge start where it ends, so no link is used.
    """

    name = "gadget.gvne_lp"
    integral = False


class WorkerRelaxation(ConvexProgram):
    """Slot problem with continuous workers and without network: defines q.  GADGET V-C.

    The paper rounds q up and calls it the largest useful ring; the instance ``worker_bound_trap``
    shows that it is not.  Refuses utilities that are not concave: then it is no convex program.
    """

    name = "gadget.worker_relaxation"
    kind = "gadget"
    sense = "max"

    def declare(self, m, data: Cluster):
        """Declare sets, parameters and variables."""
        jobs = np.flatnonzero(data.active(data.at_slot))
        if not (data.ring_limit()[jobs] > 0).any():
            raise NotApplicable(f"{self.name}: no job can run in slot {data.at_slot}")
        servers = np.flatnonzero(data.is_server)
        most = np.minimum(data.max_workers, data.budget_slots)[jobs]
        workers = m.variable("workers", (len(jobs), len(servers)), nonneg=True)
        received = workers @ np.ones(len(servers))
        m.constrain("2", "ring_size", received <= most)
        for r, resource in enumerate(data.resources):
            finite = np.flatnonzero(np.isfinite(data.capacity[servers, r]))
            used = data.demand[jobs, r]
            if len(finite) and used.any():
                room = data.capacity[servers[finite], r]
                label = f"node_capacity_{resource}"
                # conic solvers measure in absolute tolerances: demands are about 1 to them
                unit = np.ldexp(1.0, np.frexp(used.max())[1] - 1)
                m.constrain("4", label, (used / unit) @ workers[:, finite] <= room / unit)
        m.optimise(
            sum(
                concave_utility(data.jobs[i].utility, data.efficiency[i] * received[p], i)
                for p, i in enumerate(jobs.tolist())
            )
        )


def concave_utility(utility: Utility, progress, job: int):
    """Write a concave utility of ``progress`` as CVXPY expression.

    Raises `NotApplicable` when it is not.
    """
    cp = needed("cvxpy")
    refusal = NotApplicable(f"the utility of job {job} is not concave")
    if isinstance(utility, LinearUtility):
        return utility.slope * progress
    if isinstance(utility, Sqrt | Log1p):
        if utility.scale < 0:
            raise refusal
        inside = cp.sqrt(progress) if isinstance(utility, Sqrt) else cp.log1p(progress)
        return utility.scale * inside
    if isinstance(utility, QuadraticCost):
        if utility.quadratic < 0:
            raise refusal
        return -(utility.quadratic * cp.square(progress) + utility.linear * progress)
    if isinstance(utility, TableUtility):
        # pieces become rows, which conic solvers measure in absolute tolerances
        size = float(np.abs(utility.values).max())
        unit = np.ldexp(1.0, np.frexp(size)[1] - 1) if size else 1.0
        values = np.array(utility.values) / unit
        slopes = np.append(np.diff(values) / utility.step, 0.0)
        if (np.diff(slopes) > TIE * np.abs(slopes).max()).any():
            raise refusal
        starts = utility.step * np.arange(len(slopes))
        pieces = [
            value + slope * (progress - start)
            for value, slope, start in zip(values, slopes, starts, strict=True)
        ]
        return unit * (pieces[0] if len(pieces) == 1 else cp.minimum(*pieces))
    raise refusal
