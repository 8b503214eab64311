"""Whether a solver can be used here."""

import dataclasses
import enum
import functools
import importlib.metadata
import importlib.util


class Access(enum.StrEnum):
    """Whether a solver can be used here."""

    MISSING = "missing"
    UNLICENSED = "unlicensed"
    LIMITED = "limited"
    FULL = "full"


@dataclasses.dataclass(frozen=True, slots=True)
class Availability:
    """Standing of a solver on this machine; truthy when it solves something.

    Parameters
    ----------
    standing
        Missing, unlicensed, limited or full.
    detail
        What is missing or limited, and what to do.
    most_rows, most_columns
        Largest form a limited licence accepts; None without a limit.
    """

    standing: Access
    detail: str = ""
    most_rows: int | None = None
    most_columns: int | None = None

    def __bool__(self) -> bool:
        return self.standing in (Access.LIMITED, Access.FULL)

    def __str__(self) -> str:
        return f"{self.standing}: {self.detail}" if self.detail else str(self.standing)


@functools.cache
def installed(package: str) -> bool:
    """Whether ``package`` can be imported, without importing it."""
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def missing(what: str) -> Availability:
    """Availability of a solver whose package is absent; ``what`` brings it."""
    return Availability(Access.MISSING, f"pip install {what!r} to use it")


def version_of(package: str) -> str:
    """Version of an installed distribution, empty when absent."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
