"""Modules imported by the package, the kind or the distribution that they belong to.

Kinds of other distributions are found by the entry point group ``farkas.kinds``, whose entries are
``kind = "package"``; all modules of the package are imported when the kind is first asked for, so
that the decorators of registries register what it brings.
"""

import functools
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from importlib import metadata
from types import MappingProxyType

from farkas.errors import OutsideKindProblem

#: Group of the entry points under which other distributions bring a kind.
ENTRY_POINTS = "farkas.kinds"


@functools.cache
def outside_kinds() -> Mapping[str, str]:
    """Package by name of every kind that another distribution brings.

    Raises
    ------
    OutsideKindProblem
        Two distributions bring a kind of one name.
    """
    found: dict[str, str] = {}
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        if found.setdefault(entry.name, entry.value) != entry.value:
            raise OutsideKindProblem(
                f"kind {entry.name!r} is brought by {found[entry.name]} and by {entry.value}; "
                "uninstall one"
            )
    return MappingProxyType(found)


def load_outside(kind: str) -> None:
    """Import the package that brings ``kind``, when it comes from another distribution.

    Raises
    ------
    OutsideKindProblem
        The package cannot be imported.
    """
    package = outside_kinds().get(kind)
    if package is None:
        return
    try:
        load_package(package)
    except Exception as error:  # its code may raise anything
        raise OutsideKindProblem(
            f"kind {kind!r}: {package} cannot be imported: {type(error).__name__}: {error}"
        ) from error


def load_package(package: str) -> None:
    """Import a module, and every module below it where it is a package.

    Parameters
    ----------
    package
        Dotted name, for example ``farkas.models``.
    """
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(getattr(root, "__path__", ()), package + "."):
        importlib.import_module(info.name)


def load_part(package: str, owner: str) -> bool:
    """Import what belongs to ``owner`` in a package: ``owner`` itself and ``owner_...`` beside it.

    Parameters
    ----------
    package
        Dotted name, for example ``farkas.models``.
    owner
        A kind or, where things belong to no kind, the name of one module.

    Returns
    -------
    Whether there is anything.
    """
    root = importlib.import_module(package)
    found = [
        info.name
        for info in pkgutil.iter_modules(root.__path__)
        if info.name == owner or info.name.startswith(f"{owner}_")
    ]
    for name in found:
        load_package(f"{package}.{name}")
    return bool(found)


def load_role(packages: Sequence[str], owner: str | None) -> None:
    """Import what belongs to ``owner`` in all packages of a role; everything without one.

    A stranger among owners loads everything, so that whoever misspells a name is told others.
    """
    if owner is None:
        for package in packages:
            load_package(package)
        for kind in outside_kinds():
            load_outside(kind)
    elif not any([load_part(package, owner) for package in packages]):
        # only now: looking for entry points takes longer than most imports
        if owner in outside_kinds():
            load_outside(owner)
        else:
            load_role(packages, None)
