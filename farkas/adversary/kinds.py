"""How instances of each kind are drawn small, mended and made smaller."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.adversary.shape import KindShape, Plain, Ranges, copied, shapes, without


def parts(data: Plain, count: int, *paths: str, field: str = "", least: int = 0) -> Iterator[Plain]:
    """Yield copies with one of ``count`` parts less, unless no more than ``least`` would stay.

    ``paths`` are as in `without`; ``field`` holds the number of parts.
    """
    for index in range(count if count > least else 0):
        yield without(data, index, *paths, count=field)


def last_slot(data: Plain, field: str, *paths: str) -> Iterator[Plain]:
    """Yield a copy without the last slot, unless it is the only one; as `parts`."""
    if data[field] > 1:
        yield without(data, -1, *paths, count=field)


# Masters and workers of coded computation: the values of each pair.


def implied_coded(given: Ranges) -> Ranges:
    """Let shifts lie where those of the published law do: 1 over the rate."""
    if "rate[][]" not in given or given["rate[][]"][0] <= 0:
        return {}
    low, high = given["rate[][]"]
    return {"shift[][]": (1 / high, 1 / low)}


def mend_coded(data: Plain) -> None:
    """Forbid pairs at rate 0 or without a rate."""
    for rates, shifts in zip(data["rate"], data["shift"], strict=True):
        for worker, rate in enumerate(rates):
            if not rate:
                rates[worker] = shifts[worker] = None


def smaller_coded(data: Plain) -> Iterator[Plain]:
    """Leave out a master or a worker; plans and points that were to be evaluated go first.

    No fewer workers are left than masters, for whom whole workers would be too few in any plan.
    """
    extra = {name: None for name in ("plans", "sca_point") if data.get(name) is not None}
    if extra:
        yield data | extra
        return
    masters, workers = len(data["masters"]), data["workers"]
    yield from parts(data, masters, "masters", "rate", "shift", least=1)
    yield from parts(data, workers, "rate.*", "shift.*", field="workers", least=masters)


shapes.add(
    "coded",
    KindShape(
        sizes={"masters": "num_masters", "workers": "num_workers", "rows": "rows"},
        smallest={"num_masters": 2, "num_workers": 4},
        smaller=smaller_coded,
        mend=mend_coded,
        null_at_zero={"rate[][]": "shift[][]"},
        implied=implied_coded,
        records="",
        witnesses=("coded.simple_greedy", "coded.iterated_greedy", "coded.round_lp"),
    ),
)


# Markets of DPS: jobs in order of arrival.


def mend_dps(data: Plain) -> None:
    """Sort jobs by arrival."""
    data["jobs"].sort(key=lambda job: job["arrival"])


def complete_dps(data: Plain, share: float) -> None:
    """Fix prices for the seller that posts such: a share of what a type is paid at most."""
    if data["fixed_prices"] is None:
        most = 1.0 if data["price_cap"] is None else data["price_cap"]
        data["fixed_prices"] = {
            "worker": [share * most for _ in data["worker_bandwidth"]],
            "ps": [share * most for _ in data["ps_bandwidth"]],
        }


def smaller_dps(data: Plain) -> Iterator[Plain]:
    """Leave out a job or a server."""
    yield from parts(data, len(data["jobs"]), "jobs")
    yield from parts(data, len(data["server_workers"]), "server_workers", "server_ps", least=1)


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
        mend=mend_dps,
        complete=complete_dps,
        smaller=smaller_dps,
        witnesses=("dps.best_fit", "dps.bfp_fluid", "dps.simple", "dps.top", "dps.learned"),
    ),
)


# Auctions of Eris: jobs in order of arrival, what they are worth never increasing.


def mend_eris(data: Plain) -> None:
    """Sort jobs by arrival and worths downwards; both reach to the last slot at most."""
    for job in data["jobs"]:
        job["arrival"] = min(job["arrival"], data["slots"] - 1)
    data["jobs"].sort(key=lambda job: job["arrival"])
    for job in data["jobs"]:
        job["utility"].sort(reverse=True)
        missing = data["slots"] - job["arrival"] - len(job["utility"])
        job["utility"] += job["utility"][-1:] * missing
        del job["utility"][data["slots"] - job["arrival"] :]


def smaller_eris(data: Plain) -> Iterator[Plain]:
    """Leave out a job, a site, a resource, or the last slot."""
    yield from parts(data, len(data["jobs"]), "jobs")
    if data["occupied"] is not None:
        yield {**copied(data), "occupied": None}
    yield from parts(
        data, data["sites"], "site_capacity", "jobs.*.data", "occupied.resources", field="sites",
        least=1,
    )  # fmt: skip
    yield from parts(
        data, len(data["resource_names"]), "resource_names", "price_base_resource",
        "site_capacity.*", "jobs.*.worker_demand", "jobs.*.server_demand", "occupied.resources.*",
        least=1,
    )  # fmt: skip
    yield from last_slot(data, "slots", "occupied.transfer", "occupied.resources.*.*")


shapes.add(
    "eris",
    KindShape(
        sizes={"jobs": "num_jobs", "sites": "sites", "slots": "slots"},
        smallest={"num_jobs": 3, "sites": 1, "slots": 4},
        names={"worth": "jobs[].utility[]"},
        mend=mend_eris,
        smaller=smaller_eris,
        witnesses=("eris.antman", "eris.tiresias", "eris.liquid", "eris.eris"),
    ),
)


# Clusters of GADGET: nodes that links name by their index.


def mend_gadget(data: Plain) -> None:
    """Let jobs arrive in the last slot at the latest."""
    for job in data["jobs"]:
        job["arrival"] = min(job["arrival"], data["horizon"] - 1)


def smaller_gadget(data: Plain) -> Iterator[Plain]:
    """Leave out a job, a link, a node with its links, or the last slot."""
    yield from parts(data, len(data["jobs"]), "jobs")
    for node, found in enumerate(parts(data, len(data["nodes"]), "nodes", least=1)):
        found["links"] = [
            link | {end: link[end] - (link[end] > node) for end in ("from", "to")}
            for link in found["links"]
            if node not in (link["from"], link["to"])
        ]
        yield found
    yield from parts(data, len(data["links"]), "links")
    yield from last_slot(data, "horizon")


shapes.add(
    "gadget",
    KindShape(
        sizes={"jobs": "num_jobs", "servers": "num_servers", "slots": "horizon"},
        smallest={"num_jobs": 3, "num_servers": 3, "horizon": 4},
        optional=("jobs[].budget[]",),
        mend=mend_gadget,
        smaller=smaller_gadget,
        witnesses=("gadget.fifo", "gadget.las", "gadget.drf", "gadget.greedy_exact"),
    ),
)


# Markets of mlBroker: data of a job from its arrival to its departure.


BY_SITE = ("base_price", "discount_price", "discount_threshold", "transfer_price")


def mend_mlbroker(data: Plain) -> None:
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


def smaller_mlbroker(data: Plain) -> Iterator[Plain]:
    """Leave out a job, a site, a resource, or the last slot."""
    yield from parts(data, len(data["jobs"]), "jobs")
    yield from parts(
        data, data["num_sites"], *BY_SITE, "transfer_price.*", "jobs.*.data.*", field="num_sites",
        least=1,
    )  # fmt: skip
    yield from parts(
        data, data["num_resources"], *(f"{name}.*" for name in BY_SITE[:3]),
        "jobs.*.worker_demand", "jobs.*.server_demand", field="num_resources", least=1,
    )  # fmt: skip
    yield from last_slot(data, "num_slots")


shapes.add(
    "mlbroker",
    KindShape(
        sizes={"jobs": "num_jobs", "sites": "num_sites", "slots": "num_slots"},
        smallest={"num_jobs": 3, "num_sites": 3, "num_slots": 6},
        mend=mend_mlbroker,
        smaller=smaller_mlbroker,
        witnesses=("mlbroker.central", "mlbroker.local"),
    ),
)
