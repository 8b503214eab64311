"""Instances as files, written canonically, and the schema of what is read."""

import functools
import itertools
import operator
import os
from typing import Any

import msgspec
import numpy as np

from farkas.errors import InvalidInstance
from farkas.files.writing import write_bytes
from farkas.instances.base import Instance, plain_value
from farkas.instances.files import kind_class, kinds
from farkas.numbers import Array


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

    Raises
    ------
    FileProblem
        The path cannot be written; nothing is left behind.
    """
    write_bytes(path, to_bytes(instance))


def schema(kind: str | None = None) -> dict[str, Any]:
    """JSON Schema of one kind's files, or of the union over all kinds."""
    if kind is not None:
        return msgspec.json.schema(kind_class(kind))
    union = functools.reduce(operator.or_, [kind_class(name) for name in kinds()])
    return msgspec.json.schema(union)


#: What numbers may have become that are written in another way, or not at all.
_OTHERWISE = (b"null", b"-0.0")


def plain(value: Any, where: str) -> Any:
    """As `plain_value`: records that hold nothing but usual numbers and text are JSON at once.

    The encoder writes NaN and infinity as null, and keeps the sign of zero; where its text holds
    either, or letters beyond ASCII, every value is looked at.
    """
    if isinstance(value, tuple) and value and isinstance(value[0], msgspec.Struct):
        text = msgspec.json.encode(value, order="sorted")
        if text.isascii() and not any(mark in text for mark in _OTHERWISE):
            return msgspec.Raw(text)
    return plain_value(value, where)


class RecordColumns:
    """Records of numbers, field by field; stands for their list in `Instance.build`.

    ``columns``: by field, shape (records,).
    """

    def __init__(self, **columns: Array) -> None:
        self.columns = columns

    def as_records(self, where: str) -> list[msgspec.Struct]:
        """Return one object a record with the numbers that `plain_value` would leave.

        Raises `InvalidInstance`: a number is not finite; names the first by field.
        """
        lists = []
        for field, column in self.columns.items():
            for place in np.flatnonzero(~np.isfinite(column))[:1]:
                at = f"{where}[{place}].{field}"
                raise InvalidInstance(f"Expected a finite number, got {column[place]} - at `{at}`")
            lists.append((column + 0).tolist())  # -0.0 and 0.0 are one number
        rows = zip(*lists, strict=True)
        return list(itertools.starmap(_record(tuple(self.columns)), rows))


@functools.cache
def _record(fields: tuple[str, ...]) -> type[msgspec.Struct]:
    return msgspec.defstruct("Record", [(field, Any) for field in fields])
