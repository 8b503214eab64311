"""Whole markets at once: the simulation by kernels and what it returns."""

import dataclasses
from functools import cached_property
from typing import Literal, Self

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats, Ints
from farkas.online.dps import kernel
from farkas.online.dps.learning_kernel import (
    BLOCK,
    PUBLISHED,
    TOP,
    TURNED_AWAY,
    TURNOVER,
    Side,
    Sides,
    Supplying,
    Users,
    run_learning,
)
from farkas.online.dps.pricing import Placing, Rules, Supply
from farkas.tolerances import allowed

PLACING = {"pa": kernel.PA, "best_fit": kernel.BEST_FIT, "random": kernel.RANDOM}
SUPPLY = {"published": PUBLISHED, "turnover": TURNOVER, "top": TOP}


@dataclasses.dataclass(frozen=True, eq=False)
class Simulation:
    """Decisions about every job of a market."""

    market: Market
    #: `kernel.FULL`, `kernel.DECLINED`, `kernel.SOLD` or `kernel.EXPLORED`, shape (jobs,).
    outcome: Ints
    colocated: Bools  #: Served on one server, shape (jobs,).
    exploring: Bools  #: Arrived during exploration, served or not, shape (jobs,).
    #: worker_price, ps_price: unit prices posted, NaN where none was, shape (jobs,).
    worker_price: Floats
    ps_price: Floats
    #: Shape (entries, 4): job, server, workers, parameter servers; None unless asked for.
    placements: Ints | None = None

    @property
    def sold(self) -> Bools:
        """Jobs that paid, shape (jobs,)."""
        sold: Bools = self.outcome == kernel.SOLD
        return sold

    @property
    def served(self) -> Bools:
        """Jobs placed, paid or free, shape (jobs,)."""
        served: Bools = self.outcome >= kernel.SOLD
        return served

    @cached_property
    def payment(self) -> Floats:
        """What every job paid, shape (jobs,)."""
        asked = self.worker_price * self.market.workers + self.ps_price * self.market.ps
        return np.where(self.sold, asked, 0.0)

    @property
    def profit(self) -> float:
        """Payments in all."""
        return float(self.payment.sum())

    @property
    def runtime(self) -> Floats:
        """Slots each served job runs, 0 for the others, shape (jobs,)."""
        market = self.market
        runtime = np.where(self.colocated, market.colocated_runtime, market.spread_runtime)
        return np.where(self.served, runtime, 0.0)

    def profit_by_slot(self) -> Floats:
        """Payments by slot of arrival, shape (horizon,)."""
        return np.bincount(self.market.arrival, self.payment, self.market.horizon).astype(float)

    def summary(self) -> dict[str, float]:
        """Profit, arrivals explored, jobs served and their total runtime."""
        return {
            "profit": self.profit,
            "explored": int(self.exploring.sum()),
            "served": int(self.served.sum()),
            "total_runtime": float(self.runtime.sum()),
        }


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A market in the arrays of the kernel; make it once for many simulations."""

    market: Market
    jobs: kernel.Jobs
    events: int
    pool: int

    @classmethod
    def of(cls, market: Market) -> Self:
        """Find the number of each arrival slot, and at which one every job would be over."""
        slots, event = np.unique(market.arrival, return_inverse=True)
        side: Literal["left", "right"] = "right" if market.occupancy == "closed" else "left"
        # over at the first slot > end (closed) or >= end (half open)
        jobs = kernel.Jobs(
            event=event.astype(np.int64),
            worker_type=market.worker_type.astype(np.int64),
            workers=market.workers.astype(np.int64),
            ps_type=market.ps_type.astype(np.int64),
            ps=market.ps.astype(np.int64),
            leaves_colocated=np.searchsorted(slots, market.colocated_end, side).astype(np.int64),
            leaves_spread=np.searchsorted(slots, market.spread_end, side).astype(np.int64),
        )
        units = int(market.worker_capacity.sum() + market.ps_capacity.sum())
        return cls(market, jobs, len(slots), min(units, _most_records(market)))

    def servers(self, *, log: bool = False) -> kernel.Servers:
        """Empty servers."""
        market = self.market
        pool = np.zeros((self.pool + 1, 4), np.int64)
        pool[:, 3] = np.arange(1, len(pool) + 1)
        entries = _most_records(market) if log else 0
        return kernel.Servers(
            idle_workers=np.array(market.installed_workers.T, order="C"),
            idle_ps=np.array(market.installed_ps.T, order="C"),
            total_workers=market.worker_capacity.copy(),
            total_ps=market.ps_capacity.copy(),
            head=np.full(self.events, -1, np.int64),
            tail=np.full(self.events, -1, np.int64),
            after=np.full(market.num_jobs, -1, np.int64),
            record=np.full(market.num_jobs, -1, np.int64),
            pool=pool,
            free=np.zeros(2, np.int64),
            chosen=np.zeros(max(1, market.num_servers), np.int64),
            rank=np.zeros(market.num_servers, np.int64),
            log=np.zeros((entries, 4), np.int64),
            logged=np.zeros(1, np.int64),
        )

    def results(self) -> kernel.Results:
        """Empty results."""
        count = self.market.num_jobs
        return kernel.Results(
            outcome=np.zeros(count, np.int64),
            colocated=np.zeros(count, np.bool_),
            worker_arm=np.full(count, -1, np.int64),
            ps_arm=np.full(count, -1, np.int64),
        )

    def filling(self, placing: Placing, seed: int) -> kernel.Filling:
        """Rule of placement, with a permutation of the servers for each job if it is random.

        Drawn one after the other, so that job number n placed meets the n-th of them.
        """
        count, drawn = self.market.num_servers, []
        if placing == "random":
            rng = np.random.default_rng(seed)
            drawn = [rng.permutation(count) for _ in range(self.market.num_jobs)]
        orders = np.array(drawn, np.int64).reshape(len(drawn), count)
        return kernel.Filling(PLACING[placing], orders)

    def sold(self, jobs: kernel.Jobs) -> Bools:
        """Which of the given jobs of the market are served when only these come and all accept."""
        results = self.results()
        accepts = np.ones(len(jobs.event), np.bool_)
        kernel.run_posted(self.servers(), jobs, accepts, self.filling("pa", 0), results)
        sold: Bools = results.outcome[: len(accepts)] == kernel.SOLD
        return sold

    def served(self, accepts: Bools, placing: Placing = "pa", seed: int = 0) -> kernel.Results:
        """Serve every job that ``accepts`` and fits."""
        results = self.results()
        filling = self.filling(placing, seed)
        kernel.run_posted(self.servers(), self.jobs, accepts, filling, results)
        return results


def prepare_posted(market: Market, simulations: int) -> None:
    """Have the kernel compiled if so many simulations at given prices are worth it."""
    kernel.run_posted.prepare(simulations * kernel.steps(market.num_jobs, market.num_servers))


def simulate_prices(
    market: Market,
    worker_price: Floats,
    ps_price: Floats,
    placing: Placing = "pa",
    seed: int = 0,
    *,
    log: bool = False,
) -> Simulation:
    """Ask every job for unit prices that do not depend on the past.

    Parameters
    ----------
    worker_price, ps_price
        Prices for each job, shape (jobs,).
    placing, seed
        Placement rule and the seed of the random one.
    log
        Keep placements.
    """
    payment = worker_price * market.workers + ps_price * market.ps
    accepts = payment <= allowed(market.budget)
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=log)
    kernel.run_posted(servers, run.jobs, accepts, run.filling(placing, seed), results)
    return _simulation(market, results, servers, worker_price, ps_price, log)


def simulate_gifts(
    market: Market, placing: Placing = "pa", seed: int = 0, *, log: bool = False
) -> Simulation:
    """Serve every job that fits free of charge; ``log`` keeps placements."""
    nothing = np.zeros(market.num_jobs)  # a price that everybody accepts
    done = simulate_prices(market, nothing, nothing, placing, seed, log=log)
    outcome = np.where(done.sold, kernel.EXPLORED, done.outcome)
    none = np.full(market.num_jobs, np.nan)
    return dataclasses.replace(done, outcome=outcome, worker_price=none, ps_price=none)


def simulate_learning(
    market: Market,
    rules: tuple[Rules, Rules],
    supply: Supply,
    placing: Placing = "pa",
    seed: int = 0,
    *,
    log: bool = False,
) -> Simulation:
    """Algorithm 1 with the constants ``rules`` of workers and of parameter servers."""
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=log)
    users = Users(allowed(market.budget), market.colocated_runtime, market.spread_runtime)
    sides = Sides(*map(_side, rules))
    by = Supplying(float(market.horizon), SUPPLY[supply], market.occupancy == "closed")
    run_learning(servers, run.jobs, users, sides, by, run.filling(placing, seed), results)
    return simulation_of(market, results, servers, rules[0].price, rules[1].price, log)


def simulation_of(
    market: Market,
    results: kernel.Results,
    servers: kernel.Servers,
    worker_price: Floats,
    ps_price: Floats,
    log: bool = False,
) -> Simulation:
    """Return what a kernel has done, given the prices of its arms, shape (arms,)."""
    worker_price, ps_price = (
        np.where(arm >= 0, np.append(price, np.nan)[arm], np.nan)
        for price, arm in ((worker_price, results.worker_arm), (ps_price, results.ps_arm))
    )
    return _simulation(market, results, servers, worker_price, ps_price, log)


def _simulation(
    market: Market,
    results: kernel.Results,
    servers: kernel.Servers,
    worker_price: Floats,
    ps_price: Floats,
    log: bool,
) -> Simulation:
    quoted = (results.outcome == kernel.SOLD) | (results.outcome == kernel.DECLINED)
    exploring = (results.outcome == kernel.EXPLORED) | (results.worker_arm == TURNED_AWAY)
    return Simulation(
        market,
        results.outcome,
        results.colocated,
        exploring,
        np.where(quoted, worker_price, np.nan),
        np.where(quoted, ps_price, np.nan),
        servers.log[: servers.logged[0]] if log else None,
    )


def _side(rules: Rules) -> Side:
    types = len(rules.jobs)
    blocks = -(-np.diff(rules.first) // BLOCK)
    return Side(
        jobs=rules.jobs.astype(np.int64),
        capacity=rules.capacity.astype(np.int64),
        explore=rules.explore.astype(np.float64),
        eta=rules.eta,
        demand_range=rules.demand_range,
        time_range=rules.time_range,
        first=rules.first,
        price=rules.price,
        seen=np.zeros(types, np.int64),
        finished=np.zeros(types, np.int64),
        unused=np.zeros(types),
        offers=np.zeros(len(rules.price), np.int64),
        sold=np.zeros(len(rules.price)),
        demand=np.zeros(len(rules.price)),
        supply=np.full(types, -1.0),
        value=np.zeros(len(rules.price)),
        top=np.zeros(int(blocks.sum())),
        first_block=np.concatenate([[0], np.cumsum(blocks)]).astype(np.int64),
        peak=np.zeros(types),
        used=np.full(types, -1.0),
    )


def _most_records(market: Market) -> int:
    """Count the records that all jobs together can need."""
    return int(np.minimum(market.num_servers, market.workers + market.ps).sum())
