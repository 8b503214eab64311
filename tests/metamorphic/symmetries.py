"""Other ways to write an instance down: places in another order, places that hold nothing."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from farkas.instances import Instance

Data = dict[str, Any]
"""An instance as its file holds it."""

LATER = 2
"""Slots that are put in front."""


def changed(instance: Any, change: Callable[[Data], None]) -> Any:
    """Return what ``change`` makes of an instance, None where that is the instance itself."""
    data = msgspec.json.decode(msgspec.json.encode(instance))
    before = copy.deepcopy(data)
    change(data)
    if data == before:
        return None
    del data["kind"]
    return type(instance).build(**data)


def plain(instance: Instance) -> Any:
    """Return the instance with every field written out, as `changed` leaves it."""
    data = msgspec.json.decode(msgspec.json.encode(instance))
    del data["kind"]
    return type(instance).build(**data)


def _turned(records: list[Any], *fields: str) -> None:
    """Reverse a list in every record that has it."""
    for record in records:
        for field in fields:
            if record and record.get(field):
                record[field].reverse()


def _late_jobs(data: Data, *fields: str) -> None:
    for job in data["jobs"]:
        for field in fields:
            job[field] += LATER


def _turned_ties(data: Data) -> None:
    """Reverse every run of jobs that arrive together."""
    jobs, order = data["jobs"], {}
    for job in jobs:
        order.setdefault(job["arrival"], []).insert(0, job)
    data["jobs"] = [job for together in order.values() for job in together]


# --- coded ------------------------------------------------------------------------------------


def _points(data: Data) -> list[Data]:
    return [*(data["plans"] or ()), *([data["sca_point"]] if data["sca_point"] else ())]


def _by_pair(data: Data) -> list[list[list[Any]]]:
    """Every table [master][worker]."""
    tables = [point[field] for point in _points(data) for field in ("probability", "loads")]
    return [*_given(data), *tables]


def _given(data: Data) -> list[list[list[Any]]]:
    """Tables [master][worker] with null where a worker may not work for a master."""
    return [data["rate"], data["shift"]]


def _coded_masters(data: Data) -> None:
    for table in [data["masters"], *_by_pair(data)]:
        table.reverse()


def _coded_workers(data: Data) -> None:
    for table in _by_pair(data):
        for row in table:
            row.reverse()


def _coded_still_worker(data: Data) -> None:
    data["workers"] += 1
    for row in itertools.chain(*_given(data)):
        row.append(None)
    for point in _points(data):
        for row in [*point["probability"], *point["loads"]]:
            row.append(0)


def _coded_rows_in_pairs(data: Data) -> None:
    """Twice the rows, each half as long: what a worker returns takes the same time."""
    for master in data["masters"]:
        master["rows"] *= 2
    data["rate"] = [[u and 2 * u for u in row] for row in data["rate"]]
    data["shift"] = [[a and a / 2 for a in row] for row in data["shift"]]
    for point in _points(data):
        point["loads"] = [[2 * load for load in row] for row in point["loads"]]


def _coded_twice(data: Data) -> None:
    """The same masters and workers again, with nothing to do with each other."""
    width = data["workers"]
    data["workers"] *= 2
    data["masters"] *= 2
    for table in _by_pair(data):
        nothing = None if any(table is one for one in _given(data)) else 0
        other = [[nothing] * width + list(row) for row in table]
        for row in table:
            row.extend([nothing] * width)
        table.extend(other)


# --- dps --------------------------------------------------------------------------------------


def _dps_servers(data: Data) -> None:
    data["server_workers"].reverse()
    data["server_ps"].reverse()


def _dps_worker_types(data: Data) -> None:
    _dps_types(data, "worker_bandwidth", "server_workers", "worker_type", "worker")


def _dps_ps_types(data: Data) -> None:
    _dps_types(data, "ps_bandwidth", "server_ps", "ps_type", "ps")


def _dps_types(data: Data, bandwidth: str, servers: str, of_job: str, price: str) -> None:
    data[bandwidth].reverse()
    for row in data[servers]:
        row.reverse()
    for job in data["jobs"]:
        job[of_job] = len(data[bandwidth]) - 1 - job[of_job]
    _turned([data["fixed_prices"]], price)


def _dps_grid(data: Data) -> None:
    _turned([data], "price_grid")


def _dps_late(data: Data) -> None:
    data["horizon"] += LATER
    _late_jobs(data, "arrival")


def _dps_slot_at_the_end(data: Data) -> None:
    data["horizon"] += 1


def _dps_penniless_job(data: Data) -> None:
    if data["jobs"]:
        data["jobs"].append({**data["jobs"][-1], "budget": 0.0})


def _dps_empty_server(data: Data) -> None:
    for field in ("server_workers", "server_ps"):
        data[field].append([0] * len(data[field][0]))


def _dps_type_nobody_asks_for(data: Data) -> None:
    for row in data["server_workers"]:
        row.append(1)
    data["worker_bandwidth"].append(1.0)
    if data["fixed_prices"]:
        data["fixed_prices"]["worker"].append(1.0)


# --- eris -------------------------------------------------------------------------------------


def _eris_sites(data: Data) -> None:
    data["site_capacity"].reverse()
    _turned(data["jobs"], "data")
    _turned([data["occupied"]], "resources")


def _eris_resources(data: Data) -> None:
    _turned([data], "resource_names", "price_base_resource")
    _turned(data["jobs"], "worker_demand", "server_demand")
    for row in [*data["site_capacity"], *((data["occupied"] or {}).get("resources", ()))]:
        row.reverse()


def _eris_slots(data: Data, front: int, back: int) -> None:
    data["slots"] += front + back
    for job in data["jobs"]:
        job["utility"] += [0.0] * back
        job["arrival"] += front
    if data["occupied"]:
        rows = [row for site in data["occupied"]["resources"] for row in site]
        for row in [data["occupied"]["transfer"], *rows]:
            row[:] = [0.0] * front + row + [0.0] * back


def _eris_late(data: Data) -> None:
    _eris_slots(data, LATER, 0)


def _eris_slot_at_the_end(data: Data) -> None:
    _eris_slots(data, 0, 1)


def _eris_worthless_job(data: Data) -> None:
    if data["jobs"]:
        last = data["jobs"][-1]
        data["jobs"].append({**last, "utility": [0.0] * len(last["utility"])})


def _eris_empty_site(data: Data) -> None:
    data["sites"] += 1
    data["site_capacity"].append([0.0] * len(data["resource_names"]))
    for job in data["jobs"]:
        job["data"].append(0)
    if data["occupied"]:
        none = [[0.0] * data["slots"] for _ in data["resource_names"]]
        data["occupied"]["resources"].append(none)


def _eris_resource_again(data: Data) -> None:
    data["resource_names"].append("again")
    data["price_base_resource"].append(data["price_base_resource"][0])
    used = (data["occupied"] or {}).get("resources", ())
    demands = [job[field] for job in data["jobs"] for field in ("worker_demand", "server_demand")]
    for row in [*data["site_capacity"], *used, *demands]:
        row.append(copy.deepcopy(row[0]))


# --- gadget -----------------------------------------------------------------------------------


def _gadget_jobs(data: Data) -> None:
    data["jobs"].reverse()


def _gadget_nodes(data: Data) -> None:
    data["nodes"].reverse()
    for link in data["links"]:
        for end in ("from", "to"):
            link[end] = len(data["nodes"]) - 1 - link[end]


def _gadget_links(data: Data) -> None:
    data["links"].reverse()


def _gadget_resources(data: Data) -> None:
    data["resources"].reverse()
    _turned(data["nodes"], "capacity")
    _turned(data["jobs"], "demand", "budget")


def _gadget_late(data: Data) -> None:
    data["horizon"] += LATER
    data["slot"] = (data["slot"] or 0) + LATER
    _late_jobs(data, "arrival")


def _gadget_worthless_job(data: Data) -> None:
    if data["jobs"]:
        last = data["jobs"][-1]
        data["jobs"].append({**last, "utility": {"kind": "linear", "slope": 0.0}})


def _gadget_job_after_the_end(data: Data) -> None:
    if data["jobs"]:
        data["jobs"].append({**data["jobs"][-1], "arrival": data["horizon"],
                             "utility": {"kind": "linear", "slope": 1.0}})  # fmt: skip


def _gadget_empty_server(data: Data) -> None:
    nothing = [0.0] * len(data["resources"])
    data["nodes"] += [{"server": True, "capacity": nothing}, {"server": False, "capacity": nothing}]


def _gadget_dead_link(data: Data) -> None:
    if len(data["nodes"]) > 1:
        data["links"].append({"from": 0, "to": 1, "bandwidth": 0.0})


def _gadget_resource_again(data: Data) -> None:
    data["resources"].append("again")
    rows = [record["capacity"] for record in data["nodes"]]
    rows += [job[field] for job in data["jobs"] for field in ("demand", "budget")]
    for row in rows:
        row.append(row[0])


# --- mlbroker ---------------------------------------------------------------------------------


def _mlbroker_jobs(data: Data) -> None:
    data["jobs"].reverse()


def _mlbroker_sites(data: Data) -> None:
    _turned([data], "transfer_price", "base_price", "discount_price", "discount_threshold")
    rows = [row for job in data["jobs"] for row in job["data"]]
    for row in [*data["transfer_price"], *rows]:
        row.reverse()


_BY_RESOURCE = ("base_price", "discount_price", "discount_threshold")


def _resource_rows(data: Data, *fields: str) -> list[list[Any]]:
    return [row for field in fields for row in data[field] or ()]


def _mlbroker_resources(data: Data) -> None:
    for row in _resource_rows(data, *_BY_RESOURCE):
        row.reverse()
    _turned(data["jobs"], "worker_demand", "server_demand")


def _mlbroker_late(data: Data) -> None:
    data["num_slots"] += LATER
    _late_jobs(data, "arrival", "departure")


def _mlbroker_slot_at_the_end(data: Data) -> None:
    data["num_slots"] += 1


def _mlbroker_slot_between(data: Data) -> None:
    """An empty slot before the last one in which a job arrives, unless somebody is there."""
    at = max((job["arrival"] for job in data["jobs"]), default=0)
    if any(job["arrival"] < at <= job["departure"] for job in data["jobs"]):
        return
    data["num_slots"] += 1
    for job in data["jobs"]:
        if job["arrival"] >= at:
            job["arrival"] += 1
            job["departure"] += 1


def _mlbroker_weightless_job(data: Data) -> None:
    if data["jobs"]:
        last = data["jobs"][-1]
        none = [0.0] * data["num_resources"]
        zeros = [[0.0] * data["num_sites"] for _ in last["data"]]
        data["jobs"].append({**last, "worker_demand": none, "server_demand": none,
                             "sync_volume": 0.0, "deploy_cost": 0.0, "data": zeros})  # fmt: skip


def _mlbroker_dear_site(data: Data) -> None:
    """A site as the first, but dear, without discount, and with nothing at it."""
    data["num_sites"] += 1
    dear = 1e3 * max([1.0, *(price for row in data["transfer_price"] for price in row)])
    data["transfer_price"] = [[*row, dear] for row in data["transfer_price"]]
    data["transfer_price"].append([dear] * (data["num_sites"] - 1) + [0.0])
    data["base_price"].append([1e3 * max(1.0, price) for price in data["base_price"][0]])
    for field in _BY_RESOURCE[1:]:
        if data[field]:
            data[field].append([None] * data["num_resources"])
    for job in data["jobs"]:
        for row in job["data"]:
            row.append(0.0)


def _mlbroker_resource_in_halves(data: Data) -> None:
    """Two resources that are always bought together, each at half the price."""
    data["num_resources"] += 1
    for row in _resource_rows(data, *_BY_RESOURCE[:2]):
        row[0] = row[0] and row[0] / 2
    rows = [job[field] for job in data["jobs"] for field in ("worker_demand", "server_demand")]
    for row in [*_resource_rows(data, *_BY_RESOURCE), *rows]:
        row.append(row[0])


SYMMETRIES: Mapping[str, Mapping[str, Callable[[Data], None]]] = {
    "coded": {
        "masters turned": _coded_masters,
        "workers turned": _coded_workers,
        "worker without speed": _coded_still_worker,
        "rows in pairs": _coded_rows_in_pairs,
        "twice": _coded_twice,
    },
    "dps": {
        "jobs turned": _turned_ties,
        "servers turned": _dps_servers,
        "worker types turned": _dps_worker_types,
        "server types turned": _dps_ps_types,
        "prices turned": _dps_grid,
        "slots in front": _dps_late,
        "slot at the end": _dps_slot_at_the_end,
        "penniless job": _dps_penniless_job,
        "empty server": _dps_empty_server,
        "type nobody asks for": _dps_type_nobody_asks_for,
    },
    "eris": {
        "jobs turned": _turned_ties,
        "sites turned": _eris_sites,
        "resources turned": _eris_resources,
        "slots in front": _eris_late,
        "slot at the end": _eris_slot_at_the_end,
        "worthless job": _eris_worthless_job,
        "empty site": _eris_empty_site,
        "resource again": _eris_resource_again,
    },
    "gadget": {
        "jobs turned": _gadget_jobs,
        "nodes turned": _gadget_nodes,
        "links turned": _gadget_links,
        "resources turned": _gadget_resources,
        "slots in front": _gadget_late,
        "worthless job": _gadget_worthless_job,
        "job after the end": _gadget_job_after_the_end,
        "empty server": _gadget_empty_server,
        "dead link": _gadget_dead_link,
        "resource again": _gadget_resource_again,
    },
    "mlbroker": {
        "jobs turned": _mlbroker_jobs,
        "sites turned": _mlbroker_sites,
        "resources turned": _mlbroker_resources,
        "slots in front": _mlbroker_late,
        "slot at the end": _mlbroker_slot_at_the_end,
        "slot between": _mlbroker_slot_between,
        "weightless job": _mlbroker_weightless_job,
        "dear site": _mlbroker_dear_site,
        "resource in halves": _mlbroker_resource_in_halves,
    },
}  # fmt: skip
