"""Bounds on the welfare of an auction from prices, and from what completes within spans of slots.

A job that arrives in a span of slots and completes in it uses there at least what all its chunks
need.  So the jobs that do so have to fit, each as a whole, into what the span holds of a resource:
they are a choice of a knapsack.  Prices alone let a linear program complete half of a job there.

A span k charges job i, one of its own, π_ik >= 0 if the job completes in it.  What all charges of
the span can add up to is at most the best choice of its knapsack, P_k, by dynamic programming.
Whatever is decided, charges that are paid take as much off the jobs' worths as they add up to, and

    Σ_i μ_i + Σ_k P_k + B Σ_t α(t) + Σ C β   >=   every welfare,

where α, β are prices as in `farkas.certificates.eris` and no schedule of job i, which is worth
f_i(d) - Σ π_ik over the spans in which it completes, beats μ_i.  That worth may rise with d; a job
counts as worth the most that it is by d or later, and never less than nothing, which takes no bound
away.

Sizes of jobs count whole units of a span, rounded down, and so do its capacities, with what counts
as fitting in them; then a choice of jobs that fits is one of the knapsack.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np

from farkas.certificates.eris import prove_welfare, short
from farkas.certificates.files import certificate_type
from farkas.certificates.guards import LONGEST_SEARCH, MOST_CELLS, affordable, whole
from farkas.certificates.packed import FilePart, Size, pack, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotACertificate
from farkas.instances.eris import Auction
from farkas.numbers import Floats, Ints
from farkas.tolerances import FORGIVEN, ROUNDING

#: A knapsack counts in units of which the largest charge has between 2**39 and 2**40.
CHARGE_BITS = 40


class Span(FilePart, frozen=True, kw_only=True):
    """Slots that hold jobs as wholes."""

    #: first, last: slots.
    first: Size
    last: Size
    resource: Size  #: Which capacity counts.
    #: Of the resource, > 0, in which sizes and capacity are counted.
    unit: Annotated[float, msgspec.Meta(gt=0.0)]
    #: Whose completion is charged, ascending: each arrives in the span and has data.
    jobs: tuple[Size, ...]


def require_span(auction: Auction, span: Span) -> Ints:
    """Return the jobs of a span, shape (jobs,).

    Raises
    ------
    NotACertificate
        It is none of the auction, or one of its jobs cannot be charged.
    """
    if not span.first <= span.last < auction.slots:
        raise NotACertificate(f"a span from {span.first} to {span.last} of {auction.slots} slots")
    if span.resource >= auction.num_resources:
        raise NotACertificate(f"a span of resource {span.resource} of {auction.num_resources}")
    if not np.isfinite(span.unit):
        raise NotACertificate(f"a span has unit {span.unit}")
    jobs = np.array(span.jobs, np.int64)
    if len(jobs) and (jobs[-1] >= auction.num_jobs or not (np.diff(jobs) > 0).all()):
        raise NotACertificate(f"a span's jobs do not ascend below {auction.num_jobs}")
    arrival = auction.arrival[jobs]
    inside = (span.first <= arrival) & (arrival <= span.last) & (auction.chunks[jobs] > 0)
    if not inside.all():
        raise NotACertificate(
            f"job {jobs[~inside][0]} has no data, or does not arrive in the span from"
            f" {span.first} to {span.last}"
        )
    return jobs


def room_of(auction: Auction, span: Span) -> int:
    """Whole units that a span holds, with all that a replay counts as fitting (`Kept.within`)."""
    capacity = auction.capacity[:, span.resource].tolist()
    slots, kept = span.last + 1 - span.first, 1 + Fraction(ROUNDING) * Fraction(FORGIVEN)
    return int(slots * sum(map(Fraction, capacity)) * kept / Fraction(span.unit))


def sizes_of(auction: Auction, span: Span, jobs: Ints) -> list[int]:
    """Whole units that jobs need at least: their workers, in all slots, and a server in one."""
    k, unit = span.resource, Fraction(span.unit)
    found = []
    for job in map(auction.jobs.__getitem__, jobs.tolist()):
        workers = -(-job.epochs * sum(job.data) // job.worker_rate)
        units = workers * Fraction(job.worker_demand[k]) + Fraction(job.server_demand[k])
        found.append(int(units / unit))
    return found


def most_charged(auction: Auction, span: Span, charges: Floats) -> Fraction:
    """Bound what the charges of a span add up to.

    Parameters
    ----------
    charges
        Shape (jobs,), >= 0, in the order of the span's jobs.

    Raises
    ------
    NotACertificate
        The span is none of the auction, a charge is negative or not finite, or the knapsack is too
        large.
    """
    jobs = require_span(auction, span)
    if not (np.isfinite(charges) & (charges >= 0)).all():
        raise NotACertificate("a charge is negative or not finite")
    if not charges.any():
        return Fraction(0)
    room, sizes = room_of(auction, span), sizes_of(auction, span, jobs)
    room = min(room, sum(sizes))
    affordable(room, "units of a span", MOST_CELLS)
    affordable((room + 1) * len(sizes), "jobs of a span", LONGEST_SEARCH)
    affordable(len(sizes), "jobs of a span", 1 << 62 - CHARGE_BITS)
    shift = CHARGE_BITS - int(np.frexp(charges.max())[1])
    # scaling by powers of two is exact but for what vanishes below 1, and that counts as 1
    raised = np.maximum(np.ceil(np.ldexp(charges, shift)), charges > 0)
    best = np.zeros(room + 1, np.int64)  # by units that may be used
    for size, charge in zip(sizes, whole(raised, "charges").tolist(), strict=True):
        if size <= room:
            np.maximum(best[size:], best[: room + 1 - size] + charge, out=best[size:])
    return Fraction(int(best[-1])) / Fraction(2) ** shift


def charged(auction: Auction, spans: Sequence[Span], charges: Sequence[Floats]) -> Auction:
    """Return the auction whose jobs are worth what remains when charges are paid."""
    worths: dict[int, Floats] = {}
    for span, some in zip(spans, charges, strict=True):
        for i, charge in zip(require_span(auction, span).tolist(), some.tolist(), strict=True):
            if charge > 0:
                worth = worths.setdefault(i, np.array(auction.jobs[i].utility))
                until = span.last + 1 - auction.jobs[i].arrival
                # one place up is not below what the difference was rounded from
                with np.errstate(over="ignore"):
                    worth[:until] = np.nextafter(worth[:until] - charge, np.inf)
    jobs = list(auction.jobs)
    for i, worth in worths.items():
        later = np.maximum.accumulate(np.maximum(worth, 0.0)[::-1])[::-1]
        jobs[i] = msgspec.structs.replace(jobs[i], utility=tuple(later.tolist()))
    return msgspec.structs.replace(auction, jobs=tuple(jobs))


def prove_spans(
    auction: Auction,
    spans: Sequence[Span],
    charges: Sequence[Floats],
    transfer: Floats,
    resource: Floats,
) -> Fraction:
    """Upper bound on every welfare, from charges and prices as of `prove_welfare`.

    Parameters
    ----------
    charges
        Of each span, shape (its jobs,).

    Raises
    ------
    NotACertificate
        A span, charge or price is none.
    """
    paid = sum(map(lambda span, some: most_charged(auction, span, some), spans, charges),
               Fraction(0))  # fmt: skip
    return paid + prove_welfare(charged(auction, spans, charges), transfer, resource)


@certificate_type
class ErisSpans(PriceCertificate, frozen=True, kw_only=True, tag="eris_spans"):
    """Prices and charges of spans that prove an upper bound on the welfare of an auction."""

    about = "eris"
    subject = "eris.offline"
    bound: str  #: Upper bound, a fraction.
    spans: tuple[Span, ...]  #: Each a knapsack.
    charges: str  #: Base64 of the deflated doubles of span after span, one for each of its jobs.
    #: Base64 of the deflated doubles: transfer by slot, then resources by site, resource, slot.
    prices: str

    @classmethod
    def of(
        cls,
        auction: Auction,
        spans: Sequence[Span],
        charges: Sequence[Floats],
        transfer: Floats,
        resource: Floats,
    ) -> ErisSpans:
        """Certify what charges and prices prove.

        Parameters
        ----------
        charges
            Of each span, shape (its jobs,); entries below 0 count as 0.
        transfer, resource
            Shapes (slots,) and (sites, resources, slots); likewise.

        Raises
        ------
        NotACertificate
            A span is none of the auction, or a number is not finite.
        """
        charges = [short(some) for some in charges]
        transfer, resource = short(transfer), short(resource)
        return cls(
            kind=cls.about,
            program=cls.subject,
            instance=auction.sha256,
            bound=str(prove_spans(auction, spans, charges, transfer, resource)),
            spans=tuple(spans),
            charges=pack(np.concatenate([*charges, np.zeros(0)])),
            prices=pack(np.concatenate([transfer, resource.ravel()])),
        )

    def prove_bound(self, auction: Auction, /) -> Fraction:
        """Solve every knapsack and derive every payoff bound anew."""
        many = [len(span.jobs) for span in self.spans]
        ends = np.cumsum([0, *many]).tolist()
        raw = unpack(self.charges, (ends[-1],), "charges")
        charges = [raw[begin : begin + count] for begin, count in zip(ends, many, strict=False)]
        slots, shape = auction.slots, (auction.sites, auction.num_resources, auction.slots)
        prices = unpack(self.prices, (slots * (1 + shape[0] * shape[1]),), "prices")
        return prove_spans(
            auction, self.spans, charges, prices[:slots], prices[slots:].reshape(shape)
        )
