"""Why a program has no point: few rows that contradict each other, proved in exact arithmetic.

HiGHS names an irreducible infeasible subsystem; the ray of its rows is the proof.
"""

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
from farkas.forms.words import box, find_block, relation
from farkas.numbers import Floats, Ints
from farkas.relaxations.integrality import relax
from farkas.solvers import Answer, Claimed, solve
from farkas.solvers.highs import contradicting_rows
from farkas.tolerances import SHARE, WHOLE

MOST_NAMED = 12  #: Bounds and multipliers that are listed; more are counted.
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

    form: LinearForm  #: without integrality
    finding: Finding  #: all below is empty unless it is ``rows`` or ``sides``
    rows: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))  #: ascending
    multipliers: Floats = dataclasses.field(default_factory=lambda: np.zeros(0))  #: of a minimum
    violation: Fraction | None = None  #: by how much the rows added with these miss, > 0, exact
    irreducible: bool = False  #: whether HiGHS finds a point without any one of the rows
    note: str = ""

    @property
    def ray(self) -> Floats:
        """The multipliers as a ray of the whole form, shape (rows,)."""
        ray = np.zeros(self.form.num_rows)
        ray[self.rows] = self.multipliers
        return ray

    def bounds(self) -> list[tuple[int, str]]:
        """Columns and sides (``lower``, ``upper``) of the bounds that the contradiction uses."""
        if self.finding is not Finding.ROWS:
            return []
        reduced = exact_reduced_costs(_without_cost(self.form), self.ray)
        used = np.flatnonzero(reduced.nonzero).tolist()
        return [(j, "upper" if reduced.negative[j] else "lower") for j in used]

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        form = self.form
        return {
            "finding": str(self.finding),
            "rows": [
                {
                    "row": form.row_name(i),
                    "family": block.name if block else "",
                    "label": block.label if block else "",
                    "says": block.doc if block else "",
                    "relation": relation(form, i),
                    "multiplier": y,
                }
                for i, y in zip(self.rows.tolist(), self.multipliers.tolist(), strict=True)
                for block in [find_block(form.rows, i) if form.rows else None]
            ],
            "bounds": [
                {
                    "variable": form.column_name(j),
                    "relation": box(form, j, side),
                    "implied": not math.isfinite(getattr(form, side)[j]),
                }
                for j, side in self.bounds()
            ],
            "violation": None if self.violation is None else str(self.violation),
            "irreducible": self.irreducible,
            "note": self.note,
        }

    def __str__(self) -> str:
        if self.violation is None:
            return self.note
        data, count = self.to_builtins(), len(self.rows)
        which = "this row" if count == 1 else f"these {count} rows together"
        lines = [f"no point satisfies {which} within the variables' bounds:"]
        for row in data["rows"]:
            lines += [f"  {row['row']}", f"      {row['relation']}"]
            lines += [f"      {row['says']}"] if row["says"] else []
        signs = sorted(data["bounds"], key=lambda bound: str(bound["relation"]).endswith(">= 0"))
        for bound in signs[:MOST_NAMED]:
            lines.append(f"  with {bound['relation']}" + "  (implied)" * bound["implied"])
        left = len(data["bounds"]) - MOST_NAMED
        lines += [f"  with {left} more bounds"] if left > 0 else []
        weights = ", ".join(f"{y:g}" for y in self.multipliers[:MOST_NAMED])
        more = ", ..." if count > MOST_NAMED else ""
        exact = str(self.violation)
        missed = exact if len(exact) <= 12 else rounded(self.violation, up=False)
        lines.append(
            f"proved exactly: added with multipliers {weights}{more} they miss by {missed}"
        )
        return "\n".join([*lines, self.note])


def explain(
    form: LinearForm, *, ray: Floats | None = None, seconds: float = math.inf
) -> Explanation:
    """Find a small set of rows of ``form`` that contradict each other, and prove it.

    Integrality is dropped first: a contradiction without it is one with it.

    Parameters
    ----------
    ray
        Shape (rows,): a solver's multipliers; they are tried where the rows that HiGHS names prove
        nothing.
    seconds
        Wall time of HiGHS's search for rows, 10 at most.
    """
    linear = relax(form) if form.is_mip else form
    crossed = _crossed(linear)
    if crossed is not None:
        return crossed
    free, found, note = _without_cost(linear), None, ""
    rows, irreducible = contradicting_rows(free, min(seconds, SECONDS))
    if len(rows):
        kept = np.isin(np.arange(free.num_rows), rows)
        part = free.replace(
            row_lower=np.where(kept, free.row_lower, -math.inf),
            row_upper=np.where(kept, free.row_upper, math.inf),
        )
        found = _proved(part, solve(part).unless_interrupted().raw_ray)
    irreducible &= found is not None
    if found is None:
        found = _proved(free, ray)
    if found is None:
        answer = solve(free).unless_interrupted()
        if answer.claim is Claimed.OPTIMAL:
            return _with_point(form, linear, answer)
        found = _proved(free, answer.raw_ray)
    if found is None:
        note = "neither a point nor multipliers that prove infeasibility were found"
        return Explanation(linear, Finding.NOTHING, note=note)
    rows = np.flatnonzero(found)
    if irreducible and len(rows) == 1:
        note = "no other row is needed"
    elif irreducible:
        note = "each of them is needed: without it the others have a point (by HiGHS's word)"
    else:
        note = "some of them may not be needed: the search for fewer was not finished"
    violation = prove_infeasible(linear, found)
    return Explanation(linear, Finding.ROWS, rows, found[rows], violation, irreducible, note)


def _crossed(form: LinearForm) -> Explanation | None:
    for j in np.flatnonzero(form.lower > form.upper).tolist():
        note = f"{form.column_name(j)}: lower bound {form.lower[j]:g} > upper {form.upper[j]:g}"
        return Explanation(form, Finding.SIDES, irreducible=True, note=note)
    bad = np.flatnonzero(form.row_lower > form.row_upper)[:1]
    for i in bad.tolist():
        low, high = form.row_lower[i], form.row_upper[i]
        note = f"{form.row_name(i)}: must be at least {low:g} and at most {high:g}"
        return Explanation(form, Finding.SIDES, bad, np.zeros(1), irreducible=True, note=note)
    return None


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


def _without_cost(form: LinearForm) -> LinearForm:
    """Keep rows and bounds, drop the objective; a ray has the signs of a minimisation."""
    return form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")


def _proved(form: LinearForm, ray: Floats | None) -> Floats | None:
    """``ray``, repaired and as round as possible, when it proves infeasibility; else None."""
    if ray is None or not np.isfinite(ray).all() or not ray.any():
        return None
    clean = np.where(np.abs(ray) <= SHARE * np.abs(ray).max(), 0.0, ray)
    # rays of combinatorial rows are small whole numbers once the smallest one is 1
    scaled = clean / np.abs(clean[clean != 0]).min()
    whole = np.rint(scaled)
    near = np.abs(scaled - whole).max() <= WHOLE and np.abs(whole).max() <= 1e6
    # a proof that needs no implied bound is worth more than one that does
    for read in (form.replace(implied_lower=None, implied_upper=None), form):
        for candidate in ([whole] if near else []) + [clean, ray]:
            with contextlib.suppress(NotACertificate):
                best, _ = repaired(read, candidate)
                prove_infeasible(read, best)
                return project(read, best)
    return None
