"""What a solver says: a claim, never a proof."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, Self

import numpy as np

from farkas.errors import NoAnswer
from farkas.forms import FeasibilityReport, LinearForm
from farkas.forms.scale import Units, in_units
from farkas.messages import KnowsOtherWords, ShowsItself, method, named
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import FEASIBLE


class Reason(enum.StrEnum):
    """Why a solver stopped."""

    FINISHED = "finished"
    TIME_LIMIT = "time_limit"
    NODE_LIMIT = "node_limit"
    ITERATION_LIMIT = "iteration_limit"
    INTERRUPTED = "interrupted"
    NUMERICAL = "numerical"
    ERROR = "error"
    UNKNOWN = "unknown"


class Conclusion(enum.StrEnum):
    """What a solver says of its result; checked by nobody yet."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    NONE = "none"


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SolverAnswer:
    """What every solver says of its search.  The default is ignorance: no claim, NaN."""

    #: reason, claim: why the solver stopped and what it says, kept apart.
    reason: Reason = Reason.UNKNOWN
    claim: Conclusion = Conclusion.NONE
    #: Value of the solver's point, computed from the program; NaN without a point.
    objective: float = math.nan
    #: Dual bound the solver states, in the sense of the program; NaN when unknown.
    bound: float = math.nan
    solver: str = ""  #: Name of the backend.
    seconds: float = math.nan  #: Wall time of the solver call.
    message: str = ""  #: The solver's own words for an unusual end.

    def unless_interrupted(self) -> Self:
        """Return self, or raise `KeyboardInterrupt` where Ctrl-C ended the solve."""
        if self.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt
        return self

    def require_optimal(self) -> Self:
        """Return self when optimality is claimed, raise :class:`NoAnswer` otherwise.

        Where Ctrl-C ended the solve, `KeyboardInterrupt`.
        """
        self.unless_interrupted()
        if self.claim is not Conclusion.OPTIMAL:
            raise NoAnswer(f"{self._who()} did not reach an optimum: {self._why()}")
        return self

    def _who(self) -> str:
        return f"the answer of {self.solver}" if self.solver else "an empty answer"

    def _why(self) -> str:
        tail = f" ({self.message})" if self.message else ""
        return f"stopped for reason {self.reason}, claim {self.claim}{tail}"


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Answer(SolverAnswer, ShowsItself):
    """Result of one solve of a form."""

    #: Simplex iterations of the whole call, a measure of work that no clock changes; 0 where the
    #: solver tells none.
    iterations: int = 0
    raw_point: Floats | None = None  #: Shape (columns,), or None.
    #: Shape (rows,): derivative of the optimal value with respect to each right-hand side, whatever
    #: the sense; None for integer programs and where the solver gives none.
    raw_row_duals: Floats | None = None
    #: Shape (rows,): multipliers that should prove infeasibility, same sign rule as the duals of a
    #: minimisation; None when the solver gives none.
    raw_ray: Floats | None = None
    #: How far the point is from every requirement of the form, measured here and not by the
    #: backend, by :func:`farkas.solvers.audit.audited`; None without a point.
    report: FeasibilityReport | None = None

    @classmethod
    def at(
        cls,
        point: Floats | None,
        form: LinearForm,
        claim: Conclusion,
        *,
        bound: Callable[[], float] = lambda: math.nan,
        duals: Callable[[], Floats | None] = lambda: None,
        **others: Any,
    ) -> Answer:
        """Answer with a point, if any; the optimum of a linear program has duals, and is its bound.

        Objective and bound of such an optimum are left to :func:`farkas.solvers.audit.audited`.
        Without a point nothing is claimed but that there is none.
        """
        if claim is Conclusion.INFEASIBLE:
            return cls(claim=claim, **others)
        if point is None or claim is Conclusion.NONE:
            return cls(bound=bound(), **others)
        linear = claim is Conclusion.OPTIMAL and not form.is_mip
        return cls(
            claim=claim,
            bound=math.nan if linear else bound(),
            raw_point=point,
            raw_row_duals=duals() if linear else None,
            **others,
        )

    def __repr__(self) -> str:
        said = f" at {self.objective:.9g}" if self.has_point else ""
        why = (
            "" if self.claim in (Conclusion.OPTIMAL, Conclusion.INFEASIBLE) else f", {self.reason}"
        )
        return f"<answer of {named(self.solver or 'nobody')}: claims {self.claim}{said}{why}>"

    @property
    def has_point(self) -> bool:
        return self.raw_point is not None

    @property
    def point(self) -> Floats:
        """The point, shape (columns,).

        Raises `NoAnswer`: When there is none; the message says why the solver stopped.
        """
        if self.raw_point is None:
            raise NoAnswer(f"{self._who()} has no point: {self._why()}")
        return self.raw_point

    @property
    def row_duals(self) -> Floats:
        """Row duals, shape (rows,); raises :class:`NoAnswer` when there are none."""
        if self.raw_row_duals is None:
            raise NoAnswer(f"{self._who()} has no row duals: {self._why()}")
        return self.raw_row_duals

    @property
    def ray(self) -> Floats:
        """Multipliers that should prove infeasibility, shape (rows,); raises when absent."""
        if self.raw_ray is None:
            raise NoAnswer(f"{self._who()} has no infeasibility ray: {self._why()}")
        return self.raw_ray

    def bound_or(self, unknown: float) -> float:
        """Bound that is stated, or ``unknown``; ``max`` and ``min`` would lose a NaN."""
        return unknown if math.isnan(self.bound) else self.bound


def handed(
    form: LinearForm, start: Floats | None, units: Units
) -> tuple[LinearForm, Floats | None, Units | None]:
    """Return what a solver is given: form and start in units, and those units.

    Solvers measure in absolute tolerances, so that amounts of 1e-8 would be noise to them.  Units
    are None when the form has numbers that no power of two moves exactly; it is handed over in its
    own then.  Ends of whole columns are rounded :func:`inwards`.
    """
    if form.is_mip:
        lower, upper = inwards(form.lower, form.upper, form.integer)
        form = form.replace(lower=lower, upper=upper)
    scaled = in_units(form, units)
    if scaled is None:
        return form.replace(offset=0.0), start, None
    return scaled, None if start is None else np.ldexp(start, -units.columns), units


def inwards(lower: Floats, upper: Floats, whole: Bools) -> tuple[Floats, Floats]:
    """Return ends of columns, those of whole ones rounded inwards from where they count as kept.

    Some solvers round no such end, and call points optimal that stop there.
    """
    if not whole.any():
        return lower, upper
    low, high = np.ceil(lower - FEASIBLE), np.floor(upper + FEASIBLE)
    return np.where(whole, low, lower), np.where(whole, high, upper)


def returned(answer: Answer, form: LinearForm, units: Units | None) -> Answer:
    """Return what a solver said of a form it was :func:`handed`, in the units of ``form``."""
    if units is None:
        return dataclasses.replace(answer, bound=answer.bound + form.offset)

    def back(values: Floats | None, exponents: Ints) -> Floats | None:
        return None if values is None else np.ldexp(values, exponents)

    with np.errstate(over="ignore"):  # the audit refuses what is not finite
        return dataclasses.replace(
            answer,
            bound=float(np.ldexp(answer.bound, units.cost)) + form.offset,
            raw_point=back(answer.raw_point, units.columns),
            raw_row_duals=back(answer.raw_row_duals, units.cost - units.rows),
            raw_ray=back(answer.raw_ray, -units.rows),
        )


def as_minimum(form: LinearForm) -> LinearForm:
    """Return the form as the minimum of the negated costs where it is a maximum."""
    if form.sense == "min":
        return form
    return form.replace(sense="min", cost=-form.cost, offset=-form.offset)


def of_maximum(answer: Answer, form: LinearForm) -> Answer:
    """Return what a solver said of :func:`as_minimum` of ``form``, in the sense of ``form``."""
    if form.sense == "min":
        return answer
    duals = answer.raw_row_duals
    return dataclasses.replace(
        answer, bound=-answer.bound, raw_row_duals=None if duals is None else -duals
    )


class SolveResult(KnowsOtherWords):
    """What is known of the optimum of a program, in the words that users of solvers know.

    ``status``, ``objective``, ``bound``, ``gap``, ``x``, ``duals``, ``solver`` and ``seconds``.
    """

    __slots__ = ()

    to_frame = method("to_frame")

    def to_pandas(self: Any) -> Any:
        """Return a row for each variable, zeros too; of pandas or polars, else as dictionaries."""
        return import_module("farkas.experiments.plotting").of_point(self.x)

    def summary(self: Any) -> str:
        """Status, values and notes, a line each; digits are cut so that a bound stays one."""
        rounded = import_module("farkas.certificates.proof").rounded  # above the solvers
        least = self.sense == "min"
        lines = [f"status:    {self.status}"]
        for word, up in {"objective": least, "bound": not least, "gap": True}.items():
            value = getattr(self, word)
            if value is not None:
                lines.append(f"{word + ':':<11}{rounded(value, up=up)}")
        lines += [f"solver:    {self.solver}", f"seconds:   {self.seconds:.3g}"]
        return "\n".join([*lines, *(f"note:      {note}" for note in getattr(self, "notes", ()))])


class SolverResult(SolveResult):
    """A result that is a solver's claim."""

    __slots__ = ()
    answer: SolverAnswer

    @property
    def status(self) -> str:
        """What the solver claims: ``optimal``, ``feasible``, ``infeasible``, ``unbounded``."""
        return str(self.answer.claim)

    @property
    def solver(self) -> str:
        """Name of the solver."""
        return self.answer.solver

    @property
    def seconds(self) -> float:
        """Wall time of the solver."""
        return self.answer.seconds
