"""Online algorithms and baselines, their driver, and the certified runs they leave."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from farkas.online.run import Bound, Manifest, Run, read_run, write_run

if TYPE_CHECKING:
    from farkas.online.driver import (
        Algorithm,
        Demo,
        Environment,
        Outcome,
        Policy,
        algorithm,
        algorithms,
        demos,
        drive,
        environment,
        environments,
    )

__all__ = [
    "Algorithm",
    "Bound",
    "Demo",
    "Environment",
    "Manifest",
    "Outcome",
    "Policy",
    "Run",
    "algorithm",
    "algorithms",
    "demos",
    "drive",
    "environment",
    "environments",
    "read_run",
    "write_run",
]


def __getattr__(name: str) -> Any:
    # the driver is imported when it is first used: reading a run needs none
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("farkas.online.driver"), name)
