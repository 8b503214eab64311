"""Problems of CVXPY."""

from __future__ import annotations

import warnings
from typing import Any

import cvxpy
import numpy as np
from cvxpy.reductions.cvx_attr2constr import CvxAttr2Constr
from cvxpy.reductions.solution import Solution
from cvxpy.reductions.solvers import utilities

from farkas.errors import UnsupportedForm
from farkas.exact.sources import from_arrays, unique
from farkas.forms.rational import Numbers, RationalForm
from farkas.messages import named, one_line
from farkas.numbers import Floats


def is_linear(problem: Any) -> bool:
    """Whether a problem is a linear or integer program.

    Raises `UnsupportedForm`: no program at all can be made of it.
    """
    _require_numbers(problem)
    try:
        _data(problem)
    except UnsupportedForm:
        return False
    return True


def _data(problem: Any) -> tuple[Any, Any, Any]:
    """Hand the problem to CVXPY for HiGHS: arrays, reductions, and what undoes these."""
    _require_numbers(problem)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sparse variables, which it reads itself
            data, chain, inverse = problem.get_problem_data(cvxpy.HIGHS)
    except (cvxpy.error.SolverError, cvxpy.error.DCPError):
        raise UnsupportedForm("the problem is no linear or integer program") from None
    except (IndexError, TypeError, ValueError) as problem_of_cvxpy:
        told = one_line(str(problem_of_cvxpy))
        raise UnsupportedForm(f"CVXPY cannot build the problem: {told}") from None
    if data.get("P") is not None:
        raise UnsupportedForm("the problem has a quadratic objective")
    return data, chain, inverse


def _require_numbers(problem: Any) -> None:
    """Refuse a problem whose variables or parameters are no real numbers."""
    if not problem.variables():
        raise UnsupportedForm("the problem has no variables")
    for parameter in problem.parameters():
        if parameter.value is None:
            raise UnsupportedForm(f"parameter {named(parameter.name())} has no value")
    for variable in problem.variables():
        if variable.is_complex():
            raise UnsupportedForm(
                f"variable {named(variable.name())} is complex; write its parts as variables"
            )


def read_cvxpy(problem: Any, numbers: Numbers) -> RationalForm:
    """Read a ``cvxpy.Problem`` that CVXPY can hand to HiGHS as a linear or integer program."""
    data, chain, inverse = _data(problem)
    count, sides = data["dims"].zero, np.asarray(data["b"], dtype=np.float64)
    columns = len(data["c"])
    lower, upper = np.full(columns, -np.inf), np.full(columns, np.inf)
    for key, ends in (("lower_bounds", lower), ("upper_bounds", upper)):
        if data.get(key) is not None:
            ends[:] = data[key]
    binary, whole = np.zeros(columns, dtype=bool), np.zeros(columns, dtype=bool)
    binary[list(data["bool_vars_idx"])] = True
    whole[[*data["bool_vars_idx"], *data["int_vars_idx"]]] = True
    maximise = isinstance(problem.objective, cvxpy.Maximize)
    sign = -1.0 if maximise else 1.0  # CVXPY hands a maximum over as the minimum of the negative
    equal = np.arange(len(sides)) < count
    variables = [variable.name() for variable in problem.variables()]
    called_by, notes = unique(variables, len(variables), "variables")
    entries = _entries(problem, called_by, data, chain, inverse)
    names = [f"auxiliary[{j}]" for j in range(columns)]
    for name, j in reversed(entries):
        names[j] = name
    form = from_arrays(
        name="problem",
        sense="max" if maximise else "min",
        numbers=numbers,
        cost=sign * np.asarray(data["c"], dtype=np.float64),
        offset=sign * float(data["param_prob"].apply_parameters()[1]),
        matrix=data["A"],
        row_lower=np.where(equal, sides, -np.inf),
        row_upper=sides,
        lower=lower,
        upper=upper,
        integer=whole.tolist(),
        binary=binary.tolist(),
        column_names=names,
    )
    used = {j for _, j in entries}
    return form.replace(
        auxiliary=frozenset(range(columns)) - used,
        entries=() if len(used) == len(entries) else tuple(entries),
        notes=notes,
    )


def _entries(
    problem: Any, called_by: list[str], data: Any, chain: Any, inverse: Any
) -> list[tuple[str, int]]:
    """Name and column of every entry of the variables that is not 0 by its attributes.

    Symmetric, diagonal and sparse variables have fewer columns than entries.
    """
    places = data["param_prob"].var_id_to_col
    found: list[tuple[str, int]] = []
    for variable, called in zip(problem.variables(), called_by, strict=True):
        key, entries = variable.id, np.arange(variable.size).reshape(variable.shape, order="F")
        for reduction, undo in zip(chain.reductions, inverse, strict=False):
            if not isinstance(reduction, CvxAttr2Constr) or not undo or key not in undo[0]:
                continue
            reduced = undo[0][key]
            if reduced.size != variable.size or variable.attributes["symmetric"]:
                numbers = 1.0 + np.arange(reduced.size).reshape(reduced.shape, order="F")
                only: tuple[Any, ...] = (undo[0], {key: undo[1][key]}, {})
                full = reduction.invert(Solution("", 0, {reduced.id: numbers}, {}, {}), only)
                value = full.primal_vars[key]
                dense = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
                entries = dense.astype(np.int64) - 1
            key = reduced.id
        if key not in places:
            raise UnsupportedForm(
                f"variable {named(variable.name())}: CVXPY does not say which columns it has"
            )
        for index in np.ndindex(variable.shape):
            if entries[index] >= 0:
                inner = ",".join(map(str, index))
                name = f"{called}[{inner}]" if inner else called
                found.append((name, int(places[key] + entries[index])))
    return found


def load_cvxpy(problem: Any, point: Floats, duals: Floats | None) -> None:
    """Set values of variables and constraints as CVXPY does after a solve."""
    _, chain, inverse = _data(problem)
    solver, last = chain.solver, inverse[-1]
    dual_values = None
    if duals is not None:
        maximise = isinstance(problem.objective, cvxpy.Maximize)
        dual_values = utilities.get_dual_values(
            duals if maximise else -duals,
            utilities.extract_dual_value,
            last[solver.EQ_CONSTR] + last[solver.NEQ_CONSTR],
        )
    found = Solution(cvxpy.OPTIMAL, 0.0, {last[solver.VAR_ID]: point}, dual_values, {})
    for reduction, undo in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
        found = reduction.invert(found, undo)
    found.dual_vars = found.dual_vars or {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.unpack(found)
