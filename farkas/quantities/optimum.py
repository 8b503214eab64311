"""Quantities that are the optimum of a program: its full name, with any variant, is one."""

import functools
from collections.abc import Callable
from typing import Any

from farkas.algebra import ConvexProgram, programs
from farkas.algebra.formulation import first_line
from farkas.forms import LinearForm
from farkas.quantities.quantity import Quantity, quantities
from farkas.search_tolerances import SIMPLEX
from farkas.solvers import Claimed, solve


def optimum(form: LinearForm) -> float:
    """Optimal value, to a gap of 0.

    Raises
    ------
    NoAnswer
        When the solver claims none.
    """
    return solve(form).require_optimal().objective


def optimum_if_any(form: LinearForm) -> float | None:
    """Optimal value; None when the solver claims that the form is infeasible or unbounded."""
    answer = solve(form)
    if answer.claim in (Claimed.INFEASIBLE, Claimed.UNBOUNDED):
        return None
    return answer.require_optimal().objective


def program_optimum(name: str, instance: Any) -> float | None:
    """Optimum of the program ``name`` on an instance; None as for `optimum_if_any`.

    Raises
    ------
    NotApplicable
        When the program is not defined for the instance.
    UnsupportedForm
        When the program is neither linear nor convex.
    """
    program = programs.build(name)
    if isinstance(program, ConvexProgram):
        from farkas.solvers.via_cvxpy import solve_problem

        problem = program.model(instance).problem
        return float(solve_problem(problem, tolerance=SIMPLEX).require_optimal().objective)
    return optimum_if_any(program.form(instance))


@functools.cache
def of_program(name: str) -> Quantity:
    """Return the quantity that is the optimum of the program ``name``.

    Raises
    ------
    UnknownName, InvalidOption
        When there is no such program, or it has no such variant.
    """
    words = f"Optimum of the program: {first_line(programs.build(name))}"
    return Quantity((name,), functools.partial(program_optimum, name), {}, words)


def list_optima(*names: str) -> None:
    """Name programs whose optima are computed where no quantity is asked for by name."""
    for name in names:
        quantities.add(name, of_program(name))


def list_optimum(key: str, name: str, of: Callable[[Any], Any], words: str) -> None:
    """Name the optimum of a program where it is not that of every instance.

    Parameters
    ----------
    key, name
        Of the quantity, and of the program with its variant.
    of
        Called with the instance; gives what the program is solved on, or raises `NotApplicable`.
    words
        What the value is.
    """

    def value(instance: Any) -> float | None:
        return program_optimum(name, of(instance))

    quantities.add(key, Quantity((key,), value, {}, words))
