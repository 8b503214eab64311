"""What is checked of every answer before it leaves: points, rays, and forms that need no solver."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from farkas.forms import FeasibilityReport, LinearForm, check_point
from farkas.forms.scale import in_units
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Conclusion, Reason, inwards
from farkas.tolerances import DROPPED, SIMPLEX, SOLVER_GAP, SOLVERS_WHOLE

#: Side that HiGHS, Gurobi, SCIP and Clarabel take as absent, in the units they are handed.
SOLVERS_INFINITY = 1e20


def settled_by_inspection(form: LinearForm) -> Answer | None:
    """Answer a form with crossing bounds, an impossible empty row, or no columns; else None.

    Solvers differ most on these, so none of them sees one.
    """
    crossed = crossing(form)
    if crossed:
        return Answer(
            reason=Reason.FINISHED, claim=Conclusion.INFEASIBLE, seconds=0.0, message=crossed
        )
    # a row without entries reads row_lower <= 0 <= row_upper
    empty = form.matrix.starts[1:] == form.matrix.starts[:-1]
    if empty.any():  # seldom, and then worth the look
        ray = np.where(form.row_lower > 0, 1.0, np.where(form.row_upper < 0, -1.0, 0.0)) * empty
        if ray.any():
            return Answer(
                reason=Reason.FINISHED,
                claim=Conclusion.INFEASIBLE,
                seconds=0.0,
                raw_ray=ray,
                message=f"{form.row_name(int(np.flatnonzero(ray)[0]))}: no entries and not 0",
            )
    if form.num_columns:
        return None
    return Answer(
        reason=Reason.FINISHED,
        claim=Conclusion.OPTIMAL,
        objective=form.offset,
        bound=form.offset,
        seconds=0.0,
        raw_point=np.zeros(0),
        raw_row_duals=np.zeros(form.num_rows),
        report=check_point(form, np.zeros(0)),
    )


def crossing(form: LinearForm) -> str:
    """Name the first variable or row whose sides cross; empty if there is none."""
    lower, upper = inwards(form.lower, form.upper, form.integer)
    bad = (form.lower > form.upper) | (lower > upper)
    if bad.any():
        j = int(np.flatnonzero(bad)[0])
        low, high, name = form.lower[j], form.upper[j], form.column_name(j)
        if low > high:
            return f"{name}: lower bound {low} > upper bound {high}"
        return f"{name}: no whole number within its bounds"
    bad = form.row_lower > form.row_upper
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        return f"{form.row_name(i)}: lower side {form.row_lower[i]} > upper {form.row_upper[i]}"
    return ""


def well_formed(form: LinearForm, answer: object) -> Answer:
    """Return an answer whose arrays are doubles of the form's shape.

    Raises `TypeError` or `ValueError` when a backend returned something else; says what.
    """
    if not isinstance(answer, Answer):
        raise TypeError(f"returned {type(answer).__name__} instead of an answer")
    arrays: dict[str, Any] = {}
    for name, size in (
        ("raw_point", form.num_columns),
        ("raw_row_duals", form.num_rows),
        ("raw_ray", form.num_rows),
    ):
        value = getattr(answer, name)
        if value is not None:
            array = np.asarray(value, dtype=np.float64)
            if array.shape != (size,):
                raise ValueError(f"{name} has shape {array.shape}, the form needs ({size},)")
            if array is not value:
                arrays[name] = array
    return dataclasses.replace(answer, **arrays) if arrays else answer


def audited(form: LinearForm, answer: Answer) -> Answer:
    """Measure the point of an answer, once for everybody, and drop what it cannot show.

    A point at a limit must be feasible within :data:`~farkas.tolerances.FEASIBLE`, a point called
    optimal within the same relative to the size of the terms of each row, a ray must prove
    infeasibility up to rounding, and duals must be finite.  The objective is that of the point; a
    bound that the point beats by more than :data:`~farkas.tolerances.SOLVER_GAP` of the
    objective's terms is dropped, and with it the claim of optimality.  What a backend says of
    feasibility and objective is not read, and a claim that there is a point counts for nothing
    without one.

    ``form``: What was solved.  ``answer``: What a backend said of it, in its units.
    """
    if answer.raw_ray is not None:
        ray = cleaned_ray(form, answer.raw_ray)
        if ray is not answer.raw_ray:
            answer = dataclasses.replace(answer, raw_ray=ray)
    if answer.raw_row_duals is not None and not np.isfinite(answer.raw_row_duals).all():
        answer = dataclasses.replace(answer, raw_row_duals=None)
    if answer.raw_point is None:
        return _pointless(form, answer)
    report = check_point(form, answer.raw_point)
    if answer.claim is Conclusion.OPTIMAL and not (
        report or check_point(form, answer.raw_point, whole=SOLVERS_WHOLE)
    ):
        return _distrusted(answer, report)
    if answer.claim is Conclusion.OPTIMAL or (answer.claim is Conclusion.FEASIBLE and report):
        return _valued(form, answer, report)
    return dataclasses.replace(answer, **_NOTHING)


_NOTHING: dict[str, Any] = {
    "claim": Conclusion.NONE,
    "objective": math.nan,
    "raw_point": None,
    "raw_row_duals": None,
    "report": None,
}


def _not_unbounded(form: LinearForm) -> str:
    """Say why a claim that ``form`` is unbounded counts for nothing; empty when it may be true."""
    low, high = form.safe_lower, form.safe_upper
    worse = form.cost if form.sense == "min" else -form.cost
    if not ((worse > 0) & (low == -math.inf) | (worse < 0) & (high == math.inf)).any():
        return "it claims unbounded, but every column that costs something has a bound"
    given = in_units(form, form.units) or form
    sides = (given.lower, given.upper, given.row_lower, given.row_upper)
    large = any((np.isfinite(side) & (np.abs(side) >= SOLVERS_INFINITY)).any() for side in sides)
    size = np.abs(given.matrix.values)
    if large or ((size > 0) & (size <= DROPPED)).any():
        return "it claims unbounded, but some numbers are too far from the others for it to see"
    return ""


def _pointless(form: LinearForm, answer: Answer) -> Answer:
    """Answer without what only a point could show."""
    bound = answer.bound if math.isfinite(answer.bound) else math.nan
    answer = dataclasses.replace(answer, objective=math.nan, bound=bound, report=None)
    if answer.claim is Conclusion.UNBOUNDED and (reason := _not_unbounded(form)):
        return dataclasses.replace(
            answer, **_NOTHING, reason=Reason.NUMERICAL, bound=math.nan, message=reason
        )
    if answer.claim not in (Conclusion.OPTIMAL, Conclusion.FEASIBLE):
        return answer
    message = answer.message or f"it claims {answer.claim} and gives no point"
    if answer.reason is Reason.FINISHED:
        answer = dataclasses.replace(answer, reason=Reason.NUMERICAL)
    return dataclasses.replace(answer, **_NOTHING, bound=math.nan, message=message)


def _valued(form: LinearForm, answer: Answer, report: FeasibilityReport) -> Answer:
    """Answer with the objective of its point, and without a bound that the point contradicts."""
    point = answer.point
    with np.errstate(over="ignore", invalid="ignore"):
        objective, bound = form.objective(point), answer.bound
        size = max(abs(objective), float(np.abs(form.cost) @ np.abs(point)))
    if not math.isfinite(size):
        message = "its point is worth more than doubles hold"
        return dataclasses.replace(
            answer, **_NOTHING, reason=Reason.NUMERICAL, bound=math.nan, message=message
        )
    if bound == (-math.inf if form.sense == "min" else math.inf):
        bound = math.nan  # says nothing
    if math.isnan(bound) and answer.claim is Conclusion.OPTIMAL and not form.is_mip:
        bound = objective  # what the claim says of a linear program
    answer = dataclasses.replace(answer, objective=objective, bound=bound, report=report)
    beyond = bound - objective if form.sense == "min" else objective - bound
    if not beyond > SOLVER_GAP * size:  # NaN, no bound, stays
        return answer
    return dataclasses.replace(
        answer,
        reason=Reason.NUMERICAL,
        claim=Conclusion.FEASIBLE if report else Conclusion.NONE,
        bound=math.nan,
        raw_row_duals=None,
        message=f"its bound {bound:.9g} and its point, worth {objective:.9g}, exclude each other",
    )


def _sums(where: npt.NDArray[np.integer[Any]], terms: Floats, size: int) -> Floats:
    # without any entry bincount answers in integers
    return np.bincount(where, terms, size).astype(np.float64, copy=False)


def _distrusted(answer: Answer, report: FeasibilityReport) -> Answer:
    worst = report.violations[0]
    message = f"the point called optimal is off by {worst.distance:.3g} in {worst.what}"
    return dataclasses.replace(
        answer, **_NOTHING, reason=Reason.NUMERICAL, bound=math.nan, message=message
    )


def ray_value(form: LinearForm, ray: Floats) -> float:
    """How strongly ``ray`` (shape (rows,)) proves infeasibility; positive when it does.

    Sum of positive multipliers times ``row_lower`` and negative ones times ``row_upper``, minus
    the largest ``ray @ A x`` over the column box; in floating point, so a hint and no proof.
    """
    rows = form.matrix.rows
    terms = form.matrix.values * ray[rows]
    reduced = _sums(form.matrix.columns, terms, form.num_columns)
    size = _sums(form.matrix.columns, np.abs(terms), form.num_columns)
    reduced[np.abs(reduced) <= SIMPLEX * size] = 0.0
    return _times(ray, form.row_lower, form.row_upper) - _times(reduced, form.upper, form.lower)


def _times(weight: Floats, positive: Floats, negative: Floats) -> float:
    up, down = weight > 0, weight < 0
    return float((weight[up] * positive[up]).sum()) + float((weight[down] * negative[down]).sum())


def cleaned_ray(form: LinearForm, ray: Floats) -> Floats | None:
    """Ray without multipliers on absent sides, in the right sign; None when it proves nothing."""
    if not np.isfinite(ray).all():
        return None
    for candidate in (ray, -ray):
        absent = ((candidate > 0) & (form.row_lower == -math.inf)) | (
            (candidate < 0) & (form.row_upper == math.inf)
        )
        if absent.any():
            candidate = np.where(absent, 0.0, candidate)
        if ray_value(form, candidate) > 0:
            return candidate
    return None
