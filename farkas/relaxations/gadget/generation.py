"""Column generation for the relaxation over rings: master, pricing, and a bound every round."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.forms import LinearForm, SparseRows
from farkas.forms.matrices import rows_of_dense
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import Columns
from farkas.models.gadget.forest import Forest, forest
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, Ints, floats
from farkas.relaxations.gadget.embedding import NodeLP
from farkas.relaxations.gadget.ring_pricing import (
    LabelBudget,
    RingPricing,
    RingSearch,
    TreePricing,
    noise,
)
from farkas.solvers import Session
from farkas.solvers.session import optimum_by_any, optimum_of
from farkas.tolerances import ROUNDING, SHARE, SOLVER_GAP


class Uses:
    """What rings use of nodes or links, without the zeros."""

    def __init__(self) -> None:
        nothing = np.zeros(0, np.int64)
        self.rings, self._ring, self._item, self._count = 0, nothing, nothing, nothing

    def add(self, counts: Ints) -> None:
        """Add rings, shape (rings, items)."""
        ring, item = np.nonzero(counts)
        self._ring = np.append(self._ring, self.rings + ring)
        self._item = np.append(self._item, item)
        self._count = np.append(self._count, counts[ring, item])
        self.rings += len(counts)

    def worth(self, price: Floats) -> Floats:
        """Sum of the prices of what each ring uses, shape (rings,)."""
        return floats(np.bincount(self._ring, self._count * price[self._item], self.rings))


class RingPool:
    """Workers and links of rings, whoever they were found for.

    ``slot``: whose jobs may take them.
    """

    def __init__(self, slot: SlotView) -> None:
        self.slot = slot
        self.rings = Rings.none(slot.cluster)
        self._known: set[bytes] = set()
        self._gains = np.zeros((len(slot.jobs), 0))
        self._on_nodes, self._on_links = Uses(), Uses()

    def add(self, rings: Rings) -> None:
        """Take in what is not there yet."""
        fresh = []
        for place in range(len(rings)):
            key = rings.workers[place].tobytes() + rings.flow[place].tobytes()
            if key not in self._known:
                self._known.add(key)
                fresh.append(place)
        if fresh:
            new = rings.take(fresh)
            self.rings = Rings.join([self.rings, new], self.slot.cluster)
            self._on_nodes.add(new.workers)
            self._on_links.add(new.flow)
            self._gains = np.concatenate([self._gains, self._worth(new)], axis=1)

    def most(self, node_price: Floats, link_price: Floats) -> Floats:
        """Return the profit of the best ring here of every job.

        Parameters
        ----------
        node_price
            Shape (nodes, resources), per unit; λ >= 0.
        link_price
            Shape (links,), per Gbps; ν >= 0.

        Returns
        -------
        Shape (participants,), -inf for jobs that can take none.
        """
        return floats(self._profit(node_price, link_price).max(axis=1, initial=-np.inf))

    def better(self, node_price: Floats, link_price: Floats, floor: Floats) -> Rings:
        """Return the best rings here of every job, where these are worth more than ``floor``.

        Of rings that are worth the same all are returned: servers that are alike make many of
        them, and a master that is given one at a time is solved again for each.

        Parameters
        ----------
        node_price, link_price
            As in `most`.
        floor
            Shape (participants,).
        """
        slot = self.slot
        profit = self._profit(node_price, link_price)
        best, none = profit.max(axis=1, initial=-np.inf), noise(slot, floor)
        good = profit >= np.where(best > floor + none, best - none, np.inf)[:, None]
        place, ring = np.nonzero(good)
        found = self.rings.take(ring)
        return Rings(slot.jobs[place], found.size, found.workers, found.flow)

    def _profit(self, node_price: Floats, link_price: Floats) -> Floats:
        """Gain less price of every job with every ring, -inf where it does not fit."""
        slot, cluster = self.slot, self.slot.cluster
        hosted = np.column_stack([self._on_nodes.worth(price) for price in node_price.T])
        profit = self._gains - cluster.demand[slot.jobs] @ hosted.T
        profit -= cluster.bandwidth[slot.jobs][:, None] * self._on_links.worth(link_price)
        return floats(profit)

    def _worth(self, rings: Rings) -> Floats:
        """Gain of every job with every ring, -inf where it does not fit; shape (jobs, rings)."""
        slot = self.slot
        worth = np.full((len(slot.jobs), len(rings)), -np.inf)
        some = np.flatnonzero(rings.size <= slot.gains.shape[1])
        new = rings.take(some)
        for place in range(len(slot.jobs)):
            fits = slot.allowed[place, new.size - 1]
            fits &= (new.workers <= slot.cap[place]).all(axis=1)
            fits &= (new.flow <= slot.uses[place]).all(axis=1)
            worth[place, some[fits]] = slot.gains[place, new.size[fits] - 1]
        return worth


#: Share of the master's own prices in those that are tried next, and what a miss adds to it.
STEP = 0.3


@dataclasses.dataclass(frozen=True, eq=False)
class CapacityPrices:
    """Nonnegative prices of everything that can fill up; the bound they give needs no solver."""

    node: Floats  #: Shape (nodes, resources), reward per unit; λ.
    link: Floats  #: Shape (links,), reward per Gbps; ν.

    def mix(self, other: CapacityPrices, share: float) -> CapacityPrices:
        """Average with ``other``, which gets ``share``."""
        keep = 1.0 - share
        return CapacityPrices(
            keep * self.node + share * other.node, keep * self.link + share * other.link
        )

    def rent(self, cluster: Cluster) -> float:
        """Worth of the whole cluster at these prices."""
        nodes = np.isfinite(cluster.capacity) & (self.node > 0)
        links = np.isfinite(cluster.link_bandwidth) & (self.link > 0)
        rent = (cluster.capacity[nodes] * self.node[nodes]).sum()
        return float(rent + (cluster.link_bandwidth[links] * self.link[links]).sum())


@dataclasses.dataclass(frozen=True, eq=False)
class Generated:
    """Result of column generation."""

    columns: Columns  #: Rings generated.
    share: Floats  #: Shape (rings,), optimal shares over these rings; x.
    value: float  #: Their worth.
    bound: float  #: Upper bound on the relaxation over all rings (of all walks, with walk pricing).
    prices: CapacityPrices  #: Prices that give the bound.
    rounds: int  #: Number of master solves.


def generate_columns(
    slot: SlotView,
    known: Rings | None = None,
    prices: CapacityPrices | None = None,
    *,
    gap: float = SOLVER_GAP,
    most_rounds: int = 200,
    search: RingSearch = "exact",
    labels: LabelBudget | None = None,
) -> Generated:
    """Solve ``gadget.column_lp`` of one slot by pricing rings.

    Starts at the prices of ``gadget.node_lp``; prices are averaged with those of the round before,
    and a round that finds nothing new is repeated with the master's own prices.

    Parameters
    ----------
    known
        Rings to begin with, of allowed sizes, besides those of that relaxation.
    prices
        Prices to begin at instead of those of ``gadget.node_lp``, which then is not solved.
    gap
        Stop when bound and value are so close, relative to the value.
    most_rounds
        Add rings so often at most; the bound is valid whenever it stops.
    search
        How far to search for the best ring of a job, see `RingPricing`.
    labels
        Of all these searches together, without a limit by default.
    """
    cluster = slot.cluster
    if not len(slot.jobs):
        nothing = Columns(slot, Rings.none(cluster))
        return Generated(nothing, np.zeros(0), 0.0, 0.0, no_prices(cluster), 0)
    tree = forest(cluster) if slot.limits is None else None
    general = RingPricing(slot, search, labels or LabelBudget())
    pricing = general if tree is None else ForestPricing(slot, tree)
    master = MasterProgram(slot)
    smooth, first = (prices, []) if prices is not None else start(slot)
    master.add(pricing.placed(first))
    if known is not None:
        master.add(known)
    bound, best = np.inf, smooth
    value, own = 0.0, no_prices(cluster)  # of a master without rings
    if master.size:
        value, own = master.solve_pool()
    rounds = misses = 0
    while True:
        floor = master.known_surplus(smooth)
        rent, enough = smooth.rent(cluster), value + gap * abs(value)
        most, found = pricing.replies(smooth.node, smooth.link, floor, enough - rent)
        here = rent + float(most.sum())
        if here < bound:
            bound, best = here, smooth
        if rounds == most_rounds or closed(slot.pair_gains, value, bound, gap * abs(value)):
            break
        rounds += 1
        if master.add(found):
            misses = 0
            value, own = master.solve_pool()
        elif smooth is own:
            break
        else:
            misses += 1
        keep = max(0.0, 1.0 - (misses + 1) * STEP)
        smooth = own.mix(best, keep) if keep > 0 else own
    columns = Columns(slot, master.rings())
    return Generated(columns, master.share, value, bound, best, rounds)


def closed(gains: Floats, value: float, bound: float, most: float) -> bool:
    """Whether bound and value differ by ``most``, or by what rounding adds to the largest gain."""
    return bool(bound - value <= max(most, ROUNDING * np.abs(gains).max(initial=0.0)))


def no_prices(cluster: Cluster) -> CapacityPrices:
    """Everything is free."""
    return CapacityPrices(np.zeros(cluster.capacity.shape), np.zeros(cluster.num_links))


def start(slot: SlotView) -> tuple[CapacityPrices, list[tuple[int, Ints]]]:
    """Solve ``gadget.node_lp``: its server prices, and rings that together place its workers.

    Links are free in that relaxation.  Where they are also plentiful, the rings already reach its
    value and column generation is over.

    Returns
    -------
    CapacityPrices, and (participant, workers per node) of each ring.
    """
    form = NodeLP().form(slot)
    answer = optimum_by_any(form)
    prices = no_prices(slot.cluster)
    limits = form.row_block("node_capacity")
    at = np.isfinite(slot.cluster.capacity) & slot.cluster.is_server[:, None]
    prices.node[at] = np.maximum(0.0, answer.row_duals[limits.where])
    places = form.column_block("workers").axes[0].members
    workers = np.zeros((slot.cluster.num_jobs, slot.cluster.num_nodes))
    workers[places[:, 0], places[:, 1]] = form.values(answer.point, "workers")
    share = np.zeros(slot.gains.shape)
    share[slot.allowed] = form.values(answer.point, "chosen")
    rings = []
    for place, job in enumerate(slot.jobs.tolist()):
        sizes = np.flatnonzero(share[place] > SHARE) + 1
        total = float(workers[job].sum())
        if total > 0:
            rings += [(place, y) for k in sizes.tolist() for y in sampled(workers[job] * k / total)]
    return prices, rings


def sampled(mean: Floats) -> list[Ints]:
    """Round ``mean`` to integer vectors of its sum, entries up or down, that mix back to it.

    Systematic sampling: lay the entries end to end and count grid points of every offset.
    ``mean``: shape (nodes,), >= 0, with an integer sum.
    """
    ends = np.cumsum(mean)
    ends[-1] = round(float(ends[-1]))
    offsets = np.unique(np.round(np.mod(ends, 1.0), 9) % 1.0)
    middles = (offsets + np.append(offsets[1:], offsets[0] + 1.0)) / 2.0
    counts = np.floor(ends[None, :] - middles[:, None] + 1.0)
    vectors = np.diff(counts, axis=1, prepend=np.floor(1.0 - middles)[:, None])
    vectors = vectors[np.lexsort(vectors.T[::-1])]
    new = np.append(True, (vectors[1:] != vectors[:-1]).any(axis=1))
    return list(np.maximum(0, vectors[new]).astype(np.int64))


def improving(slot: SlotView, cost: Floats, floor: Floats) -> Ints:
    """(participant, size) worth adding: the best of each job, and those half as good."""
    surplus = np.where(slot.allowed, slot.gains - cost - floor[:, None], -np.inf)
    best = surplus.max(axis=1)
    good = (surplus >= 0.5 * best[:, None]) & (best > noise(slot, floor))[:, None]
    places = np.argwhere(good)
    places[:, 1] += 1
    return places


@dataclasses.dataclass(frozen=True, eq=False)
class ForestPricing:
    """Pricing of a slot on a forest, as `RingPricing` does it elsewhere."""

    slot: SlotView
    tree: Forest

    def replies(
        self, node_price: Floats, link_price: Floats, floor: Floats, enough: float = -np.inf
    ) -> tuple[Floats, Rings]:
        """Most that any ring of each job is worth, and rings worth more than ``floor``."""
        slot = self.slot
        pricing = TreePricing(slot.cluster, self.tree, slot.jobs, slot.largest)
        priced, found = pricing.costs(node_price, link_price)
        cost = np.full(slot.gains.shape, np.inf)  # sizes beyond the largest are not allowed
        cost[:, : priced.shape[1]] = priced
        profit = np.where(slot.allowed, slot.gains - cost, -np.inf).max(axis=1)
        new = improving(slot, cost, floor)
        return np.maximum(floor, profit), found.rings(new[:, 0], new[:, 1])

    def placed(self, rings: list[tuple[int, Ints]]) -> Rings:
        """Rings with the given workers, those that are locally feasible."""
        return tree_rings(self.slot, self.tree, rings)


def tree_rings(slot: SlotView, tree: Forest, placed: list[tuple[int, Ints]]) -> Rings:
    """Rings with the given workers, those that are locally feasible."""
    cluster = slot.cluster
    found: list[tuple[int, Ints, Ints]] = []
    cap = link_cap(cluster, slot.jobs)
    for place, workers in placed:
        hosts = np.flatnonzero(workers).tolist()
        flow = np.zeros(cluster.num_links, np.int64)
        if len(hosts) > 1:
            flow[tree.steiner_links(hosts)] = 1
        joined = len({int(tree.component[u]) for u in hosts}) == 1
        local = (workers <= slot.cap[place]).all() and (flow <= cap[place]).all()
        if joined and local:
            found.append((int(slot.jobs[place]), workers, flow))
    return Rings.of(cluster, found)


class MasterProgram:
    """Restricted master: rings found so far, warm started."""

    def __init__(self, slot: SlotView) -> None:
        cluster = slot.cluster
        self.slot = slot
        self.at_node = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
        self.at_link = np.isfinite(cluster.link_bandwidth)
        room = [cluster.capacity[self.at_node], cluster.link_bandwidth[self.at_link]]
        upper = np.concatenate([np.ones(len(slot.jobs)), *room])
        empty = np.zeros(0)
        self.session = Session(
            LinearForm(
                name="gadget.column_lp (generated)",
                sense="max",
                cost=empty,
                matrix=rows_of_dense(np.zeros((len(upper), 0))),
                row_lower=np.full(len(upper), -np.inf),
                row_upper=upper,
                lower=empty,
                upper=empty,
                integer=np.zeros(0, np.bool_),
            )
        )
        self.share = empty
        self.pool = RingPool(slot)
        self.size = 0
        self._parts: list[Rings] = []
        self._known: set[bytes] = set()
        self._lines: list[tuple[tuple[Ints, Ints, Floats], Ints, Floats]] = []

    def rings(self) -> Rings:
        """All rings so far, in order."""
        return Rings.join(self._parts, self.slot.cluster)

    def add(self, rings: Rings) -> int:
        """Add rings that are new; returns how many were."""
        fresh = [place for place in range(len(rings)) if self._is_new(rings, place)]
        if not fresh:
            return 0
        new = rings.take(fresh)
        columns = Columns(self.slot, new)
        self._parts.append(new)
        self.size += len(fresh)
        self.pool.add(new)
        self.session.add_columns(self._rows(new), columns.gains, "used")
        return len(fresh)

    def surplus(self, prices: CapacityPrices) -> Floats:
        """Return what each job's best ring is worth at ``prices``, shape (participants,), >= 0."""
        rate = np.concatenate([prices.node[self.at_node], prices.link[self.at_link]])
        best = np.zeros(len(self.slot.jobs))
        for (line, limit, amount), place, gains in self._lines:
            rent = np.bincount(line, amount * rate[limit], len(gains))
            np.maximum.at(best, place, gains - rent)
        return best

    def known_surplus(self, prices: CapacityPrices) -> Floats:
        """As `surplus`, over all rings that the job may take over."""
        return floats(np.maximum(self.surplus(prices), self.pool.most(prices.node, prices.link)))

    def solve_pool(self) -> tuple[float, CapacityPrices]:
        """Value and prices over all known rings, whoever they were found for."""
        while True:
            value, prices = self.solve()
            better = self.pool.better(prices.node, prices.link, self.surplus(prices))
            if not self.add(better):
                return value, prices

    def solve(self) -> tuple[float, CapacityPrices]:
        """Value and prices."""
        answer = optimum_of(self.session)
        self.share = answer.point
        duals = np.maximum(0.0, answer.row_duals)
        count, limits = len(self.slot.jobs), int(self.at_node.sum())
        prices = no_prices(self.slot.cluster)
        prices.node[self.at_node] = duals[count : count + limits]
        prices.link[self.at_link] = duals[count + limits :]
        return answer.objective, prices

    def _is_new(self, rings: Rings, place: int) -> bool:
        key = rings.workers[place].tobytes() + rings.flow[place].tobytes()
        key += int(rings.job[place]).to_bytes(8, "little")
        if key in self._known:
            return False
        self._known.add(key)
        return True

    def _rows(self, rings: Rings) -> SparseRows:
        """Return what each ring uses: one unit of its job, then of nodes and links."""
        cluster, count = self.slot.cluster, len(rings)
        place = self.slot.jobs.searchsorted(rings.job)
        node, link = rings.node_load(cluster), rings.link_load(cluster)
        load = np.concatenate([node[:, self.at_node], link[:, self.at_link]], axis=1)
        line, limit = np.nonzero(load)
        amount = load[line, limit]
        self._lines.append(((line, limit, amount), place, Columns(self.slot, rings).gains))
        starts = np.append(0, np.bincount(line, minlength=count) + 1).cumsum()
        at = np.arange(len(line)) + line + 1  # behind the entries of the jobs
        columns, values = np.empty(starts[-1], np.int32), np.ones(starts[-1])
        columns[starts[:-1]] = place
        columns[at], values[at] = limit + len(self.slot.jobs), amount
        return SparseRows(starts, columns, values, load.shape[1] + len(self.slot.jobs))
