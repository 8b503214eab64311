"""JSON whose invisible characters are spelt."""

from __future__ import annotations

import re

_OUTSIDE_ASCII = re.compile(r"[^\n -~]")


def visible_json(text: str) -> str:
    r"""JSON with the same content whose invisible characters are spelt as ``\uXXXX``.

    Outside its strings JSON holds none of them but line breaks, which stay.

    >>> visible_json('{"name": "\u202e\x7f\u03c1"}') == '{"name": "\\u202e\\u007f\u03c1"}'
    True
    """
    return _OUTSIDE_ASCII.sub(_spelt, text)


def _spelt(found: re.Match[str]) -> str:
    letter = found.group()
    if letter.isprintable():
        return letter
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[k]:02x}{units[k + 1]:02x}" for k in range(0, len(units), 2))
