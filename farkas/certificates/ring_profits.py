"""Most that one job's ring earns at integer prices on any network, proved without any solver.

Closed walks that lay blocks of workers are searched best first.  A label forgets where its walk has
been; where the best walk overfills a host or a link, labels remember these and the search begins
anew.  Every walk that is a ring is found or shown to be worth no more, and when labels run out
what the best open one promises is a bound as well.
"""

from __future__ import annotations

import dataclasses
import functools
import heapq

import numpy as np

from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.tolerances import ROUNDING

#: Labels that are followed for one job; then a bound is taken that may be above the best ring.
MOST_STEPS = 100_000

#: Hosts, links, sizes and remembered numbers that all searches of one check pass.
MOST_EFFORT = 1 << 32

NEVER = 1 << 200  #: Stands for what is out of reach.

Memory = tuple[int, ...]
Label = tuple[bool, int, int, Memory]  #: (just laid a block, workers, node, what is remembered).


@dataclasses.dataclass(frozen=True)
class PricedRings:
    """Rings of one job, with all numbers in one unit."""

    gain: list[int]  #: Of 0, 1, ... workers.
    price: list[int]  #: Of a worker on each node.
    cap: list[int]  #: Workers that a node holds.
    #: (source, target, price of a use, uses that fit), in any order.
    links: list[tuple[int, int, int, int]]

    @functools.cached_property
    def meeting(self) -> tuple[list[list[int]], list[list[int]]]:
        """Links that fit, by source, and by target."""
        leaving: list[list[int]] = [[] for _ in self.price]
        coming: list[list[int]] = [[] for _ in self.price]
        for e, (source, target, _, uses) in enumerate(self.links):
            if uses > 0:
                leaving[source].append(e)
                coming[target].append(e)
        return leaving, coming

    def best(self, steps: int = MOST_STEPS, effort: Effort | None = None) -> int:
        """Return the profit of the best ring, at least 0, or a bound on it.

        Raises `NotACertificate` when it takes more effort than is left.
        """
        effort = effort or Effort()
        effort.labels = steps
        size, nodes = len(self.gain), len(self.price)
        effort.spend(size * nodes + nodes + len(self.links))
        found = max(
            (self.gain[k] - k * price for price, cap in zip(self.price, self.cap, strict=True)
             for k in range(1, min(cap, len(self.gain) - 1) + 1)),
            default=0,
        )  # fmt: skip
        best = max(0, found)
        hosts = [u for u, cap in enumerate(self.cap) if cap > 0]
        hosts.sort(key=lambda u: self.price[u])
        for at in range(len(hosts) - 1):
            effort.spend(size + nodes)
            if self.beyond(0, self.cheapest(hosts[at:])) <= best:
                break  # nor is any ring of dearer hosts
            best = self._from(hosts[at:], best, effort)
        return best

    def cheapest(self, hosts: list[int]) -> list[int]:
        """Price of 0, 1, ... workers on ``hosts``, cheapest first."""
        paid = [0]
        for u in hosts:
            for _ in range(min(self.cap[u], len(self.gain) - len(paid))):
                paid.append(paid[-1] + self.price[u])
        return paid + [NEVER] * (len(self.gain) - len(paid))

    def beyond(self, placed: int, paid: list[int]) -> int:
        """Most that more than ``placed`` workers are worth, the others at ``paid``."""
        sizes = range(placed + 1, len(self.gain))
        return max((self.gain[k] - paid[k - placed] for k in sizes), default=-NEVER)

    def _from(self, hosts: list[int], floor: int, effort: Effort) -> int:
        """Best profit of rings whose cheapest host is the first, at least ``floor``."""
        start = hosts[0]
        around = len(self.price) + len(self.links)
        effort.spend(6 * around + 2 * len(self.gain) * len(hosts))
        onto, back = self._distances(start, False), self._distances(start, True)
        near = [v for v in hosts if onto[v] + back[v] < NEVER]
        paid = self.cheapest(near)
        others = [
            v for v in near[1:]
            if self.beyond(1, paid) - self.price[v] - onto[v] - back[v] > floor
        ]  # fmt: skip
        if not others:
            return floor
        rest = self.cheapest(others)
        left = [max(gain, self.beyond(k, rest)) for k, gain in enumerate(self.gain)]
        search = Search(self, start, set(others), back, left, [], [])
        while True:
            value, walk = search.best(floor, effort)
            if walk is None:
                return value
            over = search.overused(walk)
            if over is None:
                return value
            search = over

    def _distances(self, start: int, back: bool) -> list[int]:
        """Price of the shortest way from ``start`` to every node, or back."""
        distance = [NEVER] * len(self.price)
        distance[start] = 0
        heap = [(0, start)]
        while heap:
            far, u = heapq.heappop(heap)
            if far > distance[u]:
                continue
            for e in self.meeting[back][u]:
                v, length = self.links[e][not back], self.links[e][2]
                if far + length < distance[v]:
                    distance[v] = far + length
                    heapq.heappush(heap, (distance[v], v))
        return distance


class Effort:
    """How much all searches of one check may take together, and one job's labels.

    A unit passes a host, a link, a size or what a label remembers once.  ``most``: units;
    `MOST_EFFORT` by default.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most, self.spent = MOST_EFFORT if most is None else most, 0
        self.labels = MOST_STEPS  #: That may still be followed.

    def spend(self, units: int) -> None:
        """Count what comes next; raises `NotACertificate` when it is too much."""
        self.spent += units
        if self.spent > self.most:
            raise NotACertificate(f"searches of rings would take more than {self.most} steps")


Move = tuple[bool, int, int]  #: (True, host, workers laid) or (False, link, 1).

Walk = list[Move]


@dataclasses.dataclass(frozen=True)
class Search:
    """Closed walks from one host."""

    rings: PricedRings  #: Whose they are.
    #: start, others: the host they begin at, and the other hosts.
    start: int
    others: set[int]
    back: list[int]  #: Shortest way back from every node.
    left: list[int]  #: Most that so many workers and those still missing are worth.
    #: hosts, links: remembered: the host has workers, so often the link was used.
    hosts: list[int]
    links: list[int]

    def best(self, floor: int, effort: Effort) -> tuple[int, Walk | None]:
        """Best walk worth more than ``floor``, or a bound without a walk."""
        rings, start = self.rings, self.start
        forgotten = (0,) * (len(self.hosts) + len(self.links))
        cost: dict[Label, int] = {}
        came: dict[Label, tuple[Label | None, Move]] = {}
        heap: list[tuple[int, int, Label]] = []
        best, end = floor, None

        def reach(label: Label, total: int, before: Label | None, move: Move) -> None:
            worth = self.left[label[1]] - self.back[label[2]] - total
            if worth > best and total < cost.get(label, NEVER):
                cost[label], came[label] = total, (before, move)
                heapq.heappush(heap, (-worth, -label[1], label))

        for m in range(1, min(rings.cap[start], len(rings.gain) - 1) + 1):
            reach((True, m, start, forgotten), m * rings.price[start], None, (True, start, m))
        while heap and -heap[0][0] > best:
            worth, _, label = heapq.heappop(heap)
            laid, j, u, _ = label
            total = cost[label]
            if self.left[j] - self.back[u] - total > -worth:
                continue  # a cheaper way has come since
            effort.labels -= 1
            if effort.labels < 0:
                return -worth, None
            if u == start and not laid and rings.gain[j] - total > best:
                best, end = rings.gain[j] - total, label
            moves = self._moves(label)
            effort.spend((1 + len(moves)) * (1 + len(label[3])))
            for there, price, move in moves:
                reach(there, total + price, label, move)
        return best, None if end is None else self._walk(came, end)

    def _moves(self, label: Label) -> list[tuple[Label, int, Move]]:
        rings = self.rings
        laid, j, u, memory = label
        found: list[tuple[Label, int, Move]] = []
        if u in self.others and not laid:
            known = self._noted(memory, self.hosts, u, 1, 0)
            if known is not None:
                for m in range(1, min(rings.cap[u], len(rings.gain) - 1 - j) + 1):
                    found.append(((True, j + m, u, known), m * rings.price[u], (True, u, m)))
        for e in rings.meeting[False][u]:
            _, target, length, uses = rings.links[e]
            known = self._noted(memory, self.links, e, uses, len(self.hosts))
            if known is not None:
                found.append(((False, j, target, known), length, (False, e, 1)))
        return found

    def _noted(
        self, memory: Memory, items: list[int], item: int, most: int, first: int
    ) -> Memory | None:
        """Memory after one more use, None when there was no more."""
        if item not in items:
            return memory
        at = first + items.index(item)
        if memory[at] == most:
            return None
        return (*memory[:at], memory[at] + 1, *memory[at + 1 :])

    def _walk(self, came: dict[Label, tuple[Label | None, Move]], end: Label) -> Walk:
        walk = []
        here: Label | None = end
        while here is not None:
            here, move = came[here]
            walk.append(move)
        return walk

    def overused(self, walk: Walk) -> Search | None:
        """Search that remembers what the walk overuses; None when it is a ring."""
        used: dict[tuple[bool, int], int] = {}
        for laid, place, count in walk:
            used[laid, place] = used.get((laid, place), 0) + count
        rings = self.rings
        hosts = [u for (laid, u), n in used.items() if laid and n > rings.cap[u]]
        links = [e for (laid, e), n in used.items() if not laid and n > rings.links[e][3]]
        if not hosts and not links:
            return None
        return dataclasses.replace(self, hosts=self.hosts + hosts, links=self.links + links)


def link_uses(cluster: Cluster, job: int, most: int) -> list[int]:
    """How often, at most ``most``, a ring of a job may use each link, shape (links,)."""
    room, need = cluster.link_bandwidth, float(cluster.bandwidth[job])
    times = np.arange(1, most + 1)
    with np.errstate(over="ignore"):
        fits = times[None, :] * need <= (room + ROUNDING * need)[:, None]
    return [int(uses) for uses in fits.sum(axis=1)]


def ring_terms(cluster: Cluster, size: int) -> int:
    """Most prices that the cost of one ring adds up.

    A worker pays one.  A forest uses each link once at most; a closed walk goes from one block of
    workers to the next along a simple path.
    """
    return size * (1 + cluster.num_nodes) + cluster.num_links
