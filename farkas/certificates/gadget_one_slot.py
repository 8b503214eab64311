"""Certificates of whole horizons of kind gadget whose jobs all come in the last slot.

Before it nobody runs, so that a schedule is one set of rings: it earns what jobs are worth that
receive nothing, and what the rings of the slot add to that.  What bounds a slot, with prices of
links, with whole sizes, or by cases, bounds such a horizon.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from farkas.certificates.files import certificate_type
from farkas.certificates.gadget import ClusterCertificate, claimed, shortened, worth_of
from farkas.certificates.gadget_slot import SlotCertificate
from farkas.certificates.gadget_slot_tree import SlotTree
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster


@certificate_type
class OneSlot(ClusterCertificate, frozen=True, kw_only=True, tag="gadget.one_slot"):
    """Bound on every schedule of a horizon in whose last slot all jobs come."""

    subject = "gadget.offline"
    #: Certificate of the last slot, before which no job has received anything.
    slot: SlotCertificate | SlotTree

    def prove_bound(self, cluster: Cluster, /) -> Fraction:
        """Worth of all jobs without workers, and what the slot adds at most."""
        last = cluster.horizon - 1
        if (cluster.arrival < last).any():
            raise NotACertificate("a job comes before the last slot")
        if self.slot.slot != last:
            raise NotACertificate(f"slot {self.slot.slot} is not the last, {last}")
        if any(self.slot.progress):
            raise NotACertificate("a job has received something before the last slot")
        if self.slot.instance != self.instance:
            raise NotACertificate("the certificate of the slot is about another instance")
        idle = (worth_of(cluster, job, 0)[1] for job in range(cluster.num_jobs))
        return self.slot.prove_bound(cluster) + sum(map(shortened, idle), Fraction(0))


def certify_one_slot(cluster: Cluster, slot: SlotCertificate | SlotTree) -> OneSlot:
    """Certificate of the bound that one of the last slot proves."""
    draft = OneSlot(
        kind=OneSlot.about,
        program=OneSlot.subject,
        instance=cluster.sha256,
        bound="0",
        slot=slot,
    )
    return msgspec.structs.replace(draft, bound=claimed(draft.prove_bound(cluster)))
