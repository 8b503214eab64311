"""Program coded.loads: how many rows each worker of a master gets."""

from __future__ import annotations

import numpy as np

from farkas.algebra import ConvexModel, ConvexProgram
from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Ownership, Pairs, theorem1_times


class Loads(ConvexProgram):
    """Loads of dedicated workers, all masters side by side.  Coded (8), P4.

    The masters do not meet, so the sum of their times is minimised; Theorem 1 is the solution in
    closed form (`farkas.models.coded.kernel`).  Takes an `Ownership`, or an instance, whose workers
    then are split in contiguous blocks.  Each master's loads and time are in units of Theorem 1.
    """

    name = "coded.loads"
    kind = "coded"
    sense = "min"

    def declare(self, m: ConvexModel, data: Ownership | CodedComputing) -> None:
        """Build the exponential-cone program."""
        import cvxpy as cp

        owned = Ownership.of(data)
        instance, pairs = owned.data, Pairs.of(owned.data)
        times = theorem1_times(pairs.speed, owned.owner)
        if not np.isfinite(times).all():
            late = int(np.flatnonzero(~np.isfinite(times))[0])
            raise NotApplicable(f"master {late} has no worker it may use: its time is infinite")
        worker = np.flatnonzero(owned.owner >= 0)
        worker = worker[instance.allowed[owned.owner[worker], worker]]
        master = owned.owner[worker]
        h = pairs.patience[master, worker]
        work = instance.rates[master, worker] * instance.shifts[master, worker]
        portion = times[master] / pairs.time_per_row[master, worker] / instance.rows[master]
        load = m.variable("load", (len(worker),), nonneg=True)
        lost = m.variable("lost", (len(worker),), nonneg=True)
        time = m.variable("time", (instance.num_masters,))
        late_by = cp.multiply(work, load) - cp.multiply(h, time[master])
        m.constrain(
            "8b",
            "rows_lost_to_stragglers",
            cp.constraints.ExpCone(late_by, load, lost),
        )
        for i in range(instance.num_masters):
            at = np.flatnonzero(master == i)
            kept = portion[at] @ (load[at] - lost[at])
            m.constrain("8b", f"master_{i}_expects_its_rows", kept >= 1)
        m.optimise(times @ time)
