"""Read the lines of a trace, and cut a window of slots out of it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal, Protocol, TypeVar

import msgspec
import numpy as np

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.base import Count, Positive
from farkas.instances.rounded import guarded_ceil
from farkas.instances.traces.importer import Importer, Path
from farkas.instances.traces.table import MISSING, Line, Words, as_words, lines, seconds
from farkas.instances.traces.understood import Account, moment, numbers, span, spans
from farkas.numbers import Floats


class Timed(Protocol):
    """A job of a trace; times in seconds."""

    @property
    def submitted(self) -> float:
        """When the job came."""

    @property
    def duration(self) -> float:
        """How long it ran."""

    @property
    def num_gpus(self) -> int:
        """GPUs it held."""


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
    incomplete
        What to do with a line that lacks a cell that is needed: refuse the table, or leave it out.
    missing
        Words that stand for an empty cell, in any case of letters; text parts them by commas.
    """

    slot_seconds: Positive = 3600.0
    slots: Count = 24
    jobs: Annotated[int, msgspec.Meta(ge=0)] | None = None
    start: float | str | None = None
    incomplete: Literal["refuse", "leave_out"] = "refuse"
    missing: Words = MISSING

    @property
    def dated(self) -> bool:
        """Whether times of the trace are dates, not seconds since a begin of its own."""
        return False

    def complete_lines(
        self, path: Path, columns: Sequence[str], needed: Sequence[str], dropped: Account
    ) -> Iterator[Line]:
        """Iterate over the lines of a table of jobs that lack none of the cells that are needed.

        Parameters
        ----------
        columns
            What the table has at least.
        needed
            Those in which a cell may not be missing.
        dropped
            Takes the number of incomplete lines that are left out.

        Raises
        ------
        FileProblem
            The table is damaged, or lacks a cell and `incomplete` refuses it.
        """
        for line in lines(path, columns, as_words(self.missing)):
            lacking = [column for column in needed if not line.value(column)]
            if not lacking:
                yield line
            elif self.incomplete == "leave_out":
                dropped["incomplete"] += 1
            else:
                raise FileProblem(
                    f"{line.lacks(lacking[0])}; incomplete=leave_out leaves such lines out"
                    + ("; missing=WORDS says what counts" if line.text(lacking[0]) else "")
                )

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

    def cut(self, trace: Iterable[J], dropped: Account) -> list[tuple[int, J]]:
        """Return (arrival slot, job) of the jobs inside, by time; count the others in ``dropped``.

        Jobs that come at the same second keep the order of the trace.
        """
        ordered = sorted(trace, key=lambda job: job.submitted)
        if not ordered:
            return []
        begin = self.begin([job.submitted for job in ordered])
        self._tell(ordered, begin, dropped)
        inside: list[tuple[int, J]] = []
        for job in ordered:
            slot = math.floor((job.submitted - begin) / self.slot_seconds)
            if not 0 <= slot < self.slots:
                dropped["outside the window"] += 1
            elif self.jobs is not None and len(inside) >= self.jobs:
                dropped["beyond the number asked for"] += 1
            else:
                inside.append((slot, job))
        if not inside and self.jobs != 0:
            first, last = self._moment(ordered[0]), self._moment(ordered[-1])
            raise InvalidOption(
                f"start = {self.start}: no job comes in the window {self._window(begin)}; the "
                f"first one comes at {first}, the last at {last}"
            )
        return inside

    def _tell(self, ordered: Sequence[Timed], begin: float, account: Account) -> None:
        """Say what was understood of the jobs, those outside of the window with them."""
        first, last = self._moment(ordered[0]), self._moment(ordered[-1])
        account.told |= {
            "durations": spans([job.duration for job in ordered]),
            "arrivals": f"from {first} to {last}",
            "GPUs": numbers([job.num_gpus for job in ordered], "a job"),
            "window": f"{self._window(begin)}: {self.slots} slots of {span(self.slot_seconds)}",
        }

    def _window(self, begin: float) -> str:
        end = begin + self.slots * self.slot_seconds
        return f"from {moment(begin, self.dated)} to {moment(end, self.dated)}"

    def _moment(self, job: Timed) -> str:
        return moment(job.submitted, self.dated)

    def last_slot(self, arrival: int, job: Timed) -> int:
        """Last slot of a job that arrives in slot ``arrival``, cut at the end of the window."""
        length = max(1, int(guarded_ceil(job.duration / self.slot_seconds)))
        return min(arrival + length, self.slots) - 1
