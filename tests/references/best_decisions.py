"""The best decisions of tiny instances of every kind, by trial of all of them, in fractions."""

from __future__ import annotations

import collections
import decimal
import itertools
import math
import types
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from farkas.instances.coded import CodedComputing
from farkas.instances.dps import Market
from farkas.instances.eris import Auction
from farkas.instances.eris import Job as Bid
from farkas.instances.gadget import Cluster
from farkas.instances.gadget import Job as RingJob
from farkas.instances.mlbroker import Brokerage
from farkas.replay.eris import processed
from farkas.replay.mlbroker_whole import replay_placements

Use = dict[Any, Any]
"""Units by place and slot."""


def cheapest_placement(data: Brokerage) -> Fraction:
    """Least cost of all placements with no more than a worker too many a site, replayed."""
    slots = []
    for slot in range(data.num_slots):
        placed = [
            [
                (workers, server)
                for workers in itertools.product(range(max(1, need) + 1), repeat=data.num_sites)
                for server in range(data.num_sites)
                if need <= sum(workers) <= need + data.num_sites
            ]
            for need in data.workers_needed[data.pairs_at(slot)].tolist()
        ]
        jobs = data.jobs_at(slot).tolist()
        slots.append(
            [
                {"jobs": jobs, "workers": [[*w] for w, _ in one], "server": [p for _, p in one]}
                for one in itertools.product(*placed)
            ]
        )
    runs = (types.SimpleNamespace(decisions=[*chosen]) for chosen in itertools.product(*slots))
    return min(replay_placements(data, run).low for run in runs)  # type: ignore[arg-type]


def greatest_welfare(data: Auction) -> Fraction:
    """Most that jobs are worth which complete together, with one resource."""
    room = {("data", t): Fraction(data.transfer_budget) for t in range(data.slots)}
    for site, t in itertools.product(range(data.sites), range(data.slots)):
        room[str(site), t] = Fraction(data.site_capacity[site][0])

    def fits(use: Use) -> bool:
        return all(units <= room[where] for where, units in use.items())

    ways = itertools.product(*(list(_completions(data, job, fits)) for job in data.jobs))
    worths = [(sum((worth for worth, _ in chosen), Fraction(0)), chosen) for chosen in ways]
    worths.sort(key=lambda each: each[0], reverse=True)
    return next(worth for worth, chosen in worths if fits(_together(use for _, use in chosen)))


def _completions(
    data: Auction, job: Bid, fits: Callable[[Use], bool]
) -> Iterator[tuple[Fraction, Use]]:
    """Worth and use of no schedule, and of those that complete the job."""
    total, seen = sum(job.data), set()
    yield Fraction(0 if total else job.utility[0]), {}
    most = -(-job.epochs * total // job.worker_rate)
    pieces = [
        [
            piece
            for server in range(data.sites)
            for workers in itertools.product(range(most + 1), repeat=data.sites)
            for moved in range(total + 1)
            if 0 < sum(workers) <= most + 1
            for piece in [_piece(slot, server, workers, moved)]
            if fits(_used(data, job, piece))
        ]
        for slot in range(data.slots if total else 0)
    ]
    for plan in itertools.product(*([None, *some] for some in pieces)):
        run: Any = [piece for piece in plan if piece]
        if not run or processed(job, run) < total:
            continue
        use = _together(_used(data, job, piece) for piece in run)
        worth = Fraction(job.utility[run[-1].slot - job.arrival])
        if (key := (worth, *sorted(use.items()))) not in seen:
            seen.add(key)
            yield worth, use


def _piece(slot: int, server: int, workers: tuple[int, ...], moved: int) -> Any:
    placed = [(site, count) for site, count in enumerate(workers) if count]
    return types.SimpleNamespace(slot=slot, server=server, workers=placed, moved=moved)


def _used(data: Auction, job: Bid, piece: Any) -> Use:
    away = sum(count for site, count in piece.workers if site != piece.server)
    sent = piece.moved * Fraction(data.chunk_size) + away * Fraction(job.parameter_size)
    use = {("data", piece.slot): sent, (str(piece.server), piece.slot): Fraction(0)}
    for site, count in piece.workers:
        use[str(site), piece.slot] = count * Fraction(job.worker_demand[0])
    use[str(piece.server), piece.slot] += Fraction(job.server_demand[0])
    return use


def _together(uses: Iterator[Use]) -> Use:
    total: Use = collections.Counter()
    for use in uses:
        for where, units in use.items():
            total[where] += units
    return total


def highest_payments(data: Market) -> Fraction:
    """Most that jobs pay which are served together, with one type and two servers."""
    ends = data.last_held(data.colocated_end).tolist(), data.last_held(data.spread_end).tolist()
    ways: list[list[tuple[Fraction, Use]]] = []
    for i, job in enumerate(data.jobs):
        pays = Fraction(job.budget)
        if data.price_cap is not None:
            pays = min(pays, Fraction(data.price_cap) * (job.workers + job.ps))
        ways.append([(Fraction(0), {})])
        splits = [range(units + 1) for units in (job.workers, job.ps)]
        for workers, ps in itertools.product(*splits):
            units = [("workers", 0, workers), ("workers", 1, job.workers - workers)]
            units += [("ps", 0, ps), ("ps", 1, job.ps - ps)]
            spread = len({server for _, server, count in units if count}) > 1
            slots = range(job.arrival, ends[spread][i] + 1)
            ways[-1].append((pays, {(*held, t): n for *held, n in units for t in slots}))
    installed = {"workers": data.server_workers, "ps": data.server_ps}
    return max(
        sum((pays for pays, _ in chosen), Fraction(0))
        for chosen in itertools.product(*ways)
        if all(
            units <= installed[what][server][0]
            for (what, server, _), units in _together(use for _, use in chosen).items()
        )
    )


def greatest_reward(data: Cluster) -> Fraction:
    """Most that jobs earn with rings on two servers, with one resource."""
    rings = [
        [(a, b) for a in range(job.max_workers + 1) for b in range(job.max_workers + 1 - a)]
        for job in data.jobs
    ]
    demand = [Fraction(job.demand[0]) for job in data.jobs]
    rate = [Fraction(job.bandwidth) for job in data.jobs]
    slots = {
        tuple(map(sum, chosen))
        for chosen in itertools.product(*rings)
        if all(
            sum(need * ring[u] for need, ring in zip(demand, chosen, strict=True))
            <= Fraction(node.capacity[0] or 0.0)
            for u, node in enumerate(data.nodes)
        )
        and all(
            sum(need for need, ring in zip(rate, chosen, strict=True) if min(ring))
            <= Fraction(link.bandwidth or 0.0)
            for link in data.links
        )
    }
    totals = {
        tuple(map(sum, zip(*schedule, strict=True)))
        for schedule in itertools.product(slots, repeat=data.horizon)
    }
    return max(
        sum((_reward(job, n) for job, n in zip(data.jobs, total, strict=True)), Fraction(0))
        for total in totals
        if all(
            job.budget[0] is None or n * need <= Fraction(job.budget[0])
            for job, need, n in zip(data.jobs, demand, total, strict=True)
        )
    )


def _reward(job: RingJob, worker_slots: int) -> Fraction:
    progress, curve = Fraction(job.efficiency) * worker_slots, job.utility
    if curve.__struct_config__.tag == "linear":
        return Fraction(curve.slope) * progress  # type: ignore[union-attr]
    place = progress / Fraction(curve.step)  # type: ignore[union-attr]
    values = [Fraction(value) for value in curve.values]  # type: ignore[union-attr]
    left = math.floor(place)
    if left >= len(values) - 1:
        return values[-1]
    return values[left] + (values[left + 1] - values[left]) * (place - left)


# Exact results of doubles have up to 1,500 digits; logarithms have 400.
_EXACT = decimal.Context(prec=1500, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
_CLOSE = decimal.Context(prec=400, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
A_LITTLE = Fraction(1, 10**60)
"""Share by which times are late, so that some plan is as early."""


def patience(rate: float, shift: float) -> Decimal:
    """Solve h − ln(1 + h) = u a by Newton's steps."""
    with decimal.localcontext(_CLOSE):
        work = Decimal(rate) * Decimal(shift)
        h = (2 * work).sqrt() + (work if work > 1 else 0)
        step = h
        while abs(step) > h * Decimal("1e-80"):
            step = (h - (1 + h).ln() - work) * (1 + h) / h
            h -= step
        return h


def earliest(data: CodedComputing) -> tuple[Fraction, Fraction | None]:
    """Times by which all expect their rows, with shared workers and with dedicated ones.

    For one or two masters and two workers; None where workers are fewer than masters.
    """
    speed = [
        [
            Fraction(u) / (1 + Fraction(patience(u, a))) / task.rows * (1 - A_LITTLE)
            for u, a in zip(rates, shifts, strict=True)
        ]
        for task, rates, shifts in zip(
            data.masters, data.rates.tolist(), data.shifts.tolist(), strict=True
        )
    ]
    if len(speed) == 1:
        return 1 / sum(speed[0]), 1 / sum(speed[0])
    one, two = speed
    apart = max(min(one[0], two[1]), min(one[1], two[0]))
    together = apart
    for n, owner in itertools.product(range(2), range(2)):  # who shares, and whose the other is
        own, other = one[1 - n] * (owner == 0), two[1 - n] * (owner == 1)
        part = min(max((other + two[n] - own) / (one[n] + two[n]), Fraction(0)), Fraction(1))
        together = max(together, min(own + part * one[n], other + (1 - part) * two[n]))
    return 1 / together, 1 / apart


def surest(data: CodedComputing) -> Fraction | None:
    """Time by which each has its one row with probability ρ, with dedicated workers."""
    wanted = -Fraction(_CLOSE.ln(_EXACT.subtract(Decimal(1), Decimal(data.success_probability))))
    times = []
    for owners in itertools.product(range(data.num_masters), repeat=data.workers):
        workers = [[n for n, m in enumerate(owners) if m == k] for k in range(data.num_masters)]
        if all(workers):
            times.append(max(_one_row(data, k, some, wanted) for k, some in enumerate(workers)))
    return min(times, default=None)


def _one_row(data: CodedComputing, master: int, workers: list[int], wanted: Fraction) -> Fraction:
    """Time at which Σ u max(0, t − a) of some workers is as wanted."""
    pairs = sorted(
        (Fraction(data.shifts[master, n]), Fraction(data.rates[master, n])) for n in workers
    )
    return min(
        (wanted * (1 + A_LITTLE) + sum(a * u for a, u in some)) / sum(u for _, u in some)
        for some in (pairs[: k + 1] for k in range(len(pairs)))
    )
