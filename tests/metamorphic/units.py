"""Instances in other units: what every field of every kind is measured in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from farkas.instances import Instance

UNIT_OF = {
    "coded": {
        "time": ["shift", "plans.time", "sca_point.time"],
        "1/time": ["rate"],
    },
    "dps": {
        "money": ["price_cap", "price_grid", "fixed_prices.worker", "fixed_prices.ps",
                  "jobs.budget"],
        "data": ["jobs.model_size"],
        "data/time": ["worker_bandwidth", "ps_bandwidth"],
        "time": ["slot_seconds"],
    },
    "eris": {
        "money": ["jobs.utility"],
        "data": ["transfer_budget", "chunk_size", "jobs.parameter_size", "occupied.transfer"],
        "capacity": ["site_capacity", "jobs.worker_demand", "jobs.server_demand",
                     "occupied.resources"],
    },
    "gadget": {
        "money": [f"jobs.utility.{field}" for field in ("slope", "scale", "linear", "quadratic",
                                                        "height", "values")],
        "data": ["links.bandwidth", "jobs.bandwidth"],
        "capacity": ["nodes.capacity", "jobs.demand", "jobs.budget"],
        "gradient": ["jobs.timing.gradient_size"],
        "gradient/time": ["jobs.timing.bandwidth", "jobs.timing.compute_speed"],
        "time": [f"jobs.timing.{field}" for field in ("forward_time_per_sample", "backward_time",
                                                      "overhead")],
    },
    "mlbroker": {
        "money": ["big_m", "jobs.deploy_cost"],
        "money/data": ["transfer_price"],
        "money/capacity": ["base_price", "discount_price"],
        "capacity": ["discount_threshold", "jobs.worker_demand", "jobs.server_demand"],
        "data": ["jobs.worker_capacity", "jobs.sync_volume", "jobs.data"],
    },
}  # fmt: skip
"""Unit of every field that has one."""

NUMBERS = {
    "coded": ["success_probability", "plans.probability", "sca_point.probability",
              "sca_point.loads"],
    "dps": ["jobs.epochs", "jobs.epoch_compute", "dps.delta", "dps.delta_scale", "dps.delta_max",
            "dps.theta_scale", "dps.explore_cap", "dps.eta_scale"],
    "eris": ["price_base_transfer", "price_base_resource"],
    "gadget": ["jobs.efficiency", "jobs.utility.steepness", "jobs.utility.midpoint",
               "jobs.utility.step", "jobs.timing.batch_size"],
    "mlbroker": ["epsilon"],
}  # fmt: skip
"""Fields that are counts, shares or numbers of slots although a double holds them."""

JOINT = {"eris": ("money", "data", "capacity")}
"""Units that prices (6) of Eris, which are pure numbers, tie together."""


def units(kind: str) -> list[str]:
    """Base units of a kind; ``resource`` is that of the first resource alone."""
    found = {part for unit in UNIT_OF[kind] for part in unit.split("/") if part != "1"}
    more = {"resource"} if "capacity" in found else set()
    return sorted(found | more | ({"all"} if kind in JOINT else set()))


def degree(unit: str, of: Sequence[str]) -> int:
    """Power of the base units ``of`` in a unit such as ``money/data``."""
    above, *below = unit.split("/")
    return (above in of) - sum(part in of for part in below)


def in_units(instance: Any, unit: str, factor: float) -> Any:
    """Return ``instance`` with everything measured in the base unit ``unit`` times ``factor``."""
    kind = instance.kind
    of = JOINT[kind] if unit == "all" else ["capacity" if unit == "resource" else unit]
    data = msgspec.json.decode(msgspec.json.encode(instance))
    for its, paths in UNIT_OF[kind].items():
        power = degree(its, of)
        for path in paths if power else ():
            axis = "first" if unit == "resource" else "all"
            _scale(data, path.split("."), factor**power, axis)
    del data["kind"]
    return type(instance).build(**data)


def _scale(data: Any, path: list[str], factor: float, axis: str) -> None:
    for record in data if isinstance(data, list) else [data]:
        if record is None or path[0] not in record:
            continue
        if len(path) > 1:
            _scale(record[path[0]], path[1:], factor, axis)
        elif path[0] == "resources":  # occupied: [site][resource][slot]
            for site in record["resources"]:
                for row in range(1 if axis == "first" else len(site)):
                    site[row] = _times(site[row], factor, "all")
        else:
            record[path[0]] = _times(record[path[0]], factor, axis)


def _times(value: Any, factor: float, axis: str) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        if axis == "first" and value and not isinstance(value[0], list):
            return [_times(value[0], factor, "all"), *value[1:]]
        return [_times(entry, factor, axis) for entry in value]
    return factor * value


def same(instance: Instance) -> Instance:
    """Return the instance as a transformation by 1 leaves it: with every field written out."""
    return in_units(instance, units(instance.kind)[0], 1.0)
