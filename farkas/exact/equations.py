"""Equations of whole columns that no whole point satisfies, refuted by one rounding cut.

The columns need no ends, without which a search may never see it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from farkas.exact.bounding import Bounding
from farkas.exact.certificate import one_leaf
from farkas.exact.cuts import Cut
from farkas.exact.nodes import ProofTree
from farkas.exact.whole import ZERO, weighted_sum
from farkas.forms.rational import RationalForm

MOST_EQUATIONS = 50  #: Equations that are combined; the work grows faster than their square.

ONE = Fraction(1)


def refuted(form: RationalForm) -> ProofTree | None:
    """Refute a program by a sum of rows of whole columns with no whole number between its sides.

    The sum is one row, or that of the equations by the weights of :func:`combined`.  The cut that
    rounds its upper side down contradicts the lower one.
    """
    whole = form.integer.tolist()
    equations: dict[int, Fraction] = {}
    for i, (low, high) in enumerate(zip(form.row_lower, form.row_upper, strict=True)):
        if low is None or high is None or not all(whole[j] for j, _ in form.row(i)):
            continue
        if math.floor(high) < low:
            return _by_cut(form, {i: ONE}, high)
        if low == high and len(equations) < MOST_EQUATIONS:
            equations[i] = low
    found = combined([dict(form.row(i)) for i in equations], list(equations.values()))
    if found is None:
        return None
    # with weights of at most 1/2 and a side whose fraction is no less, slacks are rounded to 0
    weights = {i: w - round(w) for i, w in zip(equations, found, strict=True)}
    level = sum((w * equations[i] for i, w in weights.items()), ZERO)
    way = 1 if level % 1 >= Fraction(1, 2) else -1
    return _by_cut(form, {i: way * w for i, w in weights.items() if w}, way * level)


def combined(rows: Sequence[Mapping[int, int]], sides: Sequence[Fraction]) -> list[Fraction] | None:
    """Weights under which equations have whole coefficients and a side that is not whole.

    Column operations bring the rows to a triangle, whose unknowns follow one by one, each as a
    weighted sum of the sides.  Where all are whole, None, there is a whole point, or no point.
    """
    places = range(len(rows))
    columns = [[row.get(j, 0) for row in rows] for j in sorted({j for row in rows for j in row})]
    known: list[tuple[list[int], list[Fraction]]] = []
    for i in places:
        used = [c for c in columns if c[i]]
        columns = [c for c in columns if not c[i]]
        while len(used) > 1:
            least = min(used, key=lambda c: abs(c[i]))
            for k, c in enumerate(used):
                if c is not least:
                    times = c[i] // least[i]
                    used[k] = [a - times * b for a, b in zip(c, least, strict=True)]
            columns += [c for c in used if not c[i]]
            used = [c for c in used if c[i]]
        for pivot in used:
            terms = [(c[i], weights) for c, weights in known if c[i]]
            rest = [(k == i) - sum((v * w[k] for v, w in terms), ZERO) for k in places]
            unknown = [x / pivot[i] for x in rest]
            value = sum((w * b for w, b in zip(unknown, sides, strict=True)), ZERO)
            if value.denominator != 1:
                return unknown
            known.append((pivot, unknown))
    return None


def _by_cut(form: RationalForm, weights: dict[int, Fraction], level: Fraction) -> ProofTree:
    """Round the weighted sum of rows down from its upper side, and hold the lower against it."""
    terms = {j: v.numerator for j, v in weighted_sum(weights, form.row).items()}
    side = Fraction(math.floor(level))
    cut = Cut(
        rows=tuple(weights.items()), across=(), divisor=ONE, complemented=(), times=ONE,
        terms=terms, side=side,
    )  # fmt: skip
    program = Bounding(form)
    program.add_rows([terms], [side])
    ray = program.exact([*(weights.get(i, ZERO) for i in range(form.num_rows)), -ONE], ray=True)
    return dataclasses.replace(one_leaf(ray, None, None, None), cuts=[cut])
