"""What an importer is: named options that know how to read a trace; and what it returns."""

import dataclasses
import os
from collections import Counter
from typing import Any, ClassVar, TypeAlias

import msgspec
import numpy as np

from farkas.instances.base import Instance
from farkas.instances.files import kind_class
from farkas.instances.options import Settings
from farkas.registry import Registry

Path: TypeAlias = str | os.PathLike[str]
"""Where a trace lies."""


@dataclasses.dataclass(frozen=True)
class Imported:
    """An instance made from a trace.

    Parameters
    ----------
    instance
        The instance; its description tells where it comes from.
    kept
        Number of them in it.
    dropped
        Number of jobs of the trace that are not in it, by reason.
    counted
        What is counted: jobs, or masters.
    """

    instance: Instance
    kept: int
    dropped: Counter[str]
    counted: str = "jobs"

    def report(self) -> str:
        """One line: how many jobs are in, how many are not, and why."""
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.dropped.items()))
        left_out = f"; {self.dropped.total()} left out ({reasons})" if reasons else ""
        return f"{self.kept} {self.counted} imported{left_out}"


class Importer(Settings, frozen=True, kw_only=True):
    """Reads a trace and makes an instance of one kind; its fields are the options.

    A subclass is registered as ``source:kind``, has a method `fields`, and is all there is to say.
    """

    paths: ClassVar[tuple[str, ...]] = ()
    """Options that name files; descriptions tell their last part only."""
    counted: ClassVar[str] = "jobs"
    """Field of the instance whose entries are counted as kept."""

    def fields(self, path: Path, rng: np.random.Generator, dropped: Counter[str]) -> dict[str, Any]:
        """Read the trace and return the fields of the instance.

        Parameters
        ----------
        path
            The trace.
        rng
            Draws what the trace does not hold.
        dropped
            Takes the number of jobs left out, by reason.

        Returns
        -------
        Fields by name.  ``name`` lacks the seed, ``description`` what was left out and the options.
        """
        raise NotImplementedError(type(self).__name__)

    def run(self, kind: str, path: Path, seed: int) -> Imported:
        """Import the file at ``path``."""
        dropped: Counter[str] = Counter()
        fields = self.fields(path, np.random.default_rng(seed), dropped)
        named = {option: os.path.basename(getattr(self, option)) for option in self.paths}
        fields["name"] = f"{fields['name']}-{seed}"
        fields["description"] += (
            f"; left out {dict(sorted(dropped.items()))}; seed {seed}; "
            f"options {msgspec.structs.replace(self, **named).text()}"
        )
        instance = kind_class(kind).build(seed=seed, **fields)
        return Imported(instance, len(fields[self.counted]), dropped, self.counted)


importers: Registry[type[Importer]] = Registry("importer", "farkas.instances.traces")
"""Importers by ``source:kind``."""
