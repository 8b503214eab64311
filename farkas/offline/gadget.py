"""The greatest reward of kind gadget when all arrivals are known."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.algebra.formulation import Formulation
from farkas.certificates.gadget_slot_tree import OneSlot, certify_one_slot
from farkas.errors import NoAnswer
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.ladder import Ascent, Ladder, Rung, ladders
from farkas.offline.priced import priced
from farkas.online.gadget.columns import column_rings, slot_certificate, tree_certificate
from farkas.online.gadget.plans import GadgetPlans, decisions_of
from farkas.online.run import Bound


def one_slot(instance: Cluster, ascent: Ascent) -> Iterator[Rung]:
    """Yield bounds with prices of links and by cases, and rings that column generation finds."""
    last = instance.horizon - 1
    if (instance.arrival < last).any():
        raise NoAnswer("jobs come before the last slot")
    nothing = np.zeros(instance.num_jobs, dtype=np.int64)
    ascent.deadline.check()
    plain = certify_one_slot(instance, slot_certificate(instance, last, nothing))
    words = "prices of servers and links"
    yield Rung(f"{words} in the only slot", bound=_bound(plain, words))
    view, gap = snapshot(instance, last, nothing), float(ascent.gap)
    ascent.deadline.check()
    rings, _ = column_rings(view, gap)
    schedule = [*(Rings.none(instance) for _ in range(last)), rings]
    yield Rung("rings of the only slot by column generation", decisions_of(instance, schedule))
    ascent.deadline.check()
    cases = certify_one_slot(instance, tree_certificate(view, rings, gap))
    yield Rung("the only slot by cases", bound=_bound(cases, f"cases with {words}"))


def _bound(certificate: OneSlot, by: str) -> Bound:
    return Bound(
        exact=certificate.bound,
        method=f"{by} in the only slot with jobs, in exact arithmetic",
        certificate=msgspec.to_builtins(certificate),
    )


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
            one_slot,
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
    """Name prices of nodes and links by column generation."""
    return ("gadget.slot_prices",)


@bounded_by.register("gadget.column_ip")
def column_ip(program: Formulation) -> tuple[str, ...]:
    """As of `gvne`, whose optimum it has."""
    return ("gadget.slot_prices",)
