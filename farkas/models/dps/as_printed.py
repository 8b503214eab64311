"""Problem (2) to the letter: a nonlinear program to read, and to give to SCIP on tiny instances."""

from typing import Any

import numpy as np

from farkas.algebra import (
    IndexedSet,
    Param,
    PyomoProgram,
    Set,
    Sum,
    Var,
    constraint,
    expression,
    objective,
)
from farkas.instances.dps import Market
from farkas.numbers import Ints


class PrintedProgram(PyomoProgram):
    """Highest payments, problem (2) as printed, its indicator written out.  DPS (2).

    A Pyomo model only, since it multiplies variables: prices and acceptance in the objective and
    in (2a); runtimes, which depend on the placement, and what is held, in (2b), (2c), (2f), (2g).
    The paper calls it an MILP, which dps.offline is: solve that.  The garbled (2b) is read like
    (2c).  A job may also be turned away by a price equal to its budget, as good as a higher one.
    """

    name = "dps.as_printed"
    kind = "dps"
    sense = "max"

    def declare(self, m: Any, data: Market) -> None:
        """Declare jobs and servers, who meets whom, prices, acceptance and placement."""
        m.jobs = Set(range(data.num_jobs), label="job")
        m.servers = Set(range(data.num_servers), label="server")
        m.needs = Param(m.jobs, values=data.workers)
        m.needs_ps = Param(m.jobs, values=data.ps)
        m.budget = Param(m.jobs, values=data.budget)
        m.all_workers = Param(m.jobs, values=data.worker_capacity[data.worker_type])
        m.all_ps = Param(m.jobs, values=data.ps_capacity[data.ps_type])
        m.installed = Param(m.jobs, m.servers, values=data.installed_workers[:, data.worker_type].T)
        m.installed_ps = Param(m.jobs, m.servers, values=data.installed_ps[:, data.ps_type].T)
        self._declare_earlier(m, data)
        m.worker_price = Var(m.jobs, doc="p_ik of its type; (2i).")
        m.ps_price = Var(m.jobs, doc="p_im of its type; (2i).")
        m.accepted = Var(m.jobs, binary=True, doc="f, whether the job is accepted.")
        m.workers = Var(m.jobs, m.servers, integer=True, doc="x; (2h).")
        m.ps = Var(m.jobs, m.servers, integer=True, doc="z; (2h).")
        m.alone = Var(m.jobs, m.servers, binary=True, doc="All of it is on this server.")
        m.busy_workers = Var(m.jobs, doc="y of its worker type on arrival.")
        m.busy_ps = Var(m.jobs, doc="y of its server type on arrival.")
        m.short_of_workers = Var(m.jobs, binary=True, doc="Too few workers are idle.")
        m.short_of_ps = Var(m.jobs, binary=True, doc="Too few parameter servers are idle.")
        m.dear = Var(m.jobs, binary=True, doc="The price exceeds the budget.")

    def _declare_earlier(self, m: Any, data: Market) -> None:
        """Declare earlier jobs of the same types, and whether they still run at an arrival."""
        jobs = range(data.num_jobs)
        m.earlier = Set([(j, i) for i in jobs for j in range(i)], label=("job", "job"))
        m.same_workers = IndexedSet(m.jobs, _earlier_alike(data.worker_type), label="job")
        m.same_ps = IndexedSet(m.jobs, _earlier_alike(data.ps_type), label="job")
        first, second = m.earlier.table.T
        for name, ends in (("whole", data.colocated_end), ("spread", data.spread_end)):
            held = data.still_held(ends[first], data.arrival[second])
            setattr(m, f"{name}_still_runs", Param(m.earlier, values=held))

    @objective
    def payments(m):
        """Payments of the accepted jobs."""
        return Sum(m.payment[i] * m.accepted[i] for i in m.jobs)

    @expression("", "jobs")
    def payment(m, i):
        """What the job pays if it is accepted."""
        return m.needs[i] * m.worker_price[i] + m.needs_ps[i] * m.ps_price[i]

    @expression("", "jobs")
    def whole(m, i):
        """Whether one server has all of the job; q."""
        return Sum(m.alone[i, s] for s in m.servers)

    @expression("1", "earlier")
    def held(m, j, i):
        """Whether job j still runs when job i arrives: t_j + τ_j >= t_i."""
        return m.whole_still_runs[j, i] * m.whole[j] + m.spread_still_runs[j, i] * (1 - m.whole[j])

    @constraint("2a", "jobs")
    def affordable(m, i):
        """An accepted job pays no more than its budget."""
        return m.payment[i] * m.accepted[i] <= m.budget[i]

    @constraint("2a", "jobs")
    def workers_suffice(m, i):
        """An accepted job finds its workers idle."""
        return m.needs[i] * m.accepted[i] + m.busy_workers[i] <= m.all_workers[i]

    @constraint("2a", "jobs")
    def ps_suffice(m, i):
        """An accepted job finds its parameter servers idle."""
        return m.needs_ps[i] * m.accepted[i] + m.busy_ps[i] <= m.all_ps[i]

    @constraint("2a", "jobs")
    def served_unless(m, i):
        """A job is accepted unless resources are short or its price is too high."""
        return m.accepted[i] + m.short_of_workers[i] + m.short_of_ps[i] + m.dear[i] >= 1

    @constraint("2a", "jobs")
    def workers_short(m, i):
        """Workers are short only when too few are idle."""
        return m.busy_workers[i] >= (m.all_workers[i] - m.needs[i] + 1) * m.short_of_workers[i]

    @constraint("2a", "jobs")
    def ps_short(m, i):
        """Parameter servers are short only when too few are idle."""
        return m.busy_ps[i] >= (m.all_ps[i] - m.needs_ps[i] + 1) * m.short_of_ps[i]

    @constraint("2a", "jobs")
    def too_dear(m, i):
        """A price is too high only when it reaches the budget."""
        return m.payment[i] >= m.budget[i] * m.dear[i]

    @constraint("2d", "jobs")
    def all_workers_placed(m, i):
        """An accepted job has all its workers."""
        return Sum(m.workers[i, s] for s in m.servers) == m.needs[i] * m.accepted[i]

    @constraint("2e", "jobs")
    def all_ps_placed(m, i):
        """An accepted job has all its parameter servers."""
        return Sum(m.ps[i, s] for s in m.servers) == m.needs_ps[i] * m.accepted[i]

    @constraint("1", "jobs", "servers")
    def alone_has_all(m, i, s):
        """Whoever is alone has all units there."""
        return m.workers[i, s] + m.ps[i, s] >= (m.needs[i] + m.needs_ps[i]) * m.alone[i, s]

    @constraint("1", "jobs", "servers")
    def all_is_alone(m, i, s):
        """Whoever has all units there is alone."""
        return m.workers[i, s] + m.ps[i, s] <= m.needs[i] + m.needs_ps[i] - 1 + m.alone[i, s]

    @constraint("2c", "jobs")
    def workers_in_use(m, i):
        """What accepted jobs of its worker type hold when a job arrives."""
        return m.busy_workers[i] == Sum(
            m.held[j, i] * (m.needs[j] * m.accepted[j]) for j in m.same_workers[i]
        )

    @constraint("2b", "jobs")
    def ps_in_use(m, i):
        """What accepted jobs of its server type hold when a job arrives."""
        return m.busy_ps[i] == Sum(
            m.held[j, i] * (m.needs_ps[j] * m.accepted[j]) for j in m.same_ps[i]
        )

    @constraint("2f", "jobs", "servers")
    def idle_workers(m, i, s):
        """A server gives no more workers than earlier jobs leave."""
        in_use = Sum(m.held[j, i] * m.workers[j, s] for j in m.same_workers[i])
        return m.workers[i, s] <= m.installed[i, s] - in_use

    @constraint("2g", "jobs", "servers")
    def idle_ps(m, i, s):
        """A server gives no more parameter servers than earlier jobs leave."""
        in_use = Sum(m.held[j, i] * m.ps[j, s] for j in m.same_ps[i])
        return m.ps[i, s] <= m.installed_ps[i, s] - in_use


def _earlier_alike(types: Ints) -> list[Ints]:
    """Jobs before each one that ask for the same type."""
    return [np.flatnonzero(types[:i] == own) for i, own in enumerate(types)]
