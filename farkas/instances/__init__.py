"""Instances: strict reading, canonical writing, generators, importers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from farkas.instances.base import Instance
from farkas.instances.files import kind_class, kinds, read, read_bytes

if TYPE_CHECKING:
    from farkas.instances.writing import schema, to_bytes, write

__all__ = [
    "Instance",
    "kind_class",
    "kinds",
    "read",
    "read_bytes",
    "schema",
    "to_bytes",
    "write",
]


def __getattr__(name: str) -> Any:
    # what writes is imported when it is first used
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("farkas.instances.writing"), name)
