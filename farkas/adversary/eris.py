"""Auctions of Eris: jobs in order of arrival, what they are worth never increasing."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.adversary.shape import KindShape, Plain, copied, shapes, without


def mend(data: Plain) -> None:
    """Sort jobs by arrival and worths downwards; both reach to the last slot at most."""
    for job in data["jobs"]:
        job["arrival"] = min(job["arrival"], data["slots"] - 1)
    data["jobs"].sort(key=lambda job: job["arrival"])
    for job in data["jobs"]:
        job["utility"].sort(reverse=True)
        missing = data["slots"] - job["arrival"] - len(job["utility"])
        job["utility"] += job["utility"][-1:] * missing
        del job["utility"][data["slots"] - job["arrival"] :]


def smaller(data: Plain) -> Iterator[Plain]:
    """Leave out a job, a site, a resource, or the last slot."""
    for job in range(len(data["jobs"])):
        yield without(data, job, ("jobs",))
    busy = [] if data["occupied"] is None else ["occupied"]
    if busy:
        yield {**copied(data), "occupied": None}
    for site in range(data["sites"] if data["sites"] > 1 else 0):
        used = [(name, "resources") for name in busy]
        yield without(data, site, ("site_capacity",), ("jobs", "*", "data"), *used, count="sites")
    resources = len(data["resource_names"])
    for resource in range(resources if resources > 1 else 0):
        yield without(
            data, resource, ("resource_names",), ("price_base_resource",), ("site_capacity", "*"),
            ("jobs", "*", "worker_demand"), ("jobs", "*", "server_demand"),
            *((name, "resources", "*") for name in busy),
        )  # fmt: skip
    if data["slots"] > 1:
        moved = [(name, "transfer") for name in busy]
        held = [(name, "resources", "*", "*") for name in busy]
        yield without(data, -1, *moved, *held, count="slots")


shapes.add(
    "eris",
    KindShape(
        sizes={"jobs": "num_jobs", "sites": "sites", "slots": "slots"},
        smallest={"num_jobs": 3, "sites": 1, "slots": 4},
        names={"worth": "jobs[].utility[]"},
        mend=mend,
        smaller=smaller,
        counted=("jobs", "sites", "slots"),
        witnesses=("eris.antman", "eris.tiresias", "eris.liquid", "eris.eris"),
    ),
)
