"""Problem (3): choose one listed schedule per job."""

from __future__ import annotations

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.eris import Auction
from farkas.models.eris.schedules import list_schedules


class ScheduleIlp(Program):
    """Greatest welfare over listed schedules.  Eris (3).

    A schedule is listed when it obeys (2a) per site, (2b), (2c), (2f), (2g) and fits the empty
    system by itself, which the published definition of the list leaves out.
    """

    name = "eris.schedule_ilp"
    kind = "eris"
    sense = "max"
    integral = True

    def declare(self, m, data: Auction) -> None:
        """List the schedules of every job; refuses instances with too many."""
        listed = list_schedules(data)
        count = range(len(listed))
        m.schedules = Set(count, label="schedule")
        m.jobs = Set(np.unique(listed.job), label="job")
        m.schedules_of = IndexedSet(
            m.jobs, [np.flatnonzero(listed.job == i) for i in m.jobs.members()], label="schedule"
        )
        # a row without any schedule would say nothing
        m.used_slots = Set(np.flatnonzero(listed.transfer.any(axis=0)), label="slot")
        m.used_cells = Set(
            np.argwhere(listed.used.any(axis=0)).reshape(-1, 3), label=("site", "resource", "slot")
        )
        cells = np.array(m.used_cells.members(), dtype=np.int64).reshape(-1, 3).T
        slots = np.array(m.used_slots.members(), dtype=np.int64)
        m.worth = Param(m.schedules, values=listed.worth)
        m.transfer = Param(m.schedules, m.used_slots, values=listed.transfer[:, slots])
        m.used = Param(
            m.schedules, m.used_cells, values=listed.used[:, cells[0], cells[1], cells[2]]
        )
        m.budget = Param(values=data.transfer_budget)
        m.capacity = Param(m.used_cells, values=data.capacity[cells[0], cells[1]])
        if self.integral:
            m.chosen = Var(m.schedules, binary=True, doc="whether the job runs so; x")
        else:
            m.chosen = Var(
                m.schedules, implied_upper=1.0, reason="by (3c)", doc="share of the job; x"
            )

    @constraint("3a", "used_slots")
    def transfer_of_slot(m, t):
        """Transfer of the chosen schedules fits in the budget of a slot."""
        return Sum(m.transfer[n, t] * m.chosen[n] for n in m.schedules) <= m.budget

    @constraint("3b", "used_cells")
    def capacity_of_site(m, r, k, t):
        """Workers and servers of the chosen schedules fit in a site."""
        return Sum(m.used[n, r, k, t] * m.chosen[n] for n in m.schedules) <= m.capacity[r, k, t]

    @constraint("3c", "jobs")
    def one_schedule(m, i):
        """A job runs by at most one schedule."""
        return Sum(m.chosen[n] for n in m.schedules_of[i]) <= 1

    @objective
    def welfare(m):
        """Worth of the chosen schedules; (3)."""
        return Sum(m.worth[n] * m.chosen[n] for n in m.schedules)


class ScheduleLp(ScheduleIlp):
    """Linear relaxation of (3); its dual is (4).

    At least as tight as the linear relaxation of (2).  Instances with too many schedules to list
    are solved by column generation, see farkas.relaxations.eris.welfare_bound.
    """

    name = "eris.schedule_lp"
    integral = False
