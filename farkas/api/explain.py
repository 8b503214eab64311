"""Why a program has no point: rows that HiGHS finds to contradict each other, proved exactly."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import math
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.certificates import prove_infeasible, repaired
from farkas.certificates.bound import project
from farkas.certificates.proof import rounded
from farkas.certificates.repair import exact_reduced_costs
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.forms.feasibility import box, find_block, relation
from farkas.forms.scale import shifted
from farkas.numbers import Floats
from farkas.relaxations.integrality import relax
from farkas.solvers import solve
from farkas.solvers.audit import crossing
from farkas.solvers.highs import contradicting_rows
from farkas.tolerances import SHARE

MOST_NAMED = 12  #: Bounds that are printed; more are counted.
SECONDS = 10.0  #: Wall time of the search for rows, which Ctrl-C does not end.


class Finding(enum.StrEnum):
    """What the search for a contradiction found."""

    ROWS = "rows"  #: that contradict each other within the variables' bounds; proved
    SIDES = "sides"  #: a lower side or bound above its upper one
    INTEGRALITY = "integrality"  #: there is a point without it, so that no multipliers prove it
    POINT = "point"  #: a feasible point: the solver's claim was wrong
    NOTHING = "nothing"  #: neither a proof nor a point


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a form has no point."""

    form: LinearForm  #: rows and bounds alone, without cost or integrality
    finding: Finding
    ray: Floats  #: multipliers of rows that contradict each other, 0 for others; shape (rows,)
    note: str
    violation: Fraction | None = None  #: by how much the rows added with these miss, > 0, exact
    irreducible: bool = False  #: whether HiGHS finds a point without any one of the rows

    def bounds(self) -> list[str]:
        """Bounds of variables that the contradiction uses, written out."""
        reduced = exact_reduced_costs(self.form, self.ray)
        used = np.flatnonzero(reduced.nonzero).tolist()
        return [box(self.form, j, "upper" if reduced.negative[j] else "lower") for j in used]

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "finding": str(self.finding),
            "rows": [
                {
                    "row": self.form.row_name(i),
                    "says": find_block(self.form.rows, i).doc if self.form.rows else "",
                    "relation": relation(self.form, i),
                    "multiplier": self.ray[i].item(),
                }
                for i in np.flatnonzero(self.ray).tolist()
            ],
            "bounds": self.bounds(),
            "violation": None if self.violation is None else str(self.violation),
            "irreducible": self.irreducible,
            "note": self.note,
        }

    def __str__(self) -> str:
        if self.violation is None:
            return self.note
        lines = ["no point satisfies these rows together within the variables' bounds:"]
        rows, bounds = self.to_builtins()["rows"], self.bounds()
        for row in rows:
            lines += [f"  {row['row']}", f"      {row['relation']}"]
            lines += [f"      {row['says']}"] if row["says"] else []
        lines += [f"  with {bound}" for bound in bounds[:MOST_NAMED]]
        left = len(bounds) - MOST_NAMED
        lines += [f"  with {left} more bounds"] if left > 0 else []
        weights = ", ".join(f"{row['multiplier']:g}" for row in rows)
        missed = rounded(self.violation, up=False)
        lines.append(f"proved exactly: added with multipliers {weights} they miss by {missed}")
        return "\n".join([*lines, self.note])


def explain(
    form: LinearForm, *, ray: Floats | None = None, seconds: float = math.inf
) -> Explanation:
    """Find a small set of rows of ``form`` that contradict each other, and prove it.

    ``ray`` holds a solver's multipliers, tried where the rows of HiGHS prove nothing; ``seconds``
    is the wall time of HiGHS's search for rows, 10 at most.
    """
    free = relax(form).replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
    nothing = np.zeros(form.num_rows)
    if crossed := crossing(free):
        return Explanation(free, Finding.SIDES, nothing, crossed, irreducible=True)
    found = None
    rows, irreducible = contradicting_rows(free, min(seconds, SECONDS))
    if len(rows):
        kept = np.isin(np.arange(free.num_rows), rows)
        low = np.where(kept, free.row_lower, -math.inf)
        part = free.replace(row_lower=low, row_upper=np.where(kept, free.row_upper, math.inf))
        found = _proved(part, solve(part).unless_interrupted().raw_ray)
    irreducible &= found is not None
    if found is None:
        found = _proved(free, ray)
    if found is None:
        answer = solve(free).unless_interrupted()
        if answer.report:
            finding = Finding.INTEGRALITY if form.is_mip else Finding.POINT
            where = " where variables need not be whole" if form.is_mip else ""
            return Explanation(free, finding, nothing, f"{answer.solver} finds a point{where}")
        found = _proved(free, answer.raw_ray)
    if found is None:
        return Explanation(free, Finding.NOTHING, nothing, "neither a point nor a proof was found")
    note = "some of them may not be needed: the search for fewer was not finished"
    if irreducible:
        note = "each of them is needed: without it the others have a point (by HiGHS's word)"
    return Explanation(free, Finding.ROWS, found, note, prove_infeasible(free, found), irreducible)


def _proved(form: LinearForm, ray: Floats | None) -> Floats | None:
    """``ray``, repaired and if possible in whole numbers, when it proves infeasibility."""
    if ray is None or not np.isfinite(ray).all() or not ray.any():
        return None
    inside = shifted(ray, form.units.rows)  # as solvers see it, in whatever units
    size = np.abs(ray if inside is None else inside)
    clean = np.where(size <= SHARE * size.max(), 0.0, ray)
    # rays of combinatorial rows are small whole numbers once the smallest one is 1
    with np.errstate(over="ignore"):  # what is beyond the doubles proves nothing
        whole = np.rint(clean / np.abs(clean[clean != 0]).min())
    # a proof that needs no implied bound is worth more than one that does
    for read in (form.replace(implied_lower=None, implied_upper=None), form):
        for candidate in (whole, clean):
            with contextlib.suppress(NotACertificate):
                best, _ = repaired(read, candidate)
                prove_infeasible(read, best)
                return project(read, best)
    return None
