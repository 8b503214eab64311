"""The third reading: the rules as mathematics."""

from __future__ import annotations

import dataclasses
import inspect
import operator
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from farkas.algebra.cells import Operators, reading
from farkas.algebra.declarations import Declarations, Expression, Param, Var
from farkas.algebra.formulation import Family
from farkas.algebra.sets import IndexedSet, Set
from farkas.errors import RuleError

if TYPE_CHECKING:
    from farkas.algebra.program import RuleProgram

_SUM, _PRODUCT, _ATOM = 0, 1, 2


def _number(value: float) -> str:
    return f"{value:g}"


class Text(Operators):
    """A piece of mathematics with the strength of its outermost operation."""

    __hash__ = None

    def __init__(self, text: str, strength: int = _ATOM) -> None:
        self.text = text
        self.strength = strength

    def at(self, strength: int) -> str:
        """Text, in parentheses where the context binds more tightly."""
        return self.text if self.strength >= strength else rf"\left({self.text}\right)"

    def _combine(self, other: Any, op: Callable[[Any, Any], Any], swap: bool = False) -> Text:
        left, right = (_text(other), self) if swap else (self, _text(other))
        if op is operator.truediv:
            return Text(rf"\frac{{{left.text}}}{{{right.text}}}")
        if op is operator.pow:
            return Text(f"{left.at(_ATOM)}^{{{right.text}}}")
        if op is operator.mul:
            return Text(rf"{left.at(_PRODUCT)} \, {right.at(_PRODUCT)}", _PRODUCT)
        sign = "+" if op is operator.add else "-"
        return Text(f"{left.at(_SUM)} {sign} {right.at(_PRODUCT)}", _SUM)

    def __neg__(self) -> Text:
        return Text(f"-{self.at(_PRODUCT)}", _SUM)

    def __le__(self, other: Any) -> Text:
        return Text(rf"{self.text} \le {_text(other).text}")

    def __ge__(self, other: Any) -> Text:
        return Text(rf"{self.text} \ge {_text(other).text}")

    def __eq__(self, other: Any) -> Text:  # type: ignore[override]
        return Text(rf"{self.text} = {_text(other).text}")


def _text(value: Any) -> Text:
    return value if isinstance(value, Text) else Text(_number(value))


def _name(name: str) -> str:
    words = name.replace("_", r"\_")
    return words if len(name) == 1 else rf"\mathit{{{words}}}"


def _indexed(name: str, key: Any) -> Text:
    parts = key if isinstance(key, tuple) else (key,)
    return Text(rf"{_name(name)}_{{{','.join(_text(p).text for p in parts)}}}")


@dataclasses.dataclass(slots=True)
class Pen:
    """Reader that writes sums down instead of adding."""

    names: list[list[str]] = dataclasses.field(default_factory=list)
    ranges: list[list[str]] = dataclasses.field(default_factory=list)
    draining: bool = False

    def enter(self, index_set: Any) -> Any:
        """Name the next loop variables after those of the generator expression."""
        raise RuleError("an index set is iterated outside the model")

    def loop(self, width: int, over: str) -> Any:
        """Symbols for one ``for`` of a sum, and a note of its range."""
        if not self.names:
            raise RuleError("an index set is iterated outside Sum(...)")
        taken = [self.names[-1].pop(0) if self.names[-1] else "i" for _ in range(width)]
        inside = taken[0] if width == 1 else f"({','.join(taken)})"
        self.ranges[-1].append(rf"{inside} \in {over}")
        symbols = tuple(Text(name) for name in taken)
        return symbols if width > 1 else symbols[0]

    def sum(self, terms: Any) -> Text:
        """Write the sum sign with the ranges of its generator expression."""
        return self._over_ranges(r"\sum", terms)

    def product(self, terms: Any) -> Text:
        """Write the product sign likewise; in parentheses among other factors."""
        return Text(self._over_ranges(r"\prod", terms).text, _SUM)

    def _over_ranges(self, sign: str, terms: Any) -> Text:
        if not isinstance(terms, GeneratorType):
            raise RuleError("Sum and Product take a generator expression")
        self.names.append([n for n in terms.gi_code.co_varnames if not n.startswith(".")])
        self.ranges.append([])
        body = next(terms)
        self.names.pop()
        under = r",\ ".join(self.ranges.pop())
        return Text(rf"{sign}_{{{under}}} {_text(body).at(_PRODUCT)}", _PRODUCT)

    def exp(self, power: Any) -> Text:
        """Power of e."""
        return Text(f"e^{{{_text(power).text}}}", _PRODUCT)

    def where(self, condition: Text, value: Any) -> Text:
        """Value after its condition in brackets, as Iverson writes cases."""
        return Text(rf"\left[{condition.text}\right] \, {_text(value).at(_PRODUCT)}", _PRODUCT)

    def between(self, low: Any, body: Any, high: Any) -> Text:
        """Ranged relation."""
        return Text(rf"{_text(low).text} \le {body.text} \le {_text(high).text}")


class _WrittenSet:
    """A set inside a rule that is being written down."""

    def __init__(self, pen: Pen, text: str, width: int) -> None:
        self.pen, self.text, self.width = pen, text, width

    def __iter__(self) -> Iterator[Any]:
        yield self.pen.loop(self.width, self.text)


class _WrittenEntry:
    """A parameter, variable, expression or indexed set inside a rule that is being written down."""

    def __init__(self, pen: Pen, name: str, item: Any) -> None:
        self.pen, self.name, self.item = pen, name, item

    def __getitem__(self, key: Any) -> Any:
        text = _indexed(self.name, key)
        if isinstance(self.item, IndexedSet):
            return _WrittenSet(self.pen, text.text, self.item.width)
        return text


class _Page:
    """The ``m`` of a rule that is being written down."""

    def __init__(self, declared: Declarations, named: list[Family], pen: Pen) -> None:
        self._items = dict(declared.each()) | {one.name: one for one in named}
        self._pen = pen

    def __getattr__(self, name: str) -> Any:
        item = self._items[name]
        if isinstance(item, Set):
            return _WrittenSet(self._pen, _name(name), item.width)
        if isinstance(item, Param | Var | Expression) and not item.sets:
            return Text(_name(name))
        return _WrittenEntry(self._pen, name, item)


def latex(program: RuleProgram) -> str:
    r"""Write ``program`` as a LaTeX ``align`` block, one line per family, tagged with its label.

    Examples
    --------
    ``\text{min} & \sum ... \\ & rate_{i} \, workers_{i,t,r} \ge ... \tag{8a}``
    """
    declared = program.declarations(program.example())
    pen = Pen()
    named = program.expressions()
    page = _Page(declared, named, pen)
    goal = program.objective_rule()
    sense = r"\min" if program.sense == "min" else r"\max"
    with reading(pen):
        lines = [rf"{sense} \quad & {_text(goal.rule(page)).text}"]
        for family in [*program.families(), *named]:
            lines.append(_family_line(family, declared, page))
    lines += [rf"& {_name(v.name)} \in {domain(v)[0]} \notag" for v in declared.variables]
    inside = " \\\\\n".join(lines)
    return f"\\begin{{align}}\n{inside}\n\\end{{align}}"


def _family_line(family: Family, declared: Declarations, page: _Page) -> str:
    names = list(inspect.signature(family.rule).parameters)[1:]
    symbols = tuple(Text(name) for name in names)
    written = family.rule(page, *symbols)
    if family.named:
        own = getattr(page, family.name)
        written = (own[symbols] if symbols else own) == written
    tag = rf"\tag{{{family.label}}}" if family.label else r"\notag"
    return rf"& {written.text} \quad {_forall(family, declared, names)} {tag}"


def _forall(family: Family, declared: Declarations, names: list[str]) -> str:
    parts, at = [], 0
    for set_name, one in zip(family.sets, declared.sets_of(family.sets), strict=True):
        own = names[at : at + one.width]
        at += one.width
        inside = own[0] if len(own) == 1 else f"({','.join(own)})"
        parts.append(rf"{inside} \in {_name(set_name)}")
    return r"\forall " + r",\ ".join(parts) if parts else ""


def domain(variable: Var) -> tuple[str, str]:
    """Values of a variable, as LaTeX and in words; upper bounds other than 1 are left out."""
    low, high = variable.bounds["lower"], variable.bounds["upper"]
    if variable.binary:
        return r"\{0,1\}", "0 or 1"
    if variable.size and (low == 0).all() and (high == 1).all():
        return "[0,1]", "in [0, 1]"
    if variable.integer and variable.size and (low == 1).all():
        return r"\{1,2,\dots\}", "1, 2, ..."
    letter, word = ("Z", "a whole number") if variable.integer else ("R", "a number")
    if variable.size and (low >= 0).all():
        return rf"\mathbb{{{letter}}}_{{+}}", f"{word} >= 0"
    return rf"\mathbb{{{letter}}}", word
