"""Markets of DPS: jobs in order of arrival."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.adversary.shape import KindShape, Plain, shapes, without


def mend(data: Plain) -> None:
    """Sort jobs by arrival."""
    data["jobs"].sort(key=lambda job: job["arrival"])


def complete(data: Plain, share: float) -> None:
    """Fix prices for the seller that posts such: a share of what a type is paid at most."""
    if data["fixed_prices"] is None:
        most = 1.0 if data["price_cap"] is None else data["price_cap"]
        data["fixed_prices"] = {
            "worker": [share * most for _ in data["worker_bandwidth"]],
            "ps": [share * most for _ in data["ps_bandwidth"]],
        }


def grid(data: Plain, share: float) -> None:
    """Offer three prices to the search on a grid."""
    most = 1.0 if data["price_cap"] is None else data["price_cap"]
    data["price_grid"] = [share * most / 2, share * most, (1 + share) * most / 2]


def smaller(data: Plain) -> Iterator[Plain]:
    """Leave out a job or a server."""
    for job in range(len(data["jobs"])):
        yield without(data, job, ("jobs",))
    servers = len(data["server_workers"])
    for server in range(servers if servers > 1 else 0):
        yield without(data, server, ("server_workers",), ("server_ps",))


shapes.add(
    "dps",
    KindShape(
        sizes={
            "jobs": "num_jobs",
            "servers": "num_servers",
            "worker_types": "num_worker_types",
            "ps_types": "num_ps_types",
            "slots": "horizon",
        },
        smallest={"num_jobs": 6, "num_servers": 2, "horizon": 30},
        mend=mend,
        complete=complete,
        needs={"dps.bfp_grid": grid},
        smaller=smaller,
        counted=("jobs", "server_workers"),
        witnesses=("dps.best_fit", "dps.bfp_fluid", "dps.simple", "dps.top", "dps.learned"),
    ),
)
