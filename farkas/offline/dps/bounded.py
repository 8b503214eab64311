"""What bounds integer programs of kind dps."""

from farkas.algebra.formulation import Formulation
from farkas.offline.bounded_by import bounded_by


@bounded_by.register("dps.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Count all servers of a type as one."""
    rewards = "budget" if program.variant["prices"] == "free" else "capped"
    return (f"dps.interval_ip[{rewards}]",)


@bounded_by.register("dps.bfp")
def best_fixed_price(program: Formulation) -> tuple[str, ...]:
    """Name the search over cells of prices."""
    return ("dps.price_cells",)
