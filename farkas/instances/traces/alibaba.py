"""Nodes and pods of a production GPU cluster (Alibaba cluster-trace-gpu-v2023)."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter

from farkas.instances.traces.table import Line, lines

NODE_COLUMNS = ("sn", "cpu_milli", "gpu", "model")
POD_COLUMNS = ("cpu_milli", "num_gpu", "gpu_spec", "creation_time", "deletion_time")
MILLI = 1000


@dataclasses.dataclass(frozen=True, slots=True)
class Machine:
    """One server: CPU cores, GPUs and their model."""

    cores: int
    gpus: int
    model: str


@dataclasses.dataclass(frozen=True, slots=True)
class Pod:
    """One pod.

    Parameters
    ----------
    submitted, duration
        Creation and time until deletion, seconds.
    num_gpus
        Whole GPUs.
    models
        GPU models it may run on; empty for any.
    """

    submitted: float
    duration: float
    num_gpus: int
    models: tuple[str, ...]


def read_nodes(path: str | os.PathLike[str]) -> list[Machine]:
    """Nodes in file order; raises `FileProblem` naming the line."""
    return [
        Machine(line.whole("cpu_milli") // MILLI, line.whole("gpu"), line.text("model"))
        for line in lines(path, NODE_COLUMNS)
    ]


def read_pods(path: str | os.PathLike[str], dropped: Counter[str]) -> list[Pod]:
    """Pods with a GPU that have come to an end; the others are counted in ``dropped``.

    Raises
    ------
    FileProblem
        The file is damaged; names the line.
    """
    pods = []
    for line in lines(path, POD_COLUMNS):
        if line.whole("num_gpu") == 0:
            dropped["without a GPU"] += 1
            continue
        pod = _pod(line)
        if pod is None:
            dropped["without an end"] += 1
        else:
            pods.append(pod)
    return pods


def _pod(line: Line) -> Pod | None:
    end, begin = line.number_or_none("deletion_time"), line.nonnegative("creation_time")
    if end is None or end < begin:
        return None
    models = tuple(part for part in line.text("gpu_spec").split("|") if part)
    return Pod(begin, end - begin, line.whole("num_gpu"), models)
