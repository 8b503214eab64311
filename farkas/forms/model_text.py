"""Text files of programs: which format, how numbers are taken, how problems are told."""

from __future__ import annotations

import dataclasses
import os
import re
import zlib
from fractions import Fraction
from typing import NoReturn

from farkas.errors import FileProblem
from farkas.forms.rational import Numbers, RationalForm, Side
from farkas.reading import read_bytes
from farkas.words import named, quoted

INFINITE = Fraction(10**20)
"""Bounds and sides from here on are none, as HiGHS and most readers have it."""

LARGEST_DOUBLE = Fraction(2**1024 - 2**971)
BEYOND = Fraction(2**1024)
"""What stands for a number beyond all doubles."""

LARGEST_INFLATED = 2**29
"""Bytes that a packed model may unfold into."""

MODELS = (".mps", ".lp", ".mps.gz", ".lp.gz")
"""Suffixes of models."""

MOST_DIGITS = 400
"""Characters of a number; none of its exponents may have more than three digits."""

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d{1,3})?", re.ASCII)
_INFINITE = re.compile(r"[-+]?inf(?:inity)?", re.IGNORECASE)


class TextReader:
    """One reading of one text: where it stands, how it takes numbers.

    Parameters
    ----------
    where
        Name of the file for messages.
    numbers
        As decimals, or as the doubles nearest to them.
    """

    def __init__(self, where: str, numbers: Numbers) -> None:
        self.where, self.numbers = where, numbers
        self.line = 0

    def refuse(self, problem: str) -> NoReturn:
        """Raise `FileProblem` with the line."""
        raise FileProblem(f"{self.where}, line {self.line}: {problem}")

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


@dataclasses.dataclass(slots=True)
class TextColumn:
    """A column as far as a text has told of it: at least 0, until something else is said."""

    whole: bool = False
    cost: Fraction = Fraction(0)
    low: Side = Fraction(0)
    high: Side = None
    stated: bool = False
    """Whether any bound is stated."""
    low_stated: bool = False

    def at_least(self, value: Fraction, reader: TextReader) -> None:
        """State a lower bound."""
        if value >= INFINITE:
            reader.refuse("a lower bound of infinity")
        self.low, self.low_stated, self.stated = finite_or_none(value), True, True

    def at_most(self, value: Fraction, reader: TextReader) -> None:
        """State an upper bound; one below 0 takes away the lower bound 0 that nobody stated."""
        if value <= -INFINITE:
            reader.refuse("an upper bound of -infinity")
        self.high, self.stated = finite_or_none(value), True
        if value < 0 and not self.low_stated:
            self.low = None

    def fixed(self, value: Fraction, reader: TextReader) -> None:
        """State a value."""
        if finite_or_none(value) is None:
            reader.refuse("a column fixed at infinity")
        self.low = self.high = value
        self.low_stated = self.stated = True

    def endless(self, *, below: bool = True, above: bool = True) -> None:
        """State that there is no lower bound, or no upper one."""
        if below:
            self.low, self.low_stated = None, True
        if above:
            self.high = None
        self.stated = True

    def binary(self) -> None:
        """State that the column is 0 or 1."""
        self.whole = self.low_stated = self.stated = True
        self.low, self.high = Fraction(0), Fraction(1)


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


def infinite_side(side: Fraction) -> str:
    """Say why a side that counts as infinite, in the wrong direction, is refused."""
    return f"no point keeps a side of {'1e20 or more' if side > 0 else '-1e20 or less'}"


def finite_or_none(value: Fraction) -> Side:
    """Return the side, or None for one of 1e20 and more."""
    return value if abs(value) < INFINITE else None


def is_model(path: object) -> bool:
    """Whether a path names a model of its own, by its suffix."""
    return isinstance(path, str | os.PathLike) and os.fspath(path).lower().endswith(MODELS)


def read_model(path: str | os.PathLike[str], *, numbers: Numbers = "decimal") -> RationalForm:
    """Read a linear or integer program from an ``.mps`` or ``.lp`` file, also gzipped.

    Parameters
    ----------
    numbers
        ``"decimal"``: 0.1 is a tenth.  ``"binary"``: 0.1 is the double nearest to a tenth, as
        solvers read it.

    Raises
    ------
    FileProblem
        The file cannot be read, has another suffix, or breaks its format; names the line.
    UnsupportedForm
        It holds more than a linear or integer program.
    """
    from farkas.forms.lp import parse_lp
    from farkas.forms.mps import parse_mps

    name = named(os.fspath(path))
    parts = os.path.basename(os.fspath(path)).lower().split(".")
    packed = parts[-1] == "gz"
    suffix = parts[-2] if packed and len(parts) > 1 else parts[-1]
    parse = {"mps": parse_mps, "lp": parse_lp}.get(suffix)
    if parse is None:
        raise FileProblem(f"{name}: a model is an .mps or .lp file, or one of these gzipped (.gz)")
    content = read_bytes(path)
    if packed:
        content = _unzipped(content, name)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return parse(text, name, numbers=numbers)


def _unzipped(content: bytes, name: str) -> bytes:
    """Unpack gzip members, of limited size."""
    out, rest = bytearray(), content
    while rest:
        stream = zlib.decompressobj(wbits=31)
        try:
            out += stream.decompress(rest, LARGEST_INFLATED + 1 - len(out))
        except zlib.error:
            raise FileProblem(f"{name}: is no gzip file, or damaged") from None
        if len(out) > LARGEST_INFLATED:
            raise FileProblem(f"{name}: unfolds into more than {LARGEST_INFLATED} bytes")
        if not stream.eof:
            raise FileProblem(f"{name}: is cut off")
        rest = stream.unused_data
    return bytes(out)
