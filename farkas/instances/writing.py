"""Instances as files, written canonically."""

import os
from typing import Any

import msgspec

from farkas.files.writing import write_bytes
from farkas.instances.base import Instance


def to_bytes(instance: Instance) -> bytes:
    """File content of an instance: fixed order, one top-level field or list entry per line."""
    content = msgspec.to_builtins(instance)
    ordered = {"farkas": content.pop("farkas"), "kind": instance.kind, "name": content.pop("name")}
    content.pop("kind")
    optional = type(instance).bookkeeping
    for name, value in content.items():
        if not (value is None and name in optional):
            ordered[name] = value
    lines = [f'"{name}": {_pretty(value)}' for name, value in ordered.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _pretty(value: Any) -> str:
    if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple | dict):
        return "[\n  " + ",\n  ".join(_compact(item) for item in value) + "\n]"
    return _compact(value)


def _compact(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def write(instance: Instance, path: str | os.PathLike[str]) -> None:
    """Write an instance file in one step; reading it again gives an equal instance.

    Raises `FileProblem`: the path cannot be written; nothing is left behind.
    """
    write_bytes(path, to_bytes(instance))
