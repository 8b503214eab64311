"""Comma-separated tables with a header line; every complaint names file, line and column."""

import csv
import datetime
import difflib
import io
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from farkas.errors import FileProblem, InvalidOption
from farkas.files import read_bytes
from farkas.instances.options import require_option
from farkas.instances.traces.importer import Path
from farkas.messages import named

#: Words that stand for an empty cell, parted by commas, in any case of letters.
MISSING = "NA,N/A,NaN,null,None,-"
#: Words parted by commas, or a list of them; one that is a number is a word, too.
Words = str | int | float | list[str]


def as_words(given: Words) -> frozenset[str]:
    """Return words that stand for an empty cell, in lower case.

    >>> sorted(as_words("NA, -")), sorted(as_words(-1)), sorted(as_words(["a,b"]))
    (['-', 'na'], ['-1'], ['a,b'])
    """
    words = given if isinstance(given, list) else str(given).split(",")
    return frozenset(word.strip().casefold() for word in words if word.strip())


USUAL = as_words(MISSING)


NEAR = 0.6  #: Likeness from which on a column stands first in a message.
MOST_COLUMNS = 20  #: Of a header that a message lists.
_LENGTH = re.compile(r"(?:(?:([0-9]+)-)?([0-9]+):)?([0-5]?[0-9]):([0-5][0-9](?:\.[0-9]+)?)")


class Line:
    """One line of a table, with access by column name.

    ``place`` is file and line for error messages; ``missing`` are words that stand for an empty
    cell, in lower case; None for the usual ones, where no setting names others.
    """

    __slots__ = ("cells", "missing", "place")

    def __init__(
        self, place: str, cells: dict[str, str], missing: frozenset[str] | None = None
    ) -> None:
        self.place = place
        self.cells = cells
        self.missing = missing

    def text(self, column: str) -> str:
        """Text of a cell without surrounding blanks; may be empty."""
        return self.cells[column].strip()

    def value(self, column: str) -> str:
        """Text of a cell; empty where it is one of the words for a missing value."""
        text = self.text(column)
        missing = USUAL if self.missing is None else self.missing
        return "" if text.casefold() in missing else text

    def filled(self, column: str) -> str:
        """Text of a cell that is not empty; raises `FileProblem`."""
        text = self.value(column)
        if not text:
            raise self.lacks(column)
        return text

    def lacks(self, column: str) -> FileProblem:
        """Return the complaint that a cell is empty, or holds a word for a missing value."""
        text = self.text(column)
        counts = f"= {text!r} counts as a missing value" if text else "is empty"
        return FileProblem(f"{self.place}: {named(column)} {counts}")

    def number(self, column: str) -> float:
        """Finite number of a cell; raises `FileProblem`."""
        value = self.number_or_none(column)
        if value is None:
            raise self.lacks(column)
        return value

    def number_or_none(self, column: str) -> float | None:
        """Finite number of a cell, None if it is missing; raises `FileProblem`."""
        text = self.value(column)
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            raise self.wrong(column, "a number") from None
        if not text.isascii() or "_" in text:  # what Python reads and other programs do not
            raise self.wrong(column, "a number")
        if not math.isfinite(value):
            raise self.wrong(column, "a finite number")
        return value

    def nonnegative(self, column: str) -> float:
        """Finite number of a cell, >= 0; raises `FileProblem`."""
        value = self.number(column)
        if value < 0:
            raise self.wrong(column, "a number >= 0")
        return value

    def positive(self, column: str) -> float:
        """Finite number of a cell, > 0; raises `FileProblem`."""
        value = self.number(column)
        if value <= 0:
            raise self.wrong(column, "a number > 0")
        return value

    def whole(self, column: str) -> int:
        """Integer of a cell, >= 0; raises `FileProblem`."""
        value = self.number(column)
        if value < 0 or value != int(value):
            raise self.wrong(column, "an integer >= 0")
        return int(value)

    def time(self, column: str) -> float:
        """Seconds since 1970 (UTC) of a cell such as ``2017-10-09 07:01:55``."""
        try:
            return seconds(self.text(column))
        except ValueError:
            raise self.wrong(column, "a time such as 2017-10-09 07:01:55") from None

    def length(self, column: str) -> float:
        """Seconds of a cell such as ``1-02:03:04``."""
        try:
            return length(self.text(column))
        except ValueError:
            wanted = "a length such as 1-02:03:04, 01:30:00 or 10:00"
            raise self.wrong(column, wanted) from None

    def wrong(self, column: str, wanted: str) -> FileProblem:
        """Return the complaint that a cell does not hold what is wanted."""
        text = self.text(column)
        hint = ""
        # a word for an unknown number or time, such as Slurm's end of a job that runs: Unknown
        if self.missing is not None and re.fullmatch(r"[^\d,]+", text):
            hint = f"; missing={named(text)} with incomplete=leave_out leaves such lines out"
        return FileProblem(f"{self.place}: {named(column)} = {text!r}; expected {wanted}{hint}")


def seconds(text: str) -> float:
    """Seconds since 1970 of an ISO 8601 time; UTC unless it names a zone.

    >>> seconds("1970-01-02 00:00:01")
    86401.0
    """
    moment = datetime.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return moment.timestamp()


def length(text: str) -> float:
    """Seconds of a length of time as clusters write it: [D-]HH:MM:SS or MM:SS, with fractions.

    Raises `ValueError` for other text.

    >>> length("1-02:03:04"), length("100:00:00"), length("10:00.5")
    (93784.0, 360000.0, 600.5)
    """
    match = _LENGTH.fullmatch(text)
    if match is None:
        raise ValueError(text)
    days, hours, minutes, rest = (float(part or 0) for part in match.groups())
    if match[1] and hours >= 24:
        raise ValueError(text)
    return ((days * 24 + hours) * 60 + minutes) * 60 + rest


def lines(
    path: Path, columns: Sequence[str], missing: frozenset[str] | None = None, mark: str = ","
) -> Iterator[Line]:
    """Iterate over the lines of a table that has at least ``columns``, its cells parted by a mark.

    ``missing``: words that stand for an empty cell, see `Line`. Raises `FileProblem`: the file
    cannot be read, is empty, lacks a column or holds it twice, or a line is too short or too long.
    """
    name = named(os.fspath(path))
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"{name}: is not text in UTF-8: {error.reason}") from None
    if "\0" in text:
        number = text[: text.index("\0")].count("\n") + 1
        raise FileProblem(f"{name}: line {number}: is not text but holds a null character")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        absent = [column for column in columns if column not in header]
        if absent:
            hint = _separated(header) or _header(absent, header)
            raise FileProblem(f"{name}: line 1: no column {', '.join(map(named, absent))}{hint}")
        twice = [column for column in columns if header.count(column) > 1]
        if twice:
            raise FileProblem(f"{name}: line 1: column {named(twice[0])} stands twice")
        for cells in reader:
            if not cells:
                continue
            place = f"{name}: line {reader.line_num}"
            if len(cells) != len(header):
                raise FileProblem(f"{place}: {len(cells)} cells, but {len(header)} columns")
            yield Line(place, dict(zip(header, cells, strict=True)), missing)
    except csv.Error as error:
        raise FileProblem(f"{name}: line {reader.line_num}: {error}") from None


def _header(wanted: Sequence[str], header: Sequence[str]) -> str:
    """Remark that lists the columns that there are, with those nearest to the wanted ones first.

    >>> _header(["Submitted"], ["id", "Submitted (local)"])
    '; the header has "Submitted (local)", id'
    """

    def distance(column: str) -> float:
        matcher = difflib.SequenceMatcher(b=column.casefold())
        best = 0.0
        for word in wanted:
            matcher.set_seq1(word.casefold())
            inside = word.casefold() in column.casefold() or column.casefold() in word.casefold()
            best = max(best, matcher.ratio(), float(inside and bool(column)))
        return -best if best >= NEAR else 0.0

    shown = [named(column) for column in sorted(header, key=distance)]
    more = [f"{len(shown) - MOST_COLUMNS} more"] if len(shown) > MOST_COLUMNS else []
    return f"; the header has {', '.join(shown[:MOST_COLUMNS] + more)}" if shown else ""


def _separated(header: Sequence[str]) -> str:
    """Remark on a header that is one cell, in which another mark than a comma parts the names.

    >>> _separated(["a;b"]), _separated(["a", "b"])
    ('; cells are parted by commas, not by semicolons', '')
    """
    marks = {";": "semicolons", "\t": "tabs", "|": "bars"}
    found = [word for mark, word in marks.items() if len(header) == 1 and mark in header[0]]
    return f"; cells are parted by commas, not by {found[0]}" if found else ""


def check_roles(
    what: str, columns: Mapping[str, str], known: Collection[str], *required: str
) -> None:
    """Refuse unknown roles, roles that are missing, and a column with two of them.

    ``required`` are roles; of two that are parted by ``|`` one is.
    """
    for role in columns:
        if role not in known:
            raise InvalidOption.near(f"{what}: no role {named(role)}", role, known)
    lacking = [either.split("|") for either in required if not {*either.split("|")} & {*columns}]
    wanted = ", ".join(" or ".join(f"{role}=COLUMN" for role in either) for either in lacking)
    require_option(not wanted, f"{what}: map {wanted} is missing")
    twice = [column for column, n in Counter(columns.values()).items() if n > 1]
    require_option(not twice, f"{what}: column {named(''.join(twice[:1]))} has two roles")
