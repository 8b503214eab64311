"""Program dps.worst_fixed_price."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from farkas.algebra import IndexedSet, Param, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.models.dps import windows
from farkas.models.dps.windows import TypeCapacity
from farkas.models.worst_case import Values, WorstProgram, span
from farkas.tolerances import OUTWARD_CLOSE, ROUNDING


class WorstFixedPrice(TypeCapacity, WorstProgram):
    """Worst budgets for dps.fixed_price on one server.  DPS (2) against posted prices.

    Budgets lie between the smallest and the largest of the market; all else, the posted prices
    too, is as it stands there.  Who can pay is served whenever the job fits, and pays what is
    asked, a constant; the witness accepts whom it likes and is paid the budget, or what the price
    cap allows.  The objective is what the witness earns less ``ratio`` times the algorithm.
    """

    name = "dps.worst_fixed_price"
    algorithm: ClassVar[str] = "dps.fixed_price"
    varied: ClassVar[tuple[str, ...]] = ("jobs[].budget",)

    def declare(self, m: Any, data: Market) -> None:
        """Declare budgets, who pays and is served, and the witness."""
        asked = data.asked(*data.require_prices(self.name))
        low, high = span(data.budget)
        self._declare_order(m, data)
        m.ratio = Param(values=self.factor)
        m.asked = Param(m.jobs, values=asked)
        m.forgiven = Param(values=1.0 + ROUNDING)  # as `farkas.tolerances.allowed` forgives
        limit = asked * (1.0 - self.share)
        m.limit = Param(m.jobs, values=limit)
        most_forgiven = (1.0 + ROUNDING) * high * (1.0 + OUTWARD_CLOSE)
        m.above = Param(m.jobs, values=np.maximum(most_forgiven - limit, 0.0))
        most = np.full(data.num_jobs, high)
        if data.price_cap is not None:
            most = np.minimum(most, data.price_cap * (data.workers + data.ps))
        m.most = Param(m.jobs, values=most)
        m.budget = Var(m.jobs, lower=low, upper=high, doc="What the user pays at most; v.")
        # who can always pay never declines
        m.affordable = Var(
            m.jobs, lower=(asked <= low).astype(float), upper=1.0, integer=True,
            doc="The job can pay; a.",
        )  # fmt: skip
        m.served = Var(m.jobs, integer=True, upper=data.fits, doc="The job is served; f.")
        m.short_of_workers = Var(m.jobs, binary=True, doc="Too few idle workers at arrival.")
        m.short_of_ps = Var(m.jobs, binary=True, doc="Too few idle parameter servers at arrival.")
        m.accepted = Var(m.jobs, integer=True, upper=data.fits, doc="The witness accepts the job.")
        m.reward = Var(m.jobs, upper=most, doc="What the job pays the witness.")

    def _declare_order(self, m: Any, data: Market) -> None:
        """Declare jobs, rows on one server, and who stands in whose way."""
        if data.num_servers != 1:
            raise NotApplicable(f"{self.name} needs one server, this market has {data.num_servers}")
        self.declare_jobs(m, data)
        for side, units in zip(data.sides, ("workers", "ps"), strict=True):
            before = windows.earlier(side, data.last_slot, range(data.num_jobs))
            setattr(m, f"{units}_before", IndexedSet(m.jobs, before, label="job"))
            short = windows.in_the_way(side, np.arange(data.num_jobs))
            setattr(m, f"{units}_in_the_way", Param(m.jobs, values=short))

    @constraint("2i", "jobs")
    def pays_within_budget(m, i):
        """Who can pay is asked for no more than the budget."""
        return m.forgiven * m.budget[i] >= m.asked[i] * m.affordable[i]

    @constraint("2i", "jobs")
    def declines_above_budget(m, i):
        """Who cannot pay is asked for the budget and what is forgiven, or more."""
        return m.forgiven * m.budget[i] <= m.limit[i] + m.above[i] * m.affordable[i]

    @constraint("2a", "jobs")
    def only_who_can_pay(m, i):
        """Only jobs that can pay are served."""
        return m.served[i] <= m.affordable[i]

    @constraint("2a", "jobs")
    def served_unless_blocked(m, i):
        """Jobs that can pay are served unless resources are short."""
        return m.served[i] + m.short_of_workers[i] + m.short_of_ps[i] >= m.affordable[i]

    @constraint("2c", "worker_rows")
    def served_have_workers(m, k, t):
        """Served jobs use no more workers than there are."""
        held = Sum(m.workers[i] * m.served[i] for i in m.jobs_with_workers[k, t])
        return held <= m.worker_capacity[k]

    @constraint("2b", "ps_rows")
    def served_have_ps(m, k, t):
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

    @constraint("2", "jobs")
    def reward_within_budget(m, i):
        """A job pays the witness its budget at most."""
        return m.reward[i] <= m.budget[i]

    @constraint("2", "jobs")
    def reward_of_accepted(m, i):
        """Only accepted jobs pay, within the price cap."""
        return m.reward[i] <= m.most[i] * m.accepted[i]

    @objective
    def lost(m):
        """Payments to the witness less the ratio times those to the algorithm."""
        earned = Sum(m.asked[i] * m.served[i] for i in m.jobs)
        return Sum(m.reward[i] for i in m.jobs) - m.ratio * earned

    def decoded(self, data: Market, values: Values) -> Market:
        """Return the market with the budgets of a point."""
        import msgspec

        budgets = np.clip(values["budget"], *span(data.budget)).tolist()
        jobs = [
            msgspec.structs.replace(job, budget=budget)
            for job, budget in zip(data.jobs, budgets, strict=True)
        ]
        return data.replace(jobs=jobs)

    def example(self) -> Any:
        """Return a market with one server and posted prices."""
        from farkas.instances import library

        prices = {"worker": [0.5], "ps": [0.45]}
        return library.load("dps/one_server").replace(fixed_prices=prices)
