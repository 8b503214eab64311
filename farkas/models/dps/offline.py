"""Programs dps.offline and dps.offline_lp."""

from typing import Any, ClassVar

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective, option
from farkas.instances.dps import Market, Side
from farkas.models.dps import windows
from farkas.numbers import Floats, Ints
from farkas.tolerances import allowed


class PlacedJobs(Program):
    """Jobs placed whole on one server or spread over several, within capacity.  DPS (2d)-(2g).

    Two copies of a job, one per runtime, make the windows of (2b) and (2c) constants.  A spread
    copy that happens to sit on one server is dominated by the whole one, so nothing links them.
    """

    kind = "dps"
    integral: ClassVar[bool] = True

    def declare(self, m: Any, data: Market) -> None:
        """Declare servers, jobs, the rows of (2b) and (2c), and placements."""
        windows.declare_demand(m, data)
        m.servers = Set(range(data.num_servers), label="server")
        m.installed_workers = Param(m.servers, m.worker_types, values=data.installed_workers)
        m.installed_ps = Param(m.servers, m.ps_types, values=data.installed_ps)
        held = {"whole": data.colocated_end, "spread": data.spread_end}
        for name, units, side in zip(
            ("worker_rows", "ps_rows"), ("workers", "ps"), data.sides, strict=True
        ):
            ways = {f"{way}_with_{units}": data.last_held(end) for way, end in held.items()}
            windows.declare_rows(m, name, side, **ways)
        self._declare_placement(m, data)

    def _declare_placement(self, m: Any, data: Market) -> None:
        workers, ps = data.sides
        m.whole = Var(
            m.jobs, m.servers, integer=self.integral, upper=data.hosts,
            doc="Job accepted, all of it on this server; u.",
        )  # fmt: skip
        m.spread = Var(
            m.jobs, integer=self.integral, upper=data.fits,
            doc="Job accepted and spread over servers; h.",
        )  # fmt: skip
        m.spread_workers = Var(
            m.jobs, m.servers, integer=self.integral, upper=_at_most(workers),
            doc="Workers of a spread job on this server; x.",
        )  # fmt: skip
        m.spread_ps = Var(
            m.jobs, m.servers, integer=self.integral, upper=_at_most(ps),
            doc="Parameter servers of a spread job on this server; z.",
        )  # fmt: skip

    @constraint("2d", "jobs")
    def all_workers_placed(m, i):
        """A spread job has all its workers."""
        return Sum(m.spread_workers[i, s] for s in m.servers) == m.workers[i] * m.spread[i]

    @constraint("2e", "jobs")
    def all_ps_placed(m, i):
        """A spread job has all its parameter servers."""
        return Sum(m.spread_ps[i, s] for s in m.servers) == m.ps[i] * m.spread[i]

    @constraint("2c,2f", "worker_rows", "servers")
    def enough_workers(m, k, t, s):
        """Jobs that hold workers of a type use no more of them than a server has.

        Stated where jobs arrive, aggregate capacity follows by adding up.
        """
        return (
            Sum(m.workers[i] * m.whole[i, s] for i in m.whole_with_workers[k, t])
            + Sum(m.spread_workers[i, s] for i in m.spread_with_workers[k, t])
            <= m.installed_workers[s, k]
        )

    @constraint("2b,2g", "ps_rows", "servers")
    def enough_ps(m, k, t, s):
        """Jobs that hold parameter servers of a type use no more of them than a server has."""
        return (
            Sum(m.ps[i] * m.whole[i, s] for i in m.whole_with_ps[k, t])
            + Sum(m.spread_ps[i, s] for i in m.spread_with_ps[k, t])
            <= m.installed_ps[s, k]
        )


class Offline(PlacedJobs):
    """Highest payments when all budgets are known.  DPS (2), linearised exactly.

    Prices are the job's own, so an accepted job pays its reward and any other can be refused by a
    high price.  ``prices``: "free" rewards with the budget; "capped" with the budget or, if less,
    the most a capped price yields; "forced" is capped and takes the indicator of (2a) literally:
    a job no admissible price can keep out is served whenever it fits.

    As printed (2) is not linear: it multiplies prices and decisions, its index sets and idle
    resources depend on decisions; see errata 1-4.
    """

    name = "dps.offline"
    sense = "max"
    prices: str = option("free", "capped", "forced")

    def declare(self, m: Any, data: Market) -> None:
        """Declare rewards, and what keeps a forced job out."""
        super().declare(m, data)
        m.reward = Param(m.jobs, values=self.rewards(data))
        if self.prices == "forced":
            self._declare_blocking(m, data)

    def rewards(self, data: Market) -> Floats:
        """Return what an accepted job pays, shape (jobs,)."""
        if self.prices == "free":
            return data.budget
        data.require_cap(self.full_name)
        return data.capped_reward

    def _declare_blocking(self, m: Any, data: Market) -> None:
        most = data.require_cap(self.full_name) * (data.workers + data.ps)
        forced = np.flatnonzero(allowed(data.budget) >= most)
        workers, ps = data.sides
        whole, spread = data.last_held(data.colocated_end), data.last_held(data.spread_end)
        m.forced_jobs = Set(forced, label="job")
        over = m.forced_jobs
        m.whole_before = IndexedSet(over, windows.earlier(workers, whole, forced), label="job")
        m.spread_before = IndexedSet(over, windows.earlier(workers, spread, forced), label="job")
        m.whole_before_ps = IndexedSet(over, windows.earlier(ps, whole, forced), label="job")
        m.spread_before_ps = IndexedSet(over, windows.earlier(ps, spread, forced), label="job")
        m.workers_in_the_way = Param(over, values=windows.in_the_way(workers, forced))
        m.ps_in_the_way = Param(over, values=windows.in_the_way(ps, forced))
        m.short_of_workers = Var(over, binary=True, doc="Too few idle workers at arrival.")
        m.short_of_ps = Var(over, binary=True, doc="Too few idle parameter servers at arrival.")

    @constraint("2a", "jobs")
    def at_most_once(m, i):
        """A job is accepted at most once."""
        return Sum(m.whole[i, s] for s in m.servers) + m.spread[i] <= 1

    @constraint("2a", "forced_jobs", when=lambda p: p.prices == "forced")
    def served_unless_blocked(m, i):
        """A job that every price attracts is served unless resources are short."""
        return (
            Sum(m.whole[i, s] for s in m.servers)
            + m.spread[i]
            + m.short_of_workers[i]
            + m.short_of_ps[i]
            >= 1
        )

    @constraint("2a", "forced_jobs", when=lambda p: p.prices == "forced")
    def workers_really_short(m, i):
        """Workers are short only when earlier jobs hold too many of them."""
        return (
            Sum(m.workers[j] * m.whole[j, s] for j in m.whole_before[i] for s in m.servers)
            + Sum(m.workers[j] * m.spread[j] for j in m.spread_before[i])
            >= m.workers_in_the_way[i] * m.short_of_workers[i]
        )

    @constraint("2a", "forced_jobs", when=lambda p: p.prices == "forced")
    def ps_really_short(m, i):
        """Parameter servers are short only when earlier jobs hold too many of them."""
        return (
            Sum(m.ps[j] * m.whole[j, s] for j in m.whole_before_ps[i] for s in m.servers)
            + Sum(m.ps[j] * m.spread[j] for j in m.spread_before_ps[i])
            >= m.ps_in_the_way[i] * m.short_of_ps[i]
        )

    @objective
    def payments(m):
        """Payments of the accepted jobs."""
        return Sum(m.reward[i] * m.whole[i, s] for i in m.jobs for s in m.servers) + Sum(
            m.reward[i] * m.spread[i] for i in m.jobs
        )


class OfflineLP(Offline):
    """Linear relaxation of dps.offline, server by server.  DPS (2)."""

    name = "dps.offline_lp"
    integral = False


def _at_most(side: Side) -> Ints:
    """Units of a job that one server can hold, shape (jobs, servers)."""
    return np.minimum(side.units[:, None], side.on_server)
