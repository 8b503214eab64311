"""Names that others gave, as long as a picture has room for."""

from __future__ import annotations

import textwrap
import unicodedata

from farkas.words import cleaned


def width(text: str) -> int:
    """Width of a text in Latin letters; letters of Chinese, Japanese and Korean are two wide.

    >>> width("site"), width("站点"), width("é"), width("e\N{COMBINING ACUTE ACCENT}")
    (4, 4, 1, 1)
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def label(text: str, most: int) -> str:
    r"""Text that is no wider than ``most`` letters: its middle is left out, as both ends tell.

    Parameters
    ----------
    text
        Whatever stands in a file.
    most
        Letters, >= 1.

    Examples
    --------
    >>> label("rack 3, host 17", 15), label("rack 3, host 17", 9), label("rack\t3", 9)
    ('rack 3, host 17', 'rack…t 17', 'rack\\t3')
    """
    text = cleaned(text)
    if width(text) <= most:
        return text
    room = most - 1
    return f"{_head(text, room - room // 2)}…{_head(text[::-1], room // 2)[::-1]}"


def lines(text: str, most: int) -> list[str]:
    """Lines of a text, about as wide as ``most`` letters.

    >>> lines("one two three", 8), lines("站点站点", 4)
    (['one two', 'three'], ['站点', '站点'])
    """
    return textwrap.wrap(text, max(1, most * len(text) // (width(text) or 1)))


def _head(text: str, most: int) -> str:
    """As much of the beginning as fits."""
    end, taken = 0, 0
    while end < len(text) and taken + width(text[end]) <= most:
        taken += width(text[end])
        end += 1
    return text[:end]
