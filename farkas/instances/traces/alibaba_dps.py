"""Pods of a production GPU cluster as users of a market: kind dps.

The trace is Alibaba cluster-trace-gpu-v2023.

Servers are nodes, worker types GPU models, server types classes of CPUs (nodes by their cores).
A pod becomes a job that asks for its GPUs (a part of one counts as a whole one), arrives when it
was created and, on one server, runs until it was deleted or the trace ended.  What the trace does
not hold is drawn from the published ranges: bandwidths, prices, types of pods that name none (by
installed units), then job by job what `farkas.instances.traces.market` lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, ClassVar

import numpy as np

from farkas.instances.base import Count
from farkas.instances.options import require_option
from farkas.instances.traces.importer import Account, Path, importers, moment
from farkas.instances.traces.market import RANGES, MarketJob, MarketWindow
from farkas.instances.traces.table import lines
from farkas.messages import number_of
from farkas.numbers import Ints
from farkas.portable_functions import uniform

NODE_COLUMNS = ("sn", "cpu_milli", "gpu", "model")
POD_COLUMNS = (
    "num_gpu", "gpu_milli", "gpu_spec", "pod_phase", "creation_time", "deletion_time",
)  # fmt: skip
NEEDED = ("num_gpu", "gpu_milli", "creation_time")  #: Columns in which a cell may not be missing.
MILLI = 1000
NODES = "openb_node_list_gpu_node.csv"


@dataclass(frozen=True, slots=True)
class Machine:
    """One server: CPU cores, GPUs and their model."""

    cores: int
    gpus: int
    model: str


@dataclass(frozen=True, slots=True)
class Pod(MarketJob):
    """One pod; it lasts until its deletion, and a part of a GPU counts as a whole one."""

    models: tuple[str, ...]  #: GPU models it may run on; empty for any.


def read_nodes(path: Path) -> list[Machine]:
    """Nodes in file order; raises `FileProblem` naming the line."""
    return [
        Machine(line.whole("cpu_milli") // MILLI, line.whole("gpu"), line.text("model"))
        for line in lines(path, NODE_COLUMNS)
    ]


@importers.register("alibaba:dps")
class AlibabaMarket(MarketWindow, frozen=True, kw_only=True):
    """Options of this importer; by default the window holds the whole trace.

    Parameters
    ----------
    nodes
        Path of the node list; by default the published file name beside the pods.
    servers
        At most this many nodes, spread evenly over the list; all if left out.
    cores_per_ps
        CPU cores of a parameter server.
    """

    paths: ClassVar[tuple[str, ...]] = ("nodes",)

    slots: Count = 45_000
    nodes: str = ""
    servers: Count | None = None
    cores_per_ps: Count = 8

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Make a market from the pods at ``path`` and a list of nodes."""
        nodes = self._nodes(path)
        trace = self.cut(self.read(path, dropped), dropped)
        models = sorted({node.model for node in nodes})
        classes = sorted({node.cores for node in nodes})
        workers, ps = self._installed(nodes, models, classes)
        shared = self.shared_fields(rng, len(models), len(classes))
        prices = [uniform(rng, *RANGES.price, len(kinds)) for kinds in (models, classes)]
        types = _types([pod for _, pod in trace], models, workers, ps, rng)
        return {
            **shared,
            "name": "alibaba",
            "description": (
                f"Alibaba GPU trace; worker types are {', '.join(models)}; server types are nodes "
                f"with {', '.join(map(str, classes))} cores; one worker per GPU or part of one; "
                "on one server a job runs as long as its pod did within the trace; bandwidths, "
                "model sizes, epochs and budget noise from the published ranges"
            ),
            "server_workers": workers,
            "server_ps": ps,
            "jobs": self.jobs_of(trace, types, (prices[0], prices[1]), rng),
        }

    def read(self, path: Path, dropped: Account) -> list[Pod]:
        """Pods with a GPU that have come to an end; the others are counted in ``dropped``.

        Raises `FileProblem`: the file is damaged; names the line.
        """
        pods: list[Pod] = []
        ends_running: list[float] = []
        parts, last = 0, 0.0
        for line in self.complete_lines(path, POD_COLUMNS, NEEDED, dropped):
            num_gpus = line.whole("num_gpu")
            begin, end = line.nonnegative("creation_time"), line.number_or_none("deletion_time")
            last = max(last, begin, begin if end is None else end)
            if num_gpus == 0:
                dropped["without a GPU"] += 1
            elif end is None:
                dropped["without an end"] += 1
            elif end < begin:
                dropped["ends before it comes"] += 1
            else:
                parts += line.whole("gpu_milli") < MILLI
                if line.text("pod_phase") == "Running":
                    ends_running.append(end)
                models = tuple(part for part in line.text("gpu_spec").split("|") if part)
                pods.append(Pod(begin, end - begin, num_gpus, models))
        dropped.tell_parts(parts)
        # others of this phase were deleted while they ran
        cut_off = ends_running.count(last)
        if cut_off:
            dropped.told["cut off"] = (
                f"{number_of(cut_off, 'jobs')}, still running at the end of the trace, "
                f"{moment(last, self.dated)}"
            )
        return pods

    def _nodes(self, pods: Path) -> list[Machine]:
        file = self.nodes or File(pods).parent / NODES
        nodes = [node for node in read_nodes(file) if node.gpus]
        require_option(bool(nodes), "import alibaba to dps: the node list holds no node with a GPU")
        if self.servers is None or self.servers >= len(nodes):
            return nodes
        picked = np.linspace(0, len(nodes) - 1, self.servers).round().astype(int)
        return [nodes[place] for place in picked]

    def _installed(
        self, nodes: Sequence[Machine], models: list[str], classes: list[int]
    ) -> tuple[Ints, Ints]:
        workers = np.zeros((len(nodes), len(models)), np.int64)
        ps = np.zeros((len(nodes), len(classes)), np.int64)
        for place, node in enumerate(nodes):
            workers[place, models.index(node.model)] = node.gpus
            ps[place, classes.index(node.cores)] = node.cores // self.cores_per_ps
        return workers, ps


def _types(
    pods: list[Pod], models: list[str], workers: Ints, ps: Ints, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Worker type and server type of each pod, by installed units where the pod names none."""
    by_model, by_class = workers.sum(axis=0), ps.sum(axis=0)
    share = (
        by_class / by_class.sum() if by_class.any() else np.full(len(by_class), 1 / len(by_class))
    )
    found = []
    for pod in pods:
        able = [k for k, model in enumerate(models) if not pod.models or model in pod.models]
        able = able or list(range(len(models)))
        weight = by_model[able].astype(float)
        kind = int(rng.choice(able, p=weight / weight.sum()))
        found.append((kind, int(rng.choice(len(share), p=share))))
    return found
