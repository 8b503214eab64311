"""Program mlbroker.worst_local."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import msgspec
import numpy as np

from farkas.algebra import Param, Sum, Var, constraint, objective, option
from farkas.forms import Sense
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.data import declare_jobs, declare_sets
from farkas.models.mlbroker.placement import EntryRules, Presence, deployments, resources, traffic
from farkas.models.worst_case import Values, WorstProgram, whole_parts
from farkas.numbers import Ints


def local_usage(m, t, r, k):
    """Units of a resource that the algorithm's workers and servers use at a site."""
    return Sum(
        m.worker_demand[i, k] * m.own[i, t, r] + m.server_demand[i, k] * m.stands[i, r]
        for i in m.jobs_at[t]
    )


class WorstLocal(WorstProgram, EntryRules, Presence):
    """Worst data volumes for mlbroker.local.  mlBroker (8) against section 6.3, LocalWorkers.

    Volumes of all jobs, slots and sites lie between the smallest and the largest of the instance;
    all else is as it stands there.  They are whole ``parts`` of what a worker of the job trains in
    a slot, so that rounding workers up knows no ties.  Servers of the algorithm stand where it
    draws them with seed 0.  The objective is the algorithm's cost less ``ratio`` times that of the
    witness, which is (8) with all workers connected to their server.
    """

    name = "mlbroker.worst_local"
    algorithm: ClassVar[str] = "mlbroker.local"
    varied: ClassVar[tuple[str, ...]] = ("jobs[].data[][]",)
    follows: ClassVar[tuple[str, ...]] = ("big_m",)
    sense: ClassVar[Sense] = "max"  # type: ignore[assignment]
    semantics: Semantics = option("printed")
    margin: str = option("0")
    parts: str = option("2", "1", "4", "8", "16")
    prices, presence = "two", "split"

    def declare(self, m: Any, data: Brokerage) -> None:
        """Declare volumes, the algorithm's workers, then all of (8) for the largest volumes."""
        grain, least, most = self._parts(data)
        top = with_volumes(data, np.broadcast_to((grain * most)[:, None], data.volume.shape))
        declare_sets(m, top)
        m.ratio = Param(values=self.factor)
        declare_jobs(m, data)
        m.most = Param(m.job_slots, values=top.most_workers())
        m.grain = Param(m.job_slots, values=grain)
        m.whole = Param(values=float(self.parts))
        m.volume = Var(
            m.job_slots, m.sites, integer=True, lower=least[:, None], upper=most[:, None],
            doc="Data collected at the site, parts of a worker; D.",
        )  # fmt: skip
        self._declare_algorithm(m, top, -(-most // int(self.parts)))
        self._declare_decisions(m, top)
        self._declare_prices(m, top)

    def _parts(self, data: Brokerage) -> tuple[Any, Ints, Ints]:
        """Size of a part, smallest and largest number of parts, each of shape (pairs,)."""
        grain = data.worker_capacity[data.pair_job] / int(self.parts)
        whole = "a worker lies between the smallest and the largest volume"
        parts = map(Fraction, grain.tolist())
        return grain, *whole_parts(self, data.volume.ravel(), parts, whole)

    def _declare_algorithm(self, m: Any, top: Brokerage, most: Ints) -> None:
        stands = drawn_servers(top)
        at_site = (m.job_slots, m.sites)
        m.stands = Param(m.jobs, m.sites, values=stands)
        m.near = Param(m.jobs, m.sites, values=top.transfer[:, np.argmax(stands, axis=1)].T)
        m.most_own = Param(m.job_slots, values=most)
        m.own = Var(*at_site, integer=True, upper=most[:, None], doc="Workers of the algorithm.")
        m.here = Var(
            *at_site, binary=True, doc="The algorithm is present."
        )  # fmt: skip
        m.enters = Var(*at_site, upper=1, doc="The algorithm enters the site.")
        used = np.zeros((top.num_slots, top.num_sites, top.num_resources))
        each = most[:, None] * top.worker_demand[top.pair_job]
        np.add.at(used, top.pair_slot, each[:, None, :])
        stood = stands[top.pair_job][:, :, None] * top.server_demand[top.pair_job][:, None, :]
        np.add.at(used, top.pair_slot, stood)
        m.paid = Var(
            m.slots, m.sites, m.resources,
            upper=shared.dearest(top, shared.of_busy_slots(top, used)),
            doc="What the algorithm pays for a resource, USD.",
        )  # fmt: skip

    @constraint("6.3", "job_slots", "sites")
    def own_workers_suffice(m, i, t, r):
        """Data are trained where they are collected."""
        return m.whole * m.own[i, t, r] >= m.volume[i, t, r]

    @constraint("6.3", "job_slots", "sites")
    def own_workers_needed(m, i, t, r):
        """No worker is idle for a whole slot."""
        return m.whole * m.own[i, t, r] <= m.volume[i, t, r] + (m.whole - 1)

    @constraint("6.3", "job_slots", "sites")
    def here_with_workers(m, i, t, r):
        """The algorithm is present where it has workers."""
        return m.own[i, t, r] <= m.most_own[i, t] * m.here[i, t, r]

    @constraint("6.3", "job_slots", "sites")
    def here_with_server(m, i, t, r):
        """And where its server stands."""
        return m.here[i, t, r] >= m.stands[i, r]

    @constraint("6.3", "job_slots", "sites")
    def elsewhere_without(m, i, t, r):
        """And nowhere else."""
        return m.here[i, t, r] <= m.own[i, t, r] + m.stands[i, r]

    @constraint("8h", "job_slots", "sites")
    def enters_where_here(m, i, t, r):
        """The algorithm enters sites where it is present."""
        return m.enters[i, t, r] <= m.here[i, t, r]

    @constraint("8h", "later_slots", "sites")
    def enters_anew(m, i, t, r):
        """And was not one slot before."""
        return m.enters[i, t, r] <= 1 - m.here[i, t - 1, r]

    @constraint("7", "slots", "sites", "resources")
    def paid_at_list_price(m, t, r, k):
        """The algorithm pays no more than the list price."""
        return m.paid[t, r, k] <= m.list_price[r, k] * local_usage(m, t, r, k)

    @constraint("7", "slots", "sites", "resources")
    def paid_at_reduced_price(m, t, r, k):
        """Nor more than the discounted price and the surcharge."""
        return (
            m.paid[t, r, k] <= m.reduced_price[r, k] * local_usage(m, t, r, k) + m.surcharge[r, k]
        )

    @constraint("8b", "job_slots", "sites")
    def all_data_moved(m, i, t, o):
        """All data collected at a site are trained somewhere by the witness."""
        return Sum(m.moved[i, t, o, r] for r in m.sites) == m.grain[i, t] * m.volume[i, t, o]

    @constraint("8i,8j", "job_slots", "sites", "sites")
    def workers_connect_to_server(m, i, t, r, p):
        """All workers of the witness connect to its server."""
        return m.connected[i, t, r, p] >= m.workers[i, t, r] - m.most[i, t] * (
            1 - m.server[i, t, p]
        )

    @objective
    def lost(m):
        """Cost of the algorithm less the ratio times that of the witness, USD."""
        cost = (
            Sum(m.paid[t, r, k] for t in m.slots for r in m.sites for k in m.resources)
            + Sum(m.deploy_cost[i] * m.enters[i, t, r] for i, t in m.job_slots for r in m.sites)
            + Sum(
                m.near[i, r] * m.sync_volume[i] * m.own[i, t, r]
                for i, t in m.job_slots
                for r in m.sites
            )
        )
        return cost - m.ratio * (traffic(m) + resources(m) + deployments(m))

    @property
    def scope(self) -> str:
        """Volumes are on a grid, and draws are those of one seed."""
        return (
            f"; volumes in whole parts, {self.parts} of which a worker trains in a slot; servers"
            " where seed 0 draws them"
        )

    def on_grid(self, data: Brokerage, instance: Brokerage) -> bool:
        """Whether all volumes are whole parts."""
        grain, least, most = self._parts(data)
        parts = np.rint(instance.volume / grain[:, None])
        parts = np.clip(parts, least[:, None], most[:, None])
        return bool((instance.volume == grain[:, None] * parts).all())

    def decoded(self, data: Brokerage, values: Values) -> Brokerage:
        """Return the instance with the volumes of a point."""
        grain, least, most = self._parts(data)
        parts = np.clip(np.rint(values["volume"]), least[:, None], most[:, None])
        return with_volumes(data, grain[:, None] * parts)


def with_volumes(data: Brokerage, volume: Any) -> Brokerage:
    """Return the instance with other volumes, shape (pairs, sites)."""
    jobs = []
    for job, start, stop in zip(data.jobs, data.pair_start, data.pair_start[1:], strict=False):
        rows = tuple(map(tuple, np.asarray(volume)[start:stop].tolist()))
        jobs.append(msgspec.structs.replace(job, data=rows))
    return data.replace(jobs=jobs, big_m=None)


def drawn_servers(data: Brokerage) -> Any:
    """Where the algorithm's servers stand with seed 0, shape (jobs, sites), 1 at one site each."""
    draws, found = np.random.default_rng(0), np.zeros((data.num_jobs, data.num_sites))
    for slot in range(data.num_slots):
        for job in data.jobs_at(slot).tolist():
            if data.arrival[job] == slot:
                found[job, draws.integers(data.num_sites)] = 1.0
    return found
