"""Bounds on the welfare of an auction from any prices, checked without a solver.

For prices α, β >= 0 and numbers μ_i that no schedule of job i beats at these prices,

    Σ_i μ_i + B Σ_t α(t) + Σ C β   >=   every welfare,

by weak duality between (3) and (4) of Eris.  So prices are all a certificate holds, and where they
came from does not matter.  The numbers μ_i are derived anew, from a relaxation that dynamic
programming solves: every slot finds all data of the job in place, and a schedule by itself may
exceed the transfer budget.  Site costs are rounded down to whole multiples of a unit and worth is
rounded up, so that the program runs in exact integers and errs on the safe side only.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from farkas.certificates.files import certificate_type
from farkas.certificates.guards import finite, whole
from farkas.certificates.packed import pack, unpack
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.runs import RunBound, run_bounds
from farkas.certificates.sums import exact_dot
from farkas.errors import NotACertificate
from farkas.instances.eris import Auction, Job, hosted, left_over, workers_for
from farkas.numbers import Floats, Ints
from farkas.portable.sums import weighted
from farkas.tolerances import NORMAL, ULP

WORTH_BITS = 42
"""A job's greatest worth is between 2**41 and 2**42 units; costs are cut off at twice that."""
NEVER = 1 << 60
"""Cost of what is impossible.

Nothing asks whether a cost *is* this number; it only has to be above every worth, and sums of two
have to fit into 64 bits.  Sums of costs are cut off here, which keeps them lower bounds.
"""
SLOTS_AT_ONCE = 16


@certificate_type
class ErisPrices(PriceCertificate, frozen=True, kw_only=True, tag="eris_prices"):
    """Prices that prove an upper bound on the welfare of an auction.

    Parameters
    ----------
    bound
        Upper bound, a fraction.
    prices
        Base64 of the deflated doubles: transfer by slot, then resources by site, resource, slot.
    """

    about = "eris"
    subject = "eris.offline"
    bound: str
    prices: str

    @classmethod
    def of(cls, auction: Auction, transfer: Floats, resource: Floats) -> ErisPrices:
        """Certify what the prices prove.

        Parameters
        ----------
        transfer
            Shape (slots,), α; entries below 0 count as 0.
        resource
            Shape (sites, resources, slots), β; likewise.

        Raises
        ------
        NotACertificate
            A price is not finite.
        """
        transfer, resource = short(transfer), short(resource)
        bound = prove_welfare(auction, transfer, resource)
        return cls(
            kind=cls.about,
            program=cls.subject,
            instance=auction.sha256,
            bound=str(bound),
            prices=pack(np.concatenate([transfer, resource.ravel()])),
        )

    def read_prices(self, auction: Auction) -> tuple[Floats, Floats]:
        """Return the prices; raises `NotACertificate` when they have another size."""
        size = auction.slots * (1 + auction.sites * auction.num_resources)
        raw = unpack(self.prices, (size,), "prices")
        shape = (auction.sites, auction.num_resources, auction.slots)
        return raw[: auction.slots], raw[auction.slots :].reshape(shape)

    def prove_bound(self, auction: Auction, /) -> Fraction:
        """Derive every payoff bound anew."""
        return prove_welfare(auction, *self.read_prices(auction))


run_bounds.add("eris", (RunBound("eris_prices", ErisPrices.subject),))


def short(prices: Floats) -> Floats:
    """Round prices down to 30 significant bits and negative ones up to 0; any prices are valid."""
    mantissa, exponent = np.frexp(np.maximum(finite(prices, "prices"), 0.0))
    rounded: Floats = np.ldexp(np.floor(np.ldexp(mantissa, 30)), exponent - 30) + 0.0
    return rounded


def prove_welfare(auction: Auction, transfer: Floats, resource: Floats) -> Fraction:
    """Upper bound on the welfare of every set of schedules that fits the empty system.

    Parameters
    ----------
    transfer, resource
        Prices, shapes (slots,) and (sites, resources, slots), >= 0.

    Raises
    ------
    NotACertificate
        A price is negative or not finite, or a shape is wrong.
    """
    for what, prices, shape in (
        ("transfer", transfer, (auction.slots,)),
        ("resource", resource, (auction.sites, auction.num_resources, auction.slots)),
    ):
        if prices.shape != shape:
            raise NotACertificate(f"{what} prices have shape {prices.shape}, needed {shape}")
        if not (np.isfinite(prices) & (prices >= 0)).all():
            raise NotACertificate(f"a {what} price is negative or not finite")
    budget = np.full(auction.slots, auction.transfer_budget)
    capacity = np.broadcast_to(auction.capacity[:, :, None], resource.shape).ravel()
    rent = exact_dot(budget, transfer) + exact_dot(capacity, resource.ravel())
    payoffs = (prove_payoff(auction, job, transfer, resource) for job in auction.jobs)
    return rent + sum(payoffs, Fraction(0))


def prove_payoff(auction: Auction, job: Job, transfer: Floats, resource: Floats) -> Fraction:
    """Upper bound on worth less posted cost of every schedule of ``job``, >= 0."""
    total = sum(job.data)
    top = job.utility[0]
    if total == 0:
        return Fraction(top)
    shift = WORTH_BITS - int(np.frexp(top)[1])
    utility = np.array(job.utility)
    # scaling by powers of two is exact but for what vanishes below 1, and that counts as 1
    raised = np.ceil(np.ldexp(finite(utility, "utility"), shift))
    worth = whole(np.maximum(raised, utility > 0), "utility", bits=WORTH_BITS + 1)
    if (utility < 0).any() or (np.diff(utility) > 0).any():
        raise NotACertificate("the utility is negative or rises")
    most = workers_for(total, job.epochs, job.worker_rate)
    room = _rooms(auction, job, most)
    so_far = np.full(total + 1, NEVER)
    so_far[0] = 0
    best = 0
    for start in range(0, len(worth), SLOTS_AT_ONCE):
        if worth[start] <= best:  # costs are not negative and worth never rises
            break
        slots = slice(job.arrival + start, job.arrival + min(start + SLOTS_AT_ONCE, len(worth)))
        costs = _slot_costs(job, auction, transfer[slots], resource[:, :, slots], room, shift)
        for value, row in zip(worth[start:], costs, strict=False):
            so_far = _with_slot(so_far, row)
            best = max(best, int(value - so_far[-1]))
    return Fraction(best) / Fraction(2) ** shift


def _rooms(auction: Auction, job: Job, most: int) -> tuple[Ints, Ints]:
    """Chunks an empty site can process without and with the server, shape (sites,); -1: none."""
    worker, server = np.array(job.worker_demand), np.array(job.server_demand)
    alone = hosted(auction.capacity, worker, most)
    free = left_over(auction.capacity, server)
    beside = hosted(free, worker, most) * job.worker_rate // job.epochs
    return alone * job.worker_rate // job.epochs, np.where((free >= 0).all(axis=1), beside, -1)


def _slot_costs(
    job: Job,
    auction: Auction,
    transfer: Floats,
    resource: Floats,
    room: tuple[Ints, Ints],
    shift: int,
) -> Ints:
    """Units, at most the least cost of processing d chunks in a slot; shape (slots, chunks + 1).

    Farkas states the program in `farkas.relaxations.eris.payoff_bound`; this is a second,
    independent implementation for all slots at once, in integers.
    """
    total, slots = sum(job.data), len(transfer)
    # rounded results of at most 2K operations on numbers >= 0, then 4 more below
    with np.errstate(over="ignore"):
        worker = weighted(np.array(job.worker_demand), resource)[:, :, None]
        server = weighted(np.array(job.server_demand), resource)[:, :, None]
        remote, moving = transfer * job.parameter_size, transfer * auction.chunk_size
    # none of an infinitely dear thing costs nothing, so no unit cost may be infinite
    worker, server, remote, moving = (
        np.minimum(cost, np.finfo(float).max) for cost in (worker, server, remote, moving)
    )
    roundings = 2 * auction.num_resources + 6
    alone, beside = room
    most = np.minimum(total, np.maximum(alone, beside))
    chunks = np.arange(int(most.max()) + 1)
    workers = -(-job.epochs * chunks // job.worker_rate)
    moved = np.maximum(0, chunks - np.array(job.data)[:, None])
    with np.errstate(over="ignore"):
        moves = moving[:, None] * moved[:, None, :]  # shape (sites, slots, chunks), as all below
        away = np.minimum(worker + remote[:, None], np.finfo(float).max)
        without = _units(away * workers + moves, roundings, shift)
        within = _units(worker * workers + moves + server, roundings, shift)
    idle = np.full((slots, total + 1), NEVER)
    idle[:, 0] = 0
    served = np.full_like(idle, NEVER)
    scratch = np.empty_like(idle)
    reach = 0  # chunks that the sites so far can process at most
    for site in range(auction.sites):
        new_idle, new_served = idle.copy(), served.copy()
        for q in range(int(most[site]) + 1):
            upto = min(total - q, reach) + 1
            sums = scratch[:, :upto]
            if 0 < q <= alone[site]:
                np.add(idle[:, :upto], without[site, :, q, None], out=sums)
                np.minimum(new_idle[:, q : q + upto], sums, out=new_idle[:, q : q + upto])
                np.add(served[:, :upto], without[site, :, q, None], out=sums)
                np.minimum(new_served[:, q : q + upto], sums, out=new_served[:, q : q + upto])
            if q <= beside[site]:
                np.add(idle[:, :upto], within[site, :, q, None], out=sums)
                np.minimum(new_served[:, q : q + upto], sums, out=new_served[:, q : q + upto])
        idle, served = new_idle, new_served
        reach = min(total, reach + int(most[site]))
    served[:, 0] = 0  # nothing to do needs no server
    return served


def _units(costs: Floats, roundings: int, shift: int) -> Ints:
    """Whole units not above the exact costs, of which ``costs`` are rounded results.

    The largest double stands for what overflowed: rounding may have taken costs there that are a
    little below the dearest worth.
    """
    if np.isnan(costs).any() or (costs < 0).any():
        raise NotACertificate("a cost is negative or not a number")
    with np.errstate(over="ignore"):
        known = np.minimum(np.where(costs < NORMAL, 0.0, costs), np.finfo(float).max)
        safe = np.ldexp(known * (1 - (roundings + 2) * ULP), shift)
    # cutting off keeps a lower bound, and no schedule that dear earns anything
    return whole(np.floor(np.minimum(safe, 2.0 ** (WORTH_BITS + 1))), "cost")


def _with_slot(so_far: Ints, costs: Ints) -> Ints:
    """Least of so_far[n - d] + costs[d] over d, for every n."""
    padded = np.concatenate([np.full(len(costs) - 1, NEVER), so_far])
    # row n of the view is so_far[n], so_far[n - 1], ..., preceded by what is impossible
    windows = np.lib.stride_tricks.sliding_window_view(padded, len(costs))
    sums = windows[:, ::-1] + costs
    least: Ints = np.minimum(sums.min(axis=1), NEVER)
    return least
