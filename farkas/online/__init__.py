"""Online algorithms and baselines, their driver, and the certified runs they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.lazy import when_used
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


# what runs and records is imported when it is first used: reading a run needs none of it
__getattr__ = when_used(
    __name__,
    {
        "driver": "Algorithm Demo Environment Outcome Policy algorithm algorithms demos drive "
        "environment environments",
        "recording": "write_run",
    },
)
