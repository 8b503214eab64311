"""What the verbs accept as an instance."""

from __future__ import annotations

import os

from farkas.instances import Instance, read

InstanceOrName = Instance | str | os.PathLike[str]
"""An instance, the path of its file, or the name of a shipped one."""


def as_instance(given: InstanceOrName) -> Instance:
    """Return the instance that is given or named; see `farkas.instances.library.load_or_read`."""
    if isinstance(given, str | os.PathLike):
        if os.path.lexists(given):
            return read(given)
        from farkas.instances.library import load_or_read  # what ships is named, not read

        return load_or_read(given)
    if not hasattr(given, "kind") or not hasattr(given, "sha256"):
        from farkas.required import require_type

        require_type(given, (Instance, str, os.PathLike), "instance")
    return given
