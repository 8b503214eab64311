"""Algorithms 2 and 3 of Eris in plain Python, from the paper alone: pairs, exact chunks, recursion.

Shares no code with `farkas.online.eris.printed_scheduler`, whose docstring lists the readings.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from fractions import Fraction

from farkas.instances.eris import Auction

NOISE = 1e-9  #: Differences of doubles that count as none.


@dataclasses.dataclass(frozen=True)
class Deployment:
    """What Algorithm 3 returns; without a solution its cost is infinite."""

    cost: float
    workers: tuple[int, ...]  #: g.
    server: int  #: Site where z is 1, -1 for nothing.
    moved: Fraction  #: Σ h.


@dataclasses.dataclass(frozen=True)
class PaperValue:
    """One job of an auction in the state that its file says."""

    auction: Auction
    job: int

    def price(self, t: int, r: int, k: int) -> float:
        """β of (6)."""
        capacity = self.auction.site_capacity[r][k]
        if capacity == 0:
            return 0.0
        base = self.auction.price_base_resource[k]
        return float(base ** (float(self.auction.used[r, k, t]) / capacity) - 1)

    def transfer_price(self, t: int) -> float:
        """α of (6)."""
        if self.auction.transfer_budget == 0:
            return 0.0
        share = float(self.auction.transferred[t]) / self.auction.transfer_budget
        return float(self.auction.price_base_transfer**share - 1)

    def unit(self, t: int, r: int) -> float:
        """Price of a worker."""
        demand = self.auction.jobs[self.job].worker_demand
        return sum(w * self.price(t, r, k) for k, w in enumerate(demand))

    def hosts(self, t: int, r: int) -> float:
        """Workers that fit: min over k of ⌊(C - η)/w⌋."""
        job, found = self.auction.jobs[self.job], math.inf
        for k, (w, s) in enumerate(zip(job.worker_demand, job.server_demand, strict=True)):
            capacity = self.auction.site_capacity[r][k]
            free = capacity - float(self.auction.used[r, k, t]) - s
            if free < -NOISE * capacity:
                return 0
            if w > 0:
                found = min(found, math.floor(free / w + NOISE))
        return max(0, found)

    def deploy(self, t: int, workload: int) -> Deployment:
        """Algorithm 3."""
        auction, job = self.auction, self.auction.jobs[self.job]
        sites, ratio = range(auction.sites), Fraction(job.worker_rate, job.epochs)
        alpha, size = self.transfer_price(t), auction.chunk_size
        free = auction.transfer_budget - float(auction.transferred[t])
        unit, hosts = [self.unit(t, r) for r in sites], [self.hosts(t, r) for r in sites]
        h = {(r, o): Fraction(0) for r in sites for o in sites}

        def came(o: int) -> Fraction:
            return sum((h[r, o] for r in sites), Fraction(0))

        def gone(r: int) -> Fraction:
            return sum((h[r, o] for o in sites), Fraction(0))

        metric = {
            (r, o): size * alpha - float(1 / ratio) * (unit[r] - unit[o])
            for r in sites
            for o in sites
            if r != o
        }
        excluded: set[int] = set()
        before: list[int] = []  # destinations of the pairs so far
        for r, o in sorted(metric, key=lambda pair: (round(metric[pair], 9), pair)):
            if metric[r, o] >= -NOISE or {r, o} & excluded:
                continue
            terms = [
                job.data[r] - gone(r),
                workload - sum(job.data[each] + came(each) for each in before),
            ]
            if size > 0:
                terms.append(math.floor(free / size + NOISE))
            if hosts[o] < math.inf:
                terms.append(ratio * int(hosts[o]) - job.data[o] - came(o))
            amount = Fraction(min(terms))
            if amount < 0:
                amount = Fraction(0)
                excluded.add(o)
            h[r, o] = amount
            before.append(o)
        need = math.ceil(workload / ratio)
        g = [0] * auction.sites
        for r in sorted(sites, key=lambda r: (round(unit[r], 9), r)):
            wanted = math.ceil((job.data[r] + came(r)) / ratio)
            g[r] = int(min(wanted, hosts[r], need - sum(g)))
        server = g.index(max(g))
        moved = sum(h.values(), Fraction(0))
        volume = size * float(moved) + job.parameter_size * (sum(g) - g[server])
        if sum(g) < need or free - volume < -NOISE * auction.transfer_budget:
            return Deployment(math.inf, tuple(g), server, moved)
        standing = sum(s * self.price(t, server, k) for k, s in enumerate(job.server_demand))
        cost = alpha * volume + sum(n * u for n, u in zip(g, unit, strict=True)) + standing
        return Deployment(cost, tuple(g), server, moved)

    def schedule(self) -> tuple[float, int, dict[int, Deployment]]:
        """Algorithm 2: payoff, slot of completion (-1 for none) and what every slot runs."""
        job = self.auction.jobs[self.job]
        deployed = functools.cache(self.deploy)

        @functools.cache
        def dpc(t: int, chunks: int) -> tuple[float, dict[int, Deployment]]:
            if t < job.arrival:
                return (0.0 if chunks == 0 else math.inf), {}
            best, found = math.inf, {}
            for d in range(chunks + 1):
                now = deployed(t, d) if d else Deployment(0.0, (), -1, Fraction(0))
                earlier, others = dpc(t - 1, chunks - d)
                if now.cost + earlier < best - NOISE * (best < math.inf and best):
                    best = now.cost + earlier
                    found = {**others, t: now} if d else others
            return best, found

        best, finish, plan = 0.0, -1, {}
        for t in range(job.arrival, self.auction.slots):
            cost, found = dpc(t, sum(job.data))
            worth = job.utility[t - job.arrival]
            if worth - cost > best + NOISE * worth:
                best, finish, plan = worth - cost, t, found
        return best, finish, plan
