"""Ring constraints as printed, for reading and for showing what they admit.  GADGET (7)-(9)."""

import itertools

import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint, option
from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.offline import RingSchedules
from farkas.models.gadget.rings import SimplePaths

MOST_PATHS = 2000


class PrintedOffline(RingSchedules):
    """DDLJS with (2)-(9) as printed, wrong in both directions: use gadget.offline.

    ``degree=every_server`` is (9) as printed, "for all s": a job on two servers must then use all
    of them.  ``degree=own_servers`` asks degree two of the job's servers only.  Either way two
    servers joined by one path can form no ring, disjoint cycles count as one, and (8) overlooks
    links that paths share.  Paths are simple and undirected, (7) and (9) are linearised exactly.
    """

    name = "gadget.offline_printed"
    degree: str = option("every_server", "own_servers")

    def declare(self, m, data: Cluster):
        """Declare servers and the paths between them.

        Raises
        ------
        NotApplicable
            When there are too many paths to list.
        """
        super().declare(m, data)
        servers = np.flatnonzero(data.is_server)
        paths = simple_paths(data)
        m.servers = Set(servers, label="server")
        m.paths = Set(range(len(paths)), label="path")
        at = [[p for p, (ends, _) in enumerate(paths) if s in ends] for s in servers]
        m.paths_at = IndexedSet(m.servers, at, label="path")
        ends = [(p, s) for p, (ends, _) in enumerate(paths) for s in ends]
        m.ends = Set(ends, label=("path", "server"))
        room = np.array([data.link_bandwidth[links].min() for _, links in paths])
        limited = np.flatnonzero(np.isfinite(room))
        m.limited_paths = Set(limited, label="path")
        m.room = Param(m.limited_paths, values=room[limited])
        m.reserved = Param(m.jobs, values=data.bandwidth[m.jobs.table[:, 0]])
        loose = len(paths) + 2
        m.num_servers = Param(values=len(servers))
        m.loose = Param(values=loose)
        m.loose_elsewhere = Param(values=loose if self.degree == "own_servers" else 0)
        m.path_used = Var(m.active_slots, m.paths, binary=True, doc="The ring has the path; p.")
        m.several = Var(m.active_slots, binary=True, doc="The ring has several hosts.")

    @constraint("7", "active_slots", "ends")
    def path_joins_hosts(m, i, t, p, s):
        """Both ends of a path are hosts."""
        return m.path_used[i, t, p] <= m.hosts[i, t, s]

    @constraint("8", "slots", "limited_paths")
    def path_capacity(m, t, p):
        """Rings fit through their path, as if no other shared its links."""
        return Sum(m.reserved[i] * m.path_used[i, t, p] for i in m.jobs_at[t]) <= m.room[p]

    @constraint("9", "active_slots")
    def several_hosts(m, i, t):
        """More than one host are several."""
        return Sum(m.hosts[i, t, s] for s in m.servers) - 1 <= m.num_servers * m.several[i, t]

    @constraint("9", "active_slots")
    def one_host(m, i, t):
        """Several hosts are two at least."""
        return Sum(m.hosts[i, t, s] for s in m.servers) >= 2 * m.several[i, t]

    @constraint("9", "active_slots", "servers")
    def degree_at_least_two(m, i, t, s):
        """With several hosts two paths or more meet at a server."""
        return (
            Sum(m.path_used[i, t, p] for p in m.paths_at[s])
            + m.loose * (1 - m.several[i, t])
            + m.loose_elsewhere * (1 - m.hosts[i, t, s])
            >= 2
        )

    @constraint("9", "active_slots", "servers")
    def degree_at_most_two(m, i, t, s):
        """With several hosts two paths or less meet at a server."""
        return (
            Sum(m.path_used[i, t, p] for p in m.paths_at[s])
            - m.loose * (1 - m.several[i, t])
            - m.loose_elsewhere * (1 - m.hosts[i, t, s])
            <= 2
        )


def simple_paths(data: Cluster) -> list[tuple[tuple[int, int], list[int]]]:
    """List simple paths between servers s < s' along links from s to s', with their links.

    Raises
    ------
    NotApplicable
        When there are too many to list.
    """
    paths = SimplePaths(data, MOST_PATHS)
    servers = np.flatnonzero(data.is_server).tolist()
    found = []
    for ends in itertools.combinations(servers, 2):
        for flow in paths.over_all(*ends):
            found.append((ends, np.flatnonzero(flow).tolist()))
            if len(found) > MOST_PATHS:
                raise NotApplicable(f"more than {MOST_PATHS} paths; too many to list")
    return found
