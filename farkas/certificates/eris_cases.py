"""Bounds on the welfare of an auction by cases, each with prices of its own.

A tree splits all ways to serve the jobs by when some of them complete.  At a *split* a job
completes at most so many slots after its arrival in the first part; in the second it does later, or
not at all.  Whatever is decided lies in one of both, so that it lies in one of the leaves, and no
welfare is above the largest bound of a leaf.

A leaf gives each job i a first and a last delay of completion, l and h.  Where h is not the last of
all, an early part was taken, and the job completes.  Prices bound the auction, as
`farkas.certificates.eris` does, in which job i is worth

    u_i(d) = f_i(max(d, l)) + M_i  where d <= h,  and nothing beyond,
    M_i = f_i(l) where the job has to complete,  0 elsewhere.

Decisions of the leaf are worth Σ M more there than they are: who has to complete does so between l
and h, where u_i = f_i + M_i, and who does not is worth nothing on either side.  What else can be
decided there does not count.  So the bound of a leaf is that of this auction less Σ M; the larger M
is, the dearer it is not to complete.  Sums f + M are rounded up to doubles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np

from farkas.certificates.eris import proof_steps, prove_welfare, short
from farkas.certificates.files import certificate_type
from farkas.certificates.packed import FilePart, Size, pack, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.sums import LONGEST_SEARCH, MOST_CELLS, affordable, whole
from farkas.errors import NotACertificate
from farkas.instances.eris import Auction
from farkas.numbers import Floats, Ints
from farkas.tolerances import FORGIVEN, ROUNDING

MOST_NODES = 1 << 11  #: Splits and leaves of a tree.
MOST_STEPS = 1 << 36  #: Numbers that the tables of all leaves pass.

#: First and last delay of completion, of jobs that were branched on; slots from the arrival.
Windows = Mapping[int, tuple[int, int]]


class CaseSplit(FilePart, frozen=True, kw_only=True, array_like=True):
    """First where a job completes ``delay`` slots after its arrival at the latest, then later."""

    job: Size
    delay: Size  #: Slots, from the first delay of the case up to the last but one.


Tree = Sequence[CaseSplit | None]  #: Splits and leaves (None) in preorder.


def parts_of(auction: Auction, windows: Windows, split: CaseSplit) -> tuple[Windows, Windows]:
    """Both parts of a case.

    Raises `NotACertificate`: the job is none, or one of the parts would be the whole case.
    """
    if split.job >= auction.num_jobs:
        raise NotACertificate(f"a split by job {split.job} of {auction.num_jobs}")
    all_delays = 0, len(auction.jobs[split.job].utility) - 1
    first, last = windows.get(split.job, all_delays)
    if not first <= split.delay < last:
        raise NotACertificate(
            f"a split of job {split.job} after delay {split.delay}, which is one of {first} to"
            f" {last} and not the last"
        )
    early, late = (first, split.delay), (split.delay + 1, last)
    return {**windows, split.job: early}, {**windows, split.job: late}


def cases_of(auction: Auction, tree: Tree) -> list[Windows]:
    """Leaves of a tree, in order.

    Raises `NotACertificate`: it is no tree: it ends early, goes on after its last leaf, or has an
    impossible split.
    """
    affordable(len(tree), "splits and leaves", MOST_NODES)
    found: list[Windows] = []
    waiting: list[Windows] = [{}]
    for node in tree:
        if not waiting:
            raise NotACertificate("the tree goes on after its last leaf")
        windows = waiting.pop()
        if node is None:
            found.append(windows)
        else:
            waiting += reversed(parts_of(auction, windows, node))
    if waiting:
        raise NotACertificate("the tree ends before its last leaf")
    return found


def within(auction: Auction, windows: Windows) -> tuple[Auction, Fraction]:
    """Return the auction that prices bound in a case, with u for f, and Σ M."""
    jobs, more = list(auction.jobs), Fraction(0)
    for i, (first, last) in windows.items():
        worth = np.array(jobs[i].utility)
        extra = worth[first] if last + 1 < len(worth) else 0.0
        more += Fraction(float(extra))
        worth[:first] = worth[first]
        if extra:  # one place up is above whatever a sum of two was rounded from
            with np.errstate(over="ignore"):  # refused by who reads it
                worth = np.nextafter(worth + extra, np.inf)
        worth[last + 1 :] = 0.0
        jobs[i] = msgspec.structs.replace(jobs[i], utility=tuple(worth.tolist()))
    return msgspec.structs.replace(auction, jobs=tuple(jobs)), more


def prove_case(auction: Auction, windows: Windows, transfer: Floats, resource: Floats) -> Fraction:
    """Upper bound on the welfare of all decisions of a case, from prices as of `prove_welfare`."""
    other, more = within(auction, windows)
    return prove_welfare(other, transfer, resource) - more


@certificate_type
class ErisCases(PriceCertificate, frozen=True, kw_only=True, tag="eris_cases"):
    """Cases, with prices that prove an upper bound on the welfare of each."""

    about = "eris"
    subject = "eris.offline"
    bound: str  #: Upper bound, a fraction.
    tree: tuple[CaseSplit | None, ...]  #: Preorder: ``[job, delay]`` splits, null is a leaf.
    #: Base64 of the deflated doubles of leaf after leaf: transfer by slot, then resources by site,
    #: resource, slot.
    prices: str

    @classmethod
    def of(
        cls,
        auction: Auction,
        tree: Tree,
        prices: Sequence[tuple[Floats, Floats]],
        bound: Fraction | None = None,
    ) -> ErisCases:
        """Certify what cases prove.

        Raises `NotACertificate`: the tree is none, or a price is not finite.

        Parameters
        ----------
        prices
            Of each leaf, shapes (slots,) and (sites, resources, slots); entries below 0 count as 0.
        bound
            What is claimed, where it is known already; by default what is proved here.
        """
        rows = [np.concatenate([short(one), short(two).ravel()]) for one, two in prices]
        made = cls(
            kind=cls.about,
            program=cls.subject,
            instance=auction.sha256,
            bound=str(bound),
            tree=tuple(tree),
            prices=pack(np.array(rows)),
        )
        if bound is not None:
            return made
        return msgspec.structs.replace(made, bound=str(made.prove_bound(auction)))

    def prove_bound(self, auction: Auction, /) -> Fraction:
        """Bound every leaf anew."""
        cases = cases_of(auction, self.tree)
        affordable(len(cases) * proof_steps(auction), "cases", MOST_STEPS)
        slots, shape = auction.slots, (auction.sites, auction.num_resources, auction.slots)
        width = slots * (1 + auction.sites * auction.num_resources)
        raw = unpack(self.prices, (len(cases), width), "prices")
        return max(
            prove_case(auction, case, row[:slots], row[slots:].reshape(shape))
            for case, row in zip(cases, raw, strict=True)
        )


# Bounds on the welfare of an auction from prices, and from what completes within spans of slots.
#
# A job that arrives in a span of slots and completes in it uses there at least what all its chunks
# need.  So the jobs that do so have to fit, each as a whole, into what the span holds of a
# resource: they are a choice of a knapsack.  Prices alone let a linear program complete half of a
# job there.
#
# A span k charges job i, one of its own, π_ik >= 0 if the job completes in it.  What all charges of
# the span can add up to is at most the best choice of its knapsack, P_k, by dynamic programming.
# Whatever is decided, charges that are paid take as much off the jobs' worths as they add up to,
# and
#
#     Σ_i μ_i + Σ_k P_k + B Σ_t α(t) + Σ C β   >=   every welfare,
#
# where α, β are prices as in `farkas.certificates.eris` and no schedule of job i, which is worth
# f_i(d) - Σ π_ik over the spans in which it completes, beats μ_i.  That worth may rise with d; a
# job counts as worth the most that it is by d or later, and never less than nothing, which takes no
# bound away.
#
# Sizes of jobs count whole units of a span, rounded down, and so do its capacities, with what
# counts as fitting in them; then a choice of jobs that fits is one of the knapsack.


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

    Raises `NotACertificate`: it is none of the auction, or one of its jobs cannot be charged.
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

    ``charges``: shape (jobs,), >= 0, in the order of the span's jobs.  Raises `NotACertificate`:
    the span is none of the auction, a charge is negative or not finite, or the knapsack is too
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

    ``charges``: of each span, shape (its jobs,). Raises `NotACertificate`: a span, charge or price
    is none.
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

        Raises `NotACertificate`: a span is none of the auction, or a number is not finite.

        Parameters
        ----------
        charges
            Of each span, shape (its jobs,); entries below 0 count as 0.
        transfer, resource
            Shapes (slots,) and (sites, resources, slots); likewise.
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
