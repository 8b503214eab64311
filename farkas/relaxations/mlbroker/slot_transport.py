"""The tight regularised slot (10) where servers follow the workers, all jobs of a slot at once.

A job whose server has, at every site, the share of its workers there needs no connection between
sites.  What is left of (10) is a transport problem, below, with f the resources of a worker and of
the server, and idle workers as work that moves for nothing.

Whether nothing is better is decided by multipliers.  With rents D of the filling, least prices
u_o = min_r (m_or + f_r + D_r), and γ = min_r (f_r + D_r) the multiplier of (8f), those of (8b) are
β = u - γ, those of (8a) at least α_r = max(0, max_o (β_o - m_or)), and D is shared by servers,
φ_r = max(0, γ - f^s_r - η_r), and workers.  The rows of servers, of workers and of connections then
ask for multipliers η >= 0 of (8j) with

    η_p >= γ - f^s_p - D_p,    η_p <= f^w_r + D_r - α_r + d_rp,    η_p <= η_r + l_r + d_rp,

where d_rp is what connections of all workers cost and l_r = f_r + D_r - α_r - γ >= 0: the largest η
that keep the last two are shortest ways.  If they keep the first one, too, the dual point is worth
what the shares cost, and both are optimal.  Otherwise a linear program of these jobs alone decides.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from farkas.errors import UnsupportedForm
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import SlotProblem, entropy, growth
from farkas.numbers import Bools, Floats
from farkas.relaxations.mlbroker.regularized import RegularizedSlot, SlotSolution
from farkas.relaxations.mlbroker.slot_solver import Together, answer_of
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver
from farkas.tolerances import FINE_GAP, TIE

# A job's work poured over sites that fill to common levels: transport with entropy terms, exactly.
#
# Work A_o >= 0, with Σ A = 1, goes from origins o to sites r at m_or and f_r a share:
#
#     min Σ m_or q_or + Σ f_r x_r + Σ h_r(x_r),   Σ_r q_or = A_o,   x_r = Σ_o q_or,   q >= 0
#
# with h_r = 0 up to p_r, and the entropy term of (10) beyond.  Its derivative there is a *rent* D_r
# with x_r + ε = (p_r + ε) exp(σ D_r / c), and h_r is smooth: a site of rent 0 holds up to p_r, one
# of rent D_r > 0 that x_r.  Optimal are work and rents such that all work goes where m_or + f_r +
# D_r is least and every site holds what comes.
#
# Origins are poured one after the other, each at its cheapest site.  Where a site holds less than
# comes, rents rise alike in all sites that its work can be moved to at no cost, directly or in
# exchange for other work, so that all of them hold more; e^(σ D / c) grows by one factor there.
# The rise ends when all is held, when another site is as cheap, or when work that made room is used
# up.  A site of rent 0 that is not full takes work at no rise.  No rent ever falls: those at the
# end are the least of all optimal ones.


MOST_STEPS = 50  #: Steps for each site and origin, a multiple of what was ever seen.


@dataclasses.dataclass(slots=True, eq=False)
class FreeMoves:
    """Sites that work of the first can be moved to at no cost, and how."""

    sites: list[int]  #: In the order in which they were found.
    taken_from: dict[int, int]  #: By origin: the site that its work leaves.
    moved_by: dict[int, int]  #: By site but the first: the origin whose work comes.
    room: int = -1  #: A site that is not full, where the search ended; -1 for none.


class SiteLevels:
    """Sites, what they hold, and whose work.

    Prices ``move``, shape (origins, sites), and ``floor`` are USD for all work; ``before`` is what
    sites hold for nothing, in shares.
    """

    def __init__(
        self, move: Floats, floor: Floats, before: Floats, scale: float, epsilon: float
    ) -> None:
        self.move, self.floor, self.scale, self.epsilon = move, floor, scale, epsilon
        self.held = before.copy()
        self.work = np.zeros(move.shape)
        self.load, self.rent = np.zeros(len(floor)), np.zeros(len(floor))

    def pour(self, amount: Floats) -> None:
        """Pour the work of all origins; some is left only where rounding lets it go in circles.

        ``amount``: shape (origins,), >= 0, in all at most 1; A.
        """
        waiting = np.flatnonzero(amount > 0)
        while len(waiting):
            cheapest = (self.move[waiting] + (self.floor + self.rent)).argmin(axis=1)
            first = int(cheapest[0])
            coming = waiting[cheapest == first]
            waiting = waiting[cheapest != first]
            self.work[coming, first] = amount[coming]
            self.load[first] += amount[coming].sum()
            if not self._settle(first):
                return

    def _settle(self, first: int) -> bool:
        """Move work from a site, or raise rents, until the site holds what is there."""
        for _ in range(MOST_STEPS * sum(self.move.shape)):
            if self.load[first] <= self.held[first]:
                return True
            price = self.move + (self.floor + self.rent)
            least = price.min(axis=1, keepdims=True)
            more = price - least
            found = self._exchange(first, more <= TIE * (price + abs(least)))
            if found.room >= 0:
                self._shift(found)
            else:
                self._raise(found, more)
        return False

    def _exchange(self, first: int, free: Bools) -> FreeMoves:
        """Search sites breadth first, up to one that is not full.

        In ``free``, shape (origins, sites), moving work costs no more than anywhere else.
        """
        found = FreeMoves([first], {}, {})
        for site in found.sites:
            for origin in np.flatnonzero(self.work[:, site]).tolist():
                if origin in found.taken_from:
                    continue
                found.taken_from[origin] = site
                for other in np.flatnonzero(free[origin]).tolist():
                    if other == first or other in found.moved_by:
                        continue
                    found.moved_by[other] = origin
                    found.sites.append(other)
                    if self.load[other] < self.held[other]:
                        found.room = other
                        return found
        return found

    def _shift(self, found: FreeMoves) -> None:
        """Move work along the way to the site with room."""
        first, site = found.sites[0], found.room
        way = []
        while site != first:
            origin = found.moved_by[site]
            way.append((origin, found.taken_from[origin], site))
            site = found.taken_from[origin]
        excess, room = self.load[first] - self.held[first], found.room
        part = min(excess, self.held[room] - self.load[room])
        part = min(part, *(self.work[origin, left] for origin, left, _ in way))
        for origin, left, entered in way:
            self.work[origin, left] -= part
            self.work[origin, entered] += part
        self.load[room] = min(self.held[room], self.load[room] + part)
        self.load[first] = self.held[first] if part == excess else self.load[first] - part

    def _raise(self, found: FreeMoves, more: Floats) -> None:
        """Raise rents of all sites found until something happens.

        A price exceeds the least of its origin by ``more``, shape (origins, sites), USD.
        """
        first, sites = found.sites[0], found.sites
        # what a site and those behind it take for each share that e^(σ D / c) grows by
        taking = dict(zip(sites, (self.held[sites] + self.epsilon).tolist(), strict=True))
        given = dict.fromkeys(found.taken_from, 0.0)
        for site in reversed(sites[1:]):
            origin = found.moved_by[site]
            given[origin] += taking[site]
            taking[found.taken_from[origin]] += taking[site]
        excess = self.load[first] - self.held[first]
        growth, gone = float(excess / taking[first]), -1
        for origin, left in found.taken_from.items():
            if given[origin] * growth > self.work[origin, left]:
                growth, gone = float(self.work[origin, left] / given[origin]), origin
        outside = np.ones(len(self.rent), bool)
        outside[sites] = False
        nearest = float(more[list(found.taken_from)][:, outside].min(initial=np.inf))
        rise = self.scale * math.log1p(growth)
        done = gone < 0 and rise <= nearest
        if nearest < rise:
            rise, growth, gone = nearest, math.expm1(nearest / self.scale), -1
        self.rent[sites] += rise
        for origin, left in found.taken_from.items():
            rest = self.work[origin, left] - given[origin] * growth
            self.work[origin, left] = 0.0 if origin == gone else max(0.0, rest)
        for site in sites[1:]:
            self.work[found.moved_by[site], site] += taking[site] * growth
        own = float(self.held[first] + self.epsilon)
        self.held[sites] += (self.held[sites] + self.epsilon) * growth
        self.load[sites[1:]] = self.held[sites[1:]]
        self.load[first] -= (taking[first] - own) * growth
        if done:
            self.load[first] = self.held[first]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobPrices:
    """Costs of all jobs of a slot in shares of their needed workers; jobs first in every shape."""

    moved: Floats  #: Shape (jobs, sites, sites), USD for moving what all workers train.
    #: Shape (jobs, sites, sites), USD for all workers at the first site served from the second.
    connected: Floats
    server: Floats  #: Shape (jobs, sites), USD.
    volume: Floats  #: Shape (jobs, sites), what the workers must train; rows sum to at most 1.

    @classmethod
    def of(cls, market: Brokerage) -> JobPrices:
        """Price a slot on the chords.  A job without data costs nothing but its server."""
        slope = market.chord_slope()[0]
        needed = market.workers_needed.astype(float)
        worker = needed[:, None] * (market.worker_demand[:, None] * slope).sum(axis=2)
        capacity = needed * market.worker_capacity
        moved = capacity[:, None, None] * market.transfer
        sync = (needed * market.sync_volume)[:, None, None] * market.transfer
        volume = market.trained_volume.copy()
        np.divide(volume, capacity[:, None], out=volume, where=capacity[:, None] > 0)
        server = (market.server_demand[:, None] * slope).sum(axis=2)
        return cls(moved, worker[:, :, None] + sync, server, volume)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PouredJobs:
    """Fillings of all jobs of a slot, and what they start from."""

    amount: Floats  #: Shape (jobs, sites + 1), shares; the last origin is that of idle workers.
    #: workers, server: shape (jobs, sites), USD for the resources of all workers and of the server.
    workers: Floats
    server: Floats
    work: Floats  #: Shape (jobs, sites + 1, sites), shares.
    held: Floats  #: Shape (jobs, sites): what sites hold, at least the deployment before.


def follow(problem: SlotProblem) -> SlotSolution:
    """Solve (10) tight under printed semantics, by programs where servers had better not follow."""
    prices = JobPrices.of(problem.market)
    found, cost, gap, proved = _priced(problem, prices, _fill(problem, prices))
    if proved.all():
        return found
    others = np.flatnonzero(~proved)
    solved = Together("tight").solve(problem.some(others))
    objective = float(cost[proved].sum()) + solved.objective
    return found.with_jobs(
        others, solved, objective, float(gap[proved].sum()) + (solved.gap or 0.0)
    )


@own_solver("mlbroker.regularized", "filling")
def filling(asked: Subproblem) -> SubproblemAnswer:
    """Solve a slot of the tight relaxation in closed form, or by linear programs of jobs."""
    program = asked.formulation
    assert isinstance(program, RegularizedSlot)
    if not program.separable:
        words = "filling solves mlbroker.regularized[tight,printed] only; try cutting_planes"
        raise UnsupportedForm(f"{program.full_name}: {words}")
    return answer_of(follow(SlotProblem.of(asked.data)))


def _fill(problem: SlotProblem, prices: JobPrices) -> PouredJobs:
    jobs, sites = problem.before.shape
    idle = np.maximum(0.0, 1.0 - prices.volume.sum(axis=1, keepdims=True))
    amount = np.concatenate([prices.volume, idle], axis=1)
    move = np.concatenate([prices.moved, np.zeros((jobs, 1, sites))], axis=1)
    workers = np.diagonal(prices.connected, axis1=1, axis2=2)
    work, held = np.zeros(move.shape), np.zeros(workers.shape)
    for job, scale in enumerate(problem.scale[:, 0].tolist()):
        floor = workers[job] + prices.server[job]
        epsilon = problem.market.epsilon
        levels = SiteLevels(move[job], floor, problem.before[job], scale, epsilon)
        levels.pour(amount[job])
        work[job], held[job] = levels.work, levels.held
    return PouredJobs(amount, workers, prices.server, work, held)


def _priced(
    problem: SlotProblem, prices: JobPrices, filled: PouredJobs
) -> tuple[SlotSolution, Floats, Floats, Bools]:
    """Decisions with multipliers, and what these say of each job; shapes (jobs,).

    That is its cost, by how much it may exceed the least, and whether it is proved optimal.
    """
    market, (jobs, sites) = problem.market, problem.before.shape
    scale, epsilon = problem.scale, market.epsilon
    share = filled.work.sum(axis=1)
    # of what is held, so that h*(D) = D x - h(x) exactly
    rent = scale * growth(filled.held, problem.before, epsilon)
    level = filled.workers + filled.server + rent
    least = (prices.moved + level[:, None, :]).min(axis=2)
    unit = level.min(axis=1, keepdims=True)
    capacity = np.maximum((least[:, :, None] - unit[:, :, None] - prices.moved).max(axis=1), 0.0)
    wire = prices.connected - filled.workers[:, :, None]
    eta = ((filled.workers + rent - capacity)[:, :, None] + wire).min(axis=1)
    length = (level - capacity - unit)[:, :, None] + wire
    for _ in range(sites):
        before, eta = eta, np.minimum(eta, (eta[:, :, None] + length).min(axis=1))
        if (eta == before).all():
            break
    asked = np.maximum(unit - filled.server - rent, 0.0)
    # a lower multiplier of (8f) makes up for η that are missed
    short = (asked - eta).max(axis=1, initial=0.0)
    reached = np.maximum(problem.before, share)
    static = (filled.workers + filled.server) * share
    cost = (prices.moved * filled.work[:, :-1]).sum(axis=(1, 2))
    cost += (static + entropy(reached, problem.before, scale, epsilon)).sum(axis=1)
    term = entropy(filled.held, problem.before, scale, epsilon)
    worth = (filled.amount[:, :-1] * least).sum(axis=1) + filled.amount[:, -1] * unit[:, 0]
    gap = np.maximum(cost - worth + (rent * filled.held - term).sum(axis=1), 0.0) + short
    left = np.abs(filled.work.sum(axis=2) - filled.amount).max(axis=1, initial=0.0)
    proved = (gap <= FINE_GAP * (cost + market.deploy_cost)) & (left <= TIE)
    needed, none = market.workers_needed[:, None], np.zeros((jobs, sites))
    capacity = needed * market.worker_capacity[:, None]
    table = np.zeros_like(market.list_price)
    found = SlotSolution(
        workers=needed * share,
        server=share,
        deployed=reached,
        moved=capacity[:, :, None] * filled.work[:, :-1],
        connected=(needed * share)[:, :, None] * np.eye(sites),
        server_price=np.maximum(eta, 0.0) / np.maximum(needed, 1),
        presence_price=np.clip(unit - filled.server - eta, 0.0, rent),
        worker_price=none,
        absence_price=none,
        deployed_price=rent,
        list_price=table,
        reduced_price=table,
        objective=float(cost.sum()),
        gap=float(gap.sum()),
    )
    return found, cost, gap, proved
