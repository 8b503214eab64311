"""Relations with parameters on both sides."""

from typing import Any

from farkas.algebra.tracing import current


def Between(low: Any, body: Any, high: Any) -> Any:
    """Relation ``low <= body <= high``, where low and high hold no variable."""
    reader = current()
    if reader is not None:
        return reader.between(low, body, high)
    import pyomo.environ as pyo

    return pyo.inequality(low, body, high)
