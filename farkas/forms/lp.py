"""LP files in CPLEX's format, read number by number as they are written.

Sections: objective (with a constant), constraints with two-sided ones, ``Bounds``, ``Generals``,
``Binaries``.  What is no linear or integer program is refused by name.  As Gurobi and CPLEX have
it: a column is at least 0 where nothing else is said, and an upper bound below 0 takes that away;
``>`` means ``>=``; terms of one column add up.  Bounds and sides of 1e20 and more are infinite.
"""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction

from farkas.errors import UnsupportedForm
from farkas.forms.model_text import (
    INFINITE,
    TextColumn,
    TextReader,
    finite_or_none,
    infinite_side,
)
from farkas.forms.rational import Numbers, RationalForm, Side, rational_form
from farkas.words import quoted

_SECTIONS = {
    **dict.fromkeys(("minimize", "minimum", "minimise", "min"), "min"),
    **dict.fromkeys(("maximize", "maximum", "maximise", "max"), "max"),
    **dict.fromkeys(("subject to", "such that", "st", "s.t.", "st."), "rows"),
    **dict.fromkeys(("bounds", "bound"), "bounds"),
    **dict.fromkeys(("generals", "general", "gen", "integers", "integer", "int"), "whole"),
    **dict.fromkeys(("binaries", "binary", "bin"), "binary"),
    **dict.fromkeys(("semi-continuous", "semis", "semi"), "semi"),
    **dict.fromkeys(("sos", "sos1", "sos2"), "sos"),
    "pwlobj": "pwl",
    "general constraints": "genconstr",
    "end": "end",
}
_REFUSED = {
    "semi": "semicontinuous columns",
    "sos": "special ordered sets",
    "pwl": "a piecewise linear objective",
    "genconstr": "general constraints",
}
_TOKEN = re.compile(
    r"(?P<arrow>->)"
    r"|(?P<relation>[<>]=|=[<>]|[<>=])"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<sign>[-+])"
    r"|(?P<bracket>[\[\]^*/])"
    r"|(?P<colon>:)"
    r"|(?P<name>[A-Za-z_!\"#$%&(),.;?@`'{}~][\w!\"#$%&(),.;?@`'{}~\[\]|]*)",
    re.ASCII,
)
_LOWER = {">=": True, "=>": True, ">": True, "<=": False, "=<": False, "<": False}
_FREE = frozenset(("inf", "infinity"))


def parse_lp(text: str, where: str, *, numbers: Numbers = "decimal") -> RationalForm:
    """Read a program from the text of an LP file.

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
    return _Lp(where, numbers).read(text)


@dataclasses.dataclass(slots=True)
class _Token:
    kind: str
    text: str
    line: int


class _Lp(TextReader):
    """One reading of one file: tokens by section, then sentences."""

    def __init__(self, where: str, numbers: Numbers) -> None:
        super().__init__(where, numbers)
        self._columns: dict[str, TextColumn] = {}
        self._places: dict[str, int] = {}
        self._rows: list[tuple[str, list[tuple[int, Fraction]], Side, Side]] = []
        self._row_names: set[str] = set()
        self._offset = Fraction(0)
        self._sense = ""
        self._tokens: list[_Token] = []

    def read(self, text: str) -> RationalForm:
        sections = self._split(text)
        if not sections or sections[0][0] not in ("min", "max"):
            self.refuse("the file begins with neither Minimize nor Maximize")
        ended = False
        for kind, lines in sections:
            if ended:
                self.refuse("text after End")
            if kind in _REFUSED and lines:
                raise UnsupportedForm(f"{self.where}: holds {_REFUSED[kind]}")
            self._tokens = [token for number, line in lines for token in self._cut(line, number)]
            self._tokens.reverse()
            if kind in ("min", "max"):
                self._take_objective(kind)
            elif kind == "rows":
                while self._tokens:
                    self._take_row()
            elif kind == "bounds":
                while self._tokens:
                    self._take_bound()
            elif kind in ("whole", "binary"):
                self._take_whole(binary=kind == "binary")
            ended = kind == "end"
        return self._form()

    def _split(self, text: str) -> list[tuple[str, list[tuple[int, str]]]]:
        found: list[tuple[str, list[tuple[int, str]]]] = []
        for number, raw in enumerate(text.splitlines(), 1):
            line = raw.partition("\\")[0]
            word = " ".join(line.split()).lower()
            if word in _SECTIONS:
                found.append((_SECTIONS[word], []))
                continue
            head, _, rest = line.strip().partition(" ")
            opens = head.lower() in _SECTIONS and ":" not in head and not found
            if opens:  # "min x + y" on one line
                found.append((_SECTIONS[head.lower()], [(number, rest)]))
            elif line.strip():
                self.line = number
                if not found:
                    self.refuse("text before Minimize or Maximize")
                found[-1][1].append((number, line))
        return found

    def _cut(self, line: str, number: int) -> list[_Token]:
        self.line = number
        found, at = [], 0
        while at < len(line):
            if line[at].isspace():
                at += 1
                continue
            match = _TOKEN.match(line, at)
            if match is None or match.lastgroup is None:
                self.refuse(f"unexpected {quoted(line[at:], 20)}")
            found.append(_Token(match.lastgroup, match.group(), number))
            at = match.end()
        return found

    # sentences

    def _peek(self, ahead: int = 1) -> _Token | None:
        return self._tokens[-ahead] if len(self._tokens) >= ahead else None

    def _next(self) -> _Token:
        if not self._tokens:
            self.refuse("a sentence ends too soon")
        token = self._tokens.pop()
        self.line = token.line
        return token

    def _label(self) -> str:
        name, colon = self._peek(), self._peek(2)
        if name is not None and colon is not None and colon.kind == "colon":
            self._next()
            self._next()
            return name.text
        return ""

    def _take_objective(self, kind: str) -> None:
        if self._sense:
            self.refuse("a second objective")
        self._sense = kind
        self._label()
        terms, constant = self._terms()
        if self._tokens:
            self.refuse(f"unexpected {quoted(self._next().text)} in the objective")
        columns = list(self._columns.values())
        for j, value in terms:
            columns[j].cost = value
        self._offset = constant

    def _terms(self) -> tuple[list[tuple[int, Fraction]], Fraction]:
        """Terms up to a relation or the end, each column once, and the constant."""
        found: dict[int, Fraction] = {}
        constant = Fraction(0)
        while (token := self._peek()) is not None and token.kind != "relation":
            if token.kind == "name" and self._starts_label():
                break
            sign = self._signs()
            token = self._peek()
            if token is None:
                self.refuse("a sign without a term")
            self.line = token.line
            if token.kind == "bracket":
                raise UnsupportedForm(f"{self.where}, line {self.line}: holds quadratic terms")
            value = Fraction(1)
            if token.kind == "number":
                value = self.finite(self._next().text)
                token = self._peek()
                if token is None or token.kind != "name" or self._starts_label():
                    if token is not None and token.kind == "bracket":
                        raise UnsupportedForm(
                            f"{self.where}, line {self.line}: holds quadratic terms"
                        )
                    constant += sign * value
                    continue
            if token.kind != "name":
                self.refuse(f"unexpected {quoted(token.text)}")
            j = self._column(self._next().text)
            found[j] = found.get(j, Fraction(0)) + sign * value
        return list(found.items()), constant

    def _starts_label(self) -> bool:
        following = self._peek(2)
        return following is not None and following.kind == "colon"

    def _signs(self) -> int:
        sign = 1
        while (token := self._peek()) is not None and token.kind == "sign":
            sign = -sign if self._next().text == "-" else sign
        return sign

    def _side(self) -> Fraction:
        """One number with its sign; infinity as :data:`INFINITE`."""
        sign = self._signs()
        token = self._next()
        if token.kind == "name" and token.text.lower() in _FREE:
            return sign * INFINITE
        if token.kind != "number":
            self.refuse(f"{quoted(token.text)} is no number")
        return sign * self.number(token.text)

    def _relation(self) -> str:
        token = self._next()
        if token.kind != "relation":
            self.refuse(f"needed <=, >= or =, not {quoted(token.text)}")
        return token.text

    def _take_row(self) -> None:
        name = self._label() or f"c{len(self._rows) + 1}"
        if name in self._row_names:
            self.refuse(f"row {quoted(name)} stands twice")
        self._row_names.add(name)
        before = len(self._tokens)
        terms, constant = self._terms()
        low: Side = None
        high: Side = None
        if (
            not terms and len(self._tokens) < before
        ):  # "2 <= x + y <= 8": what was read is the left side
            low, high = self._narrowed(low, high, self._relation(), constant, left=True)
            terms, constant = self._terms()
            more = self._peek()
            if more is None or more.kind != "relation":
                self._add_row(name, terms, _less(low, constant), _less(high, constant))
                return
        arrow = self._peek()
        if arrow is not None and arrow.kind == "arrow":
            raise UnsupportedForm(f"{self.where}, line {self.line}: holds indicator rows")
        low, high = self._narrowed(low, high, self._relation(), self._side(), left=False)
        after = self._peek()
        if after is not None and after.kind == "arrow":
            raise UnsupportedForm(f"{self.where}, line {self.line}: holds indicator rows")
        self._add_row(name, terms, _less(low, constant), _less(high, constant))

    def _narrowed(
        self, low: Side, high: Side, relation: str, side: Fraction, *, left: bool
    ) -> tuple[Side, Side]:
        end = finite_or_none(side)
        if relation == "=":
            if end is None:
                self.refuse("an equation with an infinite side")
            return end, end
        lower = _LOWER[relation] is not left
        if end is None and (side > 0) == lower:
            self.refuse(infinite_side(side))
        return (end, high) if lower else (low, end)

    def _add_row(self, name: str, terms: list[tuple[int, Fraction]], low: Side, high: Side) -> None:
        self._rows.append((name, terms, low, high))

    def _take_bound(self) -> None:
        token = self._peek()
        assert token is not None
        if token.kind == "name" and token.text.lower() not in _FREE:
            self._bound_after(self._known(self._next().text))
            return
        side = self._side()
        relation = self._relation()
        column = self._known(self._next().text)
        self._bound(column, relation, side, left=True)
        more = self._peek()
        if more is not None and more.kind == "relation":
            self._bound(column, self._relation(), self._side(), left=False)

    def _bound_after(self, column: TextColumn) -> None:
        token = self._next()
        if token.kind == "name" and token.text.lower() == "free":
            column.endless()
        elif token.kind == "relation":
            self._bound(column, token.text, self._side(), left=False)
        else:
            self.refuse(f"unexpected {quoted(token.text)} in a bound")

    def _bound(self, column: TextColumn, relation: str, side: Fraction, *, left: bool) -> None:
        if relation == "=":
            column.fixed(side, self)
        elif _LOWER[relation] is not left:
            column.at_least(side, self)
        else:
            column.at_most(side, self)

    def _take_whole(self, *, binary: bool) -> None:
        while self._tokens:
            column = self._known(self._next().text)
            column.whole = True
            if binary:
                column.binary()

    def _column(self, name: str) -> int:
        if name not in self._places:
            self._places[name] = len(self._columns)
            self._columns[name] = TextColumn()
        return self._places[name]

    def _known(self, name: str) -> TextColumn:
        if name not in self._columns:
            self._column(name)  # a column of bounds alone
        return self._columns[name]

    def _form(self) -> RationalForm:
        columns = list(self._columns.values())
        if not columns:
            self.refuse("no columns")
        return rational_form(
            name=self.where.rpartition("/")[2].partition(".")[0] or "model",
            sense="max" if self._sense == "max" else "min",
            numbers=self.numbers,
            cost=[column.cost for column in columns],
            offset=self._offset,
            rows=[terms for _, terms, _, _ in self._rows],
            row_lower=[low for _, _, low, _ in self._rows],
            row_upper=[high for _, _, _, high in self._rows],
            lower=[column.low for column in columns],
            upper=[column.high for column in columns],
            integer=[column.whole for column in columns],
            row_names=[name for name, _, _, _ in self._rows],
            column_names=list(self._columns),
        )


def _less(side: Side, constant: Fraction) -> Side:
    return None if side is None else side - constant
