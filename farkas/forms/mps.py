"""MPS files, fixed and free, read number by number as they are written.

What readers differ in is read as HiGHS and Gurobi both read it, with a note: of several sets of
sides, ranges or bounds the first that states a number counts.  What stands twice in one set is
refused.  The constant of the objective is the right-hand side of its row with its sign turned.  A
whole column of a marked part that has no bound is binary; a binary column lies within its bounds
and [0, 1].  An upper bound below 0 on a column without a lower one takes the lower bound 0 away, as
Gurobi and CPLEX have it.  Bounds and sides of 1e20 and more are infinite.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from farkas.errors import FileProblem
from farkas.forms.model_text import INFINITE, Faults, TextEnds, TextReader
from farkas.forms.rational import Numbers, RationalForm
from farkas.messages import quoted

_UNSUPPORTED = {
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
    "SCENARIOS": "scenarios",
    "MULTIOBJ": "several objectives",
}
_SECTIONS = ("NAME", "OBJSENSE", "OBJNAME", "ROWS", "LAZYCONS", "USERCUTS", "COLUMNS", "RHS",
             "RANGES", "BOUNDS", "ENDATA")  # fmt: skip
_BARE = frozenset(("ROWS", "LAZYCONS", "USERCUTS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA"))
_SENSES = {"MIN": "min", "MINIMIZE": "min", "MAX": "max", "MAXIMIZE": "max"}
_KINDS = frozenset("NLGE")
# kinds of bounds with what they state
_BOUNDS = {"UP": "<=", "UI": "<=", "LO": ">=", "LI": ">=", "FX": "=", "SC": "=", "SI": "=",
           "FR": "=", "MI": ">=", "PL": "<=", "BV": "="}  # fmt: skip
_WITHOUT_NUMBER = frozenset(("FR", "MI", "PL", "BV"))
_FIXED = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
_BLANKS = re.compile(r"[ \t]+")
_PULP_MAXIMUM = re.compile(r"\*SENSE:\s*max", re.IGNORECASE)


def read_mps(text: str, where: str, numbers: Numbers) -> tuple[RationalForm, Faults]:
    """Read the program of a text, and where HiGHS reads it otherwise, as `model_text.read_text`.

    Fields are taken apart at blanks; where that fails, at the positions of fixed MPS, whose names
    may hold blanks, as long as nothing stands between the positions.
    """
    reader = _Mps(where, numbers, _fields_by_blanks)
    try:
        return reader.read(text), reader.faults
    except FileProblem as problem:
        reader = _Mps(where, numbers, _fields_by_position)
        try:
            return reader.read(text), reader.faults
        except FileProblem:
            raise problem from None


def _fields_by_blanks(line: str) -> list[str]:
    fields = _BLANKS.split(line.strip(" \t"))
    # a comment may stand behind the second field
    return fields[: fields.index("$", 2)] if "$" in fields[2:] else fields


def _fields_by_position(line: str) -> list[str] | None:
    parts = [line[a:b].strip() for a, b in _FIXED]
    if "".join(parts).replace(" ", "") != line.replace(" ", ""):
        return None  # text stands between the fields
    while parts and not parts[-1]:
        parts.pop()
    return parts if parts and parts[0] else parts[1:]


@dataclasses.dataclass(slots=True)
class _MpsRow:
    kind: str
    place: int  #: -1: the objective, -2: a further free row
    side: Fraction = Fraction(0)
    side_line: int = 0  #: where it is stated; 0: nowhere
    span: Fraction | None = None
    span_line: int = 0


class _Mps(TextReader):
    """One reading of one file."""

    def __init__(
        self, where: str, numbers: Numbers, fields: Callable[[str], list[str] | None]
    ) -> None:
        super().__init__(where, numbers)
        self._split = fields
        self._name, self._sense, self._objective = "", "", ""
        self._rows: dict[str, _MpsRow] = {}
        self._terms: list[dict[int, Fraction]] = []
        self._cost_lines: dict[str, int] = {}
        self._marked = False
        self._offset = Fraction(0)
        self._sets: dict[str, str] = {}  # name of the first set of a section

    def read(self, text: str) -> RationalForm:
        take = {
            "OBJSENSE": lambda fields: self._take_sense(" ".join(fields)),
            "OBJNAME": lambda fields: self._take_goal(" ".join(fields)),
            "ROWS": self._in_rows,
            "LAZYCONS": self._in_rows,
            "USERCUTS": self._in_rows,
            "COLUMNS": self._in_columns,
            "RHS": self._in_rhs,
            "RANGES": self._in_ranges,
            "BOUNDS": self._in_bounds,
        }
        section, pulp = "", 0
        for raw in self.lines(text):
            if raw.startswith("*"):
                pulp = pulp or (self.line if _PULP_MAXIMUM.match(raw) else 0)
                continue
            self.require_plain(raw)
            if not raw.strip():
                continue
            if raw[0] not in " \t" and not (
                section == "OBJSENSE" and not self._sense and raw.strip().upper() in _SENSES
            ):
                section = self._opened(raw)
                if section == "ENDATA":
                    break
            elif section in _UNSUPPORTED:
                self.unsupported(f"{_UNSUPPORTED[section]} ({section})")
            elif section in take:
                fields = self._split(raw)
                if fields is None:
                    self.refuse("text between the fields of fixed MPS")
                take[section](fields)
            else:
                self.refuse("a line outside every section")
        if section != "ENDATA":
            self.refuse("the file ends without ENDATA")
        if pulp and not self._sense:
            self.line = pulp
            self.note("a comment says that the goal is a maximum; no OBJSENSE does, so it is not")
        return self._form()

    def _opened(self, raw: str) -> str:
        word, _, rest = raw.partition(" ") if " " in raw else raw.partition("\t")
        word, rest = word.strip().upper(), rest.strip()
        if rest and word in _BARE:
            self.refuse(f"text behind {word}")
        if word not in _SECTIONS and word not in _UNSUPPORTED:
            self.refuse(f"unknown section {quoted(word)}")
        if word == "NAME":
            self._name = rest
        elif word == "OBJSENSE" and rest:
            self._take_sense(rest)
        elif word == "OBJNAME" and rest:
            self._take_goal(rest)
        elif word in ("LAZYCONS", "USERCUTS"):
            self.note(f"{word} are read as rows")
            self.faults[()] = f"HiGHS knows no section {word}"
        return word

    def _take_sense(self, word: str) -> None:
        if word.upper() not in _SENSES:
            self.refuse(f"{quoted(word)} is neither MIN nor MAX")
        if self._sense or self._rows:
            self.refuse("OBJSENSE stands twice, or behind ROWS")
        self._sense = _SENSES[word.upper()]

    def _take_goal(self, name: str) -> None:
        if self._rows:
            self.refuse("OBJNAME stands behind ROWS")
        self._objective = name

    def _in_rows(self, fields: list[str]) -> None:
        if len(fields) != 2 or fields[0].upper() not in _KINDS:
            self.refuse("a row is N, L, G or E and a name")
        kind, name = fields[0].upper(), fields[1]
        if name in self._rows:
            self.refuse(f"row {quoted(name)} stands twice")
        if kind == "N":
            self._objective = self._objective or name
            self._rows[name] = _MpsRow(kind, -1 if name == self._objective else -2)
            return
        self._rows[name] = _MpsRow(kind, len(self._terms))
        self._terms.append({})

    def _in_columns(self, fields: list[str]) -> None:
        if len(fields) >= 3 and fields[1] == "'MARKER'":
            words = [field.strip("'").upper() for field in fields[2:] if field]
            if words not in (["INTORG"], ["INTEND"]):
                self.unsupported("special ordered sets (MARKER)")
            self._marked = words == ["INTORG"]
            return
        if len(fields) not in (3, 5):
            self.refuse("a column is a name and one or two rows with their numbers")
        name = fields[0]
        if name not in self._columns:
            self.column(name).whole = self._marked
        column = self._columns[name]
        if column.place != len(self._columns) - 1:
            self.refuse(f"column {quoted(name)} is continued behind another")
        for row, text in zip(fields[1::2], fields[2::2], strict=True):
            found, value = self._row(row), self.finite(text)
            if found.place == -1:
                self._require_new(f"the cost of {quoted(name)}", self._cost_lines.get(name, 0))
                column.cost, self._cost_lines[name] = value, self.line
            elif found.place >= 0:
                terms = self._terms[found.place]
                if column.place in terms:
                    self.refuse(f"column {quoted(name)} stands twice in row {quoted(row)}")
                terms[column.place] = value

    def _require_new(self, what: str, line: int) -> None:
        if line:
            self.refuse(f"{what} stands in line {line} already")

    def _counts(self, section: str, name: str, what: str, line: int) -> bool:
        """Whether a number of set ``name`` counts: nothing before it, in ``line``, states it."""
        first = self._sets.setdefault(section, name)
        if name == first:
            self._require_new(what, line)
        elif line:
            self.note(f"{what} stands in line {line}, in set {quoted(first)}, which counts")
        return not line

    def _pairs(self, fields: list[str]) -> Iterator[tuple[str, str, _MpsRow, Fraction]]:
        """Set, rows and numbers of a line of RHS or RANGES, whose set may have no name."""
        named = len(fields) % 2
        if len(fields) - named not in (2, 4):
            self.refuse("needed: one or two rows with their numbers")
        for row, text in zip(fields[named::2], fields[named + 1 :: 2], strict=True):
            yield fields[0] if named else "", row, self._row(row), self.number(text)

    def _in_rhs(self, fields: list[str]) -> None:
        for group, name, row, value in self._pairs(fields):
            if not self._counts("RHS", group, f"the side of {quoted(name)}", row.side_line):
                continue
            if row.place == -1:
                if abs(value) >= INFINITE:
                    self.refuse("the constant of the objective is infinite")
                self._offset = -value
            elif row.place == -2 and value:
                self.faults[-1,] = "HiGHS adds the right-hand side of another free row"
            row.side, row.side_line = value, self.line

    def _in_ranges(self, fields: list[str]) -> None:
        for group, name, row, value in self._pairs(fields):
            if self._counts("RANGES", group, f"the range of {quoted(name)}", row.span_line):
                row.span, row.span_line = value, self.line

    def _in_bounds(self, fields: list[str]) -> None:
        kind = fields[0].upper() if fields else ""
        if kind not in _BOUNDS:
            self.refuse(f"unknown bound {quoted(kind)}")
        if kind in ("SC", "SI"):
            self.unsupported(f"semicontinuous columns ({kind})")
        relation, numbered = _BOUNDS[kind], kind not in _WITHOUT_NUMBER
        group, name, value = self._bounded(kind, numbered, fields[1:])
        column = self._columns[name]
        low_line = column.low_line if relation != "<=" else 0
        high_line = column.high_line if relation != ">=" else 0
        if kind == "BV":
            if column.stated:
                self.faults[name,] = "HiGHS leaves out BV behind another bound"
            column.binary()
            column.low_line, column.high_line = self.line, self.line
        elif not self._counts(
            "BOUNDS", group, f"a bound of {quoted(name)}", max(low_line, high_line)
        ):
            return
        elif numbered:
            column.state(relation, value, self)
            if relation == "<=" and value < 0 and not column.low_line:
                column.low = None
                self.faults[name,] = "HiGHS keeps the lower bound 0"
        else:
            if relation != "<=":
                column.state(">=", -INFINITE, self)
            if relation != ">=":
                column.state("<=", INFINITE, self)
        if kind in ("LI", "UI"):
            column.whole = True

    def _bounded(self, kind: str, numbered: bool, rest: list[str]) -> tuple[str, str, Fraction]:
        """Set, column and number of a bound; the set may have no name."""
        least = 1 + numbered
        if not least <= len(rest) <= 3:
            more = " and a number" if numbered else ""
            self.refuse(f"a bound {kind} needs a column{more}")
        # "X 5" and "SET X" have two fields, too: the last one is the column where it can be
        named = len(rest) > least
        if named and len(rest) == 2:
            named = rest[1] in self._columns or rest[0] not in self._columns
        name = rest[named]
        if named and rest[0] in self._columns:
            for column in rest[:2]:
                self.faults[column,] = "HiGHS takes the name of the set for a column"
        value = self.number(rest[-1]) if numbered or len(rest) > 1 + named else Fraction(0)
        if name not in self._columns:
            self.column(name)
            self.note(f"column {quoted(name)} stands in BOUNDS alone")
        return rest[0] if named else "", name, value

    def _row(self, name: str) -> _MpsRow:
        if name not in self._rows:
            self.refuse(f"unknown row {quoted(name)}")
        return self._rows[name]

    def _form(self) -> RationalForm:
        if self._objective and self._objective not in self._rows:
            self.refuse(f"OBJNAME names no row: {quoted(self._objective)}")
        for column in self._columns.values():
            if column.whole and not column.stated:
                column.high = Fraction(1)
        rows = {name: row for name, row in self._rows.items() if row.place >= 0}
        parts = [(self._terms[row.place], self._ends(row)) for row in rows.values()]
        return self.form(self._name, self._sense, self._offset, parts, list(rows))

    def _ends(self, row: _MpsRow) -> TextEnds:
        zero = Fraction(0)
        span = row.span or zero
        if row.kind == "E":
            low, high = row.side + min(span, zero), row.side + max(span, zero)
        else:
            low = row.side - abs(span) if row.kind == "L" else row.side
            high = row.side + abs(span) if row.kind == "G" else row.side
        ends = TextEnds()
        self.line = row.side_line
        if row.kind != "L" or row.span is not None:
            ends.state(">=", low, self)
        if row.kind != "G" or row.span is not None:
            ends.state("<=", high, self)
        return ends
