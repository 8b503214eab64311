"""What an importer is: named options that know how to read a trace; and what it returns."""

import dataclasses
import datetime
import os
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import msgspec
import numpy as np

from farkas import messages
from farkas.errors import InvalidOption
from farkas.instances.base import Instance
from farkas.instances.files import kind_class
from farkas.instances.options import Settings
from farkas.messages import ShowsItself, method, named, number_of
from farkas.registry import Registry

#: Seconds by unit of time.
SECONDS: Mapping[str, float] = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
#: How headers of tables write units of time.
SPELT: Mapping[str, tuple[str, ...]] = {
    "ns": ("ns", "nsec", "nanos", "nanosecond", "nanoseconds"),
    "us": ("us", "µs", "μs", "usec", "micros", "microsecond", "microseconds"),
    "ms": ("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"),
    "s": ("s", "sec", "secs", "second", "seconds"),
    "min": ("min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "d": ("d", "day", "days"),
}
_UNITS = {word: unit for unit, words in SPELT.items() for word in words}
#: Seconds; as Unix time it is a day of 2001, and nobody counts so far from a begin of his own.
_SHOWN_AS_DATE = 10**9
#: A span is shown in the largest unit that leaves at least so many of the next smaller one.
_READABLE = 120


class Account(Counter[str]):
    """Number of jobs left out by reason; beside it what was understood of the others.

    ``told`` is that, by a word for it; ``warnings`` are what looks like a mistake.
    """

    def __init__(self, dropped: Mapping[str, int] | None = None) -> None:
        super().__init__(dropped or {})
        self.told: dict[str, str] = {}
        self.warnings: list[str] = []

    def tell_parts(self, count: int) -> None:
        """Say how many jobs ask for parts of a GPU, each of which counts as a whole one."""
        if count:
            self.told["parts of a GPU"] = f"{number_of(count, 'jobs')}, counted as whole GPUs"

    def words(self, counted: str) -> str:
        """Say how many were left out, and why; nothing where none was.

        >>> Account({"outside the window": 26}).words("jobs")
        '26 jobs left out: outside the window'
        >>> Account({"outside the window": 1, "without a GPU": 2}).words("jobs")
        '3 jobs left out: 1 outside the window, 2 without a GPU'
        """
        reasons = sorted((reason, count) for reason, count in self.items() if count)
        if not reasons:
            return ""
        said = [reason for reason, _ in reasons]
        if len(reasons) > 1:
            said = [f"{count} {reason}" for reason, count in reasons]
        return f"{number_of(self.total(), counted)} left out: {', '.join(said)}"


def span(seconds: float) -> str:
    """Return a length of time in a unit that is easily read.

    >>> span(5), span(400), span(0.25), span(90_000), span(1e7)
    ('5 s', '6.667 min', '250 ms', '25 h', '115.7 d')
    """
    unit = "s" if not 0 < seconds < 1 else "ms"
    smaller = SECONDS["s"]
    for larger in ("min", "h", "d"):
        if seconds >= _READABLE * smaller:
            unit = larger
        smaller = SECONDS[larger]
    return f"{seconds / SECONDS[unit]:.4g} {unit}"


def moment(seconds: float, dated: bool) -> str:
    """Return a point in time as a date, or as seconds where the table counts from its own begin.

    >>> moment(1507532515, True), moment(90, False)
    ('2017-10-09 07:01:55', '90 s')
    """
    if not dated and abs(seconds) < _SHOWN_AS_DATE:
        return f"{seconds:.10g} s"
    try:
        date = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (ValueError, OverflowError, OSError):  # before the year 1, or after 9999
        return f"{seconds:.10g} s"
    return f"{date:%Y-%m-%d %H:%M:%S}"


def numbers(
    values: Sequence[float], unit: str = "", said: Callable[[float], str] = "{:.6g}".format
) -> str:
    """Return the ends and the median of numbers, each as it is ``said``.

    >>> numbers([1, 8, 2], "GPUs"), numbers([5, 400, 60], said=span)
    ('1 to 8 GPUs, median 2', '5 s to 6.667 min, median 60 s')
    """
    after = f" {unit}" if unit else ""
    if min(values) == max(values):
        return f"{said(values[0])}{after}"
    middle = said(statistics.median(values))
    return f"{said(min(values))} to {said(max(values))}{after}, median {middle}"


def unit_in(header: str) -> str | None:
    """Return the unit of time that the name of a column ends with, or holds in brackets.

    >>> [unit_in(x) for x in ("Runtime [min]", "duration_ms", "runHours", "min gpus")]
    ['min', 'ms', 'h', None]
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", header)
    bracketed = re.findall(r"[\[({<]([^\])}>]*)[\])}>]", spaced)
    outside = re.sub(r"[\[({<][^\])}>]*[\])}>]", " ", spaced)
    for text in (*bracketed, outside):
        words = re.findall(r"[^\W\d_]+", text.lower())
        found = _UNITS.get(words[-1]) if words else None
        if found is not None:
            return found
    return None


def other_unit(column: str, unit: str, setting: str) -> str | None:
    """Return a warning where a column names another unit of time than it is read in.

    >>> other_unit("Runtime [min]", "s", "duration_unit")
    '"Runtime [min]" names min but is read in s; duration_unit=min reads it so'
    """
    said = unit_in(column)
    if said in (None, _UNITS.get(unit)):
        return None
    mended = f"{setting}={said} reads it so"
    if setting.endswith("_unit") and setting != "time_unit" and said not in SECONDS:
        mended = f"{setting} has no {said}, convert the column"
    return f"{named(column)} names {said} but is read in {unit}; {mended}"


Path: TypeAlias = str | os.PathLike[str]  #: Where a trace lies.


@dataclasses.dataclass(frozen=True, repr=False)
class ImportedInstance(ShowsItself):
    """An instance made from a trace."""

    instance: Instance  #: The instance; its description tells where it comes from.
    kept: int  #: Number of them in it.
    dropped: Account  #: Number of jobs of the trace that are not in it, by reason.
    counted: str = "jobs"  #: What is counted: jobs, or masters.

    save = method("save")

    def __repr__(self) -> str:
        about = f"{self.kind} instance {messages.named(self.instance.name)}"
        warned = "".join(f"; warning: {said}" for said in self.warnings)
        return f"<imported {about}: {self.report()}{warned}>"

    def _details(self) -> Mapping[str, object]:
        return self.told

    @property
    def kind(self) -> str:
        """Kind of the instance."""
        return self.instance.kind

    @property
    def sha256(self) -> str:
        """Hash of the instance."""
        return self.instance.sha256

    @property
    def told(self) -> Mapping[str, str]:
        """What was understood of the trace: durations, arrivals, units, by a word for each."""
        return self.dropped.told

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looks like a mistake, for example a column that names another unit."""
        return tuple(self.dropped.warnings)

    def report(self) -> str:
        """One line: how many jobs are in, how many are not, and why."""
        left_out = self.dropped.words(self.counted)
        return f"{number_of(self.kept, self.counted)} imported" + (left_out and f"; {left_out}")


class Importer(Settings, frozen=True, kw_only=True):
    """Reads a trace and makes an instance of one kind; its fields are the options.

    A subclass is registered as ``source:kind``, has a method `fields`, and is all there is to say.
    """

    #: Options that name files; descriptions tell their last part only.
    paths: ClassVar[tuple[str, ...]] = ()
    counted: ClassVar[str] = "jobs"  #: Field of the instance whose entries are counted as kept.

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Read the trace and return the fields of the instance.

        ``name`` lacks the seed, ``description`` what was left out and the options.  ``rng`` draws
        what the trace does not hold; ``dropped`` takes the number of jobs left out, by reason, and
        what was understood of the others.
        """
        raise NotImplementedError(type(self).__name__)

    def run(self, kind: str, path: Path, seed: int) -> ImportedInstance:
        """Import the file at ``path``."""
        dropped = Account()
        fields = self.fields(path, np.random.default_rng(seed), dropped)
        named = {option: os.path.basename(getattr(self, option)) for option in self.paths}
        fields["name"] = f"{fields['name']}-{seed}"
        left_out, kept = dropped.words(self.counted), len(fields[self.counted])
        if left_out and not kept and getattr(self, "jobs", None) != 0:
            raise InvalidOption(
                f"{messages.named(os.fspath(path))}: none of its {self.counted} is left; {left_out}"
            )
        if not kept:
            dropped.warnings.append(f"none of its {self.counted} was taken")
        fields["description"] += (left_out and f"; {left_out}") + (
            f"; seed {seed}; options {msgspec.structs.replace(self, **named).text()}"
        )
        instance = kind_class(kind).build(seed=seed, **fields)
        return ImportedInstance(instance, kept, dropped, self.counted)


#: Importers by ``source:kind``.
importers: Registry[type[Importer]] = Registry("importer", "farkas.instances.traces")
