"""Programs that a policy solves in a step: by a solver of their own, or by any general one.

A closed form, a dynamic program or column generation that solves one program is registered under
the name of that program, and is then asked for like HiGHS::

    @own_solver("mlbroker.regularized", "filling")
    def filling(subproblem: Subproblem) -> SubproblemAnswer: ...
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from farkas.registry import Registry

if TYPE_CHECKING:
    from farkas.algebra.formulation import Formulation

#: From a solved model to the decisions that the policy rounds: of a linear program its form and
#: the solver's answer, of a convex one its CVXPY model and the answer.
Reader = Callable[[Any, Any], Any]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Subproblem:
    """A program of one step with its data."""

    formulation: Formulation  #: The program.
    data: Any  #: What it is built on.
    read: Reader  #: Makes the decisions of a general solver's answer.
    #: Solver that is asked by default: the fastest that is exact, of its own or a general one.
    fastest: str = "highs"
    #: Options of a general solver, as of `farkas.solve`: ``gap``, ``time_limit``, ...
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SubproblemAnswer:
    """What a solver says of a subproblem."""

    decisions: Any  #: As the reader of the subproblem makes them.
    value: float  #: Objective at the decisions.
    dual: float = math.nan  #: Bound on the optimum that the solver claims; NaN without.
    program: str = ""  #: Full name of the program.
    solver: str = ""  #: Who answered.
    seconds: float = math.nan  #: How long that took.


OwnSolver = Callable[[Subproblem], SubproblemAnswer]

#: By ``program:solver``, for example ``mlbroker.regularized:filling``.
own_solvers: Registry[OwnSolver] = Registry("solver", "farkas.relaxations", "farkas.online")

S = TypeVar("S", bound=OwnSolver)


def own_solver(program: str, name: str) -> Callable[[S], S]:
    """Register what solves one program, exactly; ``name`` is what the option ``solver`` says."""

    def register(solver: S) -> S:
        own_solvers.add(f"{program}:{name}", solver)
        return solver

    return register


def solve_subproblem(subproblem: Subproblem, solver: str = "") -> SubproblemAnswer:
    """Solve a program of one step.

    ``solver``: one of its own solvers or a general one, as of `farkas.solve`; by default its
    fastest.  Raises `UnknownName` or `SolverUnavailable` or `UnsupportedForm`: no such solver, or
    one that cannot take the program; `NoAnswer`: it reaches no optimum.
    """
    program, begin = subproblem.formulation, time.perf_counter()
    name = solver or subproblem.fastest
    own = _own(program, name)
    answer = _by_general(subproblem, name) if own is None else own(subproblem)
    seconds = time.perf_counter() - begin
    return dataclasses.replace(
        answer, program=program.full_name, solver=answer.solver or name, seconds=seconds
    )


def require_solver(subproblem: Subproblem, solver: str) -> None:
    """Refuse a solver that cannot take a program; raises as `solve_subproblem`."""
    program = subproblem.formulation
    if solver in ("", subproblem.fastest) or _own(program, solver) is not None:
        return
    from farkas.algebra.convex import ConvexProgram  # here: own solvers need none of it

    if isinstance(program, ConvexProgram):
        from farkas.solvers.convex import require_convex_solver

        require_convex_solver(program.model(subproblem.data).problem, solver)
    else:
        from farkas.solvers.base import find, refuse

        refuse(find(solver), program.form(subproblem.data), solver)


#: Names that no own solver has, so that none is looked for.
GENERAL = ("highs", "gurobi", "scip", "clarabel", "mosek", "scs", "ortools", "cvxpy", "pyomo")


def _own(program: Formulation, name: str) -> OwnSolver | None:
    if name in GENERAL or not name.isidentifier():
        return None
    return own_solvers.get(f"{program.name}:{name}")


def _by_general(subproblem: Subproblem, name: str) -> SubproblemAnswer:
    from farkas.algebra.convex import ConvexProgram

    program = subproblem.formulation
    if isinstance(program, ConvexProgram):
        from farkas.solvers.convex import solve_problem

        model = program.model(subproblem.data)
        said = solve_problem(model.problem, name, **subproblem.options).require_optimal()
        return SubproblemAnswer(subproblem.read(model, said), said.objective, said.bound)
    from farkas.solvers.base import solve
    from farkas.solvers.session import optimum_by_any

    form = program.form(subproblem.data)
    if name == subproblem.fastest:
        answer = optimum_by_any(form, name, **subproblem.options)
    else:
        answer = solve(form, name, **subproblem.options).unless_interrupted().require_optimal()
    return SubproblemAnswer(
        subproblem.read(form, answer), answer.objective, answer.bound, solver=answer.solver
    )
