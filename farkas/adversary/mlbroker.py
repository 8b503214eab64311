"""Markets of mlBroker: data of a job from its arrival to its departure."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.adversary.shape import KindShape, Plain, shapes, without

BY_SITE = ("base_price", "discount_price", "discount_threshold", "transfer_price")


def mend(data: Plain) -> None:
    """Let jobs depart after they arrive, with data in every slot between; discounts lower prices.

    Moving nothing is free.
    """
    for site, row in enumerate(data["transfer_price"]):
        row[site] = 0.0
    for listed, reduced in zip(data["base_price"], data["discount_price"] or (), strict=False):
        reduced[:] = [
            low if low is None else min(low, price)
            for price, low in zip(listed, reduced, strict=True)
        ]
    for job in data["jobs"]:
        job["departure"] = min(max(job["arrival"], job["departure"]), data["num_slots"] - 1)
        job["arrival"] = min(job["arrival"], job["departure"])
        length = job["departure"] - job["arrival"] + 1
        job["data"] += [list(job["data"][-1]) for _ in range(length - len(job["data"]))]
        del job["data"][length:]


def smaller(data: Plain) -> Iterator[Plain]:
    """Leave out a job, a site, a resource, or the last slot."""
    for job in range(len(data["jobs"])):
        yield without(data, job, ("jobs",))
    for site in range(data["num_sites"] if data["num_sites"] > 1 else 0):
        yield without(
            data, site, *((name,) for name in BY_SITE), ("transfer_price", "*"),
            ("jobs", "*", "data", "*"), count="num_sites",
        )  # fmt: skip
    for resource in range(data["num_resources"] if data["num_resources"] > 1 else 0):
        yield without(
            data, resource, *((name, "*") for name in BY_SITE[:3]),
            ("jobs", "*", "worker_demand"), ("jobs", "*", "server_demand"),
            count="num_resources",
        )  # fmt: skip
    if data["num_slots"] > 1:
        yield without(data, -1, count="num_slots")


shapes.add(
    "mlbroker",
    KindShape(
        sizes={"jobs": "num_jobs", "sites": "num_sites", "slots": "num_slots"},
        smallest={"num_jobs": 3, "num_sites": 3, "num_slots": 6},
        mend=mend,
        smaller=smaller,
        counted=("jobs", "num_sites", "num_slots"),
        witnesses=("mlbroker.central", "mlbroker.local"),
    ),
)
