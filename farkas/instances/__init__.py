"""Instances: strict reading, canonical writing, generators, importers."""

from farkas.registry import when_used

__getattr__ = when_used(
    __name__,
    {
        "base": "Instance",
        "files": "kind_class kinds read read_bytes",
        "writing": "to_bytes write",
    },
)
