"""OR-tools, in a process that loads no other solver; what it is asked and answers is arrays.

Everything is a minimum here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from farkas.numbers import Array
from farkas.solvers.process import Arrays, Words
from farkas.tolerances import ROUNDING

ACCURACY = ROUNDING
"""Asked of the first-order method, in its own measure; what it reaches is measured elsewhere."""


class OptionRefused(Exception):
    """The solver does not know an option, or not with this value."""


def answered(words: Words, arrays: Arrays) -> tuple[Words, Arrays]:
    """Solve ``arrays`` with the engine and options that ``words`` name.

    Parameters
    ----------
    words
        ``engine``, ``time_limit`` (None without), ``gap``, ``threads``, ``seed``, ``log``,
        ``options`` (the engine's own), ``feasibility`` (whether all costs are 0).
    arrays
        ``cost``, ``lower``, ``upper`` by column; ``row_lower``, ``row_upper`` by row; ``starts``,
        ``columns``, ``values`` of the matrix by rows; whole numbers for ``cpsat``, which also
        takes a ``start``.

    Returns
    -------
    ``status``, ``message`` and ``bound``, or ``refused``; and ``point``, ``duals``, ``ray`` where
    there are any.
    """
    try:
        return _ENGINES[words["engine"]](words, arrays)
    except OptionRefused as refusal:
        return {"refused": str(refusal)}, {}


def _set_own(parameters: Any, options: dict[str, Any]) -> None:
    """Set options by their own names, those of parts as ``part.name``."""
    if not options:
        return
    from google.protobuf import json_format

    for name, value in options.items():
        nested: Any = value
        for part in reversed(name.split(".")):
            nested = {part: nested}
        try:
            json_format.ParseDict(nested, parameters)
        except json_format.ParseError as failure:
            raise OptionRefused(f"{name}: {str(failure).splitlines()[0]}") from None


def _glop(words: Words, arrays: Arrays) -> tuple[Words, Arrays]:
    import scipy.sparse as sp
    from ortools.glop.parameters_pb2 import GlopParameters
    from ortools.linear_solver.python import model_builder_helper as helper

    parameters = GlopParameters(random_seed=words["seed"], num_omp_threads=words["threads"])
    _set_own(parameters, words["options"])
    model = helper.ModelBuilderHelper()
    model.fill_model_from_sparse_data(
        arrays["lower"],
        arrays["upper"],
        arrays["cost"],
        arrays["row_lower"],
        arrays["row_upper"],
        _matrix(sp.csr_matrix, arrays),
    )
    solver = helper.ModelSolverHelper("glop")
    solver.set_solver_specific_parameters(str(parameters))
    solver.enable_output(words["log"])
    if words["time_limit"] is not None:
        solver.set_time_limit_in_seconds(words["time_limit"])
    solver.solve(model)
    status = solver.status().name
    said = {
        "OPTIMAL": "optimal",
        # its presolve calls what is unbounded infeasible
        "INFEASIBLE": "infeasible" if words["feasibility"] else "either",
        "UNBOUNDED": "either",
        "FEASIBLE": "limit",
        "NOT_SOLVED": "limit",
        "ABNORMAL": "numerical",
    }.get(status, "error")
    found = {}
    if solver.has_solution() and said in ("optimal", "limit"):
        found = {"point": solver.variable_values(), "duals": solver.dual_values()}
    return _said(said, f"{status} {solver.status_string()}".strip()), found


def _pdlp(words: Words, arrays: Arrays) -> tuple[Words, Arrays]:
    import scipy.sparse as sp
    from ortools.pdlp.python import pdlp
    from ortools.pdlp.solve_log_pb2 import TerminationReason
    from ortools.pdlp.solvers_pb2 import PrimalDualHybridGradientParams

    parameters = PrimalDualHybridGradientParams(
        num_threads=words["threads"], verbosity_level=2 if words["log"] else 0
    )
    criteria = parameters.termination_criteria
    criteria.simple_optimality_criteria.eps_optimal_absolute = ACCURACY
    criteria.simple_optimality_criteria.eps_optimal_relative = ACCURACY
    if words["time_limit"] is not None:
        criteria.time_sec_limit = words["time_limit"]
    _set_own(parameters, words["options"])
    program = pdlp.QuadraticProgram()
    program.resize_and_initialize(len(arrays["cost"]), len(arrays["row_lower"]))
    program.objective_vector = arrays["cost"]
    program.constraint_matrix = sp.csc_matrix(_matrix(sp.csr_matrix, arrays))
    program.constraint_lower_bounds = arrays["row_lower"]
    program.constraint_upper_bounds = arrays["row_upper"]
    program.variable_lower_bounds = arrays["lower"]
    program.variable_upper_bounds = arrays["upper"]
    result = pdlp.primal_dual_hybrid_gradient(program, parameters)
    reason = TerminationReason.Name(result.solve_log.termination_reason)
    reason = reason.removeprefix("TERMINATION_REASON_")
    said = {
        "OPTIMAL": "optimal",
        "PRIMAL_INFEASIBLE": "infeasible",
        "DUAL_INFEASIBLE": "either",
        "PRIMAL_OR_DUAL_INFEASIBLE": "either",
        "TIME_LIMIT": "limit",
        "ITERATION_LIMIT": "limit",
        "KKT_MATRIX_PASS_LIMIT": "limit",
        "NUMERICAL_ERROR": "numerical",
    }.get(reason, "error")
    found: Arrays = {}
    if said in ("optimal", "limit"):
        found = {"point": result.primal_solution, "duals": result.dual_solution}
    elif said == "infeasible":
        size = float(np.abs(result.dual_solution).max(initial=0.0))
        found = {"ray": result.dual_solution / (size or 1.0)}
    return _said(said, reason), found


def _cpsat(words: Words, arrays: Arrays) -> tuple[Words, Arrays]:
    from ortools.sat.python import cp_model_helper as helper
    from ortools.sat.sat_parameters_pb2 import SatParameters

    parameters = SatParameters(
        num_workers=words["threads"],
        random_seed=words["seed"],
        relative_gap_limit=words["gap"],
        log_search_progress=words["log"],
    )
    if words["time_limit"] is not None:
        parameters.max_time_in_seconds = words["time_limit"]
    _set_own(parameters, words["options"])
    chosen = helper.SatParameters()
    chosen.parse_text_format(str(parameters))
    model = _whole_model(helper, arrays)
    problem = helper.CpSatHelper.validate_model(model)
    if problem:
        return _said("error", problem.splitlines()[0]), {}
    wrapper = helper.SolveWrapper()
    wrapper.set_parameters(chosen)
    response = wrapper.solve(model)
    said = {0: "limit", 2: "limit", 3: "infeasible", 4: "optimal"}.get(
        int(response.status), "error"
    )
    found: Arrays = {}
    if said in ("optimal", "limit") and len(response.solution):
        found = {"point": np.array(response.solution, dtype=np.float64)}
    bound = response.best_objective_bound if model.has_objective() else 0.0
    known = said in ("optimal", "limit") and abs(bound) < 2.0**62
    return _said(said, response.status.name, bound if known else math.nan), found


def _whole_model(helper: Any, arrays: Arrays) -> Any:
    model = helper.CpModelProto()
    for low, high in zip(arrays["lower"].tolist(), arrays["upper"].tolist(), strict=True):
        model.variables.add().domain.extend([low, high])
    starts = arrays["starts"].tolist()
    columns, values = arrays["columns"].tolist(), arrays["values"].tolist()
    for i, sides in enumerate(
        zip(arrays["row_lower"].tolist(), arrays["row_upper"].tolist(), strict=True)
    ):
        row = model.constraints.add().linear
        row.vars.extend(columns[starts[i] : starts[i + 1]])
        row.coeffs.extend(values[starts[i] : starts[i + 1]])
        row.domain.extend(sides)
    used = np.flatnonzero(arrays["cost"])
    if len(used):
        model.objective.vars.extend(used.tolist())
        model.objective.coeffs.extend(arrays["cost"][used].tolist())
    if "start" in arrays:
        model.solution_hint.vars.extend(range(len(arrays["start"])))
        model.solution_hint.values.extend(arrays["start"].tolist())
    return model


def _matrix(kind: Any, arrays: Arrays) -> Any:
    parts: tuple[Array, ...] = (arrays["values"], arrays["columns"], arrays["starts"])
    return kind(parts, shape=(len(arrays["row_lower"]), len(arrays["cost"])))


def _said(status: str, message: str, bound: float = math.nan) -> Words:
    return {"status": status, "message": message, "bound": bound}


_ENGINES = {"glop": _glop, "pdlp": _pdlp, "cpsat": _cpsat}
