"""What the verbs accept as an instance."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, TypeAlias

from farkas.errors import FarkasError
from farkas.instances import Instance, read

if TYPE_CHECKING:
    from farkas.instances.traces import Imported

InstanceOrName: TypeAlias = "Instance | str | os.PathLike[str] | Imported"
"""An instance, the path of its file, the name of a shipped one, or what was imported."""


def as_instance(given: InstanceOrName) -> Instance:
    """Return the instance that is given or named; see `farkas.verbs.mistaken.other_instance`."""
    if isinstance(given, Instance):
        return given
    if isinstance(given, str | os.PathLike) and os.path.lexists(given):
        with contextlib.suppress(FarkasError):  # it is read again below, and what it is, is told
            return read(given)
    from farkas.verbs.mistaken import other_instance  # here: files are mostly instances

    return other_instance(given)
