"""Nonlinear operations in rules, for programs that only Pyomo reads; a trace refuses them."""

from collections.abc import Iterable
from typing import Any

from farkas.algebra.tracing import current


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
