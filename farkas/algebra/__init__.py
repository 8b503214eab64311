"""Rules written once in Pyomo's syntax, traced to sparse arrays or executed by Pyomo."""

from farkas.algebra.declare import Param, Var
from farkas.algebra.expressions import Between, Sum
from farkas.algebra.program import Program, constraint, objective, option, programs
from farkas.algebra.sets import IndexedSet, Set

__all__ = [
    "Between",
    "IndexedSet",
    "Param",
    "Program",
    "Set",
    "Sum",
    "Var",
    "constraint",
    "objective",
    "option",
    "programs",
]
