"""What bounds integer programs of kind gadget."""

from farkas.algebra.formulation import Formulation
from farkas.offline.bounded_by import bounded_by


@bounded_by.register("gadget.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name prices of merged slots and servers, and fractions of whole rings where these are few."""
    return "gadget.horizon_prices", "gadget.offline_column_bound"


@bounded_by.register("gadget.gvne")
def gvne(program: Formulation) -> tuple[str, ...]:
    """Name prices of nodes and links by column generation."""
    return ("gadget.slot_prices",)


@bounded_by.register("gadget.column_ip")
def column_ip(program: Formulation) -> tuple[str, ...]:
    """As of `gvne`, whose optimum it has."""
    return ("gadget.slot_prices",)
