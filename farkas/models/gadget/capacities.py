"""Capacities of nodes and links that can bind, as sets and parameters of programs."""

import numpy as np

from farkas.algebra import IndexedSet, Param, Set
from farkas.instances.gadget import Cluster


def declare_capacities(m, cluster: Cluster, jobs) -> None:
    """Declare nodes, resources, and the pairs of them whose capacity is finite."""
    m.nodes = Set(range(cluster.num_nodes), label="node")
    m.resources = Set(range(cluster.num_resources), label="resource")
    m.demand = Param(m.jobs, m.resources, values=cluster.demand[jobs])
    limited = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    m.limits = Set(np.argwhere(limited), label=("node", "resource"))
    m.capacity = Param(m.limits, values=cluster.capacity[limited])


def declare_links(m, cluster: Cluster, jobs) -> None:
    """Declare links, those that can fill up, and what leaves and enters each node."""
    m.links = Set(range(cluster.num_links), label="link")
    m.leaving = IndexedSet(m.nodes, _by_node(cluster.link_source, cluster), label="link")
    m.entering = IndexedSet(m.nodes, _by_node(cluster.link_target, cluster), label="link")
    m.reserved = Param(m.jobs, values=cluster.bandwidth[jobs])
    limited = np.flatnonzero(np.isfinite(cluster.link_bandwidth))
    m.limited_links = Set(limited, label="link")
    m.bandwidth = Param(m.limited_links, values=cluster.link_bandwidth[limited])


def _by_node(ends, cluster: Cluster):
    return [np.flatnonzero(ends == u) for u in range(cluster.num_nodes)]
