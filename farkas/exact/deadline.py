"""Time limits of exact work."""

from __future__ import annotations

import math
import time

from farkas.errors import NoAnswer


class OutOfTime(NoAnswer):
    """The time limit came before the proof."""


class Deadline:
    """A moment that work must not pass.

    Parameters
    ----------
    seconds
        From now.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._until - time.monotonic())

    def part(self, share: float) -> Deadline:
        """Return the moment when a share of what is left has passed."""
        return Deadline(self.left * share)

    def check(self) -> None:
        """Raise :class:`OutOfTime` when nothing is left."""
        if not self.left:
            raise OutOfTime("the time limit came before the proof")
