"""The greatest reward of kind gadget when all arrivals are known."""

from __future__ import annotations

from farkas.algebra.formulation import Formulation
from farkas.errors import NoAnswer
from farkas.instances.gadget import Cluster
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.ladder import Ladder, ladders
from farkas.offline.priced import priced
from farkas.online.gadget.columns import SlotPlans
from farkas.online.gadget.plans import GadgetPlans


def one_slot(instance: Cluster) -> SlotPlans:
    """Look at the last slot, with prices of links too, where all jobs come in it."""
    if (instance.arrival < instance.horizon - 1).any():
        raise NoAnswer("jobs come before the last slot")
    return SlotPlans(instance)


def pooled(instance: Cluster) -> GadgetPlans:
    """Take all servers for one: fewer rows, and often as good a bound."""
    return GadgetPlans(instance, pooled=True)


ladders.add(
    "gadget.optimum",
    Ladder(
        "gadget.optimum",
        climbers=(
            priced(pooled, "prices that are the same on all servers"),
            policies("gadget.fifo", "gadget.las"),
            priced(GadgetPlans, "prices of merged slots and servers"),
            priced(one_slot, "prices of servers and links in the only slot"),
            policies("gadget.columns"),
        ),
    ),
)


@bounded_by.register("gadget.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name prices of merged slots and servers, and fractions of whole rings where these are few."""
    return "gadget.horizon_prices", "gadget.offline_column_bound"


@bounded_by.register("gadget.gvne")
def gvne(program: Formulation) -> tuple[str, ...]:
    """Name prices of nodes and links."""
    return ("gadget.slot_prices",)


@bounded_by.register("gadget.column_ip")
def column_ip(program: Formulation) -> tuple[str, ...]:
    """As of `gvne`, whose optimum it has."""
    return ("gadget.slot_prices",)
