"""Instances: strict reading, canonical writing, generators, importers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.instances.base import Instance
from farkas.instances.files import kind_class, kinds, read, read_bytes
from farkas.lazy import when_used

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


# what writes is imported when it is first used
__getattr__ = when_used(__name__, {"writing": "schema to_bytes write"})
