"""What bounds integer programs of kind eris."""

from farkas.algebra.formulation import Formulation
from farkas.offline.bounded_by import bounded_by


@bounded_by.register("eris.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name prices, and where schedules can be listed the choice of one a job."""
    return "eris.pooled_prices", "eris.column_prices", "eris.schedule_ilp"
