"""Small instances that ship with farkas: examples, counterexamples and edge cases.

A kind of another distribution ships its own in the folder ``library`` of its package.
"""

import os
import sys
from pathlib import Path

from farkas.errors import FileProblem, UnknownName, require_type
from farkas.instances.base import Instance
from farkas.instances.files import kinds, own_kinds, read
from farkas.registry import load_outside, outside_kinds

FOLDER = Path(__file__).resolve().parent


def names(kind: str = "") -> list[str]:
    """Sorted names such as ``mlbroker/tiny``, optionally of one kind only."""
    if kind and kind not in own_kinds() and kind not in outside_kinds():
        return []
    asked = [kind] if kind else kinds()
    return sorted(f"{one}/{path.stem}" for one in asked for path in _folder(one).glob("*.json"))


def _folder(kind: str) -> Path:
    """Folder of a kind's shipped instances; need not exist."""
    if kind in own_kinds() or kind not in outside_kinds():
        return FOLDER / kind
    load_outside(kind)
    package = sys.modules[outside_kinds()[kind]]
    return Path(str(package.__file__)).parent / "library"


def path(name: str) -> Path:
    """Return the file of an instance.

    Raises `UnknownName`: no instance of that name ships.
    """
    kind, _, rest = name.partition("/")
    if not rest or name not in names(kind):
        raise UnknownName.of("library instance", name, names())
    return _folder(kind) / f"{rest}.json"


def load(name: str) -> Instance:
    """Read an instance by name.

    >>> load("mlbroker/tiny").name
    'tiny'
    """
    return read(path(name))


def load_or_read(file: str | os.PathLike[str]) -> Instance:
    """Read an instance file or, when there is no such file, the shipped instance of that name.

    >>> load_or_read("mlbroker/tiny").name
    'tiny'

    Raises `FileProblem`: there is no such file, and none of that name ships; `InvalidInstance`: the
    file breaks a rule; see `farkas.instances.read`.
    """
    require_type(file, (str, os.PathLike), "file")
    text = os.fspath(file)
    kind, _, rest = text.partition("/")
    if os.path.lexists(text) or kind not in kinds() or not rest:
        return read(file)
    shipped = names(kind)
    if text not in shipped:
        raise FileProblem.near(f"{text}: no such file, nor a shipped instance", text, shipped)
    return read(path(text))
