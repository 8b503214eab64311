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

import msgspec
import numpy as np

from farkas.certificates.eris import proof_steps, prove_welfare, short
from farkas.certificates.files import certificate_type
from farkas.certificates.guards import affordable
from farkas.certificates.packed import FilePart, Size, pack, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotACertificate
from farkas.instances.eris import Auction
from farkas.numbers import Floats

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

    Raises
    ------
    NotACertificate
        The job is none, or one of the parts would be the whole case.
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

    Raises
    ------
    NotACertificate
        It is no tree: it ends early, goes on after its last leaf, or has an impossible split.
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

        Parameters
        ----------
        prices
            Of each leaf, shapes (slots,) and (sites, resources, slots); entries below 0 count as 0.
        bound
            What is claimed, where it is known already; by default what is proved here.

        Raises
        ------
        NotACertificate
            The tree is none, or a price is not finite.
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
