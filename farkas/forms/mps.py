"""MPS files, fixed and free, read number by number as they are written.

What readers differ in is read as HiGHS reads it: the constant of the objective is the right-hand
side of its row with its sign turned; a whole column of a marked part that has no bound is binary;
bounds and sides of 1e20 and more are infinite.  An upper bound below 0 on a column without a lower
one takes the lower bound 0 away, as Gurobi and CPLEX have it; with HiGHS such a column has no
value.  What is no linear or integer program is refused by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from fractions import Fraction

from farkas.errors import FileProblem, UnsupportedForm
from farkas.forms.model_text import (
    INFINITE,
    TextColumn,
    TextReader,
    finite_or_none,
    infinite_side,
)
from farkas.forms.rational import Numbers, RationalForm, Side, rational_form
from farkas.words import quoted

_REFUSED = {
    "QUADOBJ": "a quadratic objective",
    "QMATRIX": "a quadratic objective",
    "QSECTION": "quadratic terms",
    "QCMATRIX": "quadratic rows",
    "CSECTION": "cones",
    "SOS": "special ordered sets",
    "SETS": "special ordered sets",
    "SOS1": "special ordered sets",
    "SOS2": "special ordered sets",
    "INDICATORS": "indicator rows",
    "GENCONS": "general constraints",
    "PWLOBJ": "a piecewise linear objective",
}
_SECTIONS = ("NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA")
_SENSES = {"MIN": "min", "MINIMIZE": "min", "MAX": "max", "MAXIMIZE": "max"}
_KINDS = frozenset("NLGE")
# kinds of bounds, with whether a number follows
_BOUNDS = {
    **dict.fromkeys(("UP", "LO", "FX", "LI", "UI", "SC", "SI"), True),
    **dict.fromkeys(("FR", "MI", "PL", "BV"), False),
}
_FIXED = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
"""Character positions of the six fields of fixed MPS."""


def parse_mps(text: str, where: str, *, numbers: Numbers = "decimal") -> RationalForm:
    """Read a program from the text of an MPS file.

    Fields are taken apart at blanks; where that fails, at the positions of fixed MPS, whose names
    may hold blanks.

    Parameters
    ----------
    where
        Name of the file for messages.
    numbers
        Take numbers as the decimals they are, or as the doubles nearest to them.

    Raises
    ------
    FileProblem
        Names the line.
    UnsupportedForm
        The file holds more than a linear or integer program.
    """
    try:
        return _Mps(where, numbers, str.split).read(text)
    except FileProblem as problem:
        try:
            return _Mps(where, numbers, _fields_by_position).read(text)
        except FileProblem:
            raise problem from None


def _fields_by_position(line: str) -> list[str]:
    parts = [line[a:b].strip() for a, b in _FIXED]
    while parts and not parts[-1]:
        parts.pop()
    return parts if parts and parts[0] else parts[1:]


@dataclasses.dataclass(slots=True)
class _Row:
    kind: str
    place: int  # -1: the objective, -2: a further free row
    side: Fraction = Fraction(0)
    span: Fraction | None = None


class _Mps(TextReader):
    """One reading of one file."""

    def __init__(self, where: str, numbers: Numbers, fields: Callable[[str], list[str]]) -> None:
        super().__init__(where, numbers)
        self._fields = fields
        self._name, self._sense = "", "min"
        self._rows: dict[str, _Row] = {}
        self._terms: list[dict[int, Fraction]] = []
        self._columns: dict[str, TextColumn] = {}
        self._places: dict[str, int] = {}
        self._marked = False
        self._offset = Fraction(0)
        self._objective: str | None = None

    def read(self, text: str) -> RationalForm:
        section = ""
        for self.line, raw in enumerate(text.splitlines(), 1):
            if not raw.strip() or raw[0] == "*":
                continue
            if raw[0] not in " \t":
                section = self._opened(raw)
                if section == "ENDATA":
                    break
            elif section == "OBJSENSE":
                self._take_sense(raw.strip())
            elif section in ("ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS"):
                getattr(self, f"_in_{section.lower()}")(self._fields(raw))
            else:
                self.refuse("a line outside every section")
        if section != "ENDATA":
            self.refuse("the file ends without ENDATA")
        if not self._rows or not self._columns:
            self.refuse("no rows or no columns")
        return self._form()

    def _opened(self, raw: str) -> str:
        word, *more = raw.split(maxsplit=1)
        word, rest = word.upper(), more[0] if more else ""
        if word in _REFUSED:
            raise UnsupportedForm(f"{self.where}: holds {_REFUSED[word]} ({word})")
        if word not in _SECTIONS:
            self.refuse(f"unknown section {quoted(word)}")
        if word == "NAME":
            self._name = rest.strip()
        if word == "OBJSENSE" and rest.strip():
            self._take_sense(rest.strip())
        return word

    def _take_sense(self, word: str) -> None:
        if word.upper() not in _SENSES:
            self.refuse(f"{quoted(word)} is neither MIN nor MAX")
        self._sense = _SENSES[word.upper()]

    def _in_rows(self, fields: list[str]) -> None:
        if len(fields) != 2 or fields[0].upper() not in _KINDS:
            self.refuse("a row is N, L, G or E and a name")
        kind, name = fields[0].upper(), fields[1]
        if name in self._rows:
            self.refuse(f"row {quoted(name)} stands twice")
        if kind == "N":
            first = self._objective is None
            self._rows[name] = _Row(kind, -1 if first else -2)
            self._objective = self._objective or name
            return
        self._rows[name] = _Row(kind, len(self._terms))
        self._terms.append({})

    def _in_columns(self, fields: list[str]) -> None:
        if len(fields) >= 3 and "'MARKER'" in fields:
            words = {field.strip("'").upper() for field in fields}
            if not words & {"INTORG", "INTEND"}:
                raise UnsupportedForm(f"{self.where}: holds special ordered sets (MARKER)")
            self._marked = "INTORG" in words
            return
        if len(fields) not in (3, 5):
            self.refuse("a column is a name and one or two rows with their numbers")
        name = fields[0]
        if name not in self._columns:
            self._places[name] = len(self._columns)
            self._columns[name] = TextColumn(self._marked)
        elif self._places[name] != len(self._columns) - 1:
            self.refuse(f"column {quoted(name)} is continued behind another")
        j = self._places[name]
        for row, text in zip(fields[1::2], fields[2::2], strict=True):
            found, value = self._row(row), self.finite(text)
            if found.place == -1:
                self._columns[name].cost += value
            elif found.place >= 0:
                terms = self._terms[found.place]
                if j in terms:
                    self.refuse(f"column {quoted(name)} stands twice in row {quoted(row)}")
                terms[j] = value

    def _pairs(self, fields: list[str]) -> Iterator[tuple[_Row, Fraction]]:
        """Rows and numbers of a line of RHS or RANGES, whose set may have no name."""
        fields = fields[len(fields) % 2 :]
        if len(fields) not in (2, 4):
            self.refuse("needed: one or two rows with their numbers")
        for row, text in zip(fields[::2], fields[1::2], strict=True):
            yield self._row(row), self.number(text)

    def _in_rhs(self, fields: list[str]) -> None:
        for row, value in self._pairs(fields):
            if row.place == -1:
                if abs(value) >= INFINITE and finite_or_none(value) is None:
                    self.refuse("the constant of the objective is infinite")
                self._offset = -value
            row.side = value

    def _in_ranges(self, fields: list[str]) -> None:
        for row, value in self._pairs(fields):
            row.span = value

    def _in_bounds(self, fields: list[str]) -> None:
        kind = fields[0].upper() if fields else ""
        if kind not in _BOUNDS:
            self.refuse(f"unknown bound {quoted(kind)}")
        if kind in ("SC", "SI"):
            raise UnsupportedForm(f"{self.where}: holds semicontinuous columns ({kind})")
        name, value = self._bounded(kind, fields[1:])
        column = self._columns[name]
        if kind in ("LI", "UI"):
            column.whole = True
        if kind in ("UP", "UI"):
            column.at_most(value, self)
        elif kind in ("LO", "LI"):
            column.at_least(value, self)
        elif kind == "FX":
            column.fixed(value, self)
        elif kind == "BV":
            column.binary()
        else:
            column.endless(below=kind in ("FR", "MI"), above=kind in ("FR", "PL"))

    def _bounded(self, kind: str, rest: list[str]) -> tuple[str, Fraction]:
        """Column and number of a bound; the set may have no name."""
        numbered = _BOUNDS[kind]
        if not numbered and len(rest) >= 2 and rest[1] in self._columns:
            return rest[1], Fraction(0)
        if not numbered and rest and rest[0] in self._columns:
            return rest[0], Fraction(0)
        if numbered and len(rest) == 3 and rest[1] in self._columns:
            return rest[1], self.number(rest[2])
        if numbered and len(rest) == 2 and rest[0] in self._columns:
            return rest[0], self.number(rest[1])
        more = " and a number" if numbered else ""
        return self.refuse(f"a bound needs a known column{more}")

    def _row(self, name: str) -> _Row:
        if name not in self._rows:
            self.refuse(f"unknown row {quoted(name)}")
        return self._rows[name]

    def _form(self) -> RationalForm:
        columns = list(self._columns.values())
        for column in columns:
            if column.whole and not column.stated:
                column.high = Fraction(1)
        rows = {name: row for name, row in self._rows.items() if row.place >= 0}
        for name, row in rows.items():
            # a wrong way infinite side excludes every point
            if (row.kind != "L" and row.side >= INFINITE) or (
                row.kind != "G" and row.side <= -INFINITE
            ):
                self.refuse(f"row {quoted(name)}: {infinite_side(row.side)}")
        sides = [_sides(row) for row in rows.values()]
        return rational_form(
            name=self._name or "model",
            sense="max" if self._sense == "max" else "min",
            numbers=self.numbers,
            cost=[column.cost for column in columns],
            offset=self._offset,
            rows=[list(terms.items()) for terms in self._terms],
            row_lower=[low for low, _ in sides],
            row_upper=[high for _, high in sides],
            lower=[column.low for column in columns],
            upper=[column.high for column in columns],
            integer=[column.whole for column in columns],
            row_names=list(rows),
            column_names=list(self._columns),
        )


def _sides(row: _Row) -> tuple[Side, Side]:
    """Lower and upper side; infinite ones are none."""
    side, span = row.side, row.span
    if span is None:
        low, high = side, side
    elif row.kind == "E":
        low, high = (side, side + span) if span >= 0 else (side + span, side)
    else:
        low, high = (side - abs(span), side) if row.kind == "L" else (side, side + abs(span))
    if span is None and row.kind == "L":
        low = -INFINITE
    if span is None and row.kind == "G":
        high = INFINITE
    return finite_or_none(low), finite_or_none(high)
