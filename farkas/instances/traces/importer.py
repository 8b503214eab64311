"""What an importer is: named options that know how to read a trace; and what it returns."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import msgspec
import numpy as np

from farkas import messages
from farkas.errors import InvalidOption
from farkas.instances.base import Instance
from farkas.instances.files import kind_class
from farkas.instances.options import Settings
from farkas.instances.traces.understood import Account
from farkas.messages import ShowsItself, number_of, verb
from farkas.registry import Registry

Path: TypeAlias = str | os.PathLike[str]  #: Where a trace lies.


@dataclasses.dataclass(frozen=True, repr=False)
class Imported(ShowsItself):
    """An instance made from a trace."""

    instance: Instance  #: The instance; its description tells where it comes from.
    kept: int  #: Number of them in it.
    dropped: Account  #: Number of jobs of the trace that are not in it, by reason.
    counted: str = "jobs"  #: What is counted: jobs, or masters.

    plot, save = verb("plot"), verb("save")

    def __repr__(self) -> str:
        about = f"{self.kind} instance {messages.named(self.instance.name)}"
        warned = "".join(f"; warning: {said}" for said in self.warnings)
        return f"<imported {about}: {self.report()}{warned}>"

    def _details(self) -> Mapping[str, object]:
        return self.told

    @property
    def kind(self) -> str:
        """Kind of the instance."""
        return self.instance.kind

    @property
    def sha256(self) -> str:
        """Hash of the instance."""
        return self.instance.sha256

    @property
    def told(self) -> Mapping[str, str]:
        """What was understood of the trace: durations, arrivals, units, by a word for each."""
        return self.dropped.told

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looks like a mistake, for example a column that names another unit."""
        return tuple(self.dropped.warnings)

    def report(self) -> str:
        """One line: how many jobs are in, how many are not, and why."""
        left_out = self.dropped.words(self.counted)
        return f"{number_of(self.kept, self.counted)} imported" + (left_out and f"; {left_out}")


class Importer(Settings, frozen=True, kw_only=True):
    """Reads a trace and makes an instance of one kind; its fields are the options.

    A subclass is registered as ``source:kind``, has a method `fields`, and is all there is to say.
    """

    #: Options that name files; descriptions tell their last part only.
    paths: ClassVar[tuple[str, ...]] = ()
    counted: ClassVar[str] = "jobs"  #: Field of the instance whose entries are counted as kept.

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Read the trace and return the fields of the instance.

        Parameters
        ----------
        path
            The trace.
        rng
            Draws what the trace does not hold.
        dropped
            Takes the number of jobs left out, by reason, and what was understood of the others.

        Returns
        -------
        Fields by name.  ``name`` lacks the seed, ``description`` what was left out and the options.
        """
        raise NotImplementedError(type(self).__name__)

    def run(self, kind: str, path: Path, seed: int) -> Imported:
        """Import the file at ``path``."""
        dropped = Account()
        fields = self.fields(path, np.random.default_rng(seed), dropped)
        named = {option: os.path.basename(getattr(self, option)) for option in self.paths}
        fields["name"] = f"{fields['name']}-{seed}"
        left_out, kept = dropped.words(self.counted), len(fields[self.counted])
        if left_out and not kept and getattr(self, "jobs", None) != 0:
            raise InvalidOption(
                f"{messages.named(os.fspath(path))}: none of its {self.counted} is left; {left_out}"
            )
        if not kept:
            dropped.warnings.append(f"none of its {self.counted} was taken")
        fields["description"] += (left_out and f"; {left_out}") + (
            f"; seed {seed}; options {msgspec.structs.replace(self, **named).text()}"
        )
        instance = kind_class(kind).build(seed=seed, **fields)
        return Imported(instance, kept, dropped, self.counted)


#: Importers by ``source:kind``.
importers: Registry[type[Importer]] = Registry("importer", "farkas.instances.traces")
