"""The program of a tree or a direction, with what was derived of it so far, in fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple

from farkas.certificates.doubles import Work
from farkas.errors import NotACertificate
from farkas.forms.rational import RationalForm, Side

if TYPE_CHECKING:
    from farkas.certificates.tree import CutStep, EndStep


ZERO = Fraction(0)
Pairs = Sequence[tuple[int, str]]
Which = Literal["lower", "upper", "row_lower", "row_upper"]
Place = tuple[Which, int]  #: An end of a column, or a side of a row.


class TreeProgram:
    """A program as a minimum, with ends and rows that derivations move and add.

    ``work``: counts what is done with it.
    """

    def __init__(self, form: RationalForm, work: Work) -> None:
        self.work = work
        self.sign = 1 if form.sense == "min" else -1
        self.cost = [self.sign * c for c in form.cost]
        self.offset = self.sign * form.offset
        self.whole = form.integer.tolist()
        self.rows: list[dict[int, int]] = [dict(form.row(i)) for i in range(form.num_rows)]
        self.row_lower, self.row_upper = list(form.row_lower), list(form.row_upper)
        self.lower, self.upper = list(form.lower), list(form.upper)

    def point_value(self, pairs: Pairs | None, value: str | None) -> Side:
        """Exact value of a point that keeps everything, in the program's sense."""
        require((pairs is None) == (value is None), "a value needs a point")
        if pairs is None or value is None:
            return None
        point = self.sparse(pairs, "point")
        for j in range(len(self.cost)):
            inside(point.get(j, 0), self.lower[j], self.upper[j], f"the point's column {j}")
            whole = not self.whole[j] or point.get(j, ZERO).denominator == 1
            require(whole, f"the point's column {j} is not whole")
        for i, row in enumerate(self.rows):
            total = self.product(row.items(), point)
            inside(total, self.row_lower[i], self.row_upper[i], f"the point's row {i}")
        found = self.product(enumerate(self.cost), point, self.offset)
        require(self.sign * found == self.work.read(value, "value"), "the point has another value")
        return self.sign * found

    def product(
        self,
        terms: Iterable[tuple[int, Fraction | int]],
        point: Mapping[int, Fraction],
        total: Fraction = ZERO,
    ) -> Fraction:
        """Scalar product, and what it is added to."""
        for j, value in terms:
            if value and j in point:
                total = self.work.plus(total, value, point[j])
        return total

    def sparse(self, pairs: Pairs, what: str) -> dict[int, Fraction]:
        """Numbers by ascending column."""
        found = {j: self.work.read(text, what) for j, text in pairs}
        ascending = all(a[0] < b[0] for a, b in itertools.pairwise(pairs))
        require(ascending and all(j < len(self.cost) for j in found), f"{what}: wrong columns")
        return found

    def side(self, place: Place) -> Side:
        """Return an end or side."""
        sides: list[Side] = getattr(self, place[0])
        return sides[place[1]]

    def quotient(self, value: Fraction, divisor: Fraction) -> Fraction:
        """Divide by what is not 0."""
        self.work.charge(0, value, divisor)
        return value / divisor

    def crossed(self) -> bool:
        """Whether a column or row has its ends crossed: then there is no point."""
        self.work.charge(len(self.lower) + len(self.row_lower))
        columns = zip(self.lower, self.upper, strict=True)
        pairs = itertools.chain(columns, zip(self.row_lower, self.row_upper, strict=True))
        return any(a is not None and b is not None and a > b for a, b in pairs)


def light(value: Fraction) -> Fraction:
    """Return a whole number as an int, with which sums and products take a tenth of the time.

    Only where nothing divides: a quotient of two ints would be rounded.
    """
    return value.numerator if value.denominator == 1 else value  # type: ignore[return-value]


def light_sides(sides: Iterable[Side]) -> list[Side]:
    """Return sides and ends by `light`."""
    return [None if side is None else light(side) for side in sides]


def inside(value: Fraction | int, low: Side, high: Side, what: str) -> None:
    """Require a value between two ends."""
    fits = (low is None or low <= value) and (high is None or value <= high)
    require(fits, f"{what} is outside")


def require(fits: object, problem: str) -> None:
    """Refuse the certificate unless something holds."""
    if not fits:
        raise NotACertificate(f"tree: {problem}")


def given(side: Side, problem: str) -> Fraction:
    """Return a side or end; refuse the certificate where there is none."""
    if side is None:
        raise NotACertificate(f"tree: {problem}")
    return side


def take_end(program: TreeProgram, step: EndStep, known: Side) -> None:
    """Move an end, if row and other ends give it; ``known`` is the value of the point."""
    value, j = program.work.read(step.value, "end"), step.column
    require(step.row < len(program.rows), "an end names no row")
    if step.row < 0:
        best = given(known, "an end uses the cost of a point, and there is none")
        terms: dict[int, Fraction | int] = {k: c for k, c in enumerate(program.cost) if c}
        sides: list[tuple[Side, int]] = [(best - program.offset, 1)]
    else:
        terms = program.rows[step.row]  # type: ignore[assignment]
        sides = [(program.row_upper[step.row], 1), (program.row_lower[step.row], -1)]
    require(j in terms, "an end names a column that its row does not hold")
    reached = False
    for side, sign in sides:
        own = sign * terms[j]
        if side is None or (own > 0) != step.upper:
            continue
        rest = [(sign * v, k) for k, v in terms.items() if k != j]
        ends = [program.lower[k] if v > 0 else program.upper[k] for v, k in rest]
        finite = [end for end in ends if end is not None]
        if len(finite) == len(ends):
            least = ZERO
            for (v, _), e in zip(rest, finite, strict=True):
                least = program.work.plus(least, v, e)
            program.work.charge(0, side, least, own)
            exact = (sign * side - least) / own
            if program.whole[j]:
                exact = Fraction(math.floor(exact) if step.upper else math.ceil(exact))
            reached |= value >= exact if step.upper else value <= exact
    require(reached, "an end does not follow from its row")
    before = (program.upper if step.upper else program.lower)[j]
    if before is None or (value < before if step.upper else value > before):
        (program.upper if step.upper else program.lower)[j] = value


class MeasuredTerm(NamedTuple):
    """A number >= 0: a column measured from an end, or the slack of a row."""

    place: Place  #: From which it is measured.
    #: constant, sign, terms: in columns it is ``constant + sign * terms``.
    constant: Fraction
    sign: int
    terms: Mapping[int, int]
    factor: Fraction  #: Its coefficient in the divided sum.
    whole: bool

    def rounded(self, part: Fraction) -> Fraction:
        """Round its coefficient; ``part`` is the fraction of the right-hand side."""
        if not self.whole:
            return min(self.factor, ZERO) / (1 - part)
        down = Fraction(math.floor(self.factor))
        return down + max(self.factor - down - part, ZERO) / (1 - part)


def measured(
    program: TreeProgram,
    weights: Iterable[tuple[int, Fraction]],
    across: Container[int],
    divisor: Fraction,
    complemented: Container[int],
) -> tuple[list[MeasuredTerm], Fraction]:
    """Add rows up, measure columns from ends and divide; return the terms and what they sum to.

    A positive weight takes the upper side of its row, and one of a row in ``across`` the other.
    """
    plus, quotient = program.work.plus, program.quotient
    coefficients: dict[int, Fraction] = {}
    total, columns, slacks = ZERO, list[MeasuredTerm](), list[MeasuredTerm]()
    for i, weight in weights:
        row, upper = program.rows[i], (weight > 0) != (i in across)
        place: Place = ("row_upper" if upper else "row_lower", i)
        side = given(program.side(place), "a cut rests on a side that is infinite")
        total = plus(total, weight, side)
        for j, v in row.items():
            coefficients[j] = plus(coefficients.get(j, ZERO), weight, v)
        whole, way = side.denominator == 1 and all(program.whole[j] for j in row), 2 * upper - 1
        factor = quotient(way * weight, divisor)
        slacks.append(MeasuredTerm(place, way * side, -way, row, factor, whole))
    for j, a in coefficients.items():
        if not a:
            continue
        upper, whole, factor = j in complemented, program.whole[j], quotient(a, divisor)
        place, way = ("upper" if upper else "lower", j), 1 - 2 * upper
        end = program.side(place)
        if end is None and whole and factor.denominator == 1:
            end = ZERO  # any whole number gives the same cut
        end = given(end, "a cut measures a column from an end that is infinite")
        require(not whole or end.denominator == 1, "a cut measures from a broken end")
        total = plus(total, -a, end)
        columns.append(MeasuredTerm(place, -way * end, way, {j: 1}, way * factor, whole))
    return [*columns, *slacks], quotient(total, divisor)


def rounded_sum(
    program: TreeProgram, terms: Iterable[MeasuredTerm], level: Fraction
) -> tuple[dict[int, Fraction], Fraction]:
    """Round a divided sum: coefficients of columns, and what they are at most together."""
    plus = program.work.plus
    part, bound = level - math.floor(level), Fraction(math.floor(level))
    found: dict[int, Fraction] = {}
    for one in terms:
        program.work.charge(0, one.factor, part)
        value = one.rounded(part)
        if value:
            bound = plus(bound, -value, one.constant)
            for j, v in one.terms.items():
                found[j] = plus(found.get(j, ZERO), one.sign * value, v)
    return found, bound


def take_cut(program: TreeProgram, cut: CutStep) -> None:
    """One more row, if rounding gives it."""
    read, plus = program.work.read, program.work.plus
    divisor, times = read(cut.divisor, "divisor"), read(cut.times, "times")
    require(divisor > 0 and times > 0, "a cut divides or multiplies by nothing above 0")
    weights = [(i, read(text, "weight")) for i, text in cut.rows]
    fits = all(i < len(program.rows) for i, _ in weights)
    require(fits, "a cut names a row that is not there")
    terms, level = measured(program, weights, set(cut.across), divisor, set(cut.complemented))
    found, bound = rounded_sum(program, terms, level)
    derived = {j: plus(ZERO, v, times) for j, v in found.items()}
    _add_cut(program, cut, derived, plus(ZERO, bound, times))


def _add_cut(
    program: TreeProgram, cut: CutStep, derived: dict[int, Fraction], side: Fraction
) -> None:
    """Add what is stated, if it is no stronger than what was derived."""
    stated = program.sparse(cut.terms, "cut")
    require(all(v.denominator == 1 and v for v in stated.values()), "a cut is not whole")
    for j in {*derived, *stated}:
        off = program.work.plus(derived.get(j, ZERO), -1, stated.get(j, ZERO))
        if off:
            end = program.lower[j] if off > 0 else program.upper[j]
            low = given(end, "a cut is weakened at an end that is infinite")
            side = program.work.plus(side, -off, low)
    if all(program.whole[j] for j in stated):
        side = Fraction(math.floor(side))
    claimed = program.work.read(cut.side, "side")
    require(claimed >= side, "a cut is stronger than what it follows from")
    program.rows.append({j: int(v) for j, v in stated.items()})
    program.row_lower.append(None)
    program.row_upper.append(claimed)
