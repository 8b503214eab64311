"""Jobs of a broker on one site each, fractionally, ignoring discounts."""

from __future__ import annotations

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective, option


class HomeSite(Program):
    """Shares of each job's data by training site, at list prices of the first resource.

    ``traffic``: "paid" charges moved data, "free" does not.
    """

    name = "mlbroker.home_site"
    kind = "mlbroker"
    sense = "min"
    traffic: str = option("paid", "free")

    def declare(self, m, data):
        """Declare sets, parameters with their shapes, variables with bounds and reasons."""
        m.jobs = Set(range(data.num_jobs), label="job")
        m.sites = Set(range(data.num_sites), label="site")
        volume = np.array([np.sum(job.data, axis=0) for job in data.jobs])
        gpus = [job.worker_demand[0] / job.worker_capacity for job in data.jobs]
        prices = data.transfer_price if self.traffic == "paid" else 0.0
        m.volume = Param(m.jobs, m.sites, values=volume)
        m.gpus = Param(m.jobs, values=gpus)
        m.link = Param(m.sites, m.sites, values=prices)
        m.list_price = Param(m.sites, values=np.array(data.base_price)[:, 0])
        m.moved = Var(
            m.jobs,
            m.sites,
            m.sites,
            implied_upper=volume[:, :, None],
            reason="(a)",
            doc="Data moved from the first to the second site, GB; q.",
        )

    @constraint("a", "jobs", "sites")
    def all_data_moved(m, i, o):
        """All data of a job are trained somewhere."""
        return Sum(m.moved[i, o, r] for r in m.sites) == m.volume[i, o]

    @objective
    def cost(m):
        """USD for links and workers."""
        return Sum(
            (m.link[o, r] + m.list_price[r] * m.gpus[i]) * m.moved[i, o, r]
            for i in m.jobs
            for o in m.sites
            for r in m.sites
        )
