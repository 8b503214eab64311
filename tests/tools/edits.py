"""Plain data with one thing changed: what a mistaken or dishonest file may hold."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[int | str, ...]


def edits(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every copy in which one value differs, or one entry is left out or stands twice.

    Numbers are changed by 1 either way; what is true becomes false, what is missing 0, and text is
    left out.

    Yields
    ------
    Where the change is, and the changed copy.
    """
    if isinstance(value, dict):
        for key in value:
            for where, changed in edits(value[key], (*path, key)):
                yield where, value | {key: changed}
    elif isinstance(value, list | tuple):
        for place in range(len(value)):
            here = (*path, place)
            yield here, [*value[:place], *value[place + 1 :]]
            yield here, [*value[: place + 1], copy.deepcopy(value[place]), *value[place + 1 :]]
            for where, changed in edits(value[place], here):
                yield where, [*value[:place], changed, *value[place + 1 :]]
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int | float):
        yield path, value + 1
        yield path, value - 1
    else:
        yield path, 0 if value is None else None
