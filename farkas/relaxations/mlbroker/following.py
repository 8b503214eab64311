"""The tight regularised slot (10) where servers follow the workers, all jobs of a slot at once.

A job whose server has, at every site, the share of its workers there needs no connection between
sites.  What is left of (10) is the transport problem of `farkas.relaxations.mlbroker.filling`, with
f the resources of a worker and of the server, and idle workers as work that moves for nothing.

Whether nothing is better is decided by multipliers.  With rents D of the filling, least prices
u_o = min_r (m_or + f_r + D_r), and γ = min_r (f_r + D_r) the multiplier of (8f), those of (8b) are
β = u - γ, those of (8a) at least α_r = max(0, max_o (β_o - m_or)), and D is shared by servers,
φ_r = max(0, γ - f^s_r - η_r), and workers.  The rows of servers, of workers and of connections then
ask for multipliers η >= 0 of (8j) with

    η_p >= γ - f^s_p - D_p,    η_p <= f^w_r + D_r - α_r + d_rp,    η_p <= η_r + l_r + d_rp,

where d_rp is what connections of all workers cost and l_r = f_r + D_r - α_r - γ >= 0: the largest η
that keep the last two are shortest ways.  If they keep the first one, too, the dual point is worth
what the shares cost, and both are optimal.  Otherwise a linear program decides.
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

import numpy as np

from farkas.models.mlbroker.discount import entropy, growth
from farkas.models.mlbroker.slot import SlotProblem
from farkas.numbers import Bools, Floats
from farkas.relaxations.mlbroker.filling import SiteLevels
from farkas.relaxations.mlbroker.outer_job import JobPrices
from farkas.relaxations.mlbroker.separated import JobShares, SlotSolution
from farkas.tolerances import FINE_GAP, TIE


class JobSolver(Protocol):
    """What solves the tight slots of single jobs."""

    def settle_job(
        self, problem: SlotProblem, prices: JobPrices, job: int, found: JobShares
    ) -> None:
        """Solve (10) tight for one job, and write down what was found."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PouredJobs:
    """Fillings of all jobs of a slot, and what they start from."""

    amount: Floats  #: Shape (jobs, sites + 1), shares; the last origin is that of idle workers.
    #: workers, server: shape (jobs, sites), USD for the resources of all workers and of the server.
    workers: Floats
    server: Floats
    work: Floats  #: Shape (jobs, sites + 1, sites), shares.
    held: Floats  #: Shape (jobs, sites): what sites hold, at least the deployment before.


class FollowingServers:
    """Slots of the tight relaxation under printed semantics.

    Parameters
    ----------
    others
        Solves jobs whose servers had better not follow.
    """

    def __init__(self, others: JobSolver) -> None:
        self._others = others

    def solve(self, problem: SlotProblem) -> SlotSolution:
        """Solve (10) tight for every job of a slot."""
        prices = JobPrices.of(problem.market)
        found, proved = _priced(problem, prices, _fill(problem, prices))
        for job in np.flatnonzero(~proved).tolist():
            self._others.settle_job(problem, prices, job, found)
        return found.solution(problem, prices)


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


def _priced(problem: SlotProblem, prices: JobPrices, filled: PouredJobs) -> tuple[JobShares, Bools]:
    """Shares with multipliers, and which jobs these prove to be optimal, shape (jobs,)."""
    jobs, sites = problem.before.shape
    scale, epsilon = problem.scale, problem.market.epsilon
    found, every = JobShares.zeros(jobs, sites), np.arange(sites)
    share = filled.work.sum(axis=1)
    found.moved[:] = filled.work[:, :-1]
    found.connected[:, every, every] = found.server[:] = share
    # of what is held, so that h*(D) = D x - h(x) exactly
    rent = found.deployed_price[:] = scale * growth(filled.held, problem.before, epsilon)
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
    found.connection_price[:] = np.maximum(eta, 0.0)
    found.presence_price[:] = np.clip(unit - filled.server - eta, 0.0, rent)
    # a lower multiplier of (8f) makes up for η that are missed
    short = (asked - eta).max(axis=1, initial=0.0)
    cost = _cost(problem, filled, prices.moved, share)
    term = entropy(filled.held, problem.before, scale, epsilon)
    worth = (filled.amount[:, :-1] * least).sum(axis=1) + filled.amount[:, -1] * unit[:, 0]
    found.gap[:] = np.maximum(cost - worth + (rent * filled.held - term).sum(axis=1), 0.0) + short
    left = np.abs(filled.work.sum(axis=2) - filled.amount).max(axis=1, initial=0.0)
    goal = FINE_GAP * (cost + problem.market.deploy_cost)
    return found, (found.gap <= goal) & (left <= TIE)


def _cost(problem: SlotProblem, filled: PouredJobs, moved: Floats, share: Floats) -> Floats:
    """Cost of the shares, shape (jobs,), USD."""
    reached = np.maximum(problem.before, share)
    term = entropy(reached, problem.before, problem.scale, problem.market.epsilon)
    static = (filled.workers + filled.server) * share
    cost: Floats = (moved * filled.work[:, :-1]).sum(axis=(1, 2)) + (static + term).sum(axis=1)
    return cost
