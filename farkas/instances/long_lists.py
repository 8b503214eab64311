"""Long lists of records in the spelling that is hashed, without looking at every number."""

from typing import Any

import msgspec

from farkas.instances.base import plain_value

_OTHERWISE = (b"null", b"-0.0")
"""What numbers may have become that are written in another way, or not at all."""


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
