"""The slot problem as counts and circulations: compact, exact, on any network."""

import numpy as np

from farkas.algebra import Sum, Var, constraint
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import SlotProgram, declare_participants
from farkas.models.gadget.slot import snapshot
from farkas.models.gadget.walks import Walks, declare_hosts, declare_walks
from farkas.numbers import Ints


class Circulation(Walks, SlotProgram):
    """Best rings of one slot by workers per host and a closed walk through all hosts.

    Equal to GADGET (12)-(19).
    """

    name = "gadget.circulation"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = snapshot(data)
        declare_participants(m, slot)
        m.chosen = Var(m.sizes, binary=True, doc="The job's ring has this size.")
        active = [(i, slot.slot) for i in slot.jobs.tolist()]
        declare_hosts(m, slot.cluster, [slot.slot], active, slot.cap)
        declare_walks(m, slot.cluster, slot.largest, slot.uses)

    @constraint("14", "active_slots")
    def all_workers_placed(m, i, t):
        """The nodes host as many workers as the ring has."""
        placed = Sum(m.workers[i, t, u] for u in m.nodes)
        return placed == Sum(k * m.chosen[i, k] for k in m.sizes_of[i])

    @constraint("9", "active_slots")
    def one_root(m, i, t):
        """A ring that runs starts at one host."""
        ring = Sum(m.chosen[i, k] for k in m.sizes_of[i])
        return Sum(m.root[i, t, u] for u in m.nodes) == ring


def connected_part(cluster: Cluster, workers: Ints, uses: Ints) -> Ints:
    """Drop the parts of a circulation that meet no host; none is left for a single host."""
    hosts = np.flatnonzero(workers).tolist()
    if len(hosts) < 2:
        return np.zeros_like(uses)
    links = np.flatnonzero(uses)
    source, target = cluster.link_source[links], cluster.link_target[links]
    reached = np.arange(cluster.num_nodes) == hosts[0]
    while not reached[target[reached[source]]].all():
        reached[target[reached[source]]] = True
    return np.where(reached[cluster.link_source], uses, 0)
