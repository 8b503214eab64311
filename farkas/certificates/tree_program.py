"""The program of a tree or a direction, with what was derived of it so far, in fractions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from farkas.certificates.work import Work
from farkas.errors import NotACertificate
from farkas.forms.rational import RationalForm, Side

ZERO = Fraction(0)
Pairs = Sequence[tuple[int, str]]


class TreeProgram:
    """A program as a minimum, with ends and rows that derivations move and add.

    Parameters
    ----------
    form
        The program.
    work
        Counts what is done with it.
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
