"""Jobs of GADGET by slot, servers, and the network."""

import math

from farkas.experiments.outlines.outline import Bars, DrawnNetwork, Outline, outline
from farkas.instances.gadget import Cluster


@outline("gadget")
def cluster(instance: Cluster) -> Outline:
    """Jobs that have arrived in each slot, what servers have, and the links between nodes."""
    names = [node.name or f"node {k}" for k, node in enumerate(instance.nodes)]
    servers = [k for k, node in enumerate(instance.nodes) if node.server]
    amounts = {
        resource: [instance.nodes[k].capacity[number] for k in servers]
        for number, resource in enumerate(instance.resources)
    }
    limited = {name: each for name, each in amounts.items() if any(x is not None for x in each)}
    links = {
        (link.source, link.target): math.inf if link.bandwidth is None else link.bandwidth
        for link in instance.links
    }
    return Outline(
        spans=[(float(job.arrival), float(instance.horizon)) for job in instance.jobs],
        end=float(instance.horizon),
        spanned="that have arrived",
        bars=[Bars("capacity", [names[k] for k in servers], limited)] if limited else [],
        network=DrawnNetwork(names, [node.server for node in instance.nodes], links),
    )
