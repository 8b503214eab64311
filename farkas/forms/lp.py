"""LP files in CPLEX's format, read number by number as they are written.

The grammar; what is not in it is refused with its line::

    file    = goal { section } [ "End" ]
    goal    = ("Minimize" | "Maximize") [ label ] sum
    section = ("Subject To" | "Lazy Constraints" | "User Cuts") { row } | "Bounds" { bound }
            | ("Generals" | "Binaries") { name }
    row     = [ label ] ( [ sum ] relation number | number relation sum [ relation number ]
            | number relation number )
    bound   = [ number relation ] name [ relation number ] | name "free"
    sum     = { sign } term { sign { sign } term },  term = number | [ number ] name

A section begins at the start of a line.  A column is at least 0 until a bound says otherwise, an
upper bound below 0 included; of two bounds of one end the later counts, as HiGHS and Gurobi have
it; a binary column lies within its bounds and [0, 1].  ``>`` means ``>=``; terms of one column add
up.  Bounds and sides of 1e20 and more are infinite.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple, NoReturn, TypeVar

from farkas.forms.model_text import INFINITE, Faults, TextEnds, TextReader
from farkas.forms.rational import Numbers, RationalForm
from farkas.messages import quoted

_SECTIONS = {
    "min": "minimi[sz]e|minimum|min",
    "max": "maximi[sz]e|maximum|max",
    "rows": r"subject\s+to|such\s+that|st\.?|s\.t\.",
    "lazy": r"lazy\s+constraints?",
    "cuts": r"user\s+cuts?",
    "bounds": "bounds?",
    "general constraints": r"general\s+constraints?|gencons",
    "whole": "generals?|gen|integers?|int",
    "binary": "binaries|binary|bin",
    "semicontinuous columns": "semi-continuous|semis?",
    "special ordered sets": "sos[12]?",
    "a piecewise linear objective": "pwlobj",
    "scenarios": "scenarios?",
    "end": "end",
}
_UNSUPPORTED = frozenset(kind for kind in _SECTIONS if " " in kind or kind == "scenarios")
_HEADINGS = [
    (kind, re.compile(rf"\s*(?:{words})(?=\s|$)", re.IGNORECASE))
    for kind, words in _SECTIONS.items()
]
_LP_SOLVE = re.compile(r"\s*(?:/\*|//|(?:max|min)(?:imi[sz]e)?\s*:)", re.IGNORECASE)
_LABEL_WITH_RELATION = re.compile(r"\s*(\S*[^\s:]*[<>=][^\s:]*)\s*:")
_IN_NAMES = r"[\w!\"#$%&(),.;?@`'{}~\[\]|\u0080-\U0010ffff]"
_TOKEN = re.compile(
    r"[ \t]*(?:"
    r"(?P<arrow>->)"
    r"|(?P<relation>[<>]=|=[<>=]|[<>=])"
    rf"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|(?i:inf(?:inity)?)(?!{_IN_NAMES}))"
    r"|(?P<sign>[-+])"
    r"|(?P<bracket>[\[\]^*/])"
    r"|(?P<colon>:)"
    rf"|(?P<name>(?![\d(),.;\[\]|]){_IN_NAMES}+)"
    r")",
    re.ASCII,
)
_RELATIONS = {
    **dict.fromkeys(("<", "<=", "=<"), "<="),
    **dict.fromkeys((">", ">=", "=>"), ">="),
    **dict.fromkeys(("=", "=="), "="),
}
_TURNED = {"<=": ">=", ">=": "<=", "=": "="}
_Middle = TypeVar("_Middle")


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    first: bool  #: on its line


class _LpRow(NamedTuple):
    name: str
    terms: dict[int, Fraction]
    ends: TextEnds


def read_lp(text: str, where: str, numbers: Numbers) -> tuple[RationalForm, Faults]:
    """Read the program of a text, and where HiGHS reads it otherwise, as `model_text.read_text`."""
    reader = _Lp(where, numbers)
    return reader.read(text), reader.faults


class _Lp(TextReader):
    """One reading of one file: tokens by section, then sentences."""

    def __init__(self, where: str, numbers: Numbers) -> None:
        super().__init__(where, numbers)
        self._rows: list[_LpRow] = []
        self._row_names: set[str] = set()
        self._binary: list[str] = []
        self._offset = Fraction(0)
        self._sense = ""
        self._tokens: list[_Token] = []

    def read(self, text: str) -> RationalForm:
        for kind, tokens in self._sections(text):
            self._tokens = tokens[::-1]
            if kind in ("min", "max"):
                self._take_objective(kind)
            elif kind in ("rows", "lazy", "cuts"):
                if kind != "rows" and tokens:
                    self.note(f"{'lazy rows' if kind == 'lazy' else 'user cuts'} are read as rows")
                    self.faults[()] = "HiGHS knows neither lazy rows nor user cuts"
                while self._tokens:
                    self._take_row()
            elif kind == "bounds":
                while self._tokens:
                    self._take_bound()
            elif kind in ("whole", "binary"):
                self._take_whole(binary=kind == "binary")
        if not self._sense:
            self.refuse("the file begins with neither Minimize nor Maximize")
        return self._form()

    def _sections(self, text: str) -> Iterator[tuple[str, list[_Token]]]:
        kind, tokens = "", list[_Token]()
        for raw in self.lines(text):
            line = raw.partition("\\")[0]
            self.require_plain(line)
            opened, rest = self._heading(line)
            if kind == "end" and line.strip():
                self.refuse("text after End")
            if not kind and line.strip() and opened not in ("min", "max"):
                if _LP_SOLVE.match(line):
                    self.refuse("is in lp_solve's own format; write it in CPLEX's, or as .mps")
                self.refuse("the file begins with neither Minimize nor Maximize")
            if opened:
                here = self.line
                if kind or tokens:
                    yield kind, tokens
                self.line, kind, tokens, line = here, opened, [], rest
                if opened in ("min", "max") and rest.strip().lower() == "multi-objectives":
                    self.unsupported("several objectives")
            if line.strip() and kind in _UNSUPPORTED:
                self.unsupported(kind)
            tokens += self._cut(line)
        if kind:
            yield kind, tokens
        if kind != "end":
            self.note("the file ends without End; it may be cut short")
            self.faults.setdefault((), "it asks for End")

    def _heading(self, line: str) -> tuple[str, str]:
        """Kind of the section that a line opens and what stands behind; empty for none."""
        for kind, words in _HEADINGS:
            match = words.match(line)
            if match is None:
                continue
            rest = line[match.end() :]
            if rest.lstrip()[:1] == ":":
                return "", line  # a label
            if rest.lstrip()[:1] in ("<", ">", "="):
                self.refuse(f"{quoted(match.group().strip())} begins a section and names no column")
            return kind, rest
        return "", line

    def _cut(self, line: str) -> Iterator[_Token]:
        at, first, line = 0, True, line.rstrip()
        before, start = "", 0
        while at < len(line):
            match = _TOKEN.match(line, at)
            if match is None or match.lastgroup is None:
                self.refuse(f"unexpected {quoted(line[at:].lstrip(), 20)}")
            kind, glued = match.lastgroup, match.start(match.lastgroup) == at
            if kind == "sign" and before == "name" and glued:
                glued_name = line[start:].split()[0]
                self.refuse(f"a sign within {quoted(glued_name, 40)}: write blanks around it")
            if kind == "name" and before == "number" and glued:
                self.note(f"{quoted(line[start : match.end()], 40)} is a number and a column")
            yield _Token(kind, match.group(kind), self.line, first)
            before, start = kind, match.start(kind)
            at, first = match.end(), False
        label = _LABEL_WITH_RELATION.match(line)
        if label is not None:
            self.refuse(f"the name {quoted(label.group(1), 40)} holds a relation")

    # sentences

    def _peek(self, ahead: int = 1) -> _Token | None:
        return self._tokens[-ahead] if len(self._tokens) >= ahead else None

    def _next(self) -> _Token:
        if not self._tokens:
            self.refuse("a sentence ends too soon")
        token = self._tokens.pop()
        self.line = token.line
        return token

    def _refuse_token(self, token: _Token, problem: str) -> NoReturn:
        self.line = token.line
        self.refuse(f"{problem} {quoted(token.text, 40)}")

    def _at_label(self) -> bool:
        following = self._peek(2)
        return following is not None and following.kind == "colon"

    def _at_end(self) -> bool:
        """Whether a sentence may end here: at a line's end, a label, or the section's end."""
        token = self._peek()
        return token is None or token.first or self._at_label()

    def _label(self) -> str:
        if not self._at_label():
            return ""
        name = self._next()
        if name.kind != "name":
            self._refuse_token(name, "a label cannot be")
        self._next()
        return name.text

    def _signs(self) -> int:
        sign = 1
        while (token := self._peek()) is not None and token.kind == "sign":
            sign = -sign if self._next().text == "-" else sign
        return sign

    def _sum(self, row: int) -> tuple[dict[int, Fraction], Fraction]:
        """Terms up to a relation, a label or the end, by column, and the constant among them.

        The objective is row -1.
        """
        found: dict[int, Fraction] = {}
        constant: Fraction | None = None
        before = ""
        while (token := self._peek()) is not None:
            if token.kind in ("relation", "arrow") or self._at_label():
                break
            if before and token.kind not in ("sign", "bracket"):
                self._refuse_token(token, f"a sign is missing between {before} and")
            sign = self._signs()
            token = self._next()
            value, before = Fraction(sign), quoted(token.text, 40)
            if token.kind == "number":
                value *= self.finite(token.text)
                following = self._peek()
                if following is None or following.kind != "name" or self._at_label():
                    constant = value + (constant or 0)
                    continue
                token = self._next()
                before += f" {quoted(token.text, 40)}"
            if token.kind == "bracket":
                self.unsupported("quadratic terms")
            if token.kind != "name":
                self._refuse_token(token, "expected a term, not")
            j = self.column(token.text).place
            if j in found and row < 0:
                self.faults[row, token.text] = "HiGHS keeps one of repeated terms of an objective"
            found[j] = found.get(j, Fraction(0)) + value
        if constant is not None and row >= 0:
            self.refuse("a constant beside columns; add it to the number behind the relation")
        return found, constant or Fraction(0)

    def _at_number(self, *, alone: bool) -> bool:
        """Whether a number stands here before a relation, or ``alone`` at the end of a row."""
        ahead = 1
        while (token := self._peek(ahead)) is not None and token.kind == "sign":
            ahead += 1
        after, colon = self._peek(ahead + 1), self._peek(ahead + 2)
        if token is None or token.kind != "number":
            return False
        if after is None or after.kind == "relation":
            return True
        return alone and (after.first or (colon is not None and colon.kind == "colon"))

    def _side(self) -> Fraction:
        """One number with its sign; infinity as :data:`INFINITE`."""
        sign = self._signs()
        token = self._next()
        if token.kind == "name":
            self._refuse_token(token, "expected a number behind the relation, not the column")
        if token.kind != "number":
            self._refuse_token(token, "expected a number, not")
        return sign * self.number(token.text)

    def _relation(self) -> str:
        token = self._next()
        if token.kind == "arrow":
            self.unsupported("indicator rows")
        if token.kind != "relation":
            self._refuse_token(token, "expected <=, >= or =, not")
        return _RELATIONS[token.text]

    def _comparison(
        self, middle: Callable[[bool], _Middle]
    ) -> tuple[_Middle, list[tuple[str, Fraction]]]:
        """Take a sum or a column with a number on one side or both.

        ``middle`` is told whether a number stands before it.  Relations are those of what it
        returns to the numbers.
        """
        ends: list[tuple[str, Fraction]] = []
        if self._at_number(alone=False):
            side = self._side()
            ends.append((_TURNED[self._relation()], side))
        found = middle(bool(ends))
        more = self._peek()
        if not ends or (more is not None and more.kind == "relation"):
            ends.append((self._relation(), self._side()))
        if len(ends) == 2 and {relation for relation, _ in ends} != {"<=", ">="}:
            self.refuse("two relations of one direction, or an equation beside another relation")
        return found, ends

    def _take_objective(self, kind: str) -> None:
        if self._sense:
            self.refuse("a second objective")
        self._sense = kind
        self._label()
        terms, self._offset = self._sum(-1)
        if self._tokens:
            self._refuse_token(self._next(), "unexpected in the objective:")
        columns = list(self._columns.values())
        for j, value in terms.items():
            columns[j].cost = value

    def _take_row(self) -> None:
        name = self._label()
        if name and name in self._row_names:
            self.refuse(f"row {quoted(name)} stands twice")
        self._row_names.add(name)
        (terms, constant), sides = self._comparison(self._row_sum)
        ends = TextEnds()
        for relation, side in sides:
            infinite = abs(side) >= INFINITE
            ends.state(relation, side if infinite else side - constant, self)
        self._require_end()
        self._rows.append(_LpRow(name, terms, ends))

    def _row_sum(self, behind: bool) -> tuple[dict[int, Fraction], Fraction]:
        if behind and self._at_number(alone=True):  # 0 <= 5
            return {}, self._side()
        return self._sum(len(self._rows))

    def _require_end(self) -> None:
        token = self._peek()
        if token is not None and token.kind == "arrow":
            self.unsupported("indicator rows")
        if token is not None and token.kind == "relation":
            self._refuse_token(token, "a second relation behind a row (write 2 <= x + y <= 8):")
        if not self._at_end():
            assert token is not None
            what = "a column" if token.kind == "name" else "a sum"
            self._refuse_token(token, f"{what} stands behind the relation; one number may:")

    def _take_bound(self) -> None:
        word, sides = self._peek(2), list[tuple[str, Fraction]]()
        if word is not None and word.kind == "name" and word.text.lower() == "free":
            name = self._listed("Bounds")
            self._next()
        else:
            name, sides = self._comparison(lambda _: self._listed("Bounds"))
        column = self._columns[name]
        before = [(column.low, column.low_line), (column.high, column.high_line)]
        for relation, side in sides:
            column.state(relation, side, self)
        if not sides:
            if (column.low_line and column.low is not None) or column.high is not None:
                self.refuse(f"column {quoted(name)} is free, and has a bound in another line")
            column.state(">=", -INFINITE, self)
            column.state("<=", INFINITE, self)
        for (end, line), now in zip(before, (column.low, column.high), strict=True):
            if line and end != now:
                self.note(f"a bound of {quoted(name)} of line {line} is replaced")

    def _take_whole(self, *, binary: bool) -> None:
        while self._tokens:
            name = self._listed("Binaries" if binary else "Generals")
            self._columns[name].whole = True
            if binary:
                self._binary.append(name)

    def _listed(self, section: str) -> str:
        """Take the name of a column, a new one with a note."""
        token = self._next()
        name = token.text
        if token.kind != "name":
            self._refuse_token(token, "expected a column, not")
        if name not in self._columns:
            near = difflib.get_close_matches(name, self._columns, n=1)
            hint = f"; did you mean {quoted(near[0])}?" if near else ""
            self.note(f"column {quoted(name)} stands in {section} alone{hint}")
            self.column(name)
        return name

    def _form(self) -> RationalForm:
        for name in self._binary:
            column = self._columns[name]
            low, high = column.low, column.high
            column.binary()
            if column.low != low or (high is not None and column.high != high):
                self.faults[name,] = "HiGHS lets bounds of a binary column reach beyond 0 and 1"
        for name, column in self._columns.items():
            if not column.low_line and column.high is not None and column.high < 0:
                self.line = column.high_line
                self.note(f"{quoted(name)} is at least 0 unless a lower bound is stated")
        name = self.where.rpartition("/")[2].partition(".")[0]
        rows = [(row.terms, row.ends) for row in self._rows]
        return self.form(name, self._sense, self._offset, rows, list(self._names()))

    def _names(self) -> Iterator[str]:
        """Names of the rows; those without get the first free of c1, c2, ..."""
        for number, row in enumerate(self._rows, 1):
            name = row.name
            while not name or (name != row.name and name in self._row_names):
                name, number = f"c{number}", number + 1
            self._row_names.add(name)
            yield name
