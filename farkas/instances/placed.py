"""Where in a list of an instance a rule is broken first."""

import math
from collections.abc import Iterable

import numpy as np

from farkas.errors import InvalidInstance
from farkas.numbers import Array


def require_nowhere(bad: Array, message: str, where: str) -> None:
    """Refuse the first place at which ``bad`` holds, naming its path below ``where``.

    >>> require_nowhere(np.array([[False, True]]), "Expected a load", "$.loads")
    Traceback (most recent call last):
    farkas.errors.InvalidInstance: Expected a load - at `$.loads[0][1]`
    """
    for place in np.argwhere(bad)[:1].tolist():
        path = "".join(f"[{index}]" for index in place)
        raise InvalidInstance(f"{message} - at `{where}{path}`")


def require_sorted(values: Iterable[float], where: str, field: str) -> None:
    """Check that ``field`` never decreases along the list at ``where``."""
    last = -math.inf
    for index, value in enumerate(values):
        if value < last:
            raise InvalidInstance(
                f"Expected {field} {value} >= {last} of the entry before - at `{where}[{index}]`"
            )
        last = value
