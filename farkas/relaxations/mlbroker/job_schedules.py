"""The cheapest schedules of jobs at linear prices, by dynamic programming over sets of sites.

At given prices of resources jobs do not meet.  In every slot a job chooses the sites where it is
deployed; these cost what `farkas.certificates.mlbroker_workers` says, and a site that is new in a
slot costs a deployment.  As there, bounds of sets become better only where the cheapest
schedule asks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from farkas.certificates.arrays import copy_floats, copy_ints
from farkas.certificates.mlbroker_transport import scale
from farkas.certificates.mlbroker_workers import (
    ENDLESS,
    PlacementData,
    Placements,
    apart_costs,
    deployed_below,
    loads,
    place_pairs,
)
from farkas.errors import NoAnswer
from farkas.instances.mlbroker import Brokerage
from farkas.kernels import Floats1, Floats2, Ints1, Ints2, Out, compiled
from farkas.models.mlbroker.data import entered, present_at, usage_of
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import ULP


@compiled(steps=lambda deploy, cost, came: 10.0 * cost.size)
def spread(deploy: float, cost: Out[Floats1], came: Out[Ints1]) -> None:
    """Replace the cost of every set by the least of any set and of the deployments from there.

    ``deploy`` is USD for each site of the set that the other one, ``came``, has not.
    """
    sets = len(cost)
    for s in range(sets):
        came[s] = s
    bit = 1
    while bit < sets:
        for s in range(sets):
            if s & bit:
                continue
            other = s | bit
            if cost[other] < cost[s]:
                cost[s], came[s] = cost[other], came[other]
            elif cost[s] + deploy < cost[other]:
                cost[other], came[other] = cost[s] + deploy, came[s]
        bit *= 2


@compiled(steps=lambda begin, end, start, data, *_: 3e3 * (1 << len(data.transfer)) * (end - begin))
def place_jobs(
    begin: int,
    end: int,
    start: Ints1,
    data: PlacementData,
    worker: Floats2,
    server: Floats2,
    deploy: Floats1,
    workers: Out[Ints2],
    at: Out[Ints1],
    bound: Out[Floats1],
    prices: Out[Floats2],
) -> None:
    """Place the jobs from ``begin`` up to ``end``, each as if it were alone.

    Arrays from ``workers`` on, fields of `JobSchedules`, are those of these jobs and pairs, and so
    are ``worker`` and ``server``, USD >= 0 by pair and site for the resources of one.  Pairs of all
    jobs begin at ``start``; ``deploy`` is USD a deployment, by job.

    A price of a pair and a set is a share of what it costs to come to the set, less the other share
    of what the slots after cost from there; 0 after the last pair of a job.  The share of those
    falls evenly from slot to slot, so that a set costs every slot an equal part of the cheapest
    schedule that goes through it: where jobs choose slot by slot, all slots keep them from other
    sets alike.
    """
    _, volume, needed, rate, sync, transfer, resources = data
    sites = volume.shape[1]
    sets = 1 << sites
    roundings = resources + sites + 8
    amount, move = np.empty(sites + 1), np.zeros((sites + 1, sites))
    traffic, free = np.empty((sites, sites)), np.zeros(sites)
    count, ahead, begun = np.zeros(sites, np.int64), np.empty(sets), np.empty(sets)
    spare, work = np.empty(sets, np.int64), np.zeros(2, np.int64)
    work[1] = ENDLESS
    origin = start[begin]
    for i in range(begin, end):
        first, slots = start[i], start[i + 1] - start[i]
        least, grade = np.zeros((slots, sets)), np.zeros((slots, sets), np.int64)
        whole = np.zeros((slots, sets, sites), np.int64)
        chosen = np.zeros((slots, sets), np.int64)
        reach, came = np.empty((slots, sets)), np.empty((slots, sets), np.int64)
        path, asked = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
        scale(rate[i], transfer, move)
        scale(sync[i], transfer, traffic)
        for t in range(slots):
            asked[t] = 1
        total, ready = 0.0, False
        while not ready:
            for t in range(slots):
                if asked[t] == 0:
                    continue
                pair = first + t
                loads(pair, volume, needed[pair], rate[i], amount)
                low, stop = (1, sets) if asked[t] == 1 else (path[t], path[t] + 1)
                for s in range(low, stop):
                    below, _, p = deployed_below(
                        asked[t], s, -1, needed[pair], amount, move, worker[pair - origin],
                        server[pair - origin], traffic, free, roundings, np.inf, count, work,
                    )  # fmt: skip
                    grade[t, s] = asked[t]
                    least[t, s] = max(least[t, s], below)
                    if asked[t] == 3:
                        chosen[t, s] = p
                        copy_ints(count, whole[t, s])
            for t in range(slots):
                for s in range(sets):
                    reach[t, s] = reach[t - 1, s] if t else (np.inf if s else 0.0)
                spread(deploy[i], reach[t], came[t])
                for s in range(1, sets):
                    reach[t, s] += least[t, s]
                reach[t, 0] = np.inf  # there is a server somewhere
            total, last = np.inf, 0
            for s in range(1, sets):
                if reach[slots - 1, s] < total:
                    total, last = reach[slots - 1, s], s
            ready = True
            if last == 0:  # every schedule costs more than doubles hold
                break
            for back in range(slots):
                t = slots - 1 - back
                path[t], last = last, came[t, last]
                asked[t] = 0
                if grade[t, path[t]] < 3:
                    asked[t], ready = grade[t, path[t]] + 1, False
        for t in range(slots):
            row = first + t - origin
            at[row] = chosen[t, path[t]]
            copy_ints(whole[t, path[t]], workers[row])
        bound[i - begin] = total * (1.0 - (2 * slots + sites + 8) * ULP)
        ahead[:] = 0.0
        for back in range(slots):
            t = slots - 1 - back
            copy_floats(reach[t], begun)
            spread(deploy[i], begun, spare)
            share = (t + 1.0) / slots
            row = first + t - origin
            for s in range(sets):
                prices[row, s] = (1.0 - share) * begun[s] - share * ahead[s] if back else 0.0
            # what is to come spreads the other way, to larger sets for nothing: over complements
            for s in range(sets):
                begun[sets - 1 - s] = ahead[s] + least[t, s] if s else np.inf
            copy_floats(begun, ahead)
            spread(deploy[i], ahead, spare)
            for s in range(sets // 2):
                ahead[s], ahead[sets - 1 - s] = ahead[sets - 1 - s], ahead[s]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobSchedules:
    """Cheapest schedules of all jobs at some prices."""

    #: workers, server: shapes (pairs, sites) and (pairs,).
    workers: Ints
    server: Ints
    bound: Floats  #: Shape (jobs,), USD: what any schedule costs at the prices.
    prices: Floats  #: Of deployments, shape (pairs, sets), USD, see `place_jobs`.

    def usage(self, data: Brokerage) -> Floats:
        """Units of each resource in use, shape (slots, sites, resources)."""
        return usage_of(data, np.arange(data.num_pairs), self.workers, self.server)

    def cost(self, data: Brokerage) -> float:
        """All costs with discounts pooled, USD; rounded."""
        pairs, cost = np.arange(data.num_pairs), np.zeros(data.num_pairs)
        apart_costs(pairs, PlacementData.of(data), self.workers, self.server, cost)
        new = entered(data, present_at(self.workers, self.server))
        cost += data.deploy_cost[data.pair_job] * new.sum(axis=1)
        return float(cost.sum() + data.resource_cost(self.usage(data)).sum())


def schedules_of(data: Brokerage, begin: int, end: int, slope: Floats) -> JobSchedules:
    """Place the jobs from ``begin`` up to ``end`` at prices of units, finite and >= 0.

    ``slope`` has shape (slots, sites, resources), USD. Raises `NoAnswer`: every schedule of a job
    costs more than doubles hold.
    """
    first, last = data.pair_start[begin], data.pair_start[end]
    pairs, sites = last - first, data.num_sites
    found = JobSchedules(
        np.zeros((pairs, sites), np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(end - begin),
        np.zeros((pairs, 1 << sites)),
    )
    price, job = slope[data.pair_slot[first:last]], data.pair_job[first:last]
    worker = (price * data.worker_demand[job][:, None, :]).sum(axis=2)
    server = (price * data.server_demand[job][:, None, :]).sum(axis=2)
    place_jobs(
        begin, end, data.pair_start, PlacementData.of(data), worker, server, data.deploy_cost,
        found.workers, found.server, found.bound, found.prices,
    )  # fmt: skip
    if not np.isfinite(found.bound).all():
        raise NoAnswer("what a job costs is more than doubles hold")
    return found


def joined(parts: Sequence[JobSchedules], sets: int, sites: int) -> JobSchedules:
    """Return the schedules of jobs that follow each other; ``sets`` of sites have prices."""
    none = JobSchedules(
        np.zeros((0, sites), np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros((0, sets)),
    )  # fmt: skip
    fields = [field.name for field in dataclasses.fields(JobSchedules)]
    return JobSchedules(
        **{name: np.concatenate([getattr(p, name) for p in (none, *parts)]) for name in fields}
    )


# Cheap schedules of jobs on many sites at linear prices: slots by themselves at prices of sites.
#
# A site that a slot leaves to the next is worth an even share of its deployment.  At these prices
# every slot is placed for itself (`farkas.certificates.mlbroker_workers`), which bounds the job's
# schedule; a schedule is the cheapest way through all the placements that its slots have had so
# far, and those at one site.  Then each slot is placed anew between its neighbours, whose sites
# cost nothing more, as long as schedules become cheaper.


class SiteSchedules:
    """Schedules of the jobs from ``begin`` up to ``end`` at some prices.

    ``slope``: shape (slots, sites, resources), USD a unit, finite, >= 0.
    """

    def __init__(self, data: Brokerage, begin: int, end: int, slope: Floats) -> None:
        self.data, self.placing = data, PlacementData.of(data)
        first, last = data.pair_start[begin], data.pair_start[end]
        self.pairs = np.arange(first, last)
        self.job = data.pair_job[self.pairs]
        self.row = self.job - begin
        """Job of each pair, counted from the first."""
        price = slope[data.pair_slot[self.pairs]]
        self.worker: Floats = (price * data.worker_demand[self.job][:, None, :]).sum(axis=2)
        self.server: Floats = (price * data.server_demand[self.job][:, None, :]).sum(axis=2)
        self.start = data.pair_start[begin : end + 1] - first
        self.deploy = data.deploy_cost[self.job][:, None]
        after = data.next_pair[self.pairs] >= 0
        self.links = np.flatnonzero(after)
        """Rows after which the same job has another one."""
        length = np.diff(self.start)[self.row]
        passed = np.arange(len(self.pairs)) - self.start[self.row] + 1
        even = np.broadcast_to((1.0 - passed / length)[:, None], (len(self.pairs), data.num_sites))
        self.prices: Floats = even * self.deploy
        """Shape (pairs, sites), USD, 0 after the last pair of a job."""
        self.bound: Floats = np.zeros(end - begin)
        self.cost: Floats = np.full(end - begin, np.inf)
        shape = len(self.pairs), data.num_sites
        self.workers, self.at = np.zeros(shape, np.int64), np.zeros(len(self.pairs), np.int64)
        self._seen: list[list[tuple[float, Ints, int, Bools]]] = [[] for _ in self.pairs]
        """Placements of every pair: USD without deployments, workers, server, and where it is."""

    def charges(self) -> Floats:
        """Return what being at a site costs in a slot at the prices, shape (pairs, sites), USD."""
        before = np.zeros_like(self.prices)
        before[self.links + 1] = self.prices[self.links]
        first = np.zeros(len(self.pairs), bool)
        first[self.start[:-1]] = True
        charge: Floats = before - self.prices + self.deploy * first[:, None]
        return charge

    def placed(self, rows: Ints, charge: Floats) -> Floats:
        """Place some pairs at charges, and keep the placements; return bounds, shape (rows,)."""
        some, sites = len(rows), self.data.num_sites
        found, bound = Placements.none(some, sites, sites), np.zeros(some)
        place_pairs(
            self.pairs[rows], self.placing, self.worker[rows], self.server[rows], False, charge, -1,
            np.zeros(some), found, bound, np.array([0, ENDLESS]),
        )  # fmt: skip
        self.keep(rows, found.workers, found.server)
        return bound

    def keep(self, rows: Ints, workers: Ints, at: Ints) -> None:
        """Keep placements of some pairs."""
        moving = np.zeros(len(rows))
        apart_costs(self.pairs[rows], self.placing, workers, at, moving)
        here = present_at(workers, at)
        cost = moving + (workers * self.worker[rows]).sum(axis=1) + self.server[rows, at]
        for row, one, where, site, there in zip(
            rows.tolist(), cost.tolist(), workers, at.tolist(), here, strict=True
        ):
            known = self._seen[row]
            if all(site != s or (where != w).any() for _, w, s, _ in known):
                known.append((one, where, site, there))

    def stay(self) -> None:
        """Keep the placement of every pair at each one site alone."""
        rows = np.arange(len(self.pairs))
        for site in range(self.data.num_sites):
            workers = np.zeros_like(self.workers)
            workers[:, site] = self.data.workers_needed[self.pairs]
            self.keep(rows, workers, np.full_like(rows, site))

    def cheapest(self, job: int) -> bool:
        """Find the cheapest way through what was seen of a job; whether it is a better schedule."""
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
        """Where jobs are in their best schedules, shape (pairs, sites)."""
        return present_at(self.workers, self.at)

    def rows_of(self, jobs: Ints) -> Ints:
        """Rows of some jobs, by their numbers here."""
        runs = [np.arange(self.start[j], self.start[j + 1]) for j in jobs]
        return np.concatenate([np.zeros(0, np.int64), *runs])

    def search(self) -> None:
        """Look for schedules until no slot helps to a cheaper one."""
        self.stay()
        np.add.at(self.bound, self.row, self.placed(np.arange(len(self.pairs)), self.charges()))
        found = np.arange(len(self.bound))
        while len(found):
            found = found[[self.cheapest(int(job)) for job in found]]
            rows = self.rows_of(found)
            self.placed(rows, self.between(rows))

    def schedules(self) -> JobSchedules:
        """Return the best schedules."""
        return JobSchedules(self.workers, self.at, self.bound, self.prices)
