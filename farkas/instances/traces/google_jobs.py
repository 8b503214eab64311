"""Jobs of Google's cluster traces: gadget, eris, dps, mlbroker.

Read are task events of 2011 (``part-?????-of-?????.csv``, no header) and instance events of 2019 (a
JSON object a line, as BigQuery exports them).  Times are microseconds.  The tasks that ran are the
workers of a job, a GPU each.  A job comes with its first SUBMIT.  It runs from its first SCHEDULE
until the last of its tasks has ended, and its scheduling class is its group.
"""

import csv
import io
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from farkas.errors import FileProblem
from farkas.files import read_bytes
from farkas.instances.options import require_option
from farkas.instances.traces.csv_jobs import register_source
from farkas.instances.traces.importer import SECONDS, Account, Path
from farkas.instances.traces.jobs import JobTable, TraceJob
from farkas.messages import named

#: Columns of the table of 2011.
CELLS = 13
#: Names of events by number, by year.
EVENTS: Mapping[int, tuple[str, ...]] = {
    2011: (
        "SUBMIT", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL", "LOST", "UPDATE_PENDING",
        "UPDATE_RUNNING",
    ),
    2019: (
        "SUBMIT", "QUEUE", "ENABLE", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL", "LOST",
        "UPDATE_PENDING", "UPDATE_RUNNING",
    ),
}  # fmt: skip
ENDS = frozenset({"EVICT", "FAIL", "FINISH", "KILL", "LOST"})
BEFORE, AFTER = 0, 2**63 - 1  #: Times of what happened before and after the trace.
MICROSECOND = SECONDS["ms"] / 1000
JOB = (0, "0", "JOB")  #: How a collection says that it is a job.


class TaskEvent(msgspec.Struct, frozen=True):
    """What happened to one task; integers are written as numbers or as text."""

    time: int  #: Microseconds since ten minutes before the trace.
    type: int | str
    collection_id: int  #: The job.
    instance_index: int  #: The task in its job.
    scheduling_class: int | None = None
    collection_type: int | str = 0  #: 1 or ``"ALLOC_SET"`` for a reservation, which is no job.


def read_events(path: Path) -> Iterator[tuple[str, str, TaskEvent]]:
    """Yield place, name and numbers of each event; raises `FileProblem` naming the line."""
    name, content = named(os.fspath(path)), read_bytes(path)
    if content[:2] == b"\x1f\x8b":
        raise FileProblem(f"{name}: is packed; unpack it with gunzip")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"{name}: is not text in UTF-8: {error.reason}") from None
    year = 2019 if text.lstrip().startswith("{") else 2011
    for number, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            place = f"{name}: line {number}"
            yield place, *_event(place, line, year)


def _event(place: str, line: str, year: int) -> tuple[str, TaskEvent]:
    """Name and numbers of the event of a line."""
    try:
        data = msgspec.json.decode(line) if year == 2019 else _cells(place, line)
        event = msgspec.convert(data, TaskEvent, strict=False)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        what = "instance" if year == 2019 else "task"
        raise FileProblem(f"{place}: is no {what} event of {year}: {error}") from None
    return _named(place, event, year), event


def _cells(place: str, line: str) -> dict[str, str]:
    """Cells of an event of 2011 by the names that 2019 gives them."""
    cells = next(csv.reader([line]))
    if len(cells) != CELLS:
        raise FileProblem(f"{place}: {len(cells)} cells; task events of 2011 have {CELLS}")
    time, _, job, task, _, kind, _, group, *_ = cells
    data = {"time": time, "type": kind, "collection_id": job, "instance_index": task}
    return data | ({"scheduling_class": group} if group.strip() else {})


def _named(place: str, event: TaskEvent, year: int) -> str:
    """Return the name of an event, which files give by number or by name."""
    names = EVENTS[year]
    kind = int(event.type) if str(event.type).isdecimal() else event.type
    if isinstance(kind, int) and kind < len(names):
        return names[kind]
    if kind in names:
        return str(kind)
    raise FileProblem(f"{place}: there is no event {named(str(kind))} in {year}")


class GoogleJobs(JobTable, frozen=True, kw_only=True):
    """An importer of jobs of Google's traces."""

    fixed_columns: ClassVar[tuple[str, ...]] = TaskEvent.__struct_fields__

    def check(self, what: str) -> None:
        """Check ranges, and refuse settings of tables with a header."""
        super().check(what)
        for name in ("incomplete", "missing"):
            default = {f.name: f.default for f in msgspec.structs.fields(JobTable)}[name]
            require_option(
                getattr(self, name) == default, f"{what}: {name} is for tables with a header"
            )

    @property
    def origin(self) -> str:
        """The source in words."""
        return "Google cluster trace, a GPU a task"

    def read(self, path: Path, dropped: Account) -> Sequence[TraceJob]:
        """Return jobs in the order in which they come first; raises `FileProblem`.

        Counted in ``dropped``: reservations, and jobs that came before the trace, never ran, or had
        not ended.
        """
        found: dict[int, list[tuple[str, TaskEvent]]] = {}
        reserved: set[int] = set()
        for place, name, event in read_events(path):
            if event.time < 0:
                raise FileProblem(f"{place}: a time below 0")
            if event.collection_type not in JOB:
                reserved.add(event.collection_id)
                continue
            found.setdefault(event.collection_id, []).append((name, event))
        if not found:
            raise FileProblem(f"{named(os.fspath(path))}: holds no event of a job")
        dropped["reservations"] += len(reserved)
        jobs = []
        for number, events in found.items():
            job = _job(number, sorted(events, key=lambda item: item[1].time))
            if isinstance(job, str):
                dropped[job] += 1
            else:
                jobs.append(job)
        dropped.told["units"] = "times in microseconds"
        return jobs


def _job(number: int, events: Sequence[tuple[str, TaskEvent]]) -> TraceJob | str:
    """Return a job from its events by time, or why it is left out."""
    begins: dict[int, int] = {}
    spans: dict[int, int] = defaultdict(int)
    came = [event.time for name, event in events if name == "SUBMIT"]
    if not came or came[0] == BEFORE:
        return "submitted before the trace"
    first = last = None
    for name, event in events:
        task = event.instance_index
        if name == "SCHEDULE":
            begins.setdefault(task, event.time)
            first = event.time if first is None else first
        elif name in ENDS and task in begins:
            if event.time == AFTER:
                return "still running at the end"
            last = event.time
            spans[task] += last - begins.pop(task)
    if first is None:
        return "never scheduled"
    if begins or last is None:
        return "still running at the end"
    group = events[0][1].scheduling_class
    return TraceJob(
        submitted=came[0] * MICROSECOND,
        duration=(last - first) * MICROSECOND,
        num_gpus=len(spans),
        gpu_time=sum(spans.values()) * MICROSECOND,
        cluster="all" if group is None else f"class {group}",
        job_id=str(number),
    )


register_source("google", GoogleJobs)
