"""What a solver says: a claim, never a proof."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable
from typing import Any

from farkas.errors import NoAnswer
from farkas.forms import FeasibilityReport, LinearForm
from farkas.messages import ShowsItself
from farkas.numbers import Floats
from farkas.words import named


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


class Claimed(enum.StrEnum):
    """What a solver says of its result; checked by nobody yet."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    NONE = "none"


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Answer(ShowsItself):
    """Result of one solve.  The default is ignorance: no claim, NaN, no point.

    Parameters
    ----------
    reason, claim
        Why the solver stopped and what it says, kept apart.
    objective
        Value of the solver's point, computed from the form; NaN without a point.
    bound
        Dual bound the solver states, in the sense of the program; NaN when unknown.
    solver
        Name of the backend.
    seconds
        Wall time of the solver call.
    iterations
        Simplex iterations of the whole call, a measure of work that no clock changes; 0 where the
        solver tells none.
    raw_point
        Shape (columns,), or None.
    raw_row_duals
        Shape (rows,): derivative of the optimal value with respect to each right-hand side,
        whatever the sense; None for integer programs and where the solver gives none.
    raw_ray
        Shape (rows,): multipliers that should prove infeasibility, same sign rule as the duals of
        a minimisation; None when the solver gives none.
    report
        How far the point is from every requirement of the form, measured here and not by the
        backend, by :func:`farkas.solvers.audit.audited`; None without a point.
    message
        The solver's own words for an unusual end.
    """

    reason: Reason = Reason.UNKNOWN
    claim: Claimed = Claimed.NONE
    objective: float = math.nan
    bound: float = math.nan
    solver: str = ""
    seconds: float = math.nan
    iterations: int = 0
    raw_point: Floats | None = None
    raw_row_duals: Floats | None = None
    raw_ray: Floats | None = None
    report: FeasibilityReport | None = None
    message: str = ""

    @classmethod
    def at(
        cls,
        point: Floats,
        form: LinearForm,
        *,
        optimal: bool,
        bound: Callable[[], float] = lambda: math.nan,
        duals: Callable[[], Floats | None] = lambda: None,
        **others: Any,
    ) -> Answer:
        """Answer with a point; the optimum of a linear program has duals, and is its own bound.

        Objective and bound of such an optimum are left to :func:`farkas.solvers.audit.audited`.
        """
        linear = optimal and not form.is_mip
        return cls(
            claim=Claimed.OPTIMAL if optimal else Claimed.FEASIBLE,
            bound=math.nan if linear else bound(),
            raw_point=point,
            raw_row_duals=duals() if linear else None,
            **others,
        )

    def __repr__(self) -> str:
        said = f" at {self.objective:.9g}" if self.has_point else ""
        why = "" if self.claim in (Claimed.OPTIMAL, Claimed.INFEASIBLE) else f", {self.reason}"
        return f"<answer of {named(self.solver or 'nobody')}: claims {self.claim}{said}{why}>"

    @property
    def has_point(self) -> bool:
        return self.raw_point is not None

    @property
    def point(self) -> Floats:
        """The point, shape (columns,).

        Raises
        ------
        NoAnswer
            When there is none; the message says why the solver stopped.
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

    def unless_interrupted(self) -> Answer:
        """Return self, or raise `KeyboardInterrupt` where Ctrl-C ended the solve."""
        if self.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt
        return self

    def require_optimal(self) -> Answer:
        """Return self when optimality is claimed, raise :class:`NoAnswer` otherwise.

        Where Ctrl-C ended the solve, `KeyboardInterrupt`.
        """
        self.unless_interrupted()
        if self.claim is not Claimed.OPTIMAL:
            raise NoAnswer(f"{self._who()} did not reach an optimum: {self._why()}")
        return self

    def _who(self) -> str:
        return f"the answer of {self.solver}" if self.solver else "an empty answer"

    def _why(self) -> str:
        tail = f" ({self.message})" if self.message else ""
        return f"stopped for reason {self.reason}, claim {self.claim}{tail}"
