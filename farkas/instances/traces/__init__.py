"""Imports of public traces: a module ``<source>_<kind>`` turns one source into one kind.

Imports are deterministic given the seed.  What the trace does not hold is drawn from the published
ranges of the kind, in job order; every choice is written into the instance's description.
"""

import os
from typing import Any

from farkas.errors import UnknownName, require_seed, require_type
from farkas.files import opened
from farkas.instances.traces.importer import ImportedInstance, Importer, Path, importers

__all__ = ["ImportedInstance", "Importer", "import_trace", "importers", "kinds_of", "sources"]


def import_trace(
    source: str, path: Path, kind: str, seed: int = 0, **options: Any
) -> ImportedInstance:
    """Make an instance from a public trace.

    Parameters
    ----------
    source
        Format of the trace, see `sources`.
    path
        Its file.
    kind
        Kind of the instance, see `kinds_of`.
    seed
        Seed for what the trace does not hold.
    options
        Options of the importer by name.

    Returns
    -------
    Imported
        The instance, and how many jobs were left out for which reason.

    Raises
    ------
    UnknownName
        No importer makes that kind from that source.
    InvalidOption
        An option does not exist or is impossible, or an argument is of a wrong type.
    FileProblem
        The file cannot be read; the message names the line where that is at fault.
    """
    require_type(source, str, "source")
    require_type(path, (str, os.PathLike), "path")
    require_type(kind, str, "kind")
    require_seed(seed)
    if source not in sources():
        raise UnknownName.of("trace source", source, sources())
    if kind not in kinds_of(source):
        raise UnknownName.of(f"kind made from {source}", kind, kinds_of(source))
    with opened(path):  # the file that was given is complained of before columns and other files
        pass
    importer = importers[f"{source}:{kind}"].given(f"import {source} to {kind}", options)
    return importer.run(kind, path, seed)


def sources() -> list[str]:
    """Known trace formats."""
    return sorted({name.split(":")[0] for name in importers})


def kinds_of(source: str) -> list[str]:
    """Kinds that can be made from a source."""
    return sorted(name.split(":")[1] for name in importers if name.split(":")[0] == source)
