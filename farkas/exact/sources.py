"""Models of other packages as rational forms, with the names of their rows and columns.

A package is recognised by the class of the object, or by one that this derives from; it is there
already, since the object is.  A reader knows what it understands; all else is refused by name.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

from farkas.errors import InvalidOption, UnsupportedForm, wrong_type
from farkas.forms.form import Sense
from farkas.forms.model_text import INFINITE
from farkas.forms.rational import Numbers, RationalForm, Side, rational_form
from farkas.messages import named, quoted
from farkas.numbers import Floats

#: Who reads a class and loads values back, by package and class.
_READERS = {
    ("cvxpy", "Problem"): "cvxpy",
    ("gurobipy", "Model"): "gurobi",
    ("highspy", "Highs"): "highs",
    ("linopy", "Model"): "linopy",
    ("pyomo", "ConcreteModel"): "pyomo",
    ("pyomo", "AbstractModel"): "pyomo",
    ("pyomo", "BlockData"): "pyomo",
}
#: What writes a file, by package whose models are not read.
_OTHERS = {"pulp": "writeLP or writeMPS", "pyscipopt": "writeProblem", "mip": "write"}


def from_object(model: Any, numbers: Numbers) -> RationalForm:
    """Read a model of Pyomo, CVXPY, HiGHS, Gurobi or linopy.

    ``numbers``: ``"binary"``: the doubles of the model as they are; ``"decimal"``: the shortest
    decimals that they are written as, so that 0.1 is a tenth.  Raises `InvalidOption`: an object of
    another package, or no model: a variable, a Pyomo model without its data; `UnsupportedForm`: the
    model holds more than a linear or integer program.
    """
    form: RationalForm = _reader(model)[0](model, numbers)
    return form.replace(confirmed=reader_of(model) == "highs")


def load_values(model: Any, form: RationalForm, point: Floats, duals: Floats | None) -> None:
    """Put values into the model that a form was read from.

    Variables of Pyomo, CVXPY and linopy get values, those of Gurobi and HiGHS start values; duals
    go where the package has a place for them.  Raises `InvalidOption`: the model is another one, or
    has changed since it was read.

    ``form``: what :func:`from_object` has read from the model.  ``point``: shape (columns,).
    ``duals``: shape (rows,): derivative of the optimal value with respect to each side; None
    without.
    """
    read, load = _reader(model)
    if read(model, form.numbers).sha256 != form.sha256:
        raise InvalidOption(f"model: is not {named(form.name)} any more; solve it again")
    whole = np.where(form.integer, np.rint(point), point)
    load(model, whole, duals)


def _bases(model: Any) -> list[tuple[str, str]]:
    """Package and name of every class of an object."""
    return [(base.__module__.partition(".")[0], base.__name__) for base in type(model).__mro__]


def reader_of(model: Any) -> str | None:
    """Name of who reads a model; None where there is nobody."""
    return next((_READERS[names] for names in _bases(model) if names in _READERS), None)


def _reader(model: Any) -> tuple[Callable[..., Any], Callable[..., None]]:
    """Return what reads a model, and what loads values back."""
    name = reader_of(model)
    if name is not None:
        alone = name in ("cvxpy", "pyomo")
        home = import_module(f"farkas.exact.from_{name if alone else 'arrays'}")
        return getattr(home, f"read_{name}"), getattr(home, f"load_{name}")
    for package, _ in _bases(model):
        if package in _OTHERS:
            raise InvalidOption(
                f"model: models of {package} are not read; write an .lp or .mps file with its"
                f" {_OTHERS[package]} and give the path"
            )
    known = ", ".join(".".join(names) for names in sorted(_READERS))
    wanted = (
        "the path of an .mps or .lp file, an instance with a program, a linear form, or a model:"
        f" {known}"
    )
    raise wrong_type(model, wanted, "model")


def taken(value: float, numbers: Numbers, where: str) -> Fraction:
    """Return a number of a model as a fraction; refuse one that is not finite."""
    value = float(value)
    if not math.isfinite(value):
        raise UnsupportedForm(f"{where} is {value}")
    return Fraction(value) if numbers == "binary" else Fraction(repr(value))


def side(value: float, absent: float, numbers: Numbers, where: str) -> Side:
    """Return a side or bound; None for 1e20 and more in the direction of ``absent``."""
    value = float(value)
    endless = abs(value) >= INFINITE
    if math.isnan(value) or (endless and (value > 0) != (absent > 0)):
        raise UnsupportedForm(f"{where} is {value}; no point keeps it")
    return None if endless else taken(value, numbers, where)


def refuse(holds: Mapping[str, Any]) -> None:
    """Raise `UnsupportedForm` for the first thing that a model holds."""
    for what, there in holds.items():
        if there:
            raise UnsupportedForm(f"the model has {what}")


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
    integer: Sequence[bool],
    binary: Sequence[bool] | None = None,
    row_names: Sequence[str] = (),
    column_names: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> RationalForm:
    """Make a form of doubles; sides and bounds of 1e20 and more are none.

    ``matrix``: Sparse, shape (rows, columns); None without rows or without columns.  ``binary``:
    Columns that are 0 or 1 within their bounds; shape (columns,).
    """
    size = len(cost)
    csr = sp.csr_array((len(row_lower), size) if matrix is None else matrix)
    csr.sum_duplicates()
    starts, columns = csr.indptr.tolist(), csr.indices.tolist()
    values = [taken(v, numbers, "an entry of the matrix") for v in csr.data.tolist()]
    rows, told = unique(row_names, len(row_lower), "rows")
    names, more = unique(column_names, size, "columns")
    low = [side(v, -np.inf, numbers, "a lower bound") for v in lower]
    high = [side(v, np.inf, numbers, "an upper bound") for v in upper]
    for j in np.flatnonzero(binary if binary is not None else ()).tolist():
        a, b = low[j], high[j]
        low[j] = Fraction(0) if a is None else max(a, Fraction(0))
        high[j] = Fraction(1) if b is None else min(b, Fraction(1))
    return rational_form(
        name=name or "model",
        sense=sense,
        numbers=numbers,
        cost=[taken(c, numbers, "a cost") for c in cost],
        offset=taken(offset, numbers, "the constant of the objective"),
        rows=[
            list(zip(columns[a:b], values[a:b], strict=True)) for a, b in itertools.pairwise(starts)
        ],
        row_lower=[side(v, -np.inf, numbers, "a side of a row") for v in row_lower],
        row_upper=[side(v, np.inf, numbers, "a side of a row") for v in row_upper],
        lower=low,
        upper=high,
        integer=np.asarray(integer, dtype=bool),
        row_names=rows,
        column_names=names,
        notes=[*notes, *told, *more],
    )


def unique(names: Sequence[str], size: int, what: str) -> tuple[list[str], list[str]]:
    """Names that tell rows or columns apart, and a note where some had to be changed.

    >>> unique(["x", "x", ""], 3, "columns")
    (['x', 'x#2', 'column 2'], ['several columns are called "x"; later ones have a number'])
    """
    if not any(names):
        return [], []
    found: list[str] = []
    taken_names: set[str] = set(names)
    seen: set[str] = set()
    for k, name in enumerate(names):
        plain, number = name or f"{what[:-1]} {k}", 1
        candidate = plain
        while candidate in seen or (number > 1 and candidate in taken_names):
            number += 1
            candidate = f"{plain}#{number}"
        seen.add(candidate)
        found.append(candidate)
    twice = next((a for a, b in zip(names, found, strict=True) if a and a != b), None)
    told = (
        []
        if twice is None
        else [f"several {what} are called {quoted(twice, 40)}; later ones have a number"]
    )
    return found, told
