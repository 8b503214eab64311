"""What public functions accept as an instance and as options."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from farkas.errors import FarkasError, InvalidOption
from farkas.instances import Instance, read

if TYPE_CHECKING:
    from farkas.instances.traces import ImportedInstance

#: An instance, the path of its file, the name of a shipped one, or what was imported.
InstanceOrName: TypeAlias = "Instance | str | os.PathLike[str] | ImportedInstance"


def as_instance(given: InstanceOrName) -> Instance:
    """Return the instance that is given or named; see `farkas.api.load.other_instance`."""
    if isinstance(given, Instance):
        return given
    if isinstance(given, str | os.PathLike) and os.path.lexists(given):
        with contextlib.suppress(FarkasError):  # it is read again below, and what it is, is told
            return read(given)
    from farkas.api.load import other_instance  # here: files are mostly instances

    return other_instance(given)


def refuse_unknown(function: Callable[..., object], unknown: Iterable[str]) -> None:
    """Raise `InvalidOption` about names that a function does not know, with the nearest it does."""
    for name in unknown:
        known = inspect.signature(function).parameters
        raise InvalidOption.near(f"unknown option {name!r} of {function.__name__}", name, known)
