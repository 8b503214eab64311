"""Tiresias, AntMan and Liquid slot by slot with lists: who runs where, what completes, who pays."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from farkas.instances.eris import Auction

LITTLE = 1e-9


class Client:
    """A job in the system."""

    def __init__(self, index: int, job: Any) -> None:
        self.index, self.job = index, job
        self.data = list(job.data)
        self.asks = max(1, math.ceil(job.epochs * sum(job.data) / (job.worker_rate * 8)))
        self.wants: int | None = None
        self.place: tuple[list[int], int] | None = None
        self.first = False
        self.paid = 0.0
        self.prices: list[float] | None = None  # of a worker by site, on arrival
        self.shares: list[int] | None = None
        self.gone = False

    def worth(self, slot: int) -> float:
        """Worth of completing in a slot; nothing after the last one."""
        return dict(enumerate(self.job.utility, self.job.arrival)).get(slot, 0.0)

    def slots(self, workers: int) -> int:
        """Slots that so many workers need for what is left."""
        return math.ceil(sum(self.data) * self.job.epochs / (self.job.worker_rate * workers))


class Slot:
    """What one slot has left; prices are those of what is held."""

    def __init__(self, auction: Auction, number: int) -> None:
        self.auction, self.number = auction, number
        self.held = [[0.0] * auction.num_resources for _ in range(auction.sites)]
        self.sent = 0.0

    def price(self, site: int, demand: Any) -> float:
        """Price of ``demand`` at a site."""
        total = 0.0
        for k, units in enumerate(demand):
            if (room := self.auction.site_capacity[site][k]) > 0:
                base = self.auction.price_base_resource[k]
                total += units * (base ** (self.held[site][k] / room) - 1)
        return total

    def hosts(self, client: Client, site: int, most: int, beside: bool) -> int:
        """Workers that a site holds, alone or beside the server."""
        for n in range(most, -1, -1):
            need = [
                self.held[site][k] + n * w + s * beside
                for k, (w, s) in enumerate(
                    zip(client.job.worker_demand, client.job.server_demand, strict=True)
                )
            ]
            room = self.auction.site_capacity[site]
            if all(a <= c * (1 + LITTLE) for a, c in zip(need, room, strict=True)):
                return n
        return 0

    def costs(self, client: Client) -> list[float]:
        """Price of a worker by site, as the seller tells prices apart."""
        return [
            round(self.price(r, client.job.worker_demand), 7) for r in range(self.auction.sites)
        ]

    def spread(self, client: Client, place: tuple[list[int], int]) -> tuple[list[int], int] | None:
        """Data by site, evenly over what workers process, and slots that it takes."""
        rates = [n * client.job.worker_rate // client.job.epochs for n in place[0]]
        every, left = sum(rates), sum(client.data)
        if not every:
            return None
        shares = [math.floor(left * rate / every) for rate in rates]
        for r in sorted(
            (r for r, rate in enumerate(rates) if rate),
            key=lambda r: (shares[r] - client.data[r], r),
        )[: left - sum(shares)]:
            shares[r] += 1
        return shares, math.ceil(left / every)

    def settle(self, client: Client, n: int, literal: bool) -> Any:
        """Place a job for good at the posted price, unless that is more than its worth."""
        place = self.find(client, n)
        plan = place and self.spread(client, place)
        if not place or not plan:
            return None
        (workers, server), (shares, slots), job = place, plan, client.job
        each = sum(k * self.price(r, job.worker_demand) for r, k in enumerate(workers))
        each += self.price(server, job.server_demand)
        remote = sum(workers) - workers[server]
        moves = sum(max(0, want - own) for want, own in zip(shares, client.data, strict=True))
        mb = self.auction.chunk_size * moves + slots * remote * job.parameter_size
        price = slots * each + mb * self.per_mb()
        if not literal and price > client.worth(self.number + slots - 1):
            client.gone = True
            return None
        client.place, client.shares, client.paid = place, shares, price
        return self.run(client, place)

    def per_mb(self) -> float:
        """Price of a MB."""
        if not self.auction.transfer_budget > 0:
            return 0.0
        share = self.sent / self.auction.transfer_budget
        return self.auction.price_base_transfer**share - 1

    def find(self, client: Client, n: int, fewer: bool = False) -> tuple[list[int], int] | None:
        """Workers by site and the server's site: cheap sites first, then those with more data."""
        sites = range(self.auction.sites)
        cost = client.prices or self.costs(client)
        order = sorted(sites, key=lambda r: (cost[r], -client.data[r], r))
        servers = [r for r in order if self.hosts(client, r, n, True) > 0]
        if not servers or n == 0:
            return None
        workers = [0 for _ in sites]
        workers[servers[0]] = self.hosts(client, servers[0], n, True)
        for r in order:
            if r != servers[0]:
                workers[r] = min(self.hosts(client, r, n, False), n - sum(workers))
        return (workers, servers[0]) if fewer or sum(workers) == n else None

    def run(self, client: Client, place: tuple[list[int], int]) -> Any:
        """Hold a place and process what it can: (job, server, workers by site, chunks moved)."""
        (workers, server), job, auction = place, client.job, self.auction
        per_mb = self.per_mb()
        each = [self.price(r, job.worker_demand) for r in range(auction.sites)]
        beside = self.price(server, job.server_demand)
        for r, n in enumerate(workers):
            for k in range(auction.num_resources):
                self.held[r][k] += n * job.worker_demand[k]
                self.held[r][k] += job.server_demand[k] * (r == server)
        done, moved, volume = [0 for _ in workers], 0, 0.0
        others = sorted(range(len(workers)), key=lambda r: (-workers[r], r))
        for r in [server, *(o for o in others if o != server)]:
            most = sum(client.data) - sum(done) if client.shares is None else client.shares[r]
            most = min(workers[r] * job.worker_rate // job.epochs, most)
            for chunks in range(most, 0, -1):
                comes = max(0, chunks - client.data[r])
                needed = math.ceil(chunks * job.epochs / job.worker_rate)
                mb = auction.chunk_size * comes + job.parameter_size * needed * (r != server)
                if self.sent + volume + mb <= auction.transfer_budget * (1 + LITTLE):
                    done[r], moved, volume = chunks, moved + comes, volume + mb
                    break
        if not any(done):
            return None
        self.sent += volume
        used = [math.ceil(chunks * job.epochs / job.worker_rate) for chunks in done]
        if client.shares is None:
            client.paid += per_mb * volume + beside
            client.paid += sum(n * price for n, price in zip(used, each, strict=True))
        else:
            client.shares = [s - q for s, q in zip(client.shares, done, strict=True)]
        wanted = client.shares or [0 for _ in done]
        client.data = [max(0, d - q) for d, q in zip(client.data, done, strict=True)]
        for _ in range(moved):
            client.data[max(range(len(done)), key=lambda r: (client.data[r] - wanted[r], -r))] -= 1
        return client.index, server, {r: n for r, n in enumerate(used) if n}, moved


Rule = Callable[[list[Client], list[float], Slot], Iterator[Any]]


def slots(auction: Auction, rule: Rule, *, pays: bool = True) -> list[tuple[list[Any], list[Any]]]:
    """Awards (job, slot it is done in, or None when it does not count, payment), and what runs."""
    inside: list[Client] = []
    worths: list[float] = []
    told = []
    for t in range(auction.slots):
        awards = []
        for index, job in enumerate(auction.jobs):
            if job.arrival == t:
                client = Client(index, job)
                worths.append(job.utility[0])
                client.first = job.utility[0] >= statistics.median(worths)
                if sum(client.data):
                    inside.append(client)
                else:
                    awards.append((index, t, 0.0))
        pieces = [piece for piece in rule(inside, worths, Slot(auction, t)) if piece is not None]
        for client in inside:
            if not sum(client.data):
                lost = pays and client.job.utility[t - client.job.arrival] < client.paid
                awards.append((client.index, None if lost else t, 0.0 if lost else client.paid))
            elif client.gone:
                awards.append((client.index, None, 0.0))
        inside = [client for client in inside if sum(client.data) and not client.gone]
        told.append((awards, pieces))
    return told


def tiresias(inside: list[Client], worths: list[float], slot: Slot) -> Iterator[Any]:
    """Least workers times remaining slots first, all workers or none, anew in every slot."""
    for client in sorted(inside, key=lambda c: (c.asks * c.slots(c.asks), c.index)):
        place = slot.find(client, client.asks)
        if place is not None:
            yield slot.run(client, place)


def ahead(inside: list[Client], slot: Slot) -> Iterator[Any]:
    """Jobs that have their place; then whoever came is told the price of a worker."""
    for client in inside:
        if client.place is not None:
            yield slot.run(client, client.place)
    for client in inside:
        client.prices = client.prices or slot.costs(client)


def antman(
    inside: list[Client], worths: list[float], slot: Slot, literal: bool = False
) -> Iterator[Any]:
    """Guaranteed jobs in line, each keeps its place; the others on what is left."""
    yield from ahead(inside, slot)
    for client in inside:
        if client.place is None and client.first:
            if slot.number - client.job.arrival > 6:
                client.first = False
                continue
            yield slot.settle(client, client.asks, literal)
            if client.place is None and not client.gone:
                break
    for client in inside:
        if client.place is None and not client.first and sum(client.data):
            client.gone = not literal and client.paid > client.worth(slot.number)
            place = slot.find(client, client.asks, fewer=True)
            if place is not None and not client.gone:
                yield slot.run(client, place)


def liquid(
    inside: list[Client], worths: list[float], slot: Slot, literal: bool = False
) -> Iterator[Any]:
    """Every job chooses its number of workers once, then its place once."""
    yield from ahead(inside, slot)
    for client in inside:
        if client.place is None and sum(client.data):
            if client.wants is None:
                score: dict[int, float] = {}
                for n in range(1, 2 * client.asks + 1):
                    place = slot.find(client, n)
                    if place is None:
                        break
                    if slot.spread(client, place) is None:
                        continue
                    remote = n - place[0][place[1]]
                    budget = slot.auction.transfer_budget
                    sent = client.job.parameter_size * remote / budget if budget else remote
                    score[n] = 0.5 * sent + 0.5 * (n if literal else client.slots(n) / 8)
                if not score:
                    continue
                client.wants = min(score, key=lambda n: (score[n], n))
            yield slot.settle(client, client.wants, literal)
