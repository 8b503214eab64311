"""Jobs of a trace on a cluster: kind gadget.

A job's arrival comes from its submit time, its ring size from its GPUs, its budget of worker-slots
from duration x GPUs.  The network is a public one with a server at every node, or a drawn tree.
Drawn from the published ranges: the tree or, node by node, GPUs and, cable by cable, bandwidths the
file does not state; then job by job ring bandwidth, efficiency, fixed ring and utility.
"""

import dataclasses
import math
import os
import re
from typing import Any, ClassVar
from xml.etree import ElementTree

import numpy as np

from farkas.errors import FileProblem
from farkas.files import read_bytes
from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.generate.gadget import Published, draw
from farkas.instances.traces.importer import Account, Path
from farkas.instances.traces.jobs import JobTable, TraceJob
from farkas.instances.traces.table import lines
from farkas.messages import named
from farkas.messages.refusals import parsed
from farkas.portable_functions import uniform

GIGA = 1e9


@dataclasses.dataclass(frozen=True)
class Network:
    """An undirected network."""

    source: str  #: ``topology zoo`` or ``SNDlib``.
    nodes: tuple[str, ...]  #: Names, unique.
    #: (node, node, capacity in Gbps, None if unknown); parallel ones stay apart.
    cables: tuple[tuple[int, int, float | None], ...]


def read_network(path: Path, unit: float = 1e-3) -> Network:
    """Read a network file of either format.

    ``unit``: gbps per unit of capacity of an SNDlib file; its own unit, where stated, wins.  Raises
    `FileProblem`: the file cannot be read or holds no network; names what is wrong.
    """
    name = named(os.fspath(path))
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileProblem(f"{name}: is no text file") from None
    if text.lstrip().startswith("?SNDlib"):
        network = _sndlib(text, name, unit)
    elif text.lstrip().startswith("<"):
        network = _graphml(text, name)
    else:
        raise FileProblem(f"{name}: is neither GraphML nor SNDlib native format")
    if not network.nodes:
        raise FileProblem(f"{name}: holds no node")
    return network


def _graphml(text: str, name: str) -> Network:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FileProblem(f"{name}: declares a document type; remove it")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise FileProblem(f"{name}: is no XML: {parsed(error)}") from None
    keys = {
        key.get("id", ""): key.get("attr.name", "") for key in root.iter() if _tag(key) == "key"
    }
    ids: dict[str, int] = {}
    names: list[str] = []
    for node in (e for e in root.iter() if _tag(e) == "node"):
        identity = node.get("id", "")
        if identity in ids:
            raise FileProblem(f"{name}: node {identity!r} stands twice")
        ids[identity] = len(names)
        label = _data(node, keys).get("label", "")
        names.append(label if label and label not in names else f"{label}{identity}")
    cables = []
    for edge in (e for e in root.iter() if _tag(e) == "edge"):
        ends = edge.get("source", ""), edge.get("target", "")
        for end in ends:
            if end not in ids:
                raise FileProblem(f"{name}: an edge ends at the unknown node {end!r}")
        speed = _data(edge, keys).get("LinkSpeedRaw")
        capacity = None if speed is None else _amount(speed, f"{name}: LinkSpeedRaw") / GIGA
        cables.append((ids[ends[0]], ids[ends[1]], capacity))
    return Network("topology zoo", tuple(names), tuple(cables))


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _data(element: ElementTree.Element, keys: dict[str, str]) -> dict[str, str]:
    found = [child for child in element if _tag(child) == "data"]
    return {keys.get(d.get("key", ""), ""): (d.text or "").strip() for d in found}


def _sndlib(text: str, name: str, unit: float) -> Network:
    lines = [line.partition("#")[0] for line in text.splitlines()]
    sections = dict(re.findall(r"^(META|NODES|LINKS) \(\n(.*?)^\)", "\n".join(lines), re.M | re.S))
    for needed in ("NODES", "LINKS"):
        if needed not in sections:
            raise FileProblem(f"{name}: has no section {needed}")
    if re.search(r"unit\s*=\s*MBITPERSEC", sections.get("META", "")):
        unit = 1e-3
    nodes = re.findall(r"^\s*(\S+)", sections["NODES"], re.M)
    index = {node: place for place, node in enumerate(nodes)}
    cables = []
    for line in filter(str.strip, sections["LINKS"].splitlines()):
        found = re.match(r"\s*(\S+) \( (\S+) (\S+) \) (\S+) \S+ \S+ \S+ \(\s*(\S*)", line)
        if found is None:
            raise FileProblem(f"{name}: cannot read the link {line.strip()[:60]!r}")
        link, source, target, installed, module = found.groups()
        where = f"{name}: link {named(link)}"
        for end in (source, target):
            if end not in index:
                raise FileProblem(f"{where} ends at the unknown node {end!r}")
        capacity = _amount(installed, where)
        if capacity == 0 and module not in ("", ")"):
            capacity = _amount(module, where)  # its smallest module
        cables.append((index[source], index[target], capacity * unit if capacity else None))
    return Network("SNDlib", tuple(nodes), tuple(cables))


def _amount(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise FileProblem(f"{where}: {text!r} is no number") from None
    if not (math.isfinite(value) and value >= 0):
        raise FileProblem(f"{where}: {text!r} is no capacity")
    return value


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
