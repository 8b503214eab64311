"""Ends and cuts of a tree; the argument stands in :mod:`farkas.certificates.tree`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from farkas.certificates.tree_program import ZERO, TreeProgram, given, require
from farkas.forms.rational import Side

if TYPE_CHECKING:
    from farkas.certificates.tree import CutStep, EndStep


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


def take_cut(program: TreeProgram, cut: CutStep) -> None:
    """One more row, if rounding gives it."""
    read, plus = program.work.read, program.work.plus
    divisor, times = read(cut.divisor, "divisor"), read(cut.times, "times")
    require(divisor > 0 and times > 0, "a cut divides or multiplies by nothing above 0")
    terms: dict[int, Fraction] = {}
    total, slacks, across = ZERO, [], set(cut.across)
    for i, text in cut.rows:
        require(i < len(program.rows), "a cut names a row that is not there")
        weight = read(text, "weight")
        way = 1 if (weight > 0) != (i in across) else -1
        side = given(
            program.row_upper[i] if way > 0 else program.row_lower[i],
            "a cut rests on a side that is infinite",
        )
        total = plus(total, weight, side)
        for j, v in program.rows[i].items():
            terms[j] = plus(terms.get(j, ZERO), weight, v)
        whole = side.denominator == 1 and all(program.whole[j] for j in program.rows[i])
        slacks.append((i, way, way * weight, side, whole))
    turned, ends = set(cut.complemented), {}
    for j in [j for j, v in terms.items() if v]:
        end = program.upper[j] if j in turned else program.lower[j]
        if end is None and program.whole[j]:
            whole = program.quotient(terms[j], divisor).denominator == 1
            end = ZERO if whole else None  # any whole number gives the same cut
        end = given(end, "a cut measures a column from an end that is infinite")
        require(not program.whole[j] or end.denominator == 1, "a cut measures from a broken end")
        ends[j] = end
        total = plus(total, -terms[j], end)
    level = program.quotient(total, divisor)
    part, bound = level - math.floor(level), Fraction(math.floor(level))
    found: dict[int, Fraction] = {}
    for j, end in ends.items():
        way = -1 if j in turned else 1
        d = program.quotient(way * terms[j], divisor)
        program.work.charge(0, d, part)
        value = way * (stepped(d, part) if program.whole[j] else min(d, ZERO) / (1 - part))
        found[j] = value
        bound = plus(bound, value, end)
    for i, way, weight, row_side, whole in slacks:  # s = way * (side - row)
        d = program.quotient(weight, divisor)
        program.work.charge(0, d, part)
        value = way * (stepped(d, part) if whole else min(d, ZERO) / (1 - part))
        if value:
            bound = plus(bound, -value, row_side)
            for j, v in program.rows[i].items():
                found[j] = plus(found.get(j, ZERO), -value, v)
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


def stepped(d: Fraction, part: Fraction) -> Fraction:
    """Round a whole variable's coefficient; ``part`` is the fraction of the right-hand side."""
    down = Fraction(math.floor(d))
    return down + max(d - down - part, ZERO) / (1 - part)
