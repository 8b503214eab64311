"""Ring constraints as printed, for reading and for showing what they admit.  GADGET (7)-(9)."""

from __future__ import annotations

import inspect
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import option
from farkas.algebra.formulation import Formulation
from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import ClosedWalks

if TYPE_CHECKING:
    import pyomo.environ as pyo

MOST_PATHS = 2000


class OfflinePrinted(Formulation):
    """DDLJS with the printed topology constraints (2)-(9), as a Pyomo model only.

    ``degree=every_server`` is (9) as printed, "for all s": a job on two servers must then use all
    of them.  ``degree=own_servers`` asks degree two of the job's servers only.  Either way two
    servers joined by one path can form no ring, disjoint cycles count as one, and (8) overlooks
    links that paths share.  Use ``gadget.offline``.
    """

    name = "gadget.offline_printed"
    kind = "gadget"
    sense = "max"
    degree: str = option("every_server", "own_servers")

    def describe(self) -> str:
        """Say the program in words."""
        return f"{self.full_name}\n\n{inspect.getdoc(type(self))}"

    def to_pyomo(self, data: Cluster) -> pyo.ConcreteModel:
        """Build the model; paths are simple and undirected, (7) and (9) are linearised exactly."""
        import pyomo.environ as pyo

        self.check_kind(data)
        m = pyo.ConcreteModel(name=self.full_name)
        servers = np.flatnonzero(data.is_server).tolist()
        jobs = np.flatnonzero(data.reachable_slots).tolist()
        paths = simple_paths(data)
        m.servers = pyo.Set(initialize=servers)
        m.jobs = pyo.Set(initialize=jobs)
        active = [(i, t) for i in jobs for t in range(data.arrival[i], data.horizon)]
        m.active_slots = pyo.Set(initialize=active, dimen=2)
        m.slots = pyo.Set(initialize=range(data.horizon))
        m.paths = pyo.Set(initialize=range(len(paths)))
        at = {s: [p for p, (ends, _) in enumerate(paths) if s in ends] for s in servers}
        m.workers = pyo.Var(m.active_slots, m.servers, domain=pyo.NonNegativeIntegers)
        m.hosts = pyo.Var(m.active_slots, m.servers, domain=pyo.Binary)
        m.path_used = pyo.Var(m.active_slots, m.paths, domain=pyo.Binary)
        m.several = pyo.Var(m.active_slots, domain=pyo.Binary)
        limit, cap = data.ring_limit(), data.host_cap
        most = len(servers)

        def constrain(name: str, label: str, sets: list[Any], rule: Any) -> None:
            m.add_component(name, pyo.Constraint(*sets, rule=rule, doc=f"({label})"))

        def arrived(t: int) -> list[int]:
            return [i for i in jobs if data.arrival[i] <= t]

        pairs = [m.active_slots, m.servers]
        constrain(
            "ring_size",
            "2",
            [m.active_slots],
            lambda m, i, t: sum(m.workers[i, t, s] for s in servers) <= int(limit[i]),
        )
        constrain(
            "only_on_hosts",
            "5",
            pairs,
            lambda m, i, t, s: m.workers[i, t, s] <= int(cap[i, s]) * m.hosts[i, t, s],
        )
        constrain(
            "hosts_have_workers",
            "5",
            pairs,
            lambda m, i, t, s: m.hosts[i, t, s] <= m.workers[i, t, s],
        )
        constrain(
            "path_joins_hosts",
            "7",
            [m.active_slots, m.paths, pyo.Set(initialize=[0, 1])],
            lambda m, i, t, p, end: m.path_used[i, t, p] <= m.hosts[i, t, paths[p][0][end]],
        )

        def path_capacity(m: Any, t: int, p: int) -> Any:
            room = min(float(data.link_bandwidth[e]) for e in paths[p][1])
            if not np.isfinite(room) or not arrived(t):
                return pyo.Constraint.Skip
            reserved = sum(float(data.bandwidth[i]) * m.path_used[i, t, p] for i in arrived(t))
            return reserved <= room

        constrain("path_capacity", "8", [m.slots, m.paths], path_capacity)
        constrain(
            "several_hosts",
            "9",
            [m.active_slots],
            lambda m, i, t: sum(m.hosts[i, t, s] for s in servers) - 1 <= most * m.several[i, t],
        )
        constrain(
            "one_host",
            "9",
            [m.active_slots],
            lambda m, i, t: sum(m.hosts[i, t, s] for s in servers) >= 2 * m.several[i, t],
        )
        own = self.degree == "own_servers"

        def degree(m: Any, i: int, t: int, s: int, side: int) -> Any:
            met = sum(m.path_used[i, t, p] for p in at[s])
            loose = len(paths) + 2
            free = loose * (1 - m.several[i, t])
            if own:
                free += loose * (1 - m.hosts[i, t, s])
            return met >= 2 - free if side == 0 else met <= 2 + free

        constrain("degree_two", "9", [*pairs, pyo.Set(initialize=[0, 1])], degree)

        def node_capacity(m: Any, t: int, s: int, r: int) -> Any:
            if not np.isfinite(data.capacity[s, r]) or not arrived(t):
                return pyo.Constraint.Skip
            used = sum(float(data.demand[i, r]) * m.workers[i, t, s] for i in arrived(t))
            return used <= float(data.capacity[s, r])

        resources = pyo.Set(initialize=range(data.num_resources))
        constrain("node_capacity", "4", [m.slots, m.servers, resources], node_capacity)
        _reward(m, data, jobs, servers)
        return m


def _reward(m: Any, data: Cluster, jobs: list[int], servers: list[int]) -> None:
    """One binary per total and the reward it earns; (3) bounds the totals."""
    import pyomo.environ as pyo

    totals = [(i, z) for i in jobs for z in range(int(data.reachable_slots[i]) + 1)]
    m.totals = pyo.Set(initialize=totals, dimen=2)
    m.total = pyo.Var(m.totals, domain=pyo.Binary)

    def counts(i: int) -> range:
        return range(int(data.reachable_slots[i]) + 1)

    m.one_total = pyo.Constraint(
        m.jobs, rule=lambda m, i: sum(m.total[i, z] for z in counts(i)) == 1, doc="(3)"
    )

    def received(m: Any, i: int) -> Any:
        slots = range(int(data.arrival[i]), data.horizon)
        given = sum(m.workers[i, t, s] for t in slots for s in servers)
        return given == sum(z * m.total[i, z] for z in counts(i))

    m.received = pyo.Constraint(m.jobs, rule=received, doc="(3)")
    idle = sum(float(data.idle_reward[i]) for i in range(data.num_jobs) if i not in jobs)
    earned = sum(float(data.reward(i, z)) * m.total[i, z] for i, z in totals)
    m.total_reward = pyo.Objective(expr=idle + earned, sense=pyo.maximize)


def simple_paths(data: Cluster) -> list[tuple[tuple[int, int], list[int]]]:
    """List simple paths between servers s < s' along links from s to s', with their links.

    Raises
    ------
    NotApplicable
        When there are too many to list.
    """
    walks = ClosedWalks(data, MOST_PATHS)
    servers = np.flatnonzero(data.is_server).tolist()
    found = []
    for ends in itertools.combinations(servers, 2):
        for flow in walks.paths(*ends):
            found.append((ends, np.flatnonzero(flow).tolist()))
            if len(found) > MOST_PATHS:
                raise NotApplicable(f"more than {MOST_PATHS} paths; too many to list")
    return found
