"""Relaxation of a slot without network, as a convex program: GADGET V-C."""

import numpy as np

from farkas.algebra import (
    ConvexProgram,
)
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
from farkas.tolerances import TIE


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
