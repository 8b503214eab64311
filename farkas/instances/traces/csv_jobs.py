"""Jobs of any table with a header line, its columns named by role: gadget, eris, dps, mlbroker.

A public trace that is such a table is a source with defaults of its own.  An instance is made of
the jobs as `farkas.instances.traces.jobs_gadget`, ``jobs_eris``, ``jobs_dps`` and ``jobs_mlbroker``
say, which also tell what is drawn.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from farkas.errors import FileProblem
from farkas.instances.options import require_option
from farkas.instances.traces.importer import SECONDS, Account, Path, importers, other_unit
from farkas.instances.traces.jobs import JobTable, MarketOfJobs, TraceJob
from farkas.instances.traces.jobs_eris import AuctionOfJobs
from farkas.instances.traces.jobs_gadget import ClusterOfJobs
from farkas.instances.traces.jobs_mlbroker import BrokerageOfJobs
from farkas.instances.traces.table import Line, check_roles, length, seconds
from farkas.messages import named

#: What a column can be.
ROLES: Mapping[str, str] = {
    "submit": "when the job came; required",
    "gpus": "GPUs it held, a whole number; required",
    "duration": "how long it ran; this or end is required",
    "end": "when it ended, in the unit of submit",
    "job_id": "its name; by default the line of the table",
    "group": "tenant, cluster or site; by default all jobs are of one",
    "gpu_time": "GPU time in the unit of duration; by default GPUs times duration",
    "value": "USD it is worth: budget in dps, worth without delay in eris, reward of the whole"
    " budget in gadget",
}
#: Seconds from 1970 that no job is away: milliseconds of our days do not pass for seconds.
FARTHEST = 10_000 * 365.25 * SECONDS["d"]
MOST_GPUS = 100_000  #: Of a job; the public traces stay below a thousand.

_SLURM_GPUS = re.compile(r"(?:^|,)gres/gpu(?::[^=,]*)?=([0-9]+)")

#: Setting that tells the unit of a role.
_UNIT_OF = {
    "submit": "submit_unit", "end": "submit_unit",
    "duration": "duration_unit", "gpu_time": "duration_unit",
}  # fmt: skip


class TableColumns(msgspec.Struct, frozen=True):
    """Columns of a table by role, and how numbers are read; options of all these importers.

    Parameters
    ----------
    map
        Column by role, see `ROLES`.
    submit_unit
        Unit of submit and end; ``"date"`` for times such as 2017-10-09 07:01:55.
    duration_unit
        Unit of duration and gpu_time; ``"hms"`` for lengths such as 1-02:03:04.
    part_of_gpu
        What to do with parts of a GPU: refuse the table, or give a whole one.
    """

    map: dict[str, str] = {}
    submit_unit: Literal["date", "ms", "s", "min", "h", "d"] = "s"
    duration_unit: Literal["ms", "s", "min", "h", "d", "hms"] = "s"
    part_of_gpu: Literal["refuse", "round_up"] = "refuse"


class TableOfJobs(JobTable, frozen=True, kw_only=True):
    """An importer of any table; `TableColumns` are options of every subclass."""

    if TYPE_CHECKING:  # fields of the classes that `register_source` makes
        map: dict[str, str]
        submit_unit: str
        duration_unit: str
        part_of_gpu: str

    words: ClassVar[str]  #: The source in words.
    fixed_columns: ClassVar[tuple[str, ...] | None]  #: Of a public trace.

    @property
    def origin(self) -> str:
        """The source in words, and whether it says what jobs are worth."""
        return f"{self.words}{' that says what jobs are worth' if 'value' in self.map else ''}"

    @property
    def dated(self) -> bool:
        """Whether times of the table are dates."""
        return self.submit_unit == "date"

    def check(self, what: str) -> None:
        """Check ranges; refuse unknown roles, roles that are missing, and a column with two."""
        super().check(what)
        check_roles(what, self.map, ROLES, "submit", "gpus", "duration|end")
        require_option(
            not {"duration", "end"} <= self.map.keys(),
            f"{what}: map either duration=COLUMN or end=COLUMN",
        )
        require_option(
            self.valued or "value" not in self.map, f"{what}: this kind has no use for a value"
        )

    def read(self, path: Path, dropped: Account) -> Sequence[TraceJob]:
        """Return all jobs in file order; raises `FileProblem` naming the line."""
        needed = [column for role, column in self.map.items() if role != "job_id"]
        table = self.complete_lines(path, list(self.map.values()), needed, dropped)
        found = list(self._jobs(table, dropped))
        if not (self.fixed_columns or found or dropped):
            raise FileProblem(f"{named(os.fspath(path))}: there is no job below the header")
        return found

    def _jobs(self, table: Iterable[Line], dropped: Account) -> Iterator[TraceJob]:
        """Iterate over the jobs of complete lines."""
        names: dict[str, str] = {}
        parts = 0
        self._tell_units(dropped)
        for line in table:
            job = self.job_in(line)
            if job.value == 0:
                dropped["worth nothing"] += 1
                continue
            if "job_id" in self.map:
                before = names.setdefault(job.job_id, line.place)
                if before != line.place:
                    raise FileProblem(
                        f"{line.place}: job_id {named(job.job_id)} stands in "
                        f"{before.rpartition(': ')[2]} too"
                    )
            parts += job.num_gpus != self._amount(line)
            yield job
        dropped.tell_parts(parts)

    def _tell_units(self, account: Account) -> None:
        """Say in which units times are read, and which columns name another one."""
        account.told["units"] = (
            f"times {'are dates' if self.submit_unit == 'date' else f'in {self.submit_unit}'} "
            f"(submit_unit), lengths {'as' if self.duration_unit == 'hms' else 'in'} "
            f"{self.duration_unit} (duration_unit)"
        )
        for role, setting in _UNIT_OF.items():
            unit, column = getattr(self, setting), self.map.get(role, "")
            found = None if unit in ("date", "hms") else other_unit(column, unit, setting)
            account.warnings += [] if found is None else [found]

    def job_in(self, line: Line) -> TraceJob:
        """Return the job of a line."""
        submitted = self._time(line, "submit")
        if "end" in self.map:
            duration = self._time(line, "end") - submitted
            if duration < 0:
                raise FileProblem(f"{line.place}: ends {-duration:.9g} s before it comes")
        else:
            duration = self._span(line, self.map["duration"], FARTHEST)
        gpus = self._gpus(line)
        given = self.map.get("gpu_time")
        # a public trace gives names by other columns than its lines
        name = "" if self.fixed_columns else line.place.rpartition(": ")[2]
        group = self.map.get("group")
        value = self.map.get("value")
        return TraceJob(
            submitted=submitted,
            duration=duration,
            num_gpus=gpus,
            gpu_time=gpus * duration
            if given is None
            else self._span(line, given, MOST_GPUS * FARTHEST),
            cluster="all" if group is None else line.filled(group),
            job_id=line.filled(self.map["job_id"]) if "job_id" in self.map else name,
            value=None if value is None else line.nonnegative(value),
        )

    def _time(self, line: Line, role: str) -> float:
        """Seconds of a point in time."""
        column = self.map[role]
        if self.submit_unit == "date":
            return line.time(column)
        try:
            moment = SECONDS[self.submit_unit] * line.number(column)
        except FileProblem as problem:
            text = line.text(column)
            if _can_read(seconds, text):
                raise FileProblem(f"{problem}; submit_unit=date reads dates") from None
            if len(re.findall(r"\d+", text)) >= 3:
                wanted = "write dates as 2017-10-09 07:01:55 and give submit_unit=date"
                raise FileProblem(f"{problem}; {wanted}") from None
            raise
        if abs(moment) > FARTHEST:
            raise line.wrong(column, f"a time within 10,000 years, in {self.submit_unit}")
        return moment

    def _span(self, line: Line, column: str, most: float) -> float:
        """Seconds of a length of time."""
        if self.duration_unit == "hms":
            span = line.length(column)
        elif _can_read(length, line.text(column)):
            raise line.wrong(column, "a number; duration_unit=hms reads such lengths")
        else:
            span = SECONDS[self.duration_unit] * line.nonnegative(column)
        if span > most:
            raise line.wrong(column, f"at most 10,000 years, in {self.duration_unit}")
        return span

    def _gpus(self, line: Line) -> int:
        column, amount = self.map["gpus"], self._amount(line)
        gpus = math.ceil(amount)
        if self.part_of_gpu == "refuse" and gpus != amount:
            raise line.wrong(column, "whole GPUs; part_of_gpu=round_up counts parts as whole ones")
        if gpus > MOST_GPUS:
            raise line.wrong(column, f"at most {MOST_GPUS:,} GPUs")
        return gpus

    def _amount(self, line: Line) -> float:
        """GPUs of a cell, which may hold Slurm's resources: ``cpu=8,gres/gpu=2``."""
        text = line.text(self.map["gpus"])
        if "=" not in text:
            return line.nonnegative(self.map["gpus"])
        found = _SLURM_GPUS.search(text)
        return float(found[1]) if found else 0.0


def _can_read(read: Callable[[str], float], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


#: Sources whose tables these are: in words, and the defaults of their columns.
SOURCES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "csv": ("CSV table", {}),
    "philly": (
        "Philly trace",
        {
            "map": {
                "submit": "timestamp",
                "duration": "duration",
                "gpus": "num_gpus",
                "gpu_time": "gpu_time",
                "group": "cluster",
            },
            "submit_unit": "date",
        },
    ),
    "slurm": (
        "Slurm accounting",
        {
            "map": {
                "job_id": "JobID",
                "submit": "Submit",
                "duration": "Elapsed",
                "gpus": "AllocTRES",
                "group": "Account",
            },
            "submit_unit": "date",
            "duration_unit": "hms",
            "incomplete": "leave_out",
        },
    ),
}


#: What makes an instance of jobs, by kind.
KINDS: Mapping[str, type[JobTable]] = {
    "gadget": ClusterOfJobs,
    "eris": AuctionOfJobs,
    "dps": MarketOfJobs,
    "mlbroker": BrokerageOfJobs,
}


def register_source(
    source: str, reader: type[JobTable], options: Sequence[tuple[str, Any, Any]] = (), **facts: Any
) -> None:
    """Register importers of all kinds that take their jobs from a reader of a source.

    ``options``: name, type and default of settings beside those of the kind; ``facts`` are what
    classes of the reader know of the source.
    """
    for kind, base in KINDS.items():
        made: Any = msgspec.defstruct(
            f"{source.title()}{base.__name__}",
            options,
            bases=(base, reader),
            namespace={"__doc__": base.__doc__, "source": source, **facts},
            module=__name__,
            frozen=True,
            kw_only=True,
        )
        importers.register(f"{source}:{kind}")(made)


for _source, (_words, _defaults) in SOURCES.items():
    _columns = _defaults.get("map", {})
    _given = {**_defaults, "map": msgspec.field(default_factory=_columns.copy)}
    register_source(
        _source,
        TableOfJobs,
        [
            (field.name, field.type, _given.get(field.name, field.default))
            for field in (*msgspec.structs.fields(TableColumns), *msgspec.structs.fields(JobTable))
            if field.name in _given or field.name in TableColumns.__struct_fields__
        ],
        words=_words,
        fixed_columns=tuple(_columns.values()) or None,
        mark="|" if _source == "slurm" else ",",
        __doc__=TableColumns.__doc__,
    )
