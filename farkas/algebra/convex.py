"""Convex programs: labelled CVXPY problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from farkas.algebra.cells import current
from farkas.algebra.formulation import Formulation, first_line
from farkas.errors import RuleError, UnknownName
from farkas.numbers import Floats

if TYPE_CHECKING:
    import cvxpy as cp


class ConvexModel:
    """A CVXPY problem whose variables, parameters and constraints have names.

    Built by :meth:`ConvexProgram.declare`; attribute access returns variables and parameters.
    Raises :class:`farkas.extras.MissingExtra` without CVXPY.
    """

    def __init__(self, name: str, sense: str) -> None:
        from farkas.extras import needed

        needed("cvxpy")
        self.name = name
        self.sense = sense
        self.variables: dict[str, cp.Variable] = {}
        self.parameters: dict[str, cp.Parameter] = {}
        self.constraints: dict[str, cp.Constraint] = {}
        self.labels: dict[str, str] = {}
        self._objective: Any = None
        self._problem: cp.Problem | None = None

    def variable(self, name: str, shape: tuple[int, ...] = (), **options: Any) -> cp.Variable:
        """Add a variable; ``options`` are those of ``cvxpy.Variable``."""
        import cvxpy as cp

        self._free(name)
        self.variables[name] = made = cp.Variable(shape, name=name, **options)
        return made

    def parameter(
        self, name: str, value: npt.ArrayLike, shape: tuple[int, ...] | None = None, **options: Any
    ) -> cp.Parameter:
        """Add a parameter, so that re-solves keep the compiled problem."""
        import cvxpy as cp

        self._free(name)
        array = np.asarray(value, dtype=float)
        made = cp.Parameter(array.shape if shape is None else shape, name=name, **options)
        made.value = array
        self.parameters[name] = made
        return made

    def constrain(self, label: str, name: str, constraint: cp.Constraint) -> None:
        """Add a constraint family under ``name`` with the equation label of its source."""
        if name in self.constraints:
            raise RuleError(f"{self.name}: constraint {name} is defined twice")
        self.constraints[name] = constraint
        self.labels[name] = label

    def optimise(self, expression: Any) -> None:
        """Set the objective expression; the sense is the program's."""
        self._objective = expression

    def __getattr__(self, name: str) -> Any:
        for group in ("variables", "parameters"):
            items = self.__dict__.get(group, {})
            if name in items:
                return items[name]
        raise AttributeError(f"{self.__dict__.get('name', 'model')} has no {name}")

    @property
    def problem(self) -> cp.Problem:
        """The CVXPY problem.

        Raises `RuleError` when there is no objective, or the problem is not convex by CVXPY's
        rules.
        """
        import cvxpy as cp

        if self._problem is None:
            if self._objective is None:
                raise RuleError(f"{self.name} sets no objective")
            goal = cp.Minimize if self.sense == "min" else cp.Maximize
            self._problem = cp.Problem(goal(self._objective), list(self.constraints.values()))
            if not self._problem.is_dcp():
                raise RuleError(f"{self.name} is not convex by the rules of CVXPY")
        return self._problem

    def point(self) -> Mapping[str, Floats]:
        """Values of the variables after a solve, by name."""
        return {name: np.asarray(v.value, dtype=float) for name, v in self.variables.items()}

    def dual(self, name: str) -> Any:
        """Dual value of the constraint family ``name`` as CVXPY states it (for cones a list)."""
        if name not in self.constraints:
            raise UnknownName.of(f"constraint family of {self.name}", name, self.constraints)
        return self.constraints[name].dual_value

    def _free(self, name: str) -> None:
        if name in self.variables or name in self.parameters:
            raise RuleError(f"{self.name}: {name} is declared twice")


class ConvexProgram(Formulation):
    """Base of every convex program.

    A subclass sets ``name``, ``kind`` and ``sense``, and builds the problem in :meth:`declare`.
    """

    def declare(self, m: ConvexModel, data: Any) -> None:
        """Add variables, constraint families and the objective to ``m``."""
        raise NotImplementedError(f"{type(self).__name__} declares nothing")

    def model(self, data: Any) -> ConvexModel:
        """Labelled CVXPY problem of this program on the instance ``data``."""
        self.check_kind(data)
        made = ConvexModel(self.full_name, self.sense)
        self.declare(made, data)
        return made

    def describe(self) -> str:
        """Say the program in words: its families with their labels, on the shipped example."""
        from farkas.extras import MissingExtra

        lines = [first_line(self) or self.full_name, ""]
        try:
            model = self.model(self.example())
        except MissingExtra as missing:
            return "\n".join([*lines, f"Its families are read off a model, and {missing}"])
        lines += [f"{self.sense} {model.problem.objective.args[0]}"]
        lines += [f"  ({model.labels[n]}) {n}: {c}" for n, c in model.constraints.items()]
        return "\n".join(lines)


def Product(terms: Iterable[Any]) -> Any:
    """Multiply a generator expression over index sets; without any factor it is 1."""
    reader = current()
    if reader is not None:
        return reader.product(terms)
    import pyomo.environ as pyo

    return pyo.prod(terms)


def Exp(power: Any) -> Any:
    """Raise e to ``power``."""
    reader = current()
    if reader is not None:
        return reader.exp(power)
    import pyomo.environ as pyo

    return pyo.exp(power)


def Where(condition: Any, value: Any) -> Any:
    """``value`` where the relation ``condition`` holds, else 0; on paper ``[condition] value``."""
    reader = current()
    if reader is not None:
        return reader.where(condition, value)
    import pyomo.environ as pyo

    return pyo.Expr_if(IF=condition, THEN=value, ELSE=0.0)
