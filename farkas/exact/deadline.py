"""Time limits of exact work."""

from __future__ import annotations

import math
from collections.abc import Callable

from farkas.errors import NoAnswer
from farkas.kernels import clock


class OutOfTime(NoAnswer):
    """The time limit came before the proof."""


class Deadline:
    """A moment that work must not pass; compiling, once an installation, does not count.

    Parameters
    ----------
    seconds
        From now.
    stopped
        Asked again and again; where it says so, nothing is left any more.
    """

    def __init__(
        self, seconds: float = math.inf, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self._until, self._stopped = clock() + seconds, stopped

    @property
    def stopped(self) -> bool:
        """Whether somebody asked to stop, whatever time is left."""
        return self._stopped()

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return 0.0 if self._stopped() else max(0.0, self._until - clock())

    def part(self, share: float) -> Deadline:
        """Return the moment when a share of what is left has passed."""
        return Deadline(self.left * share, self._stopped)

    def check(self) -> None:
        """Raise :class:`OutOfTime` when nothing is left."""
        if not self.left:
            raise OutOfTime("the time limit came before the proof")
