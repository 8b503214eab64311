"""Decisions of a seller, replayed in exact arithmetic: payments, placements, units still held.

A sold job pays its unit prices times its units; budgets and the price cap are compared with that
number, not with the rounded one beside it.

A job holds its units for the runtime (1).  The slots of a market are by definition those of its
runtimes as doubles (`Market.last_held` of `colocated_end` and `spread_end`): programs, bounds and
this replay all speak of them.  Every way to run that passes here keeps them, so that it is a point
of the programs and no better than a bound of theirs.  Where the exact runtime is longer, units are
held that much longer here as well; if they are missing for that reason only, by a rounding error
of a slot, this counts as kept and is told as an excess.  Where it is shorter, nothing is freed.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Literal

import msgspec

from farkas.instances.dps import Job, Market
from farkas.replay.base import Decided, Entry, Kept, Replayed, decoded, fixed, places, replays
from farkas.tolerances import ROUNDING

Index = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]

SERVED = ("sold", "explored")
PARTS = round(1 / ROUNDING)


class SaleEntry(Entry, frozen=True, kw_only=True, gc=False):
    """What happened to one job; see `farkas.online.dps.offers.Decision`."""

    outcome: Literal["sold", "explored", "declined", "full"]
    payment: Amount
    worker_price: Amount | None
    ps_price: Amount | None
    servers: tuple[Index, ...]
    workers: tuple[Index, ...]
    ps: tuple[Index, ...]
    exploring: bool


@replays.register("dps")
def replay(market: Market, run: Decided) -> Replayed:
    """Add up payments, and check them and the placements."""
    decisions = decoded(run.decisions, list[SaleEntry])
    if len(decisions) != market.num_jobs:
        kept = Kept()
        kept.broken.append(f"{len(decisions)} decisions for {market.num_jobs} jobs")
        return Replayed.of(0, kept)
    if len(decisions) > 200:  # fewer are not worth the import
        from farkas.replay.dps_columns import earned_if_kept

        whole = earned_if_kept(market, decisions)
        if whole is not None:
            return Replayed.of(whole)
    return one_by_one(market, decisions)


def one_by_one(market: Market, decisions: list[SaleEntry]) -> Replayed:
    """Replay one decision after the other, and say in words what is wrong with each."""
    kept = Kept()
    earned = _earned(market, decisions, kept)
    placed = []
    for number, (job, decision) in enumerate(zip(market.jobs, decisions, strict=True)):
        if decision.servers or decision.workers or decision.ps or decision.outcome in SERVED:
            wrong = _misplaced(market, job, decision)
            if wrong:
                kept.broken.append(f"job {number} {wrong}")
            else:
                placed.append(number)
    free = _in_doubles(market, decisions)
    later = {job: max(free[job], first_free(market, job, decisions[job].servers)) for job in placed}
    if _lacking(market, decisions, placed, later):
        lacking = _lacking(market, decisions, placed, free)
        kept.broken += [f"job {number} takes units that are not idle" for number in lacking]
        kept.excess = max(kept.excess, Fraction(ROUNDING))
    return Replayed.of(earned, kept)


def _earned(market: Market, decisions: list[SaleEntry], kept: Kept) -> Fraction:
    """Add up payments, in integers, and compare each with what it may be."""
    numbers = [1.0 if market.price_cap is None else market.price_cap]
    for job, decision in zip(market.jobs, decisions, strict=True):
        if decision.payment or decision.worker_price is not None or decision.ps_price is not None:
            numbers.append(job.budget)
            numbers.append(decision.payment)
            numbers.append(decision.worker_price or 0.0)
            numbers.append(decision.ps_price or 0.0)
    after = places(numbers)
    cap = fixed(numbers[0], after)
    earned = 0
    for number, (job, decision) in enumerate(zip(market.jobs, decisions, strict=True)):
        sold = decision.outcome == "sold"
        if decision.payment and not sold:
            kept.broken.append(f"job {number} pays without being sold anything")
        if decision.worker_price is None or decision.ps_price is None:
            if sold:
                kept.broken.append(f"job {number} is sold at no price")
            continue
        asked = fixed(decision.worker_price, after) * job.workers
        asked += fixed(decision.ps_price, after) * job.ps
        budget = fixed(job.budget, after)
        if sold:
            earned += asked
            if abs(asked - fixed(decision.payment, after)) * PARTS > asked:
                wrong = f"pays {decision.payment:g}, which its prices do not make"
            elif not kept.within(asked, budget):
                wrong = f"pays {decision.payment:g} with a budget of {job.budget:g}"
            elif market.price_cap is not None and not kept.within(
                asked, cap * (job.workers + job.ps)
            ):
                wrong = f"pays {decision.payment:g}, more than the price cap allows"
            else:
                continue
            kept.broken.append(f"job {number} {wrong}")
        elif decision.outcome == "declined" and asked <= budget:
            kept.broken.append(f"job {number} declines what is within its budget")
    return Fraction(earned, 1 << after)


def _misplaced(market: Market, job: Job, decision: SaleEntry) -> str:
    """Say what is wrong with a placement by itself."""
    servers, workers, ps = decision.servers, decision.workers, decision.ps
    if decision.outcome not in SERVED or not servers:
        return f"is {decision.outcome} and holds {len(servers)} servers"
    if not len(workers) == len(ps) == len(servers):
        return "does not say how many units it holds on each server"
    if max(servers) >= market.num_servers or len(set(servers)) < len(servers):
        return "holds a server twice, or one that does not exist"
    if sum(workers) != job.workers or sum(ps) != job.ps:
        return "is served without all its units"
    if 0 in workers and (0, 0) in zip(workers, ps, strict=True):
        return "holds a server without units there"
    return ""


def _lacking(
    market: Market, decisions: list[SaleEntry], placed: list[int], free: Mapping[int, int]
) -> list[int]:
    """Jobs that take units which others still hold.

    Parameters
    ----------
    placed
        Jobs that hold units, in order.
    free
        By job, the first slot in which it holds them no longer.
    """
    idle_workers = [list(row) for row in market.server_workers]
    idle_ps = [list(row) for row in market.server_ps]
    running: list[tuple[int, int]] = []
    found = []
    for number in placed:
        job, decision = market.jobs[number], decisions[number]
        while running and running[0][0] <= job.arrival:
            before = heapq.heappop(running)[1]
            over, held = market.jobs[before], decisions[before]
            for server, workers, ps in zip(held.servers, held.workers, held.ps, strict=True):
                idle_workers[server][over.worker_type] += workers
                idle_ps[server][over.ps_type] += ps
        lacks = False
        for server, workers, ps in zip(
            decision.servers, decision.workers, decision.ps, strict=True
        ):
            idle_workers[server][job.worker_type] -= workers
            idle_ps[server][job.ps_type] -= ps
            lacks |= idle_workers[server][job.worker_type] < 0 or idle_ps[server][job.ps_type] < 0
        if lacks:
            found.append(number)
        heapq.heappush(running, (free[number], number))
    return found


def _in_doubles(market: Market, decisions: list[SaleEntry]) -> dict[int, int]:
    """First slot in which each job holds its units no longer, by the market's own runtimes."""
    whole, spread = market.last_held(market.colocated_end), market.last_held(market.spread_end)
    ends = zip(whole.tolist(), spread.tolist(), decisions, strict=True)
    return {
        number: (one if len(decision.servers) == 1 else other) + 1
        for number, (one, other, decision) in enumerate(ends)
    }


def first_free(market: Market, number: int, servers: Sequence[int]) -> int:
    """First slot in which a job holds its units no longer; no earlier than after its arrival.

    It runs α β slots on one server, α (β + 2 w / (b x slot length)) on several, in whole slots
    where the market rounds, and still holds its units at slot t if it ends after t, or, with closed
    occupancy, at t.
    """
    job = market.jobs[number]
    part, parts = job.epochs.as_integer_ratio()
    each, eaches = job.epoch_compute.as_integer_ratio()
    top, bottom = part * each, parts * eaches
    if len(servers) > 1:
        size, sizes = job.model_size.as_integer_ratio()
        worker = market.worker_bandwidth[job.worker_type]
        server = market.ps_bandwidth[job.ps_type]
        pace, paces = _slots_a_gbit(worker, server, job.workers, market.slot_seconds)
        top = part * (each * sizes * paces + 2 * size * pace * eaches)
        bottom *= sizes * paces
    closed = market.occupancy == "closed"
    if market.runtime_rounding == "ceil":
        # of the model itself: a rounding error more than a whole number of slots is none
        little, units = ROUNDING.as_integer_ratio()
        slots = -((little * bottom - top * units) // (bottom * units))
        return job.arrival + max(1, slots) + closed
    top += job.arrival * bottom
    return max(top // bottom + 1 if closed else -(-top // bottom), job.arrival + 1)


@functools.lru_cache(maxsize=4096)
def _slots_a_gbit(
    worker: float | None, server: float | None, workers: int, slot_seconds: float
) -> tuple[int, int]:
    """1 / (b x slot length) as two integers; b = min(h, H / d), infinite by default."""
    top, bottom = 1, 0
    if worker is not None:
        top, bottom = worker.as_integer_ratio()
    if server is not None:
        part, parts = server.as_integer_ratio()
        parts *= workers
        if part * bottom < top * parts:
            top, bottom = part, parts
    second, seconds = slot_seconds.as_integer_ratio()
    return bottom * seconds, top * second
