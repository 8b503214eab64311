"""Models of other packages as rational forms, with the names of their rows and columns.

A package is recognised by the class of the object, or by one that this derives from; it is there
already, since the object is.  What is no linear or integer program is refused by name.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from farkas.errors import InvalidOption, UnsupportedForm
from farkas.forms.form import Sense
from farkas.forms.model_text import INFINITE
from farkas.forms.rational import Numbers, RationalForm, Side, rational_form
from farkas.numbers import Floats
from farkas.required import wrong_type
from farkas.words import named

Reader: TypeAlias = Callable[[Any, Numbers], RationalForm]


def from_object(model: Any, numbers: Numbers) -> RationalForm:
    """Read a model of Pyomo, CVXPY, HiGHS, Gurobi or linopy.

    Parameters
    ----------
    numbers
        ``"binary"``: the doubles of the model as they are; ``"decimal"``: the shortest decimals
        that they are written as, so that 0.1 is a tenth.

    Raises
    ------
    InvalidOption
        An object of another package, or no model: a variable, a Pyomo model without its data.
    UnsupportedForm
        The model holds more than a linear or integer program.
    """
    for base in type(model).__mro__:
        reader = _READERS.get((base.__module__.partition(".")[0], base.__name__))
        if reader is not None:
            return reader(model, numbers)
    known = ", ".join(".".join(names) for names in sorted(_READERS))
    wanted = (
        "the path of an .mps or .lp file, an instance with a program, a linear form, or a model:"
        f" {known}"
    )
    raise wrong_type(model, wanted, "model")


def _taken(value: float, numbers: Numbers) -> Fraction:
    return Fraction(value) if numbers == "binary" else Fraction(repr(float(value)))


def _sides(values: Sequence[float] | Floats, absent: float, numbers: Numbers) -> list[Side]:
    """Sides or bounds; those of 1e20 and more in the direction of ``absent`` are none."""
    found: list[Side] = []
    for value in map(float, values):
        endless = abs(value) >= INFINITE
        if np.isnan(value) or (endless and (value > 0) != (absent > 0)):
            raise UnsupportedForm(f"a side or bound is {value}; no point keeps it")
        found.append(None if endless else _taken(value, numbers))
    return found


def from_arrays(
    *,
    name: str,
    sense: Sense,
    numbers: Numbers,
    cost: Floats,
    offset: float,
    matrix: Any,
    row_lower: Floats,
    row_upper: Floats,
    lower: Floats,
    upper: Floats,
    integer: Any,
    row_names: Sequence[str] = (),
    column_names: Sequence[str] = (),
) -> RationalForm:
    """Make a form of doubles; sides and bounds of 1e20 and more are none."""
    csr = sp.csr_array(matrix)
    csr.sum_duplicates()
    starts, columns = csr.indptr.tolist(), csr.indices.tolist()
    values = [_taken(v, numbers) for v in csr.data.tolist()]
    rows = [
        list(zip(columns[a:b], values[a:b], strict=True)) for a, b in itertools.pairwise(starts)
    ]
    return rational_form(
        name=name or "model",
        sense=sense,
        numbers=numbers,
        cost=[_taken(c, numbers) for c in cost],
        offset=_taken(offset, numbers),
        rows=rows,
        row_lower=_sides(row_lower, -np.inf, numbers),
        row_upper=_sides(row_upper, np.inf, numbers),
        lower=_sides(lower, -np.inf, numbers),
        upper=_sides(upper, np.inf, numbers),
        integer=np.asarray(integer, dtype=bool),
        row_names=_unique(row_names),
        column_names=_unique(column_names),
    )


def _unique(names: Sequence[str]) -> list[str]:
    """Names, or none where they do not tell rows apart."""
    return list(names) if len(set(names)) == len(names) and all(names) else []


def _from_highs(model: Any, numbers: Numbers) -> RationalForm:
    lp = model.getLp()
    if model.getHessianNumNz() if hasattr(model, "getHessianNumNz") else 0:
        raise UnsupportedForm("the model has a quadratic objective")
    kinds = [int(kind) for kind in lp.integrality_] or [0] * lp.num_col_
    if any(kind > 1 for kind in kinds):
        raise UnsupportedForm("the model has semicontinuous columns")
    shape = (lp.num_row_, lp.num_col_)
    parts = (np.array(lp.a_matrix_.value_), np.array(lp.a_matrix_.index_))
    starts = np.array(lp.a_matrix_.start_)
    rowwise = int(lp.a_matrix_.format_) != 1
    matrix = (sp.csr_array if rowwise else sp.csc_array)((*parts, starts), shape=shape)
    return from_arrays(
        name=str(lp.model_name_),
        sense="min" if int(lp.sense_) == 1 else "max",
        numbers=numbers,
        cost=np.array(lp.col_cost_),
        offset=float(lp.offset_),
        matrix=matrix,
        row_lower=np.array(lp.row_lower_),
        row_upper=np.array(lp.row_upper_),
        lower=np.array(lp.col_lower_),
        upper=np.array(lp.col_upper_),
        integer=kinds,
        row_names=list(lp.row_names_),
        column_names=list(lp.col_names_),
    )


def _from_pyomo(model: Any, numbers: Numbers) -> RationalForm:
    from pyomo.core import Constraint, Objective, SOSConstraint, Var, minimize, value
    from pyomo.repn import generate_standard_repn

    if not model.is_constructed():
        raise InvalidOption("model: has no data yet; give what its create_instance() returns")
    if any(model.component_data_objects(SOSConstraint, active=True)):
        raise UnsupportedForm("the model has special ordered sets")
    goals = list(model.component_data_objects(Objective, active=True))
    if len(goals) != 1:
        raise UnsupportedForm(f"the model has {len(goals)} active objectives; one is needed")
    columns: dict[int, Any] = {}

    def linear(expression: Any, where: str) -> tuple[dict[int, float], float]:
        found = generate_standard_repn(expression)
        if not found.is_linear():
            raise UnsupportedForm(f"{where} is not linear")
        for variable in found.linear_vars:
            columns.setdefault(id(variable), variable)
        terms: dict[int, float] = {}
        for variable, factor in zip(found.linear_vars, found.linear_coefs, strict=True):
            terms[id(variable)] = terms.get(id(variable), 0.0) + value(factor)
        return terms, float(value(found.constant))

    for variable in model.component_data_objects(Var, active=True):
        if not variable.fixed:
            columns.setdefault(id(variable), variable)
    cost, offset = linear(goals[0].expr, "the objective")
    rows = []
    for row in model.component_data_objects(Constraint, active=True):
        terms, constant = linear(row.body, row.name)
        ends = [None if e is None else float(value(e)) for e in (row.lower, row.upper)]
        rows.append((row.name, terms, constant, *ends))
    place = {key: j for j, key in enumerate(columns)}

    def side(end: float | None, constant: float) -> Side:
        if end is None or np.isinf(end):
            return None
        return _taken(end, numbers) - _taken(constant, numbers)

    variables = list(columns.values())
    return rational_form(
        name="model" if model.name in (None, "unknown") else str(model.name),  # Pyomo's default
        sense="min" if goals[0].sense == minimize else "max",
        numbers=numbers,
        cost=[_taken(cost.get(key, 0.0), numbers) for key in columns],
        offset=_taken(offset, numbers),
        rows=[
            [(place[key], _taken(factor, numbers)) for key, factor in terms.items()]
            for _, terms, _, _, _ in rows
        ],
        row_lower=[side(low, constant) for _, _, constant, low, _ in rows],
        row_upper=[side(high, constant) for _, _, constant, _, high in rows],
        lower=_sides([-np.inf if v.lb is None else v.lb for v in variables], -np.inf, numbers),
        upper=_sides([np.inf if v.ub is None else v.ub for v in variables], np.inf, numbers),
        integer=[v.is_integer() or v.is_binary() for v in variables],
        row_names=[name for name, *_ in rows],
        column_names=[v.name for v in variables],
    )


def _from_gurobi(model: Any, numbers: Numbers) -> RationalForm:
    model.update()
    for attribute, what in (
        ("IsQP", "a quadratic objective"),
        ("IsQCP", "quadratic rows"),
        ("NumSOS", "special ordered sets"),
        ("NumGenConstrs", "general constraints"),
        ("NumPWLObjVars", "a piecewise linear objective"),
    ):
        if getattr(model, attribute):
            raise UnsupportedForm(f"the model has {what}")
    if model.NumObj > 1:
        raise UnsupportedForm("the model has several objectives")
    variables, rows = model.getVars(), model.getConstrs()
    if any(v.VType in "SN" for v in variables):
        raise UnsupportedForm("the model has semicontinuous columns")
    sides = np.array([row.RHS for row in rows], dtype=np.float64)
    kinds = np.array([row.Sense for row in rows])
    return from_arrays(
        name=model.ModelName,
        sense="min" if model.ModelSense == 1 else "max",
        numbers=numbers,
        cost=np.array([v.Obj for v in variables]),
        offset=float(model.ObjCon),
        matrix=model.getA(),
        row_lower=np.where(kinds == "<", -np.inf, sides),
        row_upper=np.where(kinds == ">", np.inf, sides),
        lower=np.array([v.LB for v in variables]),
        upper=np.array([v.UB for v in variables]),
        integer=[v.VType in "BI" for v in variables],
        row_names=[row.ConstrName for row in rows],
        column_names=[v.VarName for v in variables],
    )


def _from_cvxpy(problem: Any, numbers: Numbers) -> RationalForm:
    import cvxpy

    if not problem.variables():
        raise UnsupportedForm("the problem has no variables")
    for parameter in problem.parameters():
        if parameter.value is None:
            raise UnsupportedForm(f"parameter {named(parameter.name())} has no value")
    try:
        data, _, _ = problem.get_problem_data(cvxpy.HIGHS)
    except (cvxpy.error.SolverError, cvxpy.error.DCPError):
        raise UnsupportedForm("the problem is no linear or integer program") from None
    if data.get("P") is not None:
        raise UnsupportedForm("the problem has a quadratic objective")
    count, sides = data["dims"].zero, np.asarray(data["b"], dtype=np.float64)
    columns = len(data["c"])
    whole = np.zeros(columns, dtype=bool)
    lower, upper = np.full(columns, -np.inf), np.full(columns, np.inf)
    for key, ends in (("lower_bounds", lower), ("upper_bounds", upper)):
        if data.get(key) is not None:
            ends[:] = data[key]
    binary = list(data["bool_vars_idx"])
    whole[[*binary, *data["int_vars_idx"]]] = True
    lower[binary], upper[binary] = 0.0, 1.0
    maximise = isinstance(problem.objective, cvxpy.Maximize)
    sign = -1.0 if maximise else 1.0  # CVXPY hands a maximum over as the minimum of the negative
    equal = np.arange(len(sides)) < count
    names, added = _columns_of(problem, data, columns)
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
        integer=whole,
        column_names=names,
    )
    return form.replace(auxiliary=added)


def _columns_of(problem: Any, data: Any, size: int) -> tuple[list[str], frozenset[int]]:
    """Names of the variables' entries, and the columns that CVXPY added for its own ends.

    None of either where it does not say which column is which.
    """
    places = getattr(data["param_prob"], "var_id_to_col", None)
    if not places:
        return [], frozenset()
    added = set(range(size))
    names = [f"auxiliary[{j}]" for j in range(size)]
    for variable in problem.variables():
        if variable.id in places:
            for k in range(variable.size):
                index = np.unravel_index(k, variable.shape, order="F") if variable.shape else ()
                inner = ",".join(str(int(i)) for i in index)
                added.discard(places[variable.id] + k)
                names[places[variable.id] + k] = (
                    f"{variable.name()}[{inner}]" if inner else variable.name()
                )
    return names, frozenset(added)


def _from_linopy(model: Any, numbers: Numbers) -> RationalForm:
    parts = model.matrices
    if getattr(model, "is_quadratic", False):
        raise UnsupportedForm("the model has a quadratic objective")
    kinds = [str(kind) for kind in parts.vtypes]
    if set(kinds) - set("BIC"):
        raise UnsupportedForm("the model has semicontinuous columns")
    sides = np.asarray(parts.b, dtype=np.float64)
    relations = np.array([str(relation)[0] for relation in parts.sense], dtype="U1")

    def names(labelled: Any, labels: Any) -> list[str]:
        places = labelled.get_label_position(np.asarray(labels))
        return [
            f"{name}[{','.join(str(at) for at in index.values())}]" if index else str(name)
            for name, index in places
        ]

    return from_arrays(
        name="model",
        sense="max" if model.objective.sense == "max" else "min",
        numbers=numbers,
        cost=np.asarray(parts.c, dtype=np.float64),
        offset=0.0,
        matrix=parts.A,
        row_lower=np.where(relations == "<", -np.inf, sides),
        row_upper=np.where(relations == ">", np.inf, sides),
        lower=np.asarray(parts.lb, dtype=np.float64),
        upper=np.asarray(parts.ub, dtype=np.float64),
        integer=[kind in "BI" for kind in kinds],
        row_names=names(model.constraints, parts.clabels),
        column_names=names(model.variables, parts.vlabels),
    )


_READERS: dict[tuple[str, str], Reader] = {
    ("cvxpy", "Problem"): _from_cvxpy,
    ("gurobipy", "Model"): _from_gurobi,
    ("highspy", "Highs"): _from_highs,
    ("linopy", "Model"): _from_linopy,
    ("pyomo", "ConcreteModel"): _from_pyomo,
    ("pyomo", "AbstractModel"): _from_pyomo,
    ("pyomo", "BlockData"): _from_pyomo,
}
"""By package and class."""
