"""The rational form of a form of doubles, in whole arrays: as `as_rational`, many times faster.

A double is an odd whole number times a power of two.  The least factor that makes a row whole is
two to the power of what its smallest exponent lacks, divided by what its odd numbers have in
common.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from farkas.exact.bounding import floats
from farkas.exact.cuts import Cut
from farkas.forms.form import Block, LinearForm
from farkas.forms.rational import RationalForm, Side, as_rational, whole_array
from farkas.messages import LONGEST_WORDS, cleaned, cut
from farkas.numbers import Floats, Ints
from farkas.solvers.base import refuse_numbers

MANTISSA = 53
FITS = 62  #: Bits of the largest entries that are kept as int64.


def rational(form: LinearForm) -> RationalForm:
    """Take every double of a form as the fraction it is, as :func:`as_rational` does.

    Raises `UnsupportedForm` when a number is none or infinite, or a side or bound excludes every
    point.
    """
    refuse_numbers(form)
    whole = _whole(form)
    if whole is None:
        return as_rational(form)
    starts, columns, values, factors = whole
    scaled = [
        tuple(
            side if side is None or factor == 1 else side * factor
            for side, factor in zip(_sides(sides), factors, strict=True)
        )
        for sides in (form.row_lower, form.row_upper)
    ]
    lower, upper = _sides(form.lower), _sides(form.upper)
    cost = _fractions(form.cost)
    rows = _names(form.rows, form.num_rows, "row")
    names = _names(form.columns, form.num_columns, "column")
    found = RationalForm(
        name=cut(cleaned(form.name), LONGEST_WORDS),
        sense=form.sense,
        numbers="binary",
        cost=tuple(cost),
        offset=Fraction(form.offset),
        starts=starts,
        columns=columns,
        values=values,
        factors=tuple(factors),
        row_lower=scaled[0],
        row_upper=scaled[1],
        lower=tuple(lower),
        upper=tuple(upper),
        integer=np.asarray(form.integer, dtype=bool),
        row_names=tuple(rows),
        column_names=tuple(names),
    )
    # solvers get the doubles that were given, not quotients of fractions
    vars(found)["linear"] = form.replace(implied_lower=None, implied_upper=None)
    return found


def _whole(form: LinearForm) -> tuple[Ints, Ints, Ints, list[Fraction]] | None:
    """Make rows whole: starts, columns, entries, factors; None where entries are long."""
    matrix = form.matrix
    kept = matrix.values != 0
    rows = np.repeat(np.arange(form.num_rows), np.diff(matrix.starts))[kept]
    columns = matrix.columns[kept].astype(np.int64)
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    parts, exponents = np.frexp(matrix.values[kept][order])
    odd = np.ldexp(parts, MANTISSA).astype(np.int64)
    powers = exponents.astype(np.int64) - MANTISSA
    low = np.frexp((odd & -odd).astype(np.float64))[1].astype(np.int64) - 1  # zeros at its end
    odd, powers = odd >> low, powers + low
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=form.num_rows))])
    least, common = np.zeros(form.num_rows, dtype=np.int64), np.ones(form.num_rows, dtype=np.int64)
    full = np.flatnonzero(np.diff(starts))
    if len(full):
        least[full] = np.minimum.reduceat(powers, starts[full])
        common[full] = np.gcd.reduceat(np.abs(odd), starts[full])  # alone it keeps its sign
    shifts = powers - least[rows]
    quotients = odd // common[rows]
    bits = np.frexp(np.abs(quotients).astype(np.float64))[1] + shifts
    if len(bits) and int(bits.max()) > FITS:
        return None
    known: dict[tuple[int, int], Fraction] = {}
    factors = [
        known.get(pair) or known.setdefault(pair, _factor(*pair))
        for pair in zip(least.tolist(), common.tolist(), strict=True)
    ]
    return starts.astype(np.int64), columns, quotients << shifts, factors


def _factor(power: int, common: int) -> Fraction:
    """``2 ** -power / common``."""
    return Fraction(1, 2**power * common) if power > 0 else Fraction(2**-power, common)


def _fractions(values: Floats) -> list[Fraction]:
    """Doubles as fractions; equal ones are one object."""
    distinct, places = np.unique(values, return_inverse=True)
    made = [Fraction(v) for v in distinct.tolist()]
    return [made[place] for place in places.tolist()]


def _sides(values: Floats) -> list[Side]:
    """Sides or bounds; infinite ones are none."""
    endless = np.isinf(values)
    found: list[Side] = list(_fractions(np.where(endless, 0.0, values)))
    for place in np.flatnonzero(endless).tolist():
        found[place] = None
    return found


def _names(blocks: Sequence[Block], size: int, role: str) -> Iterator[str]:
    """Names of all rows or columns, as `farkas.forms.feasibility.name_among` has them."""
    if not blocks:
        yield from (f"{role} {position}" for position in range(size))
    for block in blocks:
        label = f"  ({block.label})" if block.label else ""
        axes = [
            [
                ", ".join(f"{w}={i}" for w, i in zip(axis.labels, member, strict=True))
                for member in axis.members.tolist()
            ]
            for axis in block.axes
        ]
        for parts in itertools.product(*axes):
            inner = ", ".join(parts)
            yield f"{block.name}[{inner}]{label}" if inner else f"{block.name}{label}"


def with_cuts(form: RationalForm, cuts: Sequence[Cut]) -> RationalForm:
    """Append cuts to the rows of a program, which loses the names of its rows."""
    if not cuts:
        return form
    terms = [sorted(cut.terms.items()) for cut in cuts]
    sizes = np.cumsum([len(row) for row in terms])
    return form.replace(
        starts=np.concatenate([form.starts, form.starts[-1] + sizes]),
        columns=np.concatenate([form.columns, [j for row in terms for j, _ in row]]),
        values=whole_array([*form.values.tolist(), *(v for row in terms for _, v in row)]),
        factors=form.factors + (Fraction(1),) * len(cuts),
        row_lower=form.row_lower + (None,) * len(cuts),
        row_upper=form.row_upper + tuple(cut.side for cut in cuts),
        row_names=(),
    )


def boxed(form: RationalForm, lower: Sequence[Side], upper: Sequence[Side]) -> RationalForm:
    """Return the same program within other ends; what is in doubles already is not made again."""
    found = form.replace(lower=tuple(lower), upper=tuple(upper))
    ends = {"lower": floats(lower, -np.inf), "upper": floats(upper, np.inf)}
    vars(found)["linear"] = form.linear.replace(**ends)
    return found
