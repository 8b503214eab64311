"""What mlBroker's algorithms and baselines do, read from the paper with lists and fractions.

Nothing here but the fields of a file comes from farkas: needs, prices, transports and draws are
worked out anew, one job, site and resource after the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.instances.mlbroker import Brokerage

Placed = tuple[tuple[int, ...], int]
"""Workers by site, and the site of the server."""
Sites = frozenset[int]
TIED = Fraction(1, 10**12)
GUARD = Fraction(1, 10**9)


def whole(count: Fraction) -> int:
    """Round a count up, but for 1e-9 of it or of one."""
    return math.ceil(count - GUARD * max(Fraction(1), count))


def active(broker: Brokerage, slot: int) -> list[int]:
    return [i for i, job in enumerate(broker.jobs) if job.arrival <= slot <= job.departure]


def data_of(broker: Brokerage, number: int, slot: int) -> list[Fraction]:
    job = broker.jobs[number]
    return [Fraction(amount) for amount in job.data[slot - job.arrival]]


def needed(broker: Brokerage, number: int, slot: int) -> int:
    """Y: workers that train the data of a slot."""
    capacity = Fraction(broker.jobs[number].worker_capacity)
    return whole(sum(data_of(broker, number, slot)) / capacity)


def bill(broker: Brokerage, site: int, units: Sequence[Fraction], listed: bool = False) -> Fraction:
    """F of (7) for the units of every resource used at a site."""
    total = Fraction(0)
    for k, amount in enumerate(units):
        price = Fraction(broker.base_price[site][k])
        full = price * amount
        cut = broker.discount_price[site][k] if broker.discount_price else None
        start = broker.discount_threshold[site][k] if broker.discount_threshold else None
        if listed or cut is None or start is None or amount <= Fraction(start):
            total += full
        else:
            total += price * Fraction(start) + Fraction(cut) * (amount - Fraction(start))
    return total


def used(broker: Brokerage, plans: Mapping[int, Placed], site: int) -> list[Fraction]:
    """Units of every resource in use at a site."""
    units = [Fraction(0)] * broker.num_resources
    for number, (workers, server) in plans.items():
        job = broker.jobs[number]
        for k in range(broker.num_resources):
            units[k] += Fraction(job.worker_demand[k]) * workers[site]
            units[k] += Fraction(job.server_demand[k]) * (server == site)
    return units


def moving(broker: Brokerage, number: int, slot: int, workers: Sequence[int]) -> Fraction | None:
    """C1 of a job, the cheapest transport by shortest paths; None where workers are too few."""
    if sum(workers) < needed(broker, number, slot):
        return None
    sites = range(broker.num_sites)
    left = data_of(broker, number, slot)
    room = [Fraction(broker.jobs[number].worker_capacity) * y for y in workers]
    if sum(left) > sum(room):  # what a count of workers forgives is trained as well
        left = [amount * sum(room) / sum(left) for amount in left]
    flow = {(o, r): Fraction(0) for o in sites for r in sites}
    price = {(o, r): Fraction(broker.transfer_price[o][r]) for o, r in flow}
    for origin in sites:
        while left[origin] > 0:
            out, back, target = _path(origin, flow, price, room)
            step = min([left[origin], room[target], *(flow[lane] for lane in back)])
            for lane in out:
                flow[lane] += step
            for lane in back:
                flow[lane] -= step
            left[origin] -= step
            room[target] -= step
    return sum((price[lane] * amount for lane, amount in flow.items()), Fraction(0))


Lane = tuple[int, int]


def _path(
    origin: int, flow: Mapping[Lane, Fraction], price: Mapping[Lane, Fraction], room: list[Fraction]
) -> tuple[list[Lane], list[Lane], int]:
    """Cheapest way of one more GB to a site with room: lanes that gain, lanes that lose."""
    ways: dict[tuple[str, int], tuple[Fraction, list[Lane], list[Lane]]] = {}
    ways["from", origin] = Fraction(0), [], []
    changed = True
    while changed:
        changed = False
        for (o, r), there in flow.items():
            for start, end, cost, forth in (
                (("from", o), ("to", r), price[o, r], True),
                (("to", r), ("from", o), -price[o, r], False),
            ):
                if start not in ways or (not forth and there == 0):
                    continue
                far, gains, losses = ways[start]
                if end not in ways or far + cost < ways[end][0]:
                    added = ([*gains, (o, r)], losses) if forth else (gains, [*losses, (o, r)])
                    ways[end] = (far + cost, *added)
                    changed = True
    ends = [r for r, space in enumerate(room) if space > 0]
    target = min(ends, key=lambda r: ways["to", r][0])
    return ways["to", target][1], ways["to", target][2], target


def plans_of(decision: Any) -> dict[int, Placed]:
    """Jobs of a slot and where a policy placed them, as numbers of Python."""
    rows = zip(
        decision.jobs.tolist(), decision.workers.tolist(), decision.server.tolist(), strict=True
    )
    return {n: (tuple(workers), server) for n, workers, server in rows}


def sites_of(placed: Placed) -> Sites:
    """Where a job is: workers or its server."""
    return frozenset({r for r, y in enumerate(placed[0]) if y} | {placed[1]})


def kept(broker: Brokerage, number: int, slot: int, placed: Placed) -> Fraction:
    """C1 and C4 of one job in one slot that has enough workers."""
    workers, server = placed
    moved = moving(broker, number, slot, workers)
    assert moved is not None
    wires = (y * Fraction(broker.transfer_price[r][server]) for r, y in enumerate(workers))
    return moved + Fraction(broker.jobs[number].sync_volume) * sum(wires, Fraction(0))


def bills(broker: Brokerage, plans: Mapping[int, Placed], listed: bool) -> Fraction:
    """C2 of a slot."""
    parts = (
        bill(broker, r, used(broker, plans, r), listed=listed) for r in range(broker.num_sites)
    )
    return sum(parts, Fraction(0))


def entering(broker: Brokerage, now: Mapping[int, Sites], before: Mapping[int, Sites]) -> Fraction:
    """C3 of a slot: every site where a job was not one slot before."""
    return sum(
        (
            Fraction(broker.jobs[n].deploy_cost) * len(sites - before.get(n, frozenset()))
            for n, sites in now.items()
        ),
        Fraction(0),
    )


def cost_of(
    broker: Brokerage,
    slot: int,
    plans: Mapping[int, Placed],
    before: Mapping[int, Sites],
    listed: bool = False,
) -> Fraction:
    """All costs of a slot whose jobs are placed so."""
    now = {n: sites_of(placed) for n, placed in plans.items()}
    stay = sum((kept(broker, n, slot, placed) for n, placed in plans.items()), Fraction(0))
    return stay + bills(broker, plans, listed) + entering(broker, now, before)


def cheapest(
    broker: Brokerage,
    slots: Sequence[int],
    before: Mapping[int, Sites] | None = None,
    jobs: Sequence[int] | None = None,
    listed: bool = False,
) -> Fraction:
    """Least cost of these slots over every placement of all jobs, or of the jobs named."""
    reached = {tuple((before or {}).items()): Fraction(0)}
    for slot in slots:
        here = [n for n in active(broker, slot) if jobs is None or n in jobs]
        stays = [{p: kept(broker, n, slot, p) for p in choices(broker, n, slot)} for n in here]
        least: dict[tuple[tuple[int, Sites], ...], Fraction] = {}
        for picked in itertools.product(*stays):
            plans = dict(zip(here, picked, strict=True))
            cost = sum((s[p] for s, p in zip(stays, picked, strict=True)), Fraction(0))
            cost += bills(broker, plans, listed)
            key = tuple((n, sites_of(placed)) for n, placed in plans.items())
            least[key] = min(cost, least.get(key, cost))
        reached = {
            now: min(
                was + cost + entering(broker, dict(now), dict(past))
                for past, was in reached.items()
            )
            for now, cost in least.items()
        }
    return min(reached.values())


def choices(broker: Brokerage, number: int, slot: int) -> Iterator[Placed]:
    """All workers and servers of a job that train its data; one idle worker at most a site."""
    need = needed(broker, number, slot)
    for workers in itertools.product(range(max(1, need) + 1), repeat=broker.num_sites):
        if sum(workers) >= need:
            for server in range(broker.num_sites):
                yield workers, server


def central(broker: Brokerage) -> list[dict[int, Placed]]:
    """The first of the sites where all of a job costs it least, the other jobs aside."""
    runs, before = [], {}
    for slot in range(broker.num_slots):
        now = {}
        for n in active(broker, slot):
            options = []
            for site in range(broker.num_sites):
                workers = [0] * broker.num_sites
                workers[site] = needed(broker, n, slot)
                amount = data_of(broker, n, slot)
                moved = (x * Fraction(broker.transfer_price[o][site]) for o, x in enumerate(amount))
                placed = tuple(workers), site
                price = sum(moved, bill(broker, site, used(broker, {n: placed}, site)))
                if before.get(n) != site:
                    price += Fraction(broker.jobs[n].deploy_cost)
                options.append((price, placed))
            least = min(price for price, _ in options)
            now[n] = next(placed for price, placed in options if price <= least * (1 + TIED))
        before = {n: placed[1] for n, placed in now.items()}
        runs.append(now)
    return runs


def local(broker: Brokerage, seed: int) -> list[dict[int, Placed]]:
    """Workers where the data are; each job draws a site for its server when it arrives."""
    rng, server, runs = np.random.default_rng(seed), {}, []
    for slot in range(broker.num_slots):
        now = {}
        for n in active(broker, slot):
            if n not in server:
                server[n] = int(rng.integers(broker.num_sites))
            capacity = Fraction(broker.jobs[n].worker_capacity)
            workers = [whole(amount / capacity) for amount in data_of(broker, n, slot)]
            now[n] = tuple(more_workers(broker, n, slot, workers)), server[n]
        runs.append(now)
    return runs


def more_workers(broker: Brokerage, number: int, slot: int, workers: list[int]) -> list[int]:
    """Add workers where most data are untrained, until all data can be trained."""
    capacity, amount = Fraction(broker.jobs[number].worker_capacity), data_of(broker, number, slot)
    found = list(workers)
    while sum(found) < needed(broker, number, slot):
        bare = [x - capacity * y for x, y in zip(amount, found, strict=True)]
        found[bare.index(max(bare))] += 1
    return found


def trade(share: list[float], weight: Sequence[float], rng: np.random.Generator) -> list[int]:
    """Algorithm 2's loop: pairs trade their fractions; the last one left goes up."""
    floor = [math.floor(x) for x in share]
    part = [x - low for x, low in zip(share, floor, strict=True)]
    for n, x in enumerate(part):
        if weight[n] == 0 and 1e-9 < x < 1 - 1e-9:
            part[n] = 1.0 if rng.random() < x else 0.0
    while True:
        left = [n for n, x in enumerate(part) if weight[n] > 0 and 1e-9 < x < 1 - 1e-9]
        if len(left) < 2:
            break
        a = int(rng.integers(len(left)))
        b = int(rng.integers(len(left) - 1))
        a, b = left[a], left[b + 1 if b >= a else b]
        up = min(1 - part[a], weight[b] / weight[a] * part[b])
        down = min(part[a], weight[b] / weight[a] * (1 - part[b]))
        if rng.random() < down / (up + down):
            part[a], part[b] = part[a] + up, part[b] - weight[a] / weight[b] * up
        else:
            part[a], part[b] = part[a] - down, part[b] + weight[a] / weight[b] * down
    for n in left:
        part[n] = 1.0
    return [low + round(x) for low, x in zip(floor, part, strict=True)]


def without_noise(workers: list[float], need: int) -> list[float]:
    """Fractional workers of a job with noise of 1e-6 removed, and at least as many as needed."""
    found = [float(round(y)) if abs(y - round(y)) <= 1e-6 else y for y in workers]
    found = [max(0.0, y) for y in found]
    if need != sum(found) <= need + 1e-6 * len(found):
        part = [y for y in found if y != round(y)]
        rest = need - (sum(found) - sum(part))
        if part and rest > 0:
            found = [y * rest / sum(part) if y != round(y) else y for y in found]
        else:
            found = [y * need / sum(found) for y in found]
    return found


def drawn(shares: list[float], draw: float) -> int:
    """Site below whose cumulative share a draw falls."""
    clear = [max(0.0, s) for s in shares]
    clear = [float(round(s)) if abs(s - round(s)) <= 1e-6 else s for s in clear]
    level, total = draw * sum(clear), 0.0
    for site, share in enumerate(clear):
        total += share
        if level < total:
            return site
    raise AssertionError("nothing to draw from")


def rounded(
    broker: Brokerage, slot: int, point: Any, rng: np.random.Generator, rule: str
) -> dict[int, Placed]:
    """Workers and servers of a slot from the fractional ones, by mlBroker, round2, IR or GR.

    Parameters
    ----------
    point
        Fractional workers and server shares by job, in order.
    """
    jobs = active(broker, slot)
    y = [without_noise(row, needed(broker, n, slot)) for n, row in zip(jobs, point[0], strict=True)]
    if rule in ("max", "round2"):
        tables = []
        for k in range(broker.num_resources if rule == "max" else 0):
            weight = [broker.jobs[n].worker_demand[k] for n in jobs]
            columns = [trade([row[r] for row in y], weight, rng) for r in range(broker.num_sites)]
            tables.append([[column[place] for column in columns] for place in range(len(jobs))])
        tables.append([trade(row, [1.0] * len(row), rng) for row in y])
        made = [[max(table[p][r] for table in tables) for r in range(broker.num_sites)]
                for p in range(len(jobs))]  # fmt: skip
    elif rule == "ir":
        near = [[math.floor(x + 0.5) for x in row] for row in y]
        made = [more_workers(broker, n, slot, row) for n, row in zip(jobs, near, strict=True)]
    else:
        made = [[math.ceil(x) for x in row] for row in y]
        best = [[max(0.0, s) for s in row] for row in point[1]]
        best = [[round(s) if abs(s - round(s)) <= 1e-6 else s for s in row] for row in best]
        servers = [row.index(max(row)) for row in best]
    if rule != "gr":
        servers = [drawn(row, float(rng.random())) for row in point[1]]
    return {n: (tuple(m), s) for n, m, s in zip(jobs, made, servers, strict=True)}


def worth_of(
    broker: Brokerage, slot: int, before: Any, point: Any, relax: str, semantics: str
) -> float:
    """C1 + C2 + C4 and the entropy of (10) at a fractional point, in doubles.

    Parameters
    ----------
    before
        Deployment one slot before, by job.
    point
        Workers, server shares and deployment by job and site; moves and wires by lane.
    """
    y, s, v, q, g = point
    jobs, sites = active(broker, slot), range(broker.num_sites)
    total, sigma = 0.0, math.log(1 + 1 / broker.epsilon)
    for place, n in enumerate(jobs):
        job = broker.jobs[n]
        for o, r in itertools.product(sites, sites):
            price = broker.transfer_price[o][r]
            total += price * (q[place][o][r] + job.sync_volume * g[place][o][r])
        for r in sites:
            new, old = v[place][r] + broker.epsilon, before[place][r] + broker.epsilon
            total += job.deploy_cost / sigma * (new * math.log(new / old) - new + old)
    for r, k in itertools.product(sites, range(broker.num_resources)):
        units = sum(
            broker.jobs[n].worker_demand[k] * y[place][r]
            + broker.jobs[n].server_demand[k] * s[place][r]
            for place, n in enumerate(jobs)
        )
        total += _relaxed_bill(broker, slot, r, k, units, relax, semantics)
    return total


def idle_allowed(broker: Brokerage, number: int, slot: int, semantics: str) -> int:
    """Most workers of a job at a site: Y, and one idle one where that keeps it deployed."""
    return max(needed(broker, number, slot), 1 if semantics == "strict" else 0)


def most_used(broker: Brokerage, slot: int, k: int, semantics: str) -> float:
    """H: units that all jobs of a slot use at most at one site."""
    total = 0.0
    for n in active(broker, slot):
        job = broker.jobs[n]
        total += job.worker_demand[k] * idle_allowed(broker, n, slot, semantics)
        total += job.server_demand[k]
    return total


def tier(broker: Brokerage, r: int, k: int) -> tuple[float, float, float]:
    """List price, reduced price and threshold of a resource at a site; a, b, l."""
    price = broker.base_price[r][k]
    cut = broker.discount_price[r][k] if broker.discount_price else None
    start = broker.discount_threshold[r][k] if broker.discount_threshold else None
    return (price, price, 0.0) if cut is None or start is None else (price, cut, start)


def constant(broker: Brokerage, semantics: str) -> float:
    """M: smallest valid constant of (8c) and (8d) for all slots, or the one given."""
    found = [broker.big_m or 0.0]
    slots, sites = range(broker.num_slots), range(broker.num_sites)
    for t, r, k in itertools.product(slots, sites, range(broker.num_resources)):
        a, b, from_ = tier(broker, r, k)
        found += [(a - b) * from_, (a - b) * (most_used(broker, t, k, semantics) - from_)]
    return max(found)


def _relaxed_bill(
    broker: Brokerage, slot: int, r: int, k: int, h: float, relax: str, semantics: str
) -> float:
    """C2 of the relaxation: the chord, or the least of (8c) to (8e) with u between 0 and 1."""
    a, b, from_ = tier(broker, r, k)
    if relax == "tight":
        most = most_used(broker, slot, k, semantics)
        if most == 0:
            return (a if from_ > 0 else b) * h
        return h * min(a * most, b * most + (a - b) * from_) / most
    big = constant(broker, semantics)
    dear, cheap = a * h, b * h + (a - b) * from_
    if big == 0:
        return max(dear, cheap)
    places = [0.0, 1.0, dear / big, 1 - cheap / big, (dear - cheap + big) / (2 * big)]
    return min(max(0.0, dear - big * u, cheap - big * (1 - u)) for u in places if 0 <= u <= 1)


def least_slot(broker: Brokerage, slot: int, before: Any, relax: str, semantics: str) -> float:
    """Optimum of (10) by a cone program that is written out number by number."""
    import cvxpy as cp

    jobs, sites = active(broker, slot), range(broker.num_sites)
    if not jobs:
        return 0.0
    rows: list[Any] = []
    costs: list[Any] = []
    usage = {(r, k): 0.0 for r in sites for k in range(broker.num_resources)}
    sigma = math.log(1 + 1 / broker.epsilon)
    top = 1 + max(
        idle_allowed(broker, n, t, semantics)
        for t in range(broker.num_slots)
        for n in active(broker, t)
    )
    for place, n in enumerate(jobs):
        job, need = broker.jobs[n], needed(broker, n, slot)
        most = idle_allowed(broker, n, slot, semantics)
        y, s, v = (cp.Variable(broker.num_sites, nonneg=True) for _ in range(3))
        q, g = (cp.Variable((broker.num_sites, broker.num_sites), nonneg=True) for _ in range(2))
        for r in sites:
            rows += [y[r] >= cp.sum(q[:, r])]  # in units of what a worker trains
            amount = float(data_of(broker, n, slot)[r])
            rows += [cp.sum(q[r, :]) == amount / job.worker_capacity]
            rows += [cp.sum(g[r, :]) == y[r], cp.sum(g[:, r]) >= need * s[r]]
            if relax == "printed":
                rows += [top * v[r] >= y[r] + s[r]]
            else:
                rows += [most * v[r] >= y[r], v[r] >= s[r]]
            if semantics == "strict":
                rows += [v[r] <= y[r] + s[r], *(g[o, r] <= most * s[r] for o in sites)]
            old = before[place][r] + broker.epsilon
            costs += [job.deploy_cost / sigma * cp.kl_div(v[r] + broker.epsilon, old)]
            for o in sites:
                price = broker.transfer_price[o][r]
                costs += [price * job.worker_capacity * q[o, r]]
                costs += [price * job.sync_volume * g[o, r]]
            for k in range(broker.num_resources):
                usage[r, k] += job.worker_demand[k] * y[r] + job.server_demand[k] * s[r]
        rows += [cp.sum(s) == 1]
    for (r, k), h in usage.items():
        if relax == "tight":
            costs += [_relaxed_bill(broker, slot, r, k, 1.0, relax, semantics) * h]
            continue
        a, b, from_ = tier(broker, r, k)
        x, u, w = (cp.Variable(nonneg=True) for _ in range(3))
        big = constant(broker, semantics)
        rows += [x >= a * h - big * u, x >= b * h + (a - b) * from_ - big * w, u + w == 1]
        costs += [x]
    problem = cp.Problem(cp.Minimize(cp.sum(cp.hstack(costs))), rows)
    problem.solve(solver="CLARABEL")
    return float(problem.value)
