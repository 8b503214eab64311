"""Baselines mlbroker.oasis and mlbroker.one_shot: the best integers for one slot."""

import dataclasses
from typing import Literal

import msgspec
import numpy as np

from farkas.models.mlbroker.one_shot import OneShot, Snapshot
from farkas.numbers import Ints
from farkas.online.driver import algorithm
from farkas.online.mlbroker.rounded import Memory, Placing
from farkas.solvers.highs_session import optimum_by_any


def best_placement(now: Snapshot, prices: str, solver: str, gap: float) -> tuple[Ints, Ints]:
    """Optimal workers, shape (jobs, sites), and servers, shape (jobs,), of one slot.

    Raises
    ------
    NoAnswer
        When the solver claims no optimum.
    """
    form = OneShot(prices=prices).form(now)
    point = optimum_by_any(form, solver, gap=gap).point
    shape = (now.market.num_jobs, now.market.num_sites)
    workers = np.round(form.values(point, "workers")).astype(np.int64).reshape(shape)
    return workers, np.argmax(form.values(point, "server").reshape(shape), axis=1)


def _at_one(now: Snapshot, site: Ints) -> Ints:
    """Workers of jobs that are at one site each, shape (jobs, sites)."""
    workers = np.zeros(now.deployed.shape, np.int64)
    workers[np.arange(len(workers)), site] = now.market.workers_needed
    return workers


@algorithm("mlbroker.one_shot", source="added: all jobs of a slot, with discounts")
@dataclasses.dataclass(frozen=True)
class Myopic(Placing):
    """All jobs of a slot placed optimally together, blind for the slots to come.

    Parameters
    ----------
    solver
        Integer solver, for slots whose jobs are not proved to be best at one site each.
    gap
        Relative gap at which a slot counts as solved.
    prices
        Form of the discount, "choice" or "single"; optima are the same, ties may differ.
    """

    solver: str = "highs"
    gap: float = 0.0
    prices: Literal["choice", "single"] = "choice"

    def place(self, now: Snapshot, state: Memory) -> tuple[Ints, Ints]:
        """Solve the slot."""
        if not now.market.num_jobs:
            return np.zeros(now.deployed.shape, np.int64), np.zeros(0, np.int64)
        # here: for it alone
        from farkas.relaxations.mlbroker.one_site_tree import best_sites_together

        sites = best_sites_together(now)
        if sites is not None:
            return _at_one(now, sites), sites
        return best_placement(now, self.prices, self.solver, self.gap)


@algorithm("mlbroker.oasis", source="mlBroker section 6.3, OASiS")
@dataclasses.dataclass(frozen=True)
class Oasis(Placing):
    """Every job placed optimally by itself at list prices; discounts come as a surprise.

    Parameters
    ----------
    solver
        Integer solver, for jobs that are not proved to be best at one site.
    gap
        Relative gap at which a job counts as solved.
    prices
        "list", or "single" for the same prices written with (8c) to (8e); ties may differ.
    """

    solver: str = "highs"
    gap: float = 0.0
    prices: Literal["list", "single"] = "list"

    def place(self, now: Snapshot, state: Memory) -> tuple[Ints, Ints]:
        """Put jobs at one site where that is best, and solve the others one after the other."""
        from farkas.relaxations.mlbroker.one_site_tree import (
            best_single_sites,  # here: for it alone
        )

        server, best = best_single_sites(now)
        workers = _at_one(now, server)
        for job in np.flatnonzero(~best).tolist():
            here = slice(job, job + 1)
            workers[here], server[here] = best_placement(
                self._alone(now, job), self.prices, self.solver, self.gap
            )
        return workers, server

    def _alone(self, now: Snapshot, job: int) -> Snapshot:
        market = msgspec.structs.replace(
            now.market, jobs=(now.market.jobs[job],), discount_price=None, discount_threshold=None
        )
        return Snapshot(now.slot, now.jobs[job : job + 1], market, now.deployed[job : job + 1])
