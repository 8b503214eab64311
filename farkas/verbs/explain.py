"""Why a program has no point: a small set of rows that contradict each other, proved exactly.

A solver's infeasibility ray starts the search.  Rows without a multiplier in it are dropped at
once; a deletion filter then takes the rest away one by one and keeps a row only when a point
appears without it.  What is left is proved by its own ray, in exact arithmetic.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.certificates import prove_infeasible
from farkas.certificates.proof import rounded
from farkas.certificates.repair import exact_reduced_costs
from farkas.forms import LinearForm
from farkas.forms.naming import find_block
from farkas.forms.words import box, relation, short
from farkas.numbers import Floats, Ints
from farkas.relaxations.integrality import relax
from farkas.solvers import Answer, Claimed, solve
from farkas.verbs.contradiction import elastic_ray, filtered, proved, without_cost

MANY_ROWS = 300
"""Contradictions with more rows are filtered once; smaller ones from several starts."""

MANY_ENTRIES = 200_000
"""Larger programs are not searched for a second ray."""

FEW_ROWS = 6
"""Rows that are named in one line; more are counted."""

FEW_NAMES = 3
"""Variables that are named where they have to be at least 0; more are counted."""


class Finding(enum.StrEnum):
    """What the search for a contradiction found."""

    ROWS = "rows"
    """Rows that contradict each other within the variables' bounds; proved."""
    SIDES = "sides"
    """A lower side or bound above its upper one; seen without arithmetic."""
    INTEGRALITY = "integrality"
    """Without integrality there is a point, so no multipliers prove anything."""
    POINT = "point"
    """A feasible point: the solver's claim was wrong."""
    NOTHING = "nothing"
    """Neither a proof nor a point."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a form has no point.

    Parameters
    ----------
    form
        The form without integrality.
    finding
        What was found; everything below is empty unless it is ``rows`` or ``sides``.
    rows
        Shape (k,), ascending: the contradicting rows.
    multipliers
        Shape (k,), signs as in a minimisation: positive ones use the lower side of their row.
    violation
        By how much the rows, added with these multipliers, miss what the bounds allow; > 0, exact.
    irreducible
        Whether for each row a point without it was found, feasible within 1e-6.
    note
        One sentence.
    """

    form: LinearForm
    finding: Finding
    rows: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))
    multipliers: Floats = dataclasses.field(default_factory=lambda: np.zeros(0))
    violation: Fraction | None = None
    irreducible: bool = False
    note: str = ""

    @property
    def ray(self) -> Floats:
        """The multipliers as a ray of the whole form, shape (rows,)."""
        ray = np.zeros(self.form.num_rows)
        ray[self.rows] = self.multipliers
        return ray

    def row_names(self) -> str:
        """Names of the first rows that contradict each other; what else was found where none do."""
        left = len(self.rows) - FEW_ROWS
        names = [self.form.row_name(i) for i in self.rows[:FEW_ROWS].tolist()]
        return "; ".join(names + [f"{left} more"] * (left > 0)) or self.note

    def bounds(self) -> list[tuple[int, str]]:
        """Columns and sides (``lower``, ``upper``) of the bounds that the contradiction uses."""
        if self.finding is not Finding.ROWS:
            return []
        reduced = exact_reduced_costs(without_cost(self.form), self.ray)
        used = np.flatnonzero(reduced.nonzero).tolist()
        return [(j, "upper" if reduced.negative[j] else "lower") for j in used]

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "finding": str(self.finding),
            "rows": [self._row(i, y) for i, y in self._pairs()],
            "bounds": [
                {
                    "variable": self.form.column_name(j),
                    "relation": box(self.form, j, side),
                    "implied": not math.isfinite(getattr(self.form, side)[j]),
                }
                for j, side in self.bounds()
            ],
            "violation": None if self.violation is None else str(self.violation),
            "irreducible": self.irreducible,
            "note": self.note,
        }

    def _pairs(self) -> Iterator[tuple[int, float]]:
        return zip(self.rows.tolist(), self.multipliers.tolist(), strict=True)

    def _row(self, i: int, multiplier: float) -> dict[str, Any]:
        block = find_block(self.form.rows, i) if self.form.rows else None
        return {
            "row": self.form.row_name(i),
            "family": "" if block is None else block.name,
            "label": "" if block is None else block.label,
            "says": "" if block is None else block.doc,
            "relation": relation(self.form, i),
            "multiplier": multiplier,
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.finding is not Finding.ROWS:
            yield self.note
            return
        assert self.violation is not None
        count = len(self.rows)
        which = "this row" if count == 1 else f"these {count} rows together"
        yield f"no point satisfies {which} within the variables' bounds:"
        for i, multiplier in self._pairs():
            row = self._row(i, multiplier)
            yield f"  {row['row']}"
            yield f"      {row['relation']}"
            if row["says"]:
                yield f"      {row['says']}"
        yield from self._bound_lines()
        weights = ", ".join(f"{y:g}" for y in self.multipliers[:12])
        more = ", ..." if count > 12 else ""
        by = f"multipliers {weights}{more} they miss by {self._missed()}"
        yield f"proved exactly: added with {by}"
        yield self.note

    def _missed(self) -> str:
        assert self.violation is not None
        text = str(self.violation)
        return text if len(text) <= 12 else rounded(self.violation, up=False)

    def _bound_lines(self) -> Iterator[str]:
        bounds = self.bounds()
        zeros = [j for j, side in bounds if side == "lower" and self.form.safe_lower[j] == 0]
        others = [(j, side) for j, side in bounds if j not in set(zeros)]
        for j, side in others[:12]:
            implied = "" if math.isfinite(getattr(self.form, side)[j]) else "  (implied)"
            yield f"  with {box(self.form, j, side)}{implied}"
        if len(others) > 12:
            yield f"  with {len(others) - 12} more bounds"
        if zeros:
            names = ", ".join(short(self.form, j) for j in zeros[:FEW_NAMES])
            yield f"  with {names if len(zeros) <= FEW_NAMES else f'{len(zeros)} variables'} >= 0"


def explain(
    form: LinearForm, *, ray: Floats | None = None, seconds: float = math.inf
) -> Explanation:
    """Find a small set of rows of ``form`` that contradict each other, and prove it.

    Integrality is dropped first: a contradiction without it is one with it.

    Parameters
    ----------
    ray
        Shape (rows,): multipliers that may prove infeasibility, for example a solver's; HiGHS is
        asked when there are none or they prove nothing.
    seconds
        Wall time after which rows are no longer taken away; the proof is complete all the same.
    """
    linear = relax(form) if form.is_mip else form
    crossed = _crossed(linear)
    if crossed is not None:
        return crossed
    feasibility = without_cost(linear)
    until = time.perf_counter() + seconds
    first = None if ray is None else proved(feasibility, ray)
    if first is None:
        answer = solve(feasibility).unless_interrupted()
        if answer.claim is Claimed.OPTIMAL:
            return _with_point(form, linear, answer)
        first = proved(feasibility, answer.raw_ray)
    if first is None:
        first = proved(feasibility, elastic_ray(linear))
    if first is None:
        note = "neither a point nor multipliers that prove infeasibility were found"
        return Explanation(linear, Finding.NOTHING, note=note)
    return _smallest(linear, first, until)


def _crossed(form: LinearForm) -> Explanation | None:
    bad = np.flatnonzero(form.lower > form.upper)
    if len(bad):
        j = int(bad[0])
        note = f"{form.column_name(j)}: lower bound {form.lower[j]:g} > upper {form.upper[j]:g}"
        return Explanation(form, Finding.SIDES, irreducible=True, note=note)
    bad = np.flatnonzero(form.row_lower > form.row_upper)
    if not len(bad):
        return None
    i = int(bad[0])
    low, high = form.row_lower[i], form.row_upper[i]
    note = f"{form.row_name(i)}: must be at least {low:g} and at most {high:g}"
    return Explanation(form, Finding.SIDES, bad[:1], np.zeros(1), irreducible=True, note=note)


def _with_point(form: LinearForm, linear: LinearForm, answer: Answer) -> Explanation:
    report = answer.report
    if not report:
        note = f"the point {answer.solver} calls feasible is not: {report}"
        return Explanation(linear, Finding.NOTHING, note=note)
    if form.is_mip:
        note = (
            f"if infeasible, only because {int(form.integer.sum())} variables take whole numbers: "
            "without that there is a point, so no multipliers of rows prove it"
        )
        return Explanation(linear, Finding.INTEGRALITY, note=note)
    note = f"not infeasible: {answer.solver} finds a point, feasible within {report.worst:.3g}"
    return Explanation(linear, Finding.POINT, note=note)


def _smallest(form: LinearForm, ray: Floats, until: float) -> Explanation:
    """Contradiction with the fewest rows over a few starts and orders of deletion."""
    feasibility = without_cost(form)
    starts = [ray]
    if np.count_nonzero(ray) <= MANY_ROWS and form.num_entries <= MANY_ENTRIES:
        other = proved(feasibility, elastic_ray(form))
        starts += [] if other is None else [other]
    best: tuple[Floats, bool] | None = None
    for start in starts:
        once = np.count_nonzero(start) > MANY_ROWS
        for order in (1,) if once else (1, -1):
            found = filtered(feasibility, start, order, until)
            if best is None or _size(found) < _size(best):
                best = found
    assert best is not None
    return _explained(form, *best)


def _size(found: tuple[Floats, bool]) -> tuple[int, bool]:
    return int(np.count_nonzero(found[0])), not found[1]


def _explained(form: LinearForm, ray: Floats, irreducible: bool) -> Explanation:
    rows = np.flatnonzero(ray)
    if irreducible:
        note = "each of them is needed: without it the others have a point (checked to 1e-6)"
    else:
        note = "some of them may not be needed: the search for fewer was not finished"
    if irreducible and len(rows) == 1:
        note = "no other row is needed"
    violation = prove_infeasible(without_cost(form), ray)
    return Explanation(
        form, Finding.ROWS, rows, ray[rows], violation, irreducible=irreducible, note=note
    )
