"""The optimum of a cluster whose jobs all come in the last slot: that of the slot."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.certificates.gadget_one_slot import OneSlot, certify_one_slot
from farkas.errors import NoAnswer
from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.offline.ladder import Ascent, Rung
from farkas.online.gadget.bounds import slot_certificate, tree_certificate
from farkas.online.gadget.columns import column_rings
from farkas.online.gadget.hindsight import decisions_of
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
