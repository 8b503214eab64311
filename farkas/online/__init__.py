"""Online algorithms and baselines, their driver, and the certified runs they leave."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from farkas.online.run import Bound, Manifest, Run, read_run

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
    from farkas.online.recording import write_run

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
    # what runs and records is imported when it is first used: reading a run needs none of it
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "recording" if name == "write_run" else "driver"
    return getattr(importlib.import_module(f"farkas.online.{home}"), name)
