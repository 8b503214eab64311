"""What a solver said about a program, and what of it is proved."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from farkas.algebra.convex import ConvexProgram
from farkas.api.explain import Explanation, Finding
from farkas.certificates import Certificate
from farkas.certificates.doubles import both, double
from farkas.certificates.points import exact_value
from farkas.certificates.proof import rounded
from farkas.errors import InvalidOption, NoAnswer, UnsupportedForm
from farkas.exact.sources import load_values
from farkas.forms import FeasibilityReport, LinearForm, Sense
from farkas.forms.feasibility import find_block, short_name
from farkas.forms.rational import RationalForm
from farkas.messages import method, named
from farkas.solvers import Answer
from farkas.solvers.answer import SolverResult
from farkas.solvers.convex import ConvexAnswer, solve_problem
from farkas.solvers.options import OptionNames
from farkas.solvers.via_cvxpy import DEFAULT
from farkas.tolerances import FEASIBLE


@dataclasses.dataclass(frozen=True, slots=True)
class Solution(SolverResult):
    """What a solver said about a program, and what of it is proved."""

    form: LinearForm  #: The form that was solved.
    answer: Answer  #: The solver's claims.
    #: Proved bound on the optimum; None when not asked for, or when there is none.
    bound: Fraction | None = None
    #: Proved distance from feasibility; 0 where branch and bound proves that there is no point,
    #: which measures none; None when there is no such proof.
    infeasible: Fraction | None = None
    #: What proves the bound or the infeasibility; None when not asked for.
    certificate: Certificate | None = None
    #: What proves the bound of an integer program: ``linear relaxation`` or ``branch and bound``.
    proved_by: str = ""
    #: Why there is no point; None unless the solver claims so.
    explanation: Explanation | None = None
    interrupted: bool = False  #: Whether Ctrl-C ended the search for a better bound.
    #: The program as a file or a model of another package has it; None of an instance.
    source: RationalForm | None = None

    def __repr__(self) -> str:
        answer = self.answer
        said = f"{answer.solver} claims {answer.claim}"
        if answer.has_point:
            said += f" at {answer.objective:.6g}"
        if self.bound is not None:
            said += f", proved bound {rounded(self.bound, up=self.form.sense == 'max')}"
            said += f" by {self.proved_by}" if self.proved_by else ""
        if self.proved_infeasible:
            said += ", proved infeasible"
        return f"<{self.form.name}: {said}>"

    verify, save = method("check"), method("save")

    @property
    def sense(self) -> Sense:
        """Whether the optimum is a minimum, ``"min"``, or a maximum, ``"max"``."""
        return self.form.sense

    @property
    def objective(self) -> float | None:
        """Objective at the solver's point; None without."""
        return self.value

    @property
    def x(self) -> dict[str, float]:
        """Value of every variable at the solver's point by name; `NoAnswer` without a point."""
        return self._entries(zeros=True)

    @property
    def duals(self) -> dict[str, float]:
        """Derivative of the optimum by each side of a row, by name, as the solver says.

        Raises
        ------
        NoAnswer
            The solver gives none, as for integer programs.
        """
        rows = self.form.rows
        return {
            short_name(find_block(rows, i), i) if rows else f"row {i}": y
            for i, y in enumerate(self.answer.row_duals.tolist())
        }

    @property
    def differences(self) -> tuple[str, ...]:
        """What HiGHS reads otherwise in the file of the program."""
        return () if self.source is None else self.source.differences

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the model tells its user."""
        if self.source is None:
            return ()
        return (*self.source.notes, *(f"HiGHS reads {words}" for words in self.differences))

    def load_into(self, model: Any) -> None:
        """Put the solver's point, and its duals, into the model that was solved.

        Variables of Pyomo, CVXPY and linopy get values, those of Gurobi and HiGHS start values.

        Raises
        ------
        NoAnswer
            There is no point.
        InvalidOption
            The model is another one, or has changed; or an instance or a file was solved.
        """
        if self.source is None:
            raise InvalidOption("model: an instance was solved, and no model to load values into")
        load_values(model, self.source, self.answer.point, self.answer.raw_row_duals)

    @property
    def report(self) -> FeasibilityReport | None:
        """What the audit of the answer measured; None without a point."""
        return self.answer.report

    @property
    def proved_infeasible(self) -> bool:
        """Whether it is proved that there is no point."""
        crossed = self.explanation is not None and self.explanation.finding is Finding.SIDES
        return self.infeasible is not None or crossed

    @property
    def value(self) -> float | None:
        """Objective at the solver's point, computed here again; None without a point."""
        if not self.answer.has_point:
            return None
        return float(exact_value(self.form, self.answer.point))

    def _distance(self) -> tuple[Fraction, Fraction] | None:
        """Value of the point and how far the proved bound is on its good side; None without one."""
        if self.bound is None or not self.answer.has_point:
            return None
        value = exact_value(self.form, self.answer.point)
        return value, value - self.bound if self.form.sense == "min" else self.bound - value

    @property
    def gap(self) -> float | None:
        """Distance of the point's value from the proved bound, in the objective's unit, at most."""
        found = self._distance()
        return None if found is None else double(found[1], up=True)

    def within(self, share: Fraction) -> bool:
        """Whether value and proved bound are at most a share of the value apart, exactly."""
        found = self._distance()
        return found is not None and abs(found[1]) <= share * abs(found[0])

    def tighter(self, other: Solution) -> bool:
        """Whether the proved bound is closer to the optimum than that of ``other``."""
        if self.bound is None or other.bound is None:
            return self.bound is not None
        if self.form.sense == "min":
            return self.bound > other.bound
        return self.bound < other.bound

    @property
    def too_good(self) -> bool:
        """Whether the point is better than the proved bound, so that it keeps tolerances only."""
        found = self._distance()
        if found is None or self.bound is None:
            return False
        return -found[1] > Fraction(FEASIBLE) * max(abs(found[0]), abs(self.bound))

    def to_builtins(self, *, point: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``point`` also the nonzero values by name."""
        form, answer, up = self.form, self.answer, self.form.sense == "max"
        data: dict[str, Any] = {
            "program": form.name,
            "notes": [] if self.source is None else list(self.source.notes),
            "reader_differs": list(self.differences),
            "sense": form.sense,
            "rows": form.num_rows,
            "columns": form.num_columns,
            "entries": form.num_entries,
            "integers": int(form.integer.sum()),
            "form_sha256": form.sha256,
            "solver": answer.solver,
            "reason": str(answer.reason),
            "claim": str(answer.claim),
            "objective": answer.objective,
            "claimed_bound": answer.bound,
            "seconds": answer.seconds,
            "message": answer.message,
            "largest_violation": None if self.report is None else self.report.worst,
            "feasible": None if self.report is None else bool(self.report),
            **both("proved_bound", self.bound, up=up),
            "proved_by": self.proved_by or None,
            "proved_gap": self.gap,
            "proved_infeasible": None if self.infeasible is None else str(self.infeasible),
            "explanation": None if self.explanation is None else self.explanation.to_builtins(),
        }
        if point and answer.has_point:
            data["point"] = self.values()
        return data

    def values(self) -> dict[str, float]:
        """Nonzero entries of the point by name: ``workers[3,7,2]``; none that a package added."""
        return self._entries(zeros=False)

    def _entries(self, *, zeros: bool) -> dict[str, float]:
        point = self.answer.point
        if self.source is not None:
            named = self.source.named_entries()
        else:
            named = (
                (short_name(block, j), j)
                for block in self.form.columns
                for j in range(block.start, block.stop)
            )
        # adding 0.0 takes the sign of -0.0 away
        return {name: float(point[j]) + 0.0 for name, j in named if zeros or point[j] != 0}


@dataclasses.dataclass(frozen=True, slots=True)
class ConvexSolution(SolverResult):
    """What a conic solver said about a convex program; nothing of it is proved."""

    #: name, sense: of the program.
    name: str
    sense: str
    answer: ConvexAnswer  #: The solver's claims.

    def __repr__(self) -> str:
        said = f"{self.solver} claims {self.status}"
        if self.objective is not None:
            said += f" at {self.objective:.6g}"
        return f"<{named(self.name)}: {said}; convex, so that nothing is proved>"

    @property
    def objective(self) -> float | None:
        """Objective at the solver's point; None without."""
        return self.answer.objective if self.answer.values else None

    @property
    def bound(self) -> None:
        """None: nothing is proved of convex programs."""

    @property
    def gap(self) -> None:
        """None: nothing is proved of convex programs."""

    @property
    def x(self) -> dict[str, float]:
        """Value of every variable's entries by name; raises `NoAnswer` without a point."""
        if not self.answer.values:
            raise NoAnswer(f"{self.solver} has no point of {named(self.name)}")
        found = {}
        for name, value in self.answer.values.items():
            dense = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
            for index in np.ndindex(dense.shape):
                inner = ",".join(map(str, index))
                found[f"{name}[{inner}]" if inner else name] = dense[index].item()
        return found

    @property
    def duals(self) -> dict[str, Any]:
        """Dual values of the constraints as CVXPY gives them, by ``constraint 0``, in order."""
        return {f"constraint {k}": dual for k, dual in enumerate(self.answer.duals)}

    def values(self) -> dict[str, float]:
        """Nonzero entries of the point by name."""
        return {name: value for name, value in self.x.items() if value}

    def to_builtins(self, *, point: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``point`` also the variables' values by name."""
        answer = self.answer
        data = {
            "program": self.name,
            "sense": self.sense,
            "solver": answer.solver,
            "reason": str(answer.reason),
            "claim": str(answer.claim),
            "objective": answer.objective,
            "seconds": answer.seconds,
            "largest_violation": answer.violation,
            "message": answer.message,
            "proved_bound": None,
        }
        return data | {"point": answer.values} if point else data


def solve_convex(
    program: ConvexProgram,
    instance: Any,
    *,
    solver: str | None = None,
    **options: Unpack[OptionNames],
) -> ConvexSolution:
    """Solve a convex program with a solver of CVXPY.

    ``solver`` is CVXPY's name of it; Clarabel without.
    """
    answer = solve_problem(program.model(instance).problem, solver or DEFAULT, **options)
    return ConvexSolution(program.full_name, program.sense, answer)


def solve_cvxpy(
    problem: Any, *, solver: str | None = None, load: bool = False, **options: Unpack[OptionNames]
) -> ConvexSolution:
    """Solve a convex ``cvxpy.Problem``; its variables keep the values that they had.

    ``solver`` is CVXPY's name of it, Clarabel without; ``load`` leaves the point in the variables
    and the duals in the constraints.
    """
    leaves = [*problem.variables()]
    leaves += [dual for constraint in problem.constraints for dual in constraint.dual_variables]
    before = [leaf.value for leaf in leaves]
    answer = solve_problem(problem, solver or DEFAULT, **options)
    if not load:
        for leaf, value in zip(leaves, before, strict=True):
            leaf.save_value(value)
    sense = "max" if type(problem.objective).__name__ == "Maximize" else "min"
    return ConvexSolution("problem", sense, answer)


def refuse_linear_wishes(name: str, **wished: bool) -> None:
    """Raise :class:`UnsupportedForm` for what only linear forms can do."""
    for option, given in wished.items():
        if given:
            raise UnsupportedForm(f"--{option}: {name} is convex but not linear; leave it out")
