"""Small instances that ship with farkas: examples, counterexamples and edge cases."""

from __future__ import annotations

from pathlib import Path

from farkas.errors import UnknownName
from farkas.instances.base import Instance
from farkas.instances.files import read

FOLDER = Path(__file__).resolve().parent


def names(kind: str = "") -> list[str]:
    """Sorted names such as ``mlbroker/tiny``, optionally of one kind only."""
    found = (path.relative_to(FOLDER) for path in FOLDER.glob("*/*.json"))
    return sorted(
        path.with_suffix("").as_posix() for path in found if kind in ("", path.parent.name)
    )


def path(name: str) -> Path:
    """Return the file of an instance.

    Raises
    ------
    UnknownName
        No instance of that name ships.
    """
    if name not in names():
        raise UnknownName.of("library instance", name, names())
    return FOLDER / f"{name}.json"


def load(name: str) -> Instance:
    """Read an instance by name.

    >>> load("mlbroker/tiny").name
    'tiny'
    """
    return read(path(name))
