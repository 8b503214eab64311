"""Program dps.bfp: the best fixed prices on one server."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.models.dps import windows
from farkas.numbers import Ints


class BestFixedPrice(Program):
    """Highest profit of unit prices that never change, on one server.  DPS section IV.

    With one server runtimes do not depend on placement, and a job that can pay is served whenever
    it fits.  A job declines when it is asked for its budget or more, so the optimum is a supremum
    that no price need attain, and an upper bound on every price's profit.  It is that supremum
    unless the budgets of three jobs with different asks are met by the same prices, where the
    program may choose who declines more freely than prices near them can.
    """

    name = "dps.bfp"
    kind = "dps"
    sense = "max"

    def declare(self, m: Any, data: Market) -> None:
        """Declare prices, who can pay, and who finds resources busy."""
        cap = data.require_cap(self.name)
        declare_service(m, data, self.name)
        m.asks = Set(
            np.column_stack([np.arange(data.num_jobs), data.worker_type, data.ps_type]),
            label=("job", "worker type", "server type"),
        )
        most = cap * (data.workers + data.ps)
        m.budget = Param(m.jobs, values=data.budget)
        m.poorer = Set(_poorer(data), label=("job", "job"))
        m.excess = Param(m.jobs, values=np.maximum(most - data.budget, 0.0))
        m.most_income = Param(m.jobs, values=data.capped_reward)
        self._declare_decisions(m, data, cap, most)

    def _declare_decisions(self, m: Any, data: Market, cap: float, most: Any) -> None:
        m.worker_price = Var(m.worker_types, upper=cap, doc="Price of a worker; p_k.")
        m.ps_price = Var(m.ps_types, upper=cap, doc="Price of a parameter server; p_m.")
        # who can pay the most that can be asked never declines
        pays = (data.budget >= most).astype(float)
        m.affordable = Var(m.jobs, lower=pays, upper=1.0, integer=True, doc="The job can pay; a.")
        declare_served(m, data)
        m.income = Var(
            m.jobs, upper=np.maximum(data.capped_reward, 0.0), doc="Payment received; w."
        )

    @constraint("2i", "asks")
    def pays_within_budget(m, i, k, q):
        """Who can pay is asked for no more than the budget."""
        payment = m.workers[i] * m.worker_price[k] + m.ps[i] * m.ps_price[q]
        return payment <= m.budget[i] + m.excess[i] - m.excess[i] * m.affordable[i]

    @constraint("2i", "asks")
    def declines_above_budget(m, i, k, q):
        """Who cannot pay is asked for the budget or more."""
        payment = m.workers[i] * m.worker_price[k] + m.ps[i] * m.ps_price[q]
        return payment >= m.budget[i] - m.budget[i] * m.affordable[i]

    @constraint("2i", "poorer")
    def richer_pays_too(m, i, j):
        """Of two jobs that ask alike, the one with more money a unit pays when the other does."""
        return m.affordable[j] >= m.affordable[i]

    @constraint("2a", "jobs")
    def only_who_can_pay(m, i):
        """Only jobs that can pay are served."""
        return m.served[i] <= m.affordable[i]

    @constraint("2a", "jobs")
    def served_unless_blocked(m, i):
        """Jobs that can pay are served unless resources are short."""
        return m.served[i] + m.short_of_workers[i] + m.short_of_ps[i] >= m.affordable[i]

    @constraint("2c", "workers_rows")
    def enough_workers(m, k, t):
        """Served jobs use no more workers than there are."""
        held = Sum(m.workers[i] * m.served[i] for i in m.jobs_with_workers[k, t])
        return held <= m.worker_capacity[k]

    @constraint("2b", "ps_rows")
    def enough_ps(m, k, t):
        """Served jobs use no more parameter servers than there are."""
        held = Sum(m.ps[i] * m.served[i] for i in m.jobs_with_ps[k, t])
        return held <= m.ps_capacity[k]

    @constraint("2a", "jobs")
    def workers_really_short(m, i):
        """Workers are short only when earlier jobs hold too many of them."""
        held = Sum(m.workers[j] * m.served[j] for j in m.workers_before[i])
        return held >= m.workers_in_the_way[i] * m.short_of_workers[i]

    @constraint("2a", "jobs")
    def ps_really_short(m, i):
        """Parameter servers are short only when earlier jobs hold too many of them."""
        held = Sum(m.ps[j] * m.served[j] for j in m.ps_before[i])
        return held >= m.ps_in_the_way[i] * m.short_of_ps[i]

    @constraint("3", "asks")
    def income_is_paid(m, i, k, q):
        """Income of a job is at most what it is asked for."""
        return m.income[i] <= m.workers[i] * m.worker_price[k] + m.ps[i] * m.ps_price[q]

    @constraint("3", "jobs")
    def income_from_served(m, i):
        """Only served jobs bring income."""
        return m.income[i] <= m.most_income[i] * m.served[i]

    @objective
    def profit(m):
        """Payments of the served jobs."""
        return Sum(m.income[i] for i in m.jobs)

    def example(self) -> Any:
        """Return a market with one server."""
        from farkas.instances import library

        return library.load("dps/one_server")


def declare_service(m: Any, data: Market, name: str) -> None:
    """Declare jobs, the rows of (2b) and (2c) on one server, and who stands in whose way.

    Raises
    ------
    NotApplicable
        There are more servers; ``name`` is of the program that has this rule.
    """
    if data.num_servers != 1:
        raise NotApplicable(f"{name} needs one server, this market has {data.num_servers}")
    worker, ps = windows.worker_side(data), windows.ps_side(data)
    last = data.last_slot
    m.jobs = Set(range(data.num_jobs), label="job")
    windows.declare_demand(m, data, np.arange(data.num_jobs))
    for side, units in ((worker, "workers"), (ps, "ps")):
        windows.declare_rows(m, f"{units}_rows", side, **{f"jobs_with_{units}": last})
        before = windows.earlier(side, last, range(data.num_jobs))
        setattr(m, f"{units}_before", IndexedSet(m.jobs, before, label="job"))
        short = side.capacity[side.types] - side.demand + 1
        setattr(m, f"{units}_in_the_way", Param(m.jobs, values=short))


def declare_served(m: Any, data: Market) -> None:
    """Declare who is served, and what is short for those who are not."""
    m.served = Var(m.jobs, integer=True, upper=data.fits, doc="The job is served; f.")
    m.short_of_workers = Var(m.jobs, binary=True, doc="Too few idle workers at arrival.")
    m.short_of_ps = Var(m.jobs, binary=True, doc="Too few idle parameter servers at arrival.")


def _poorer(data: Market) -> Ints:
    """Neighbours in budget a unit among jobs with parallel asks, the poorer one first."""
    alike: dict[tuple[int, int, Fraction], list[tuple[Fraction, int]]] = {}
    for job in range(data.num_jobs):
        workers, ps = int(data.workers[job]), int(data.ps[job])
        share = Fraction(workers, workers + ps)
        key = int(data.worker_type[job]), int(data.ps_type[job]), share
        budget = Fraction(float(data.budget[job])) / (workers + ps)
        alike.setdefault(key, []).append((budget, job))
    pairs: list[tuple[int, int]] = []
    for jobs in alike.values():
        ranked = sorted(jobs)
        for (budget, i), (more, j) in itertools.pairwise(ranked):
            pairs.append((i, j))
            if more == budget:
                pairs.append((j, i))
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
