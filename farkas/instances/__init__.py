"""Instances: strict reading, canonical writing, generators, importers."""

from farkas.instances.base import Instance
from farkas.instances.files import kind_class, kinds, read, read_bytes, schema, to_bytes, write

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
