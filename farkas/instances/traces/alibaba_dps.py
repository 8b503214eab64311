"""Pods of a GPU cluster as users of a market: kind dps.

Servers are nodes, worker types GPU models, server types classes of CPUs (nodes by their cores).
A pod becomes a job that asks for its GPUs, arrives when it was created and, on one server, runs
until it was deleted.  What the trace does not hold is drawn from the published ranges: bandwidths,
prices, types of pods that name none (by installed units), then job by job what
`farkas.instances.traces.market` lists.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.base import Count
from farkas.instances.dps import Market
from farkas.instances.traces.alibaba import Machine, Pod, read_nodes, read_pods
from farkas.instances.traces.market import RANGES, MarketWindow, bandwidths, market_jobs
from farkas.instances.traces.result import Imported, importers
from farkas.instances.traces.table import Line, lines
from farkas.numbers import Floats, Ints
from farkas.portable.draws import uniform

PRICE_COLUMNS = ("gpu", "gpu_count", "on_demand_usd_per_hour")
NODES = "openb_node_list_gpu_node.csv"


class ImportOptions(MarketWindow, frozen=True, kw_only=True):
    """Options of this importer; by default the window holds the whole trace.

    Parameters
    ----------
    nodes
        Path of the node list; by default the published file name beside the pods.
    servers
        At most this many nodes, spread evenly over the list; all if left out.
    cores_per_ps
        CPU cores of a parameter server.
    prices
        Path of a table of GPU prices.  The on-demand price of a GPU of a model, averaged over the
        table and divided by the largest, is its base price; models it lacks get a drawn one.
    """

    slots: Count = 45_000
    nodes: str = ""
    servers: Count | None = None
    cores_per_ps: Count = 8
    prices: str = ""


@importers.register("alibaba:dps")
def import_alibaba(
    path: str | os.PathLike[str], seed: int, options: Mapping[str, Any], /
) -> Imported:
    """Make a market from the pods at ``path`` and a list of nodes."""
    chosen = ImportOptions.given("import alibaba to dps", options)
    nodes = _nodes(chosen, path)
    dropped: Counter[str] = Counter()
    trace = chosen.cut(read_pods(path, dropped), dropped)
    rng = np.random.default_rng(seed)
    models = sorted({node.model for node in nodes})
    classes = sorted({node.cores for node in nodes})
    workers, ps = _installed(chosen, nodes, models, classes)
    fields: dict[str, Any] = dict(bandwidths(rng, len(models), len(classes)))
    prices = _prices(chosen, models, rng), uniform(rng, *RANGES.price, len(classes))
    types = _types([pod for _, pod in trace], models, workers, ps, rng)
    market = Market.build(
        name=f"alibaba-{seed}",
        seed=seed,
        description=_description(chosen, models, classes, dropped, seed),
        horizon=chosen.slots,
        slot_seconds=chosen.slot_seconds,
        server_workers=workers,
        server_ps=ps,
        jobs=market_jobs(chosen, trace, types, prices, rng),
        **fields,
    )
    return Imported(market, len(trace), dropped)


def _nodes(options: ImportOptions, pods: str | os.PathLike[str]) -> list[Machine]:
    nodes = [node for node in read_nodes(options.nodes or Path(pods).parent / NODES) if node.gpus]
    if not nodes:
        raise InvalidOption("import alibaba to dps: the node list holds no node with a GPU")
    if options.servers is None or options.servers >= len(nodes):
        return nodes
    picked = np.linspace(0, len(nodes) - 1, options.servers).round().astype(int)
    return [nodes[place] for place in picked]


def _installed(
    options: ImportOptions, nodes: Sequence[Machine], models: list[str], classes: list[int]
) -> tuple[Ints, Ints]:
    workers = np.zeros((len(nodes), len(models)), np.int64)
    ps = np.zeros((len(nodes), len(classes)), np.int64)
    for place, node in enumerate(nodes):
        workers[place, models.index(node.model)] = node.gpus
        ps[place, classes.index(node.cores)] = node.cores // options.cores_per_ps
    return workers, ps


def _prices(options: ImportOptions, models: list[str], rng: np.random.Generator) -> Floats:
    """Return base prices of a GPU of each model, at most 1."""
    drawn = uniform(rng, *RANGES.price, len(models))
    if not options.prices:
        return drawn
    quotes: dict[str, list[float]] = {}
    for line in lines(options.prices, PRICE_COLUMNS):
        price = _price(line)
        if price is not None:
            quotes.setdefault(line.text("gpu").split()[-1], []).append(price)
    means = {gpu: float(np.mean(found)) for gpu, found in quotes.items()}
    dearest = max(means.values(), default=1.0)
    # V100M16 and V100M32 are V100s with 16 and 32 GB
    known = [means.get(model.split("M")[0]) for model in models]
    return np.array(
        [d if k is None else k / dearest for k, d in zip(known, drawn.tolist(), strict=True)]
    )


def _price(line: Line) -> float | None:
    # fractions of a GPU are sold too
    price, gpus = line.number_or_none("on_demand_usd_per_hour"), line.nonnegative("gpu_count")
    return None if price is None or gpus == 0 else price / gpus


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


def _description(
    options: ImportOptions, models: list[str], classes: list[int], dropped: Counter[str], seed: int
) -> str:
    return (
        f"Alibaba GPU trace; worker types are {', '.join(models)}; server types are nodes with "
        f"{', '.join(map(str, classes))} cores; one worker per GPU; on one server a job runs as "
        "long as its pod did; bandwidths, model sizes, epochs and budget noise from the published "
        f"ranges; left out {dict(sorted(dropped.items()))}; seed {seed}; options {options.text()}"
    )
