"""Text files of programs: which format, how numbers are taken, how problems are told."""

from __future__ import annotations

import bz2
import dataclasses
import gzip
import io
import lzma
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import IO, Any, NoReturn, TypeAlias

from farkas.errors import FileProblem, UnsupportedForm
from farkas.files import LARGEST_FILE, STANDARD_INPUT, model_suffixes, read_bytes
from farkas.forms.rational import Numbers, RationalForm, Side, rational_form
from farkas.messages import named, quoted

#: Bounds and sides from here on are none, as HiGHS and most readers have it.
INFINITE = Fraction(10**20)

LARGEST_DOUBLE = Fraction(2**1024 - 2**971)
BEYOND = Fraction(2**1024)  #: What stands for a number beyond all doubles.

LARGEST_INFLATED = 2**29  #: Bytes that a packed model may unfold into.


#: Of a column ``(name,)``, a row ``(number,)``, an entry ``(number, name)``, the whole file ``()``.
#:
#: The number of the objective is -1.
Place: TypeAlias = tuple[int | str, ...]
#: Places where HiGHS is known to read a text otherwise, and why.
Faults: TypeAlias = dict[Place, str]

MOST_DIGITS = 400  #: Characters of a number; none of its exponents may have more than three digits.

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d{1,3})?", re.ASCII)
_INFINITE = re.compile(r"[-+]?inf(?:inity)?", re.IGNORECASE)
_LINE_END, _RETURN = re.compile(r"\r*\n"), re.compile(r"\r")
# a line or page separator that an editor may not show must not split or end anything
_ODD = re.compile(r"[^\S \t]|[\x00-\x08\x0e-\x1f\x7f]")


@dataclasses.dataclass(frozen=True, slots=True)
class ModelText:
    """A model as one file has it."""

    content: bytes  #: Bytes of the text, unpacked.
    suffix: str  #: ``"mps"`` or ``"lp"``.
    form: RationalForm  #: What they mean here.
    #: What HiGHS is known to read otherwise; of the whole file: that it knows no such section.
    faults: Faults


class TextReader:
    """One reading of one text, which messages call ``where``."""

    def __init__(self, where: str, numbers: Numbers) -> None:
        self.where, self.numbers = where, numbers
        self.line = 0
        self.notes: list[str] = []
        self._columns: dict[str, TextColumn] = {}
        self.faults: Faults = {}

    def refuse(self, problem: str) -> NoReturn:
        """Raise `FileProblem` with the line."""
        raise FileProblem(f"{self.where}, line {self.line}: {problem}")

    def unsupported(self, holds: str) -> NoReturn:
        """Raise `UnsupportedForm` with the line."""
        raise UnsupportedForm(f"{self.where}, line {self.line}: holds {holds}")

    def note(self, words: str) -> None:
        """Tell the user of the file something about the line."""
        self.notes.append(f"line {self.line}: {words}")

    def lines(self, text: str) -> Iterator[str]:
        r"""Lines, which end at ``\n`` or ``\r\n`` and, where there is neither, at ``\r``."""
        ends = _LINE_END if "\n" in text else _RETURN
        for self.line, raw in enumerate(ends.split(text), 1):
            if "\r" in raw:
                self.refuse("a carriage return within a line, which some readers take for its end")
            yield raw

    def require_plain(self, line: str) -> None:
        """Refuse blanks other than spaces and tabs, and control characters."""
        odd = _ODD.search(line)
        if odd is not None:
            self.refuse(f"unexpected {quoted(odd.group())}")

    def number(self, text: str) -> Fraction:
        """Read a number; infinity becomes :data:`INFINITE`."""
        try:
            return number(text, self.numbers)
        except ValueError:
            self.refuse(f"{quoted(text, 40)} is no number")

    def finite(self, text: str) -> Fraction:
        """Read a number that is not infinite."""
        value = self.number(text)
        if _INFINITE.fullmatch(text) or (self.numbers == "binary" and abs(value) > LARGEST_DOUBLE):
            self.refuse(f"{quoted(text, 40)} is not finite")
        return value

    def column(self, name: str) -> TextColumn:
        """Return a column, a new one where it is named for the first time."""
        if name not in self._columns:
            self._columns[name] = TextColumn(place=len(self._columns))
        return self._columns[name]

    def form(
        self,
        name: str,
        sense: str,
        offset: Fraction,
        rows: Sequence[tuple[Mapping[int, Fraction], TextEnds]],
        row_names: Sequence[str],
    ) -> RationalForm:
        """Make the form of the columns and of rows with their terms and sides."""
        columns = list(self._columns.values())
        return rational_form(
            name=name or "model",
            sense="max" if sense == "max" else "min",
            numbers=self.numbers,
            cost=[column.cost for column in columns],
            offset=offset,
            rows=[list(terms.items()) for terms, _ in rows],
            row_lower=[ends.low for _, ends in rows],
            row_upper=[ends.high for _, ends in rows],
            lower=[column.low for column in columns],
            upper=[column.high for column in columns],
            integer=[column.whole for column in columns],
            row_names=row_names,
            column_names=list(self._columns),
            notes=self.notes,
        )


@dataclasses.dataclass(slots=True)
class TextEnds:
    """Ends of a row or a column as far as a text has told of them."""

    low: Side = None
    high: Side = None
    low_line: int = 0  #: where the lower end is stated; 0: nowhere
    high_line: int = 0  #: where the upper end is stated; 0: nowhere

    def state(self, relation: str, value: Fraction, reader: TextReader) -> None:
        """State that the row or column is ``<=``, ``>=`` or ``=`` the value."""
        end = value if abs(value) < INFINITE else None
        if end is None and (relation == "=" or (value > 0) == (relation == ">=")):
            reader.refuse(f"no number is {relation} {'-' * (value < 0)}infinity (1e20 and more)")
        if relation != "<=":
            self.low, self.low_line = end, reader.line
        if relation != ">=":
            self.high, self.high_line = end, reader.line


@dataclasses.dataclass(slots=True)
class TextColumn(TextEnds):
    """A column: at least 0, until something else is said."""

    low: Side = Fraction(0)
    place: int = 0  #: Its number among the columns.
    whole: bool = False
    cost: Fraction = Fraction(0)

    @property
    def stated(self) -> bool:
        """Whether any end is stated."""
        return bool(self.low_line or self.high_line)

    def binary(self) -> None:
        """Make the column 0 or 1 within its ends."""
        self.whole = True
        self.low = Fraction(0) if self.low is None else max(self.low, Fraction(0))
        self.high = Fraction(1) if self.high is None else min(self.high, Fraction(1))


def number(text: str, numbers: Numbers) -> Fraction:
    """Read a number as the decimal it is, or as the double nearest to it.

    >>> number("0.1", "decimal"), number("1d-2", "decimal")
    (Fraction(1, 10), Fraction(1, 100))
    >>> number("0.1", "binary") == Fraction(0.1)
    True
    """
    if _INFINITE.fullmatch(text):
        return -INFINITE if text[0] == "-" else INFINITE
    if len(text) > MOST_DIGITS or not _NUMBER.fullmatch(text):
        raise ValueError(text)
    exact = Fraction(re.sub("[dD]", "e", text))
    if numbers == "decimal":
        return exact
    try:
        return Fraction(exact.numerator / exact.denominator)
    except OverflowError:
        return BEYOND if exact > 0 else -BEYOND


def read_model(path: str | os.PathLike[str], *, numbers: Numbers = "decimal") -> RationalForm:
    """Read a linear or integer program; see :func:`read_text`."""
    return read_text(path, numbers=numbers).form


def read_text(path: str | os.PathLike[str], *, numbers: Numbers = "decimal") -> ModelText:
    """Read a linear or integer program from an ``.mps`` or ``.lp`` file.

    Raises `FileProblem`: the file cannot be read, has another suffix, or breaks its format; names
    the line; `UnsupportedForm`: it holds more than a linear or integer program.

    ``path``: The file, also packed (``.gz``, ``.bz2``, ``.xz``, ``.zip``); ``-`` is standard input.
    ``numbers``: ``"decimal"``: 0.1 is a tenth.  ``"binary"``: 0.1 is the double nearest to a tenth,
    as solvers read it.
    """
    from farkas.forms.lp import read_lp
    from farkas.forms.mps import read_mps

    source = os.fspath(path)
    name = "standard input" if source == STANDARD_INPUT else named(source)
    suffix, packing = model_suffixes(source)
    if source == STANDARD_INPUT:
        content = sys.stdin.buffer.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise FileProblem(f"{name}: holds more than {LARGEST_FILE} bytes")
        packing = next((kind for magic, kind in _MAGIC if content.startswith(magic)), "")
    elif not suffix:
        packings = ", ".join("." + one for one in _PACKINGS)
        raise FileProblem(f"{name}: a model is an .mps or .lp file, or one packed ({packings})")
    else:
        content = read_bytes(path)
    content = _unpacked(content, packing, name) if packing else content
    text = decoded(content)
    suffix = suffix or ("mps" if _MPS_START.match(text) else "lp")
    form, faults = (read_mps if suffix == "mps" else read_lp)(text, name, numbers)
    return ModelText(content, suffix, form, faults)


def decoded(content: bytes) -> str:
    """Text of a file: UTF-8 or UTF-16 by its mark, else UTF-8 where that fits, else Latin-1."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _zip_member(stream: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(stream)
    if len(archive.namelist()) != 1:
        raise zipfile.BadZipFile("needs exactly one member")
    return archive.open(archive.namelist()[0])


_PACKINGS: dict[str, Callable[[IO[bytes]], Any]] = {
    "gz": gzip.open,
    "bz2": bz2.open,
    "xz": lzma.open,
    "zip": _zip_member,
}
_MAGIC = ((b"\x1f\x8b", "gz"), (b"BZh", "bz2"), (b"\xfd7zXZ", "xz"), (b"PK\x03\x04", "zip"))
_MPS_START = re.compile(r"(?:[ \t]*\r?\n|\*.*\n)*(?:NAME|ROWS|OBJSENSE|OBJNAME)\b", re.IGNORECASE)


def _unpacked(content: bytes, packing: str, name: str) -> bytes:
    """Unpack a file, of limited size."""
    try:
        with _PACKINGS[packing](io.BytesIO(content)) as stream:
            found: bytes = stream.read(LARGEST_INFLATED + 1)
    except EOFError:
        raise FileProblem(f"{name}: is cut off") from None
    except (OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError):
        more = " of one member" if packing == "zip" else ""
        raise FileProblem(f"{name}: is no {packing} file{more}, or damaged") from None
    if len(found) > LARGEST_INFLATED:
        raise FileProblem(f"{name}: unfolds into more than {LARGEST_INFLATED} bytes")
    return found
