"""Philly jobs on a cluster: kind gadget.

A job's arrival comes from its submit time, its ring size from its GPUs, its budget of worker-slots
from duration x GPUs.  The network is a public one with a server at every node, or a drawn tree.
Drawn from the published ranges: the tree or, node by node, GPUs and, cable by cable, bandwidths the
file does not state; then job by job ring bandwidth, efficiency, fixed ring and utility.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from farkas.errors import FileProblem
from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.gadget import Cluster
from farkas.instances.generate.gadget import Published, draw
from farkas.instances.traces.networks import read_network
from farkas.instances.traces.philly import PhillyJob, read_jobs
from farkas.instances.traces.result import Imported, importers
from farkas.instances.traces.table import lines
from farkas.instances.traces.window import Window
from farkas.portable.draws import uniform

RANGES = Published()


class ImportOptions(Window, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    network
        Path of a Topology Zoo or SNDlib file; a rack tree is drawn if left out.
    network_unit
        Gbps per unit of capacity of an SNDlib file that states none.
    servers
        Servers of a drawn tree.
    node_list
        Path of the Alibaba list of GPU nodes; servers take GPU counts from it.
    max_workers
        Rings are no larger; a job with more GPUs keeps its budget.
    link_scale
        Multiple of all bandwidths.
    """

    network: str = ""
    network_unit: Positive = 1e-3
    servers: Count = RANGES.num_servers
    node_list: str = ""
    max_workers: Count = 8
    link_scale: Nonnegative = 1.0


@importers.register("philly:gadget")
def import_philly(
    path: str | os.PathLike[str], seed: int, options: Mapping[str, Any], /
) -> Imported:
    """Make a cluster from the Philly trace and a network."""
    chosen = ImportOptions.given("import philly to gadget", options)
    dropped: Counter[str] = Counter()
    jobs = list(read_jobs(path))
    with_gpus = [job for job in jobs if job.num_gpus > 0]
    if len(with_gpus) < len(jobs):
        dropped["without a GPU"] = len(jobs) - len(with_gpus)
    trace = chosen.cut(with_gpus, dropped)
    rng = np.random.default_rng(seed)
    nodes, links, network = _substrate(chosen, rng)
    instance = Cluster.build(
        name=f"philly-gadget-{seed}",
        seed=seed,
        description=_description(chosen, network, seed, dropped),
        horizon=chosen.slots,
        resources=["gpu"],
        nodes=nodes,
        links=links,
        jobs=[_job(chosen, slot, job, rng) for slot, job in trace],
    )
    return Imported(instance, len(trace), dropped)


def _substrate(
    options: ImportOptions, rng: np.random.Generator
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    gpus = _gpu_values(options)
    if not options.network:
        settings = Published.given(
            "generator gadget",
            {"num_servers": options.servers, "num_jobs": 0, "budget": "worker_slots",
             "gpus": gpus, "link_scale": options.link_scale},
        )  # fmt: skip
        drawn = draw(settings, rng)
        return drawn["nodes"], drawn["links"], f"drawn rack tree of {options.servers} servers"
    network = read_network(options.network, options.network_unit)
    nodes = [
        {"name": name, "server": True, "capacity": [float(rng.choice(gpus))]}
        for name in network.nodes
    ]
    links = []
    for source, target, capacity in network.cables:
        low, high = RANGES.server_bandwidth
        room = float(rng.integers(low, high + 1)) if capacity is None else capacity
        links += [
            {"from": a, "to": b, "bandwidth": options.link_scale * room}
            for a, b in ((source, target), (target, source))
        ]
    return nodes, links, f"{network.source} network {os.path.basename(options.network)}"


def _gpu_values(options: ImportOptions) -> list[int]:
    """GPU counts to draw from: those of the node list, each as often as it occurs."""
    if not options.node_list:
        return list(RANGES.gpus)
    found = [int(line.nonnegative("gpu")) for line in lines(options.node_list, ("sn", "gpu"))]
    if not found:
        raise FileProblem(f"{options.node_list}: lists no node")
    return found


def _job(
    options: ImportOptions, arrival: int, job: PhillyJob, rng: np.random.Generator
) -> dict[str, Any]:
    slots = max(1.0, job.duration / options.slot_seconds)
    low, high = RANGES.fixed_workers
    return {
        "name": f"{job.cluster}@{job.submitted:.0f}",
        "arrival": arrival,
        "demand": [1.0],
        "budget": [float(math.ceil(slots * job.num_gpus))],
        "max_workers": min(job.num_gpus, options.max_workers),
        "bandwidth": uniform(rng, *RANGES.bandwidth),
        "efficiency": uniform(rng, *RANGES.efficiency),
        "fixed_workers": int(rng.integers(low, high + 1)),
        "utility": {"kind": "sqrt", "scale": uniform(rng, *RANGES.height)},
    }


def _description(options: ImportOptions, network: str, seed: int, dropped: Counter[str]) -> str:
    plain = msgspec.structs.replace(
        options,
        network=os.path.basename(options.network),
        node_list=os.path.basename(options.node_list),
    )
    return (
        f"Philly trace on a {network}; one GPU per worker, rings up to the job's GPUs, budget "
        "duration x GPUs in worker-slots, square-root utilities of published heights; bandwidths "
        "and efficiencies from the published ranges; every node of a public network is a server; "
        f"left out {dict(sorted(dropped.items()))}; seed {seed}; options {plain.text()}"
    )
