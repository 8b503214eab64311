"""Cheap lives of jobs on many sites at linear prices: slots by themselves, tied by tolls of sites.

Lagrangian relaxation, job by job.  At tolls of sites every slot is placed for itself
(`farkas.certificates.mlbroker_charges`), which bounds the job's life; a life is the cheapest way
through all the placements that its slots have had so far, and those at one site.  Then each slot is
placed anew between its neighbours, whose sites cost nothing more, and tolls move along a
subgradient: a site is made dearer in the slot that leaves it, and cheaper in the one that enters
it.  A step is as long as the distance of both sides asks for (Polyak); all end where these meet.
"""

from __future__ import annotations

import numpy as np

from farkas.certificates.mlbroker_charges import apart_costs, place_charged
from farkas.certificates.mlbroker_workers import ENDLESS
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.mlbroker.lives import Lives
from farkas.tolerances import BRANCHED

ROUNDS = 10  #: Steps of tolls.
STEP = 0.7  #: Share of Polyak's step.


class SiteLives:
    """Lives of the jobs from ``begin`` up to ``end`` at some prices.

    Parameters
    ----------
    slope
        Shape (slots, sites, resources), USD a unit, finite, >= 0.
    """

    def __init__(self, data: Brokerage, begin: int, end: int, slope: Floats) -> None:
        self.data, self.jobs = data, np.arange(begin, end)
        first, last = data.pair_start[begin], data.pair_start[end]
        self.pairs = np.arange(first, last)
        self.job = data.pair_job[self.pairs]
        price = slope[data.pair_slot[self.pairs]]
        self.worker: Floats = (price * data.worker_demand[self.job][:, None, :]).sum(axis=2)
        self.server: Floats = (price * data.server_demand[self.job][:, None, :]).sum(axis=2)
        self.start = data.pair_start[begin : end + 1] - first
        self.deploy = data.deploy_cost[self.job][:, None]
        after = data.next_pair[self.pairs] >= 0
        self.links = np.flatnonzero(after)
        """Rows after which the same job has another one."""
        length = np.diff(self.start)[self.job - begin]
        passed = np.arange(len(self.pairs)) - self.start[self.job - begin] + 1
        even = np.broadcast_to(-(1.0 - passed / length)[:, None], (len(self.pairs), data.num_sites))
        self.tolls: Floats = even * self.deploy
        """Shape (pairs, sites), USD, 0 after the last pair of a job."""
        self.best_tolls = self.tolls.copy()
        self.bound: Floats = np.full(end - begin, -np.inf)
        self.cost: Floats = np.full(end - begin, np.inf)
        shape = len(self.pairs), data.num_sites
        self.workers, self.at = np.zeros(shape, np.int64), np.zeros(len(self.pairs), np.int64)
        self._seen: list[list[tuple[float, Ints, int, Bools]]] = [[] for _ in self.pairs]
        """Placements of every pair: USD without deployments, workers, server, and where it is."""

    def charges(self) -> Floats:
        """Return what being at a site costs in a slot at the tolls, shape (pairs, sites), USD."""
        before = np.zeros_like(self.tolls)
        before[self.links + 1] = self.tolls[self.links]
        first = np.zeros(len(self.pairs), bool)
        first[self.start[:-1]] = True
        charge: Floats = self.tolls - before + self.deploy * first[:, None]
        return charge

    def placed(self, rows: Ints, charge: Floats) -> tuple[Floats, Bools]:
        """Place some pairs at charges, and keep the placements.

        Returns
        -------
        Bounds, shape (rows,), and where they are, shape (rows, sites).
        """
        data, some = self.data, len(rows)
        shape = some, data.num_sites
        workers, at = np.zeros(shape, np.int64), np.zeros(some, np.int64)
        bound = np.zeros(some)
        place_charged(
            self.pairs[rows], data.pair_job, data.trained_volume, data.workers_needed,
            data.worker_capacity, self.worker[rows], self.server[rows], data.sync_volume,
            data.transfer, data.num_resources, charge, -1, np.zeros(some), workers, at,
            np.zeros(some, np.int64), np.full(shape, -np.inf), np.zeros(shape, np.int64), bound,
            np.array([0, ENDLESS]),
        )  # fmt: skip
        return bound, self.keep(rows, workers, at)

    def keep(self, rows: Ints, workers: Ints, at: Ints) -> Bools:
        """Keep placements of some pairs; return where they are, shape (rows, sites)."""
        data, moving = self.data, np.zeros(len(rows))
        job = self.job[rows]
        apart_costs(
            self.pairs[rows], data.trained_volume, data.worker_capacity[job],
            data.sync_volume[job], data.transfer, workers, at, moving,
        )  # fmt: skip
        here: Bools = (workers > 0) | (np.arange(data.num_sites) == at[:, None])
        cost = moving + (workers * self.worker[rows]).sum(axis=1) + self.server[rows, at]
        for row, one, where, site, there in zip(
            rows.tolist(), cost.tolist(), workers, at.tolist(), here, strict=True
        ):
            known = self._seen[row]
            if all(site != s or (where != w).any() for _, w, s, _ in known):
                known.append((one, where, site, there))
        return here

    def stay(self) -> None:
        """Keep the placement of every pair at each one site alone."""
        rows = np.arange(len(self.pairs))
        for site in range(self.data.num_sites):
            workers = np.zeros_like(self.workers)
            workers[:, site] = self.data.workers_needed[self.pairs]
            self.keep(rows, workers, np.full_like(rows, site))

    def cheapest(self, job: int) -> bool:
        """Find the cheapest way through what was seen of a job; whether it is a better life."""
        rows = range(self.start[job], self.start[job + 1])
        deploy = float(self.deploy[rows[0], 0])
        reach: list[Floats] = []
        came: list[Ints] = []
        for number, row in enumerate(rows):
            there = np.array([seen[3] for seen in self._seen[row]])
            own = np.array([seen[0] for seen in self._seen[row]])
            if number == 0:
                reach.append(own + deploy * there.sum(axis=1))
                came.append(np.zeros(len(own), np.int64))
                continue
            before = np.array([seen[3] for seen in self._seen[row - 1]])
            new = (there[:, None, :] & ~before[None, :, :]).sum(axis=2)
            ways = reach[-1][None, :] + deploy * new
            came.append(ways.argmin(axis=1))
            reach.append(own + ways.min(axis=1))
        last = int(reach[-1].argmin())
        if not reach[-1][last] < self.cost[job]:
            return False
        self.cost[job] = reach[-1][last]
        for number in reversed(range(len(rows))):
            _, self.workers[rows[number]], self.at[rows[number]], _ = self._seen[rows[number]][last]
            last = int(came[number][last])
        return True

    def between(self, rows: Ints) -> Floats:
        """Return charges of sites where the slots before and after stay as they are."""
        here = self.here()
        before, after = np.zeros_like(here), np.zeros_like(here)
        before[self.links + 1] = here[self.links]
        after[self.links] = here[self.links + 1]
        charge: Floats = self.deploy * (1.0 * ~before - 1.0 * after)
        return charge[rows]

    def here(self) -> Bools:
        """Where jobs are in their best lives, shape (pairs, sites)."""
        found: Bools = (self.workers > 0) | (np.arange(self.data.num_sites) == self.at[:, None])
        return found

    def rows_of(self, jobs: Ints) -> Ints:
        """Rows of some jobs, by their numbers here."""
        runs = [np.arange(self.start[j], self.start[j + 1]) for j in jobs]
        return np.concatenate([np.zeros(0, np.int64), *runs])

    def search(self, rounds: int = ROUNDS) -> None:
        """Move tolls, and look for lives, until both sides of every job meet."""
        own = self.job - (self.jobs[0] if len(self.jobs) else 0)
        open_ = np.arange(len(self.jobs))
        self.stay()
        for round_ in range(rounds):
            rows = self.rows_of(open_)
            if not len(rows):
                return
            below, there = self.placed(rows, self.charges()[rows])
            bound = np.zeros(len(self.jobs))
            np.add.at(bound, own[rows], below)
            better = bound > self.bound
            better &= np.isin(np.arange(len(self.jobs)), open_)
            self.best_tolls[better[own]] = self.tolls[better[own]]
            self.bound[better] = bound[better]
            found = open_[[self.cheapest(int(job)) for job in open_]]
            while len(found):
                some = self.rows_of(found)
                self.placed(some, self.between(some))
                found = found[[self.cheapest(int(job)) for job in found]]
            present = np.zeros((len(self.pairs), self.data.num_sites), bool)
            present[rows] = there
            away = np.zeros_like(self.tolls)
            away[self.links] = 1.0 * present[self.links] - 1.0 * present[self.links + 1]
            size = np.zeros(len(self.jobs))
            np.add.at(size, own, (away**2).sum(axis=1))
            apart = self.cost - bound
            still = (size > 0) & (self.cost - self.bound > 4 * BRANCHED * np.abs(self.cost))
            open_ = open_[still[open_]]
            step = np.zeros(len(self.jobs))
            step[open_] = STEP * apart[open_] / size[open_] / (1 + round_ // 10)
            self.tolls = np.clip(self.tolls + step[own][:, None] * away, -self.deploy, 0.0)

    def lives(self) -> Lives:
        """Return the best lives; their tolls are those of the best bounds."""
        data, moving = self.data, np.zeros(len(self.pairs))
        apart_costs(
            self.pairs, data.trained_volume, data.worker_capacity[self.job],
            data.sync_volume[self.job], data.transfer, self.workers, self.at, moving,
        )  # fmt: skip
        here = self.here()
        before = np.zeros_like(here)
        before[self.links + 1] = here[self.links]
        moving += (self.deploy * (here & ~before)).sum(axis=1)
        apart = np.zeros(len(self.jobs))
        np.add.at(apart, self.job - (self.jobs[0] if len(self.jobs) else 0), moving)
        return Lives(self.workers, self.at, apart, self.bound, self.best_tolls)
