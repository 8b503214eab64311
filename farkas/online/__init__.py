"""Online algorithms and baselines, their driver, and the certified runs they leave."""

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
from farkas.online.run import Bound, Manifest, Run, certified_ratio, read_run, write_run

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
    "certified_ratio",
    "demos",
    "drive",
    "environment",
    "environments",
    "read_run",
    "write_run",
]
