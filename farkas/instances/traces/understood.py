"""What an importer understood of a table: spans, dates, units, and what looks like another unit."""

import datetime
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from farkas.messages import named, number_of

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

    Attributes
    ----------
    told
        What was understood, by a word for it.
    warnings
        What looks like a mistake.
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


def spans(values: Sequence[float]) -> str:
    """Return the ends and the median of lengths of time.

    >>> spans([5, 400, 60])
    '5 s to 6.667 min, median 60 s'
    """
    if min(values) == max(values):
        return span(values[0])
    middle = span(statistics.median(values))
    return f"{span(min(values))} to {span(max(values))}, median {middle}"


def numbers(values: Sequence[float], unit: str = "") -> str:
    """Return the ends and the median of numbers.

    >>> numbers([1, 8, 2], "GPUs")
    '1 to 8 GPUs, median 2'
    """
    after = f" {unit}" if unit else ""
    if min(values) == max(values):
        return f"{values[0]:.6g}{after}"
    middle = f"median {statistics.median(values):.6g}"
    return f"{min(values):.6g} to {max(values):.6g}{after}, {middle}"


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
