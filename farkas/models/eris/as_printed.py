"""Problem (2) to the letter: a nonlinear program to read, and to give to SCIP on tiny instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.algebra.formulation import Formulation, first_line
from farkas.instances.eris import Auction

if TYPE_CHECKING:
    import pyomo.environ as pyo

LABELS = {
    "all_chunks": "2a",
    "enough_workers": "2b",
    "one_server": "2c",
    "transfer": "2d",
    "capacity": "2e",
    "last_slot": "2f",
    "not_before_arrival": "2g",
}


class AsPrinted(Formulation):
    """Greatest welfare, problem (2) as printed.  Eris (2).

    A Pyomo model only, since (2d) multiplies variables.  It is wrong in four places, which the
    linear program eris.offline corrects: (2a) counts chunks over all sites together; (2c) demands a
    server in every slot, which (2g) forbids before the arrival; (2d) charges chunks that stay, and
    charges remote workers once per pair of sites; the slot of (2f) is not defined without workers.
    The last is read as: worth is that of the last slot that may have workers.
    """

    name = "eris.as_printed"
    kind = "eris"
    sense = "max"

    def to_pyomo(self, data: Auction) -> pyo.ConcreteModel:
        """Pyomo model of the instance; component names as in `LABELS`."""
        import pyomo.environ as pyo

        self.check_kind(data)
        m = pyo.ConcreteModel(name=self.full_name)
        m.jobs, m.slots = pyo.RangeSet(0, data.num_jobs - 1), pyo.RangeSet(0, data.slots - 1)
        m.sites = pyo.RangeSet(0, data.sites - 1)
        m.resources = pyo.RangeSet(0, data.num_resources - 1)
        m.accepted = pyo.Var(m.jobs, domain=pyo.Binary, doc="x")
        m.finished = pyo.Var(m.jobs, m.slots, domain=pyo.Binary, doc="slot of completion")
        m.workers = pyo.Var(m.jobs, m.slots, m.sites, domain=pyo.NonNegativeIntegers, doc="g")
        m.server = pyo.Var(m.jobs, m.slots, m.sites, domain=pyo.Binary, doc="z")
        m.moved = pyo.Var(
            m.jobs, m.slots, m.sites, m.sites, domain=pyo.NonNegativeIntegers, doc="h"
        )
        self._schedules(m, data)
        self._coupling(m, data)
        worth = (
            data.jobs[i].utility[t - data.jobs[i].arrival] * m.finished[i, t]
            for i in m.jobs
            for t in m.slots
            if t >= data.jobs[i].arrival
        )
        m.welfare = pyo.Objective(expr=pyo.quicksum(worth), sense=pyo.maximize)
        return m

    def describe(self) -> str:
        """Say the program in words."""
        families = [f"  ({label}) {name}" for name, label in LABELS.items()]
        return "\n".join([first_line(self), "", "max welfare", *families])

    def _schedules(self, m: pyo.ConcreteModel, data: Auction) -> None:
        import pyomo.environ as pyo

        job = data.jobs

        def all_chunks(m, i):
            moved = pyo.quicksum(
                m.moved[i, t, o, r] for t in m.slots for o in m.sites for r in m.sites
            )
            return moved == int(data.chunks[i]) * m.accepted[i]

        def enough_workers(m, i, t, r):
            got = pyo.quicksum(m.moved[i, t, o, r] for o in m.sites)
            return job[i].worker_rate * m.workers[i, t, r] >= job[i].epochs * got

        def one_server(m, i, t):
            return pyo.quicksum(m.server[i, t, r] for r in m.sites) == m.accepted[i]

        def last_slot(m, i, t, r):
            later = pyo.quicksum(m.finished[i, v] for v in m.slots if v >= t)
            return m.workers[i, t, r] <= max(1, int(data.most_workers[i, r])) * later

        def finished_once(m, i):
            return pyo.quicksum(m.finished[i, t] for t in m.slots) == m.accepted[i]

        def not_before_arrival(m, i, t, r):
            if t >= job[i].arrival:
                return pyo.Constraint.Skip
            moved = pyo.quicksum(m.moved[i, t, r, o] for o in m.sites)
            return m.workers[i, t, r] + m.server[i, t, r] + m.finished[i, t] + moved == 0

        m.all_chunks = pyo.Constraint(m.jobs, rule=all_chunks)
        m.enough_workers = pyo.Constraint(m.jobs, m.slots, m.sites, rule=enough_workers)
        m.one_server = pyo.Constraint(m.jobs, m.slots, rule=one_server)
        m.last_slot = pyo.Constraint(m.jobs, m.slots, m.sites, rule=last_slot)
        m.finished_once = pyo.Constraint(m.jobs, rule=finished_once)
        m.not_before_arrival = pyo.Constraint(m.jobs, m.slots, m.sites, rule=not_before_arrival)

    def _coupling(self, m: pyo.ConcreteModel, data: Auction) -> None:
        import pyomo.environ as pyo

        job = data.jobs

        def transfer(m, t):
            # both terms stand inside the sum over pairs, r = r' included
            volume = pyo.quicksum(
                data.chunk_size * m.moved[i, t, r, o]
                + job[i].parameter_size * m.workers[i, t, r] * (1 - m.server[i, t, r])
                for i in m.jobs
                for r in m.sites
                for o in m.sites
            )
            return pyo.inequality(None, volume, data.transfer_budget)

        def capacity(m, t, r, k):
            used = pyo.quicksum(
                job[i].worker_demand[k] * m.workers[i, t, r]
                + job[i].server_demand[k] * m.server[i, t, r]
                for i in m.jobs
            )
            return pyo.inequality(None, used, data.site_capacity[r][k])

        m.transfer = pyo.Constraint(m.slots, rule=transfer)
        m.capacity = pyo.Constraint(m.slots, m.sites, m.resources, rule=capacity)
