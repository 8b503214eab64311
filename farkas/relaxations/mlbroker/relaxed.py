"""Program mlbroker.relaxed."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import msgspec

from farkas.algebra import Param, Sum, Var, constraint, objective, option
from farkas.errors import InvalidOption
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import declare_data, declare_sets, of_busy_slots
from farkas.models.mlbroker.placement import PlacementProgram, RelaxationRules, deployments


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobsApart:
    """Jobs of a brokerage, each in slots of its own; chords are still those of all jobs."""

    instance: Brokerage
    jobs: range


class Relaxation(RelaxationRules, PlacementProgram):
    """Lower bound on the offline optimum, a linear program.  mlBroker (9).

    ``relax``: "printed" is (9), that is (8) with one constant M, one constant U and nonnegative
    variables; "tight" prices resources on the convex envelope of (7) and splits (8g) by job;
    "sharp" also conditions every decision on the server's site, under strict semantics only.
    Each is at most the next, and all are at most the optimum of their semantics.  On the chord
    nothing couples jobs, so that the program of `JobsApart` falls into one part a job.

    No upper bounds are stated: ``v <= 1`` and the like hold at some optimum, and with a
    multiplier of their own they would spoil the duals of (9).
    """

    name = "mlbroker.relaxed"
    relax: str = option("printed", "tight", "sharp")

    def __new__(cls, **variant: str) -> Self:
        """Pick the class that writes the chosen relaxation, whatever has been imported so far."""
        if cls is Relaxation and variant.get("relax") == "sharp":
            return super().__new__(ServerRelaxation)  # type: ignore[return-value]
        return super().__new__(cls)

    def __init__(self, **variant: str) -> None:
        super().__init__(**variant)
        if self.relax == "sharp" and self.semantics != "strict":
            raise InvalidOption(f"{self.name}: sharp needs semantics strict; add semantics=strict")

    @classmethod
    def options(cls) -> dict[str, tuple[str, ...]]:
        """Variant switches, relaxation first."""
        found = super().options()
        return {"relax": found.pop("relax"), **found}

    def declare(self, m: Any, data: Brokerage | JobsApart) -> None:
        """Declare (9), of all jobs, or of some one after the other."""
        if not isinstance(data, JobsApart):
            self._declare(m, data)
            return
        whole, some, begin = data.instance, data.jobs, data.instance.pair_start
        first, behind = begin[some.start], begin[some.stop]
        ends = (begin[some.start : some.stop + 1] - first).tolist()
        jobs = tuple(
            msgspec.structs.replace(whole.jobs[i], arrival=start, departure=end - 1)
            for i, start, end in zip(some, ends, ends[1:], strict=False)
        )
        slope = whole.chord_slope(self.semantics)[whole.pair_slot[first:behind]]
        apart = msgspec.structs.replace(whole, num_slots=max(ends[-1], 1), jobs=jobs, big_m=None)
        self._declare(m, apart, slope)


def workers_at(m, i, t, r):
    """Workers at a site, whichever site holds the server."""
    return Sum(m.workers[i, t, r, p] for p in m.sites)


class ServerRelaxation(Relaxation):
    """Lower bound that knows where the server stands.  Strict semantics; not in the paper.

    Data and workers carry the server's site p as a further index, so that synchronisation is paid
    by every worker; whole solutions are those of (8) with (8l), (8m).
    """

    def declare(self, m: Any, data: Any) -> None:
        """Declare sets and parameters of (8), and decisions by the server's site."""
        declare_sets(m, data)
        declare_data(m, data, self.semantics)
        most = data.most_workers(self.semantics)[:, None, None]
        chord = of_busy_slots(data, data.chord_slope(self.semantics))
        m.slope = Param(m.slots, m.sites, m.resources, values=chord)
        by_server = (m.job_slots, m.sites, m.sites)
        m.workers = Var(
            *by_server,
            implied_upper=most,
            reason="(8m)",
            doc="Workers at the first site while the server is at the second; y.",
        )
        m.moved = Var(
            m.job_slots,
            m.sites,
            *by_server[1:],
            implied_upper=data.trained_volume[:, :, None, None],
            reason="(8b)",
            doc="GB moved from the first to the second site, server at the third; q.",
        )
        m.server = Var(m.job_slots, m.sites, implied_upper=1, reason="(8f)", doc="Server here; s.")
        m.deployed = Var(
            m.job_slots,
            m.sites,
            implied_upper=1,
            reason="clipping at 1 keeps all rows",
            doc="Job present at the site; v.",
        )
        m.started = Var(
            m.job_slots,
            m.sites,
            implied_upper=1,
            reason="differences of deployed are at most 1",
            doc="Job newly deployed; z.",
        )

    @constraint("8a", "job_slots", "sites", "sites")
    def enough_workers(m, i, t, r, p):
        """Workers in a site process all data moved to it."""
        arriving = Sum(m.moved[i, t, o, r, p] for o in m.sites)
        return m.rate[i] * m.workers[i, t, r, p] >= arriving

    @constraint("8b", "job_slots", "sites", "sites")
    def all_data_moved(m, i, t, o, p):
        """All data are trained, under whichever server site is chosen."""
        leaving = Sum(m.moved[i, t, o, r, p] for r in m.sites)
        return leaving == m.volume[i, t, o] * m.server[i, t, p]

    @constraint("8j", "job_slots", "sites")
    def server_is_connected(m, i, t, p):
        """As many workers as are needed run under the chosen server site."""
        running = Sum(m.workers[i, t, r, p] for r in m.sites)
        return running >= m.needed[i, t] * m.server[i, t, p]

    @constraint("8m", "job_slots", "sites", "sites")
    def connect_to_server_only(m, i, t, r, p):
        """Workers run under the chosen server site only."""
        return m.workers[i, t, r, p] <= m.most[i, t] * m.server[i, t, p]

    @constraint("8g*", "job_slots", "sites")
    def present_with_workers(m, i, t, r):
        """A job is deployed where it has workers."""
        return m.most[i, t] * m.deployed[i, t, r] >= workers_at(m, i, t, r)

    @constraint("8l", "job_slots", "sites")
    def absent_where_unused(m, i, t, r):
        """A job without workers and server at a site leaves it."""
        return m.deployed[i, t, r] <= workers_at(m, i, t, r) + m.server[i, t, r]

    # prices enter the objective, and connections are workers
    cost_on_chord: Any = None
    workers_connect: Any = None

    @objective
    def cost(m):
        """Transfer, resource, deployment and synchronisation cost, USD."""
        return (
            Sum(
                m.transfer_price[o, r] * m.moved[i, t, o, r, p]
                for i, t in m.job_slots
                for o in m.sites
                for r in m.sites
                for p in m.sites
            )
            + Sum(
                m.transfer_price[r, p] * m.sync_volume[i] * m.workers[i, t, r, p]
                for i, t in m.job_slots
                for r in m.sites
                for p in m.sites
            )
            + Sum(
                m.slope[t, r, k] * m.worker_demand[i, k] * workers_at(m, i, t, r)
                + m.slope[t, r, k] * m.server_demand[i, k] * m.server[i, t, r]
                for t in m.slots
                for i in m.jobs_at[t]
                for r in m.sites
                for k in m.resources
            )
            + deployments(m)
        )
