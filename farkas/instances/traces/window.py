"""Cut a window of slots out of a trace."""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Protocol, TypeVar

import msgspec
import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.base import Count, Positive
from farkas.instances.rounded import guarded_ceil
from farkas.instances.traces.importer import Importer
from farkas.instances.traces.table import seconds
from farkas.numbers import Floats


class Timed(Protocol):
    """A job of a trace; times in seconds."""

    @property
    def submitted(self) -> float:
        """When the job came."""

    @property
    def duration(self) -> float:
        """How long it ran."""


J = TypeVar("J", bound=Timed)


class Window(Importer, frozen=True, kw_only=True):
    """Options that every importer of timed jobs has.

    Parameters
    ----------
    slot_seconds
        Length of a slot.
    slots
        Number of slots.
    jobs
        At most this many jobs, the earliest; all if left out.
    start
        Begin of the window: a time such as ``"2017-10-09 07:00"``, or seconds after the first job
        of the trace.  If left out, the first job whose window is busy: at least as many jobs come
        in it as in an average one.  (Public traces often begin with a few stray jobs.)
    """

    slot_seconds: Positive = 3600.0
    slots: Count = 24
    jobs: Annotated[int, msgspec.Meta(ge=0)] | None = None
    start: float | str | None = None

    def begin(self, times: list[float]) -> float:
        """Begin of the window in seconds, for jobs that came at ``times``, ascending."""
        if self.start is None:
            return self._first_busy(np.array(times))
        if not isinstance(self.start, str):
            return times[0] + self.start
        try:
            return seconds(self.start)
        except ValueError:
            raise InvalidOption(
                f"start = {self.start!r}; give seconds after the first job, "
                "or a time such as 2017-10-09 07:00"
            ) from None

    def _first_busy(self, times: Floats) -> float:
        """First job's time after which a window holds at least the trace's average."""
        length = self.slot_seconds * self.slots
        windows = math.floor((times[-1] - times[0]) / length) + 1
        counts = np.searchsorted(times, times + length) - np.arange(len(times))
        return float(times[np.argmax(counts * windows >= len(times))])

    def cut(self, trace: Iterable[J], dropped: Counter[str]) -> list[tuple[int, J]]:
        """Return (arrival slot, job) of the jobs inside, by time; count the others in ``dropped``.

        Jobs that come at the same second keep the order of the trace.
        """
        ordered = sorted(trace, key=lambda job: job.submitted)
        if not ordered:
            return []
        begin = self.begin([job.submitted for job in ordered])
        inside: list[tuple[int, J]] = []
        for job in ordered:
            slot = math.floor((job.submitted - begin) / self.slot_seconds)
            if not 0 <= slot < self.slots:
                dropped["outside the window"] += 1
            elif self.jobs is not None and len(inside) >= self.jobs:
                dropped["beyond the number asked for"] += 1
            else:
                inside.append((slot, job))
        return inside

    def last_slot(self, arrival: int, job: Timed) -> int:
        """Last slot of a job that arrives in slot ``arrival``, cut at the end of the window."""
        length = max(1, int(guarded_ceil(job.duration / self.slot_seconds)))
        return min(arrival + length, self.slots) - 1
