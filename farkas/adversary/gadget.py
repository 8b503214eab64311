"""Clusters of GADGET: nodes that links name by their index."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.adversary.shape import KindShape, Plain, shapes, without


def mend(data: Plain) -> None:
    """Let jobs arrive in the last slot at the latest."""
    for job in data["jobs"]:
        job["arrival"] = min(job["arrival"], data["horizon"] - 1)


def smaller(data: Plain) -> Iterator[Plain]:
    """Leave out a job, a link, a node with its links, or the last slot."""
    for job in range(len(data["jobs"])):
        yield without(data, job, ("jobs",))
    for node in range(len(data["nodes"]) if len(data["nodes"]) > 1 else 0):
        yield _without_node(data, node)
    for link in range(len(data["links"])):
        yield without(data, link, ("links",))
    if data["horizon"] > 1:
        yield without(data, -1, count="horizon")


def _without_node(data: Plain, node: int) -> Plain:
    found = without(data, node, ("nodes",))
    found["links"] = [
        link | {end: link[end] - (link[end] > node) for end in ("from", "to")}
        for link in found["links"]
        if node not in (link["from"], link["to"])
    ]
    return found


shapes.add(
    "gadget",
    KindShape(
        sizes={"jobs": "num_jobs", "servers": "num_servers", "slots": "horizon"},
        smallest={"num_jobs": 3, "num_servers": 3, "horizon": 4},
        optional=("jobs[].budget[]",),
        mend=mend,
        smaller=smaller,
        counted=("jobs", "nodes", "horizon"),
        witnesses=("gadget.fifo", "gadget.las", "gadget.drf", "gadget.greedy_exact"),
    ),
)
