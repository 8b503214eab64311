"""Auctions of Eris: jobs in order of arrival, what they are worth never increasing."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.adversary.shape import KindShape, Plain, shapes, without


def mend(data: Plain) -> None:
    """Sort jobs by arrival and worths downwards; worths reach to the last slot."""
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
    if data["occupied"] is not None:
        return
    for site in range(data["sites"] if data["sites"] > 1 else 0):
        yield without(data, site, ("site_capacity",), ("jobs", "*", "data"), count="sites")
    resources = len(data["resource_names"])
    for resource in range(resources if resources > 1 else 0):
        yield without(
            data, resource, ("resource_names",), ("price_base_resource",), ("site_capacity", "*"),
            ("jobs", "*", "worker_demand"), ("jobs", "*", "server_demand"),
        )  # fmt: skip
    if data["slots"] > 1:
        yield without(data, -1, count="slots")


shapes.add(
    "eris",
    KindShape(
        sizes={"jobs": "num_jobs", "sites": "sites", "slots": "slots"},
        smallest={"num_jobs": 3, "sites": 1, "slots": 4},
        names={"worth": "jobs[].utility[]"},
        mend=mend,
        smaller=smaller,
        witnesses=("eris.antman", "eris.tiresias", "eris.liquid", "eris.eris"),
    ),
)
