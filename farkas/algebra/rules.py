"""Programs whose rules are methods: executed by Pyomo, or read off as words and mathematics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from farkas.algebra.declare import RESERVED, Declarations
from farkas.algebra.formulation import Family, Formulation, Objective
from farkas.algebra.tracing import current
from farkas.errors import RuleError

if TYPE_CHECKING:
    import pyomo.environ as pyo


class RuleProgram(Formulation):
    """Base of the programs that are written as rules, linear or not.

    A subclass sets ``name`` (``<kind>.<program>``), ``kind`` and ``sense``, declares sets,
    parameters and variables in :meth:`declare`, and has one method per published family.
    """

    def declare(self, m: Any, data: Any) -> None:
        """Declare sets, parameters and variables on ``m`` from the instance ``data``."""
        raise NotImplementedError(f"{type(self).__name__} declares nothing")

    def families(self) -> list[Family]:
        """Constraint families of this variant, in order of definition.

        A subclass replaces an inherited family by one of the same name, or drops it by setting
        the name to None.
        """
        return [f for f in self._members() if not f.named]

    def expressions(self) -> list[Family]:
        """Named expressions of this variant, in order of definition."""
        return [f for f in self._members() if f.named]

    def _members(self) -> list[Family]:
        found: dict[str, Family] = {}
        for base in reversed(type(self).__mro__):
            for key, value in base.__dict__.items():
                if isinstance(value, Family):
                    found[key] = value
                else:
                    found.pop(key, None)
        return [f for f in found.values() if f.when is None or f.when(self)]

    def objective_rule(self) -> Objective:
        """Rule of the objective."""
        for base in type(self).__mro__:
            for value in base.__dict__.values():
                if isinstance(value, Objective):
                    return value
        raise RuleError(f"{self.full_name} has no @objective")

    def declarations(self, data: Any) -> Declarations:
        """Declare sets, parameters and variables for the instance ``data``.

        Raises
        ------
        InvalidInstance
            When the instance is of another kind.
        RuleError
            When a declaration has the wrong shape.
        """
        self.check_kind(data)
        m = Declarations()
        try:
            self.declare(m, data)
        except RuleError as error:
            raise RuleError(f"{self.full_name}: {error}") from None
        self._check_names(m)
        m.read_only()
        return m

    def _check_names(self, m: Declarations) -> None:
        """Refuse family names that Pyomo keeps for itself or that are declared already."""
        for name in [*(f.name for f in self._members()), self.objective_rule().name]:
            if name in RESERVED:
                raise RuleError(
                    f"{self.full_name}: Pyomo keeps the name {name} for itself; "
                    "choose another for the rule"
                )
            if name in m:
                raise RuleError(f"{self.full_name}: {name} is both declared and a rule")

    def to_pyomo(self, data: Any) -> pyo.ConcreteModel:
        """Genuine Pyomo model made by the same rules, run by Pyomo itself."""
        from farkas.algebra.to_pyomo import to_pyomo

        return to_pyomo(self, data)

    def latex(self) -> str:
        """Write the program as mathematics, read off its rules."""
        from farkas.algebra.latex import latex

        return latex(self)

    def describe(self) -> str:
        """Say the program in words: what each family means, with its label."""
        from farkas.algebra.formulation import described

        return described(self)


def Between(low: Any, body: Any, high: Any) -> Any:
    """Relation ``low <= body <= high``, where low and high hold no variable."""
    reader = current()
    if reader is not None:
        return reader.between(low, body, high)
    import pyomo.environ as pyo

    return pyo.inequality(low, body, high)
