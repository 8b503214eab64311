"""Jobs of a trace on a cluster: kind gadget.

A job's arrival comes from its submit time, its ring size from its GPUs, its budget of worker-slots
from duration x GPUs.  The network is a public one with a server at every node, or a drawn tree.
Drawn from the published ranges: the tree or, node by node, GPUs and, cable by cable, bandwidths the
file does not state; then job by job ring bandwidth, efficiency, fixed ring and utility.
"""

import math
import os
from typing import Any, ClassVar

import numpy as np

from farkas.errors import FileProblem
from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.generate.gadget import Published, draw
from farkas.instances.traces.importer import Path
from farkas.instances.traces.jobs import JobTable, TraceJob
from farkas.instances.traces.networks import read_network
from farkas.instances.traces.table import lines
from farkas.instances.traces.understood import Account
from farkas.portable import uniform

RANGES = Published()


class ClusterOfJobs(JobTable, frozen=True, kw_only=True):
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

    paths: ClassVar[tuple[str, ...]] = ("network", "node_list")

    network: str = ""
    network_unit: Positive = 1e-3
    servers: Count = RANGES.num_servers
    node_list: str = ""
    max_workers: Count = 8
    link_scale: Nonnegative = 1.0

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Make a cluster from jobs and a network."""
        trace = self.cut(self.with_gpus(path, dropped), dropped)
        nodes, links, network = self._substrate(rng)
        return {
            "name": f"{self.source}-gadget",
            "description": (
                f"{self.origin} on a {network}; one GPU per worker, rings up to the job's GPUs, "
                "budget duration x GPUs in worker-slots, square-root utilities of published "
                "heights; bandwidths and efficiencies from the published ranges; every node of a "
                "public network is a server"
            ),
            "horizon": self.slots,
            "resources": ["gpu"],
            "nodes": nodes,
            "links": links,
            "jobs": [self._job(slot, job, rng) for slot, job in trace],
        }

    def _substrate(
        self, rng: np.random.Generator
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
        gpus = self._gpu_values()
        if not self.network:
            settings = Published.given(
                "generator gadget",
                {"num_servers": self.servers, "num_jobs": 0, "budget": "worker_slots",
                 "gpus": gpus, "link_scale": self.link_scale},
            )  # fmt: skip
            drawn = draw(settings, rng)
            return drawn["nodes"], drawn["links"], f"drawn rack tree of {self.servers} servers"
        network = read_network(self.network, self.network_unit)
        nodes = [
            {"name": name, "server": True, "capacity": [float(rng.choice(gpus))]}
            for name in network.nodes
        ]
        links = []
        for source, target, capacity in network.cables:
            low, high = RANGES.server_bandwidth
            room = float(rng.integers(low, high + 1)) if capacity is None else capacity
            links += [
                {"from": a, "to": b, "bandwidth": self.link_scale * room}
                for a, b in ((source, target), (target, source))
            ]
        return nodes, links, f"{network.source} network {os.path.basename(self.network)}"

    def _gpu_values(self) -> list[int]:
        """GPU counts to draw from: those of the node list, each as often as it occurs."""
        if not self.node_list:
            return list(RANGES.gpus)
        found = [line.whole("gpu") for line in lines(self.node_list, ("sn", "gpu"))]
        if not found:
            raise FileProblem(f"{self.node_list}: lists no node")
        return found

    def _job(self, arrival: int, job: TraceJob, rng: np.random.Generator) -> dict[str, Any]:
        slots = max(1.0, job.duration / self.slot_seconds)
        low, high = RANGES.fixed_workers
        budget = float(math.ceil(slots * job.num_gpus))
        room = uniform(rng, *RANGES.bandwidth)
        efficiency = uniform(rng, *RANGES.efficiency)
        return {
            "name": job.name,
            "arrival": arrival,
            "demand": [1.0],
            "budget": [budget],
            "max_workers": min(job.num_gpus, self.max_workers),
            "bandwidth": room,
            "efficiency": efficiency,
            "fixed_workers": int(rng.integers(low, high + 1)),
            "utility": {"kind": "sqrt", "scale": _height(rng, job.value, efficiency * budget)},
        }


def _height(rng: np.random.Generator, value: float | None, progress: float) -> float:
    """Multiple of the square root; the whole ``progress`` is worth ``value``, if there is one."""
    drawn = uniform(rng, *RANGES.height)
    return drawn if value is None else value / math.sqrt(progress)
