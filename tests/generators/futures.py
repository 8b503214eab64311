"""Instances that agree up to a step of a run and not afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def without_later_jobs(instance: Any, step: int) -> Any:
    """Nobody arrives after slot ``step``."""
    return instance.replace(jobs=[job for job in instance.jobs if job.arrival <= step])


def without_later_offers(instance: Any, step: int) -> Any:
    """Every job is a step; there are none after ``step``."""
    return instance.replace(jobs=instance.jobs[: step + 1])


CUT: dict[str, Callable[[Any, int], Any]] = {
    "dps": without_later_offers,
    "eris": without_later_jobs,
    "gadget": without_later_jobs,
    "mlbroker": without_later_jobs,
}
"""By kind; those that are not here decide everything in one step."""
