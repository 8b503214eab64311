"""Rules written once in Pyomo's syntax, traced to sparse arrays or executed by Pyomo."""

from farkas.algebra.convex import ConvexModel, ConvexProgram
from farkas.algebra.declare import Param, Var
from farkas.algebra.expressions import Between, Sum
from farkas.algebra.formulation import constraint, expression, objective, option, programs
from farkas.algebra.nonlinear import Exp, Product, Where
from farkas.algebra.program import Program
from farkas.algebra.pyomo_program import PyomoProgram
from farkas.algebra.sets import IndexedSet, Set

__all__ = [
    "Between",
    "ConvexModel",
    "ConvexProgram",
    "Exp",
    "IndexedSet",
    "Param",
    "Product",
    "Program",
    "PyomoProgram",
    "Set",
    "Sum",
    "Var",
    "Where",
    "constraint",
    "expression",
    "objective",
    "option",
    "programs",
]
