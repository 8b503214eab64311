"""Program gadget.worst_fifo."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import msgspec
import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint, objective, option
from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.worst_case import Values, WorstProgram, whole_parts
from farkas.numbers import Floats, Ints


class WorstFifo(WorstProgram):
    """Worst demands for gadget.fifo on one server.  GADGET (2)-(5) against FIFO of section VI.

    Demands of a worker lie between the smallest and the largest of the instance, and are whole
    ``parts`` of what the server has, so that nothing fits or fails to by a tie; order of arrival,
    sizes of rings and rewards are as they stand there, and no job has a budget.  In every slot
    jobs run in order until the first that does not fit; one that would not fit on the idle server
    is passed over.  The witness runs rings of any size.  The objective is the reward of the witness
    less ``ratio`` times that of the algorithm.
    """

    name = "gadget.worst_fifo"
    kind = "gadget"
    algorithm: ClassVar[str] = "gadget.fifo"
    varied: ClassVar[tuple[str, ...]] = ("jobs[].demand[]",)
    margin: str = option("0")
    parts: str = option("4", "1", "2", "8", "16")

    def declare(self, m: Any, data: Cluster) -> None:
        """Declare demands, who runs in which slot, and the witness's rings."""
        low, high = self._parts(data)
        arrived = [(i, t) for i in queue(data) for t in range(data.arrival[i], data.horizon)]
        jobs = sorted({i for i, _ in arrived})
        size = np.minimum(data.fixed_workers, data.max_workers)
        m.ratio = Param(values=self.factor)
        m.jobs = Set(jobs, label="job")
        m.slots = Set(range(data.horizon), label="slot")
        m.resources = Set(limited(data, self.name), label="resource")
        m.active_slots = Set(arrived, label=("job", "slot"))
        place = {i: at for at, i in enumerate(queue(data))}
        ahead = [[j for j, s in arrived if s == t and place[j] < place[i]] for i, t in arrived]
        m.ahead = IndexedSet(m.active_slots, ahead, label="job")
        at = [[i for i, s in arrived if s == t] for t in range(data.horizon)]
        m.jobs_at = IndexedSet(m.slots, at, label="job")
        slots = [[t for j, t in arrived if j == i] for i in jobs]
        m.slots_of = IndexedSet(m.jobs, slots, label="slot")
        m.size = Param(m.jobs, values=size[jobs])
        m.room = Param(values=float(self.parts))
        m.least, m.most = Param(m.resources, values=low), Param(m.resources, values=high)
        m.demand = Var(
            m.jobs, m.resources, integer=True, lower=low, upper=high,
            doc="Parts of the server per worker; l.",
        )  # fmt: skip
        m.used = Var(
            m.active_slots, m.resources, upper=high * size.max(initial=0),
            doc="Parts that the ring of the algorithm holds.",
        )  # fmt: skip
        m.taken = Var(
            m.active_slots, m.resources, upper=high * data.max_workers.max(initial=0),
            doc="Parts that the ring of the witness holds.",
        )  # fmt: skip
        self._declare_algorithm(m)
        self._declare_witness(m, data, jobs)
        self._declare_rewards(m, data, jobs, size, [len(part) for part in slots])

    def _parts(self, data: Cluster) -> tuple[Ints, Ints]:
        """Smallest and largest number of parts, shapes (limited resources,)."""
        room = one_server(data, self.name)[limited(data, self.name)]
        grains = (Fraction(float(units)) / int(self.parts) for units in room)
        whole = "the server lies between the smallest and the largest demand"
        return whole_parts(self, data.demand.ravel(), grains, whole)

    def _declare_algorithm(self, m: Any) -> None:
        here, each = m.active_slots, (m.active_slots, m.resources)
        alone = m.jobs, m.resources
        m.over = Var(*alone, binary=True, doc="It needs more than the idle server has.")
        m.misfit = Var(m.jobs, binary=True, doc="It is passed over.")
        m.runs = Var(here, binary=True, doc="The algorithm runs its ring.")
        m.stops = Var(here, binary=True, doc="It is the first that does not fit.")
        m.short = Var(*each, binary=True, doc="The resource of which too little is left.")

    def _declare_witness(self, m: Any, data: Cluster, jobs: list[int]) -> None:
        sizes = [(i, s) for i in jobs for s in range(1, int(data.max_workers[i]) + 1)]
        rings = [(i, t, s) for i, t in m.active_slots.members() for j, s in sizes if j == i]
        m.rings = Set(rings, label=("job", "slot", "worker"))
        of = [[s for j, s in sizes if j == i] for i, _ in m.active_slots.members()]
        m.sizes_of = IndexedSet(m.active_slots, of, label="worker")
        m.chosen = Var(m.rings, binary=True, doc="The witness runs a ring of this size.")

    def _declare_rewards(
        self, m: Any, data: Cluster, jobs: list[int], size: Ints, slots: list[int]
    ) -> None:
        pairs = list(zip(jobs, slots, strict=True))
        counts = [(i, c) for i, n in pairs for c in range(n + 1)]
        totals = [(i, z) for i, n in pairs for z in range(n * int(data.max_workers[i]) + 1)]
        m.counts, m.totals = Set(counts, label=("job", "run")), Set(totals, label=("job", "total"))
        own = [[c for j, c in counts if j == i] for i in jobs]
        m.counts_of = IndexedSet(m.jobs, own, label="run")
        own = [[z for j, z in totals if j == i] for i in jobs]
        m.totals_of = IndexedSet(m.jobs, own, label="total")
        earned = [float(data.reward(i, int(size[i]) * c)) for i, c in counts]
        m.reward = Param(m.counts, values=earned)
        m.prize = Param(m.totals, values=[float(data.reward(i, z)) for i, z in totals])
        idle = [float(data.idle_reward[i]) for i in range(data.num_jobs) if i not in jobs]
        m.unreachable_reward = Param(values=sum(idle, 0.0))
        m.ran = Var(m.counts, binary=True, doc="The algorithm runs the job in so many slots.")
        m.total = Var(m.totals, binary=True, doc="The witness gives it so many worker-slots.")

    @constraint("VI", "jobs", "resources")
    def over_the_server(m, i, r):
        """A resource of which the idle server has too little for the ring."""
        return m.size[i] * m.demand[i, r] >= (m.room + 1) * m.over[i, r]

    @constraint("VI", "jobs", "resources")
    def fits_alone(m, i, r):
        """A job that is not passed over fits on the idle server."""
        return m.size[i] * m.demand[i, r] <= m.room + m.size[i] * m.most[r] * m.misfit[i]

    @constraint("VI", "jobs")
    def passed_over(m, i):
        """A job is passed over only where some resource is too little."""
        return m.misfit[i] <= Sum(m.over[i, r] for r in m.resources)

    @constraint("VI", "active_slots", "resources")
    def too_little_left(m, i, t, r):
        """A resource is short when the jobs ahead leave too little of it."""
        held = Sum(m.used[j, t, r] for j in m.ahead[i, t])
        return held + m.size[i] * m.demand[i, r] >= (m.room + 1) * m.short[i, t, r]

    @constraint("VI", "active_slots")
    def stops_when_short(m, i, t):
        """A job ends the slot only where a resource is short."""
        return m.stops[i, t] <= Sum(m.short[i, t, r] for r in m.resources)

    @constraint("VI", "active_slots")
    def misfits_stop_nothing(m, i, t):
        """A job that is passed over neither runs nor ends the slot."""
        return m.runs[i, t] + m.stops[i, t] + m.misfit[i] <= 1

    @constraint("VI", "active_slots")
    def runs_unless_stopped(m, i, t):
        """All others run until one ends the slot."""
        ended = Sum(m.stops[j, t] for j in m.ahead[i, t])
        return m.runs[i, t] + m.stops[i, t] + m.misfit[i] + ended >= 1

    @constraint("VI", "active_slots")
    def nobody_runs_after(m, i, t):
        """Nobody runs, or ends the slot again, behind."""
        ended = Sum(m.stops[j, t] for j in m.ahead[i, t])
        return m.runs[i, t] + m.stops[i, t] + ended <= 1

    @constraint("4", "active_slots", "resources")
    def used_by_ring(m, i, t, r):
        """A ring holds what its workers demand."""
        return m.used[i, t, r] >= m.size[i] * m.demand[i, r] - m.size[i] * m.most[r] * (
            1 - m.runs[i, t]
        )

    @constraint("4", "active_slots", "resources")
    def used_no_more(m, i, t, r):
        """And no more."""
        return m.used[i, t, r] <= m.size[i] * m.demand[i, r] - m.size[i] * m.least[r] * (
            1 - m.runs[i, t]
        )

    @constraint("4", "active_slots", "resources")
    def used_by_runs(m, i, t, r):
        """A job without a ring holds nothing."""
        return m.used[i, t, r] <= m.size[i] * m.most[r] * m.runs[i, t]

    @constraint("4", "slots", "resources")
    def rings_fit(m, t, r):
        """The algorithm's rings fit on the server."""
        return Sum(m.used[i, t, r] for i in m.jobs_at[t]) <= m.room

    @constraint("3", "jobs")
    def one_count(m, i):
        """The algorithm runs a job in some number of slots."""
        return Sum(m.ran[i, c] for c in m.counts_of[i]) == 1

    @constraint("3", "jobs")
    def counted(m, i):
        """Which is counted."""
        given = Sum(m.runs[i, t] for t in m.slots_of[i])
        return given == Sum(c * m.ran[i, c] for c in m.counts_of[i])

    @constraint("2", "active_slots")
    def one_size(m, i, t):
        """The witness runs one ring of a job at most."""
        return Sum(m.chosen[i, t, s] for s in m.sizes_of[i, t]) <= 1

    @constraint("4", "rings", "resources")
    def taken_by_ring(m, i, t, s, r):
        """Its ring holds what its workers demand."""
        return m.taken[i, t, r] >= s * m.demand[i, r] - s * m.most[r] * (1 - m.chosen[i, t, s])

    @constraint("4", "slots", "resources")
    def node_capacity(m, t, r):
        """Its rings fit on the server."""
        return Sum(m.taken[i, t, r] for i in m.jobs_at[t]) <= m.room

    @constraint("3", "jobs")
    def one_total(m, i):
        """The witness gives a job some number of worker-slots."""
        return Sum(m.total[i, z] for z in m.totals_of[i]) == 1

    @constraint("3", "jobs")
    def received(m, i):
        """Which is what its rings have."""
        given = Sum(s * m.chosen[i, t, s] for t in m.slots_of[i] for s in m.sizes_of[i, t])
        return given == Sum(z * m.total[i, z] for z in m.totals_of[i])

    @objective
    def lost(m):
        """Reward of the witness less the ratio times that of the algorithm."""
        other = m.unreachable_reward + Sum(m.prize[i, z] * m.total[i, z] for i, z in m.totals)
        earned = m.unreachable_reward + Sum(m.reward[i, c] * m.ran[i, c] for i, c in m.counts)
        return other - m.ratio * earned

    @property
    def scope(self) -> str:
        """Demands are on a grid."""
        return f"; demands in whole parts, {self.parts} of which are what the server has"

    def _varied(self, data: Cluster) -> tuple[Any, Floats]:
        """Where demands vary, and the size of a part there, shape (limited resources,)."""
        kinds = limited(data, self.name)
        places = np.ix_(np.flatnonzero(data.arrival < data.horizon), kinds)
        return places, one_server(data, self.name)[kinds] / int(self.parts)

    def on_grid(self, data: Cluster, instance: Cluster) -> bool:
        """Whether all demands are whole parts."""
        places, grain = self._varied(data)
        parts = np.clip(np.rint(instance.demand[places] / grain), *self._parts(data))
        return bool((instance.demand[places] == parts * grain).all())

    def decoded(self, data: Cluster, values: Values) -> Cluster:
        """Return the instance with the demands of a point."""
        places, grain = self._varied(data)
        demand = data.demand.copy()
        demand[places] = np.clip(np.rint(values["demand"]), *self._parts(data)) * grain
        made = [
            msgspec.structs.replace(job, demand=tuple(row))
            for job, row in zip(data.jobs, demand.tolist(), strict=True)
        ]
        return data.replace(jobs=made)

    def example(self) -> Any:
        """Return an instance with one server."""
        from farkas.instances import library

        return library.load("gadget/heavy_worker")


def queue(data: Cluster) -> list[int]:
    """Jobs in order of arrival, then of the file."""
    return [int(i) for i in np.argsort(data.arrival, kind="stable")]


def one_server(data: Cluster, name: str) -> Any:
    """Return the capacity of the only server, shape (resources,), infinite where unlimited.

    Raises
    ------
    NotApplicable
        There is none, or there are more, or a job has a budget.
    """
    servers = np.flatnonzero(data.is_server)
    if len(servers) != 1:
        raise NotApplicable(f"{name} needs one server, this cluster has {len(servers)}")
    if np.isfinite(data.budget).any():
        raise NotApplicable(f"{name} needs jobs without budgets")
    room = data.capacity[servers[0]]
    if not (room > 0).all():
        raise NotApplicable(f"{name} needs a server that has something of every resource")
    return room


def limited(data: Cluster, name: str) -> Ints:
    """Return the resources of which the server has a limited number of units."""
    return np.flatnonzero(np.isfinite(one_server(data, name)))
