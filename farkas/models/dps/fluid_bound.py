"""Program dps.fluid_bound."""

from typing import Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.dps import Market
from farkas.models.dps import windows
from farkas.tolerances import ULP


class FluidBound(Program):
    """Fixed prices with the largest right-hand side of (3), of the jobs of a market.  DPS (3).

    Its second term, n p Q(p) over all types, adds up what jobs pay that can afford the prices.  The
    first one, p C μ, has the mean μ over all jobs of a type of the slots in which a job does not
    run.  (3) as printed bounds no profit; the second term does.
    """

    name = "dps.fluid_bound"
    kind = "dps"
    sense = "max"

    def declare(self, m: Any, data: Market) -> None:
        """Declare unused slots, budgets, prices, and who can afford them."""
        cap = data.require_cap(self.name)
        windows.declare_demand(m, data)
        m.asks = Set(
            np.column_stack([np.arange(data.num_jobs), data.worker_type, data.ps_type]),
            label=("job", "type", "type"),
        )
        unused = data.horizon - data.least_runtime
        means = []
        for side in data.sides:
            jobs = np.maximum(np.bincount(side.types, minlength=len(side.capacity)), 1)
            means.append(np.bincount(side.types, unused, len(side.capacity)) / jobs)
        m.workers_unused = Param(m.worker_types, values=means[0])
        m.ps_unused = Param(m.ps_types, values=means[1])
        most = cap * (data.workers + data.ps)
        m.budget = Param(m.jobs, values=data.budget)
        m.excess = Param(m.jobs, values=np.maximum(most - data.budget, 0.0))
        m.most = Param(m.jobs, values=data.capped_reward)
        m.worker_price = Var(m.worker_types, upper=cap, doc="Price of a worker; p_k.")
        m.ps_price = Var(m.ps_types, upper=cap, doc="Price of a parameter server; p_m.")
        m.affordable = Var(m.jobs, binary=True, doc="The job can pay; v >= p_k d_k + p_m d_m.")
        m.payment = Var(m.jobs, upper=data.capped_reward, doc="What it pays; p_k d_k + p_m d_m.")
        with np.errstate(over="ignore"):  # then nothing is implied
            # rounded up, so that the optimum is never cut off
            income = data.capped_reward.sum() * (1.0 + (data.num_jobs + 1) * ULP)
        # a job that runs beyond the horizon leaves less than no slot
        least = sum(
            float(np.minimum(mean, 0.0) @ side.capacity)
            for mean, side in zip(means, data.sides, strict=True)
        )
        m.bound = Var(
            lower=2.0 * cap * least,  # twice as low, whatever roundings do
            implied_upper=income,
            reason="no job pays more than it can",
            doc="Right-hand side of (3).",
        )

    @constraint("3")
    def supply(m):
        """Units of all types, each sold in the slots in which a job does not run."""
        return m.bound <= Sum(
            m.worker_capacity[k] * m.workers_unused[k] * m.worker_price[k] for k in m.worker_types
        ) + Sum(m.ps_capacity[q] * m.ps_unused[q] * m.ps_price[q] for q in m.ps_types)

    @constraint("3")
    def demand(m):
        """What all jobs pay that can afford it."""
        return m.bound <= Sum(m.payment[i] for i in m.jobs)

    @constraint("3", "asks")
    def within_budget(m, i, k, q):
        """Who can pay is asked for no more than the budget."""
        asked = m.workers[i] * m.worker_price[k] + m.ps[i] * m.ps_price[q]
        return asked + m.excess[i] * m.affordable[i] <= m.budget[i] + m.excess[i]

    @constraint("3", "asks")
    def pays_what_is_asked(m, i, k, q):
        """No job pays more than it is asked for."""
        return m.payment[i] <= m.workers[i] * m.worker_price[k] + m.ps[i] * m.ps_price[q]

    @constraint("3", "jobs")
    def pays_if_affordable(m, i):
        """Only jobs pay that can."""
        return m.payment[i] <= m.most[i] * m.affordable[i]

    @objective
    def largest(m):
        """The bound."""
        return m.bound
