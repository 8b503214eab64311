"""What an importer is and what it returns."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

from farkas.instances.base import Instance
from farkas.registry import Registry


@dataclasses.dataclass(frozen=True)
class Imported:
    """An instance made from a trace.

    Parameters
    ----------
    instance
        The instance; its description tells where it comes from.
    kept
        Number of jobs in it.
    dropped
        Number of jobs of the trace that are not in it, by reason.
    """

    instance: Instance
    kept: int
    dropped: Counter[str]

    def report(self) -> str:
        """One line: how many jobs are in, how many are not, and why."""
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.dropped.items()))
        left_out = f"; {self.dropped.total()} left out ({reasons})" if reasons else ""
        return f"{self.kept} jobs imported{left_out}"


class Importer(Protocol):
    """Reads a trace and makes an instance of one kind."""

    def __call__(
        self, path: str | os.PathLike[str], seed: int, options: Mapping[str, Any], /
    ) -> Imported:
        """Import the file at ``path``."""


importers: Registry[Importer] = Registry("importer", "farkas.instances.traces")
"""Importers by ``source:kind``."""
