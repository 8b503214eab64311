"""What bounds integer programs of kind coded."""

from farkas.algebra.formulation import Formulation
from farkas.offline.bounded_by import bounded_by


@bounded_by.register("coded.assignment")
def assignment(program: Formulation) -> tuple[str, ...]:
    """Merge equal workers, which keeps the optimum."""
    return ("coded.assignment_by_type",)
