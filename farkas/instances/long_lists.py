"""Long lists of records: made, and spelled for the hash, without a look at every single number."""

import functools
import itertools
from typing import Any

import msgspec
import numpy as np

from farkas.errors import InvalidInstance
from farkas.instances.base import plain_value
from farkas.numbers import Array

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

    Parameters
    ----------
    columns
        By field, shape (records,).
    """

    def __init__(self, **columns: Array) -> None:
        self.columns = columns

    def as_records(self, where: str) -> list[msgspec.Struct]:
        """Return one object a record with the numbers that `plain_value` would leave.

        Raises
        ------
        InvalidInstance
            A number is not finite; names the first by field.
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
