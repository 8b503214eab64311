"""The highest payments of kind dps when all budgets are known."""

from farkas.algebra.formulation import Formulation
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.dps.placements import placements
from farkas.offline.ladder import Ladder, ladders

ladders.add(
    "dps.optimum",
    Ladder("dps.optimum", climbers=(policies("dps.simple"), placements)),
)


@bounded_by.register("dps.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Count all servers of a type as one."""
    rewards = "budget" if program.variant["prices"] == "free" else "capped"
    return (f"dps.interval_ip[{rewards}]",)


@bounded_by.register("dps.bfp")
def best_fixed_price(program: Formulation) -> tuple[str, ...]:
    """Name the search over cells of prices."""
    return ("dps.price_cells",)
