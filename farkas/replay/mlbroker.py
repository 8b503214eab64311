"""Runs of a broker, replayed: whole placements, or the fractional ones of Algorithm 1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from farkas.errors import NotACertificate
from farkas.instances.mlbroker import FRACTIONAL, Brokerage
from farkas.numbers import Array, Ints
from farkas.replay.base import (
    Entry,
    Replay,
    Requirements,
    RunDecisions,
    Whole,
    decoded,
    replays,
    unread,
    whole,
)
from farkas.replay.transport import cheapest

unread.add("mlbroker", ("repaired", "gap"))


@replays.register("mlbroker")
def replay(instance: Brokerage, run: RunDecisions) -> Replay:
    """Replay whole or fractional decisions, whichever the run's algorithm makes."""
    if run.algorithm in FRACTIONAL:
        from farkas.replay.mlbroker_fractional import replay_fractional

        return replay_fractional(instance, run)
    return replay_placements(instance, run)


def require_slots(instance: Brokerage, jobs: list[list[int]]) -> None:
    """Raise `NotACertificate` unless every slot is decided, for its active jobs in order."""
    if len(jobs) != instance.num_slots:
        raise NotACertificate(f"the run decides {len(jobs)} slots of {instance.num_slots}")
    for slot, found in enumerate(jobs):
        if found != instance.jobs_at(slot).tolist():
            raise NotACertificate(f"the run's slot {slot} is not about its active jobs")


class Prices:
    """What a broker pays, in integers: prices by site, units by job, in units of 2**-digits."""

    def __init__(self, instance: Brokerage) -> None:
        by_kind = (instance.num_jobs, instance.num_resources)
        demands = (
            np.reshape([job.worker_demand for job in instance.jobs], by_kind),
            np.reshape([job.server_demand for job in instance.jobs], by_kind),
        )
        tables = instance.list_price, instance.reduced_price
        (self.lane,), self.lane_digits = whole(instance.transfer_price)
        (self.high, self.low), self.price_digits = whole(*tables)
        (self.threshold, *by_job), self.unit_digits = whole(instance.threshold, *demands)
        self.by_worker, self.by_server = by_job
        self.digits = self.price_digits + self.unit_digits  #: Of what units cost.

    def usage(self, jobs: Ints, workers: Array, server: Array) -> Array:
        """Units in use, shape (sites, resources), of workers and servers, shape (jobs, sites)."""
        used: Array = workers.T @ self.by_worker[jobs] + server.T @ self.by_server[jobs]
        return used

    def cost(self, units: Array) -> Array:
        """F of units, shape (sites, resources): min(a h, b h + (a - b) l)."""
        surcharge = (self.high - self.low) * self.threshold
        least: Array = np.minimum(self.high * units, self.low * units + surcharge)
        return least


# A whole placement pays for the cheapest transport of its data, for what all jobs use together
# under the volume discount, for every entry of a site, and for its traffic.


def transfers(
    instance: Brokerage, prices: Prices, workers: Array, kept: Requirements
) -> list[Fraction]:
    """Cost of every pair's cheapest transport, USD; data that nobody trains are noted in ``kept``.

    ``workers``: whole numbers, shape (pairs, sites).
    """
    lane, found = prices.lane.tolist(), [Fraction(0)] * instance.num_pairs
    (volumes, capacity), digits = whole(instance.volume, instance.worker_capacity)
    for pair in np.argsort(instance.pair_slot, kind="stable").tolist():
        job = instance.pair_job[pair]
        volume, room = volumes[pair].tolist(), (capacity[job] * workers[pair]).tolist()
        all_data, all_room, cost = sum(volume), sum(room), Fraction(0)
        if all_data <= all_room:
            cost += cheapest(volume, room, lane)
        elif not kept.within(all_data, all_room, unit=max(all_data, capacity[job])):
            slot = instance.pair_slot[pair]
            kept.broken.append(f"slot {slot}: job {job} has untrained data")
        elif all_room:  # as much of every site's data as there is room
            parts = [amount * all_room for amount in volume]
            rooms = [most * all_data for most in room]
            cost += Fraction(cheapest(parts, rooms, lane), all_data)
        found[pair] = cost / (1 << (digits + prices.lane_digits))
    return found


class PlacedEntry(Entry, frozen=True, kw_only=True):
    """Whole decision for one slot; fields as in `farkas.online.mlbroker.environment`."""

    jobs: list[Whole]
    workers: list[list[Whole]]
    server: list[Whole]
    repaired: Whole = 0


def replay_placements(instance: Brokerage, run: RunDecisions) -> Replay:
    """Check that every job has its server and workers, and add up the four costs."""
    return _Placement(instance, run.decisions).replay()


def broken_placements(instance: Brokerage, decisions: list[Any]) -> list[str]:
    """Say which jobs lack their server, or workers for their data."""
    return _Placement(instance, decisions).kept.broken


class _Placement:
    """Whole decisions: workers, shape (pairs, sites), and the sites of servers, shape (pairs,)."""

    def __init__(self, instance: Brokerage, decisions: list[Any]) -> None:
        slots = decoded(decisions, list[PlacedEntry])
        require_slots(instance, [slot.jobs for slot in slots])
        self.instance, self.kept, self.job = instance, Requirements(), instance.pair_job
        self.pairs = [instance.pairs_at(slot) for slot in range(instance.num_slots)]
        self.workers: Array = np.zeros((instance.num_pairs, instance.num_sites), dtype=object)
        self.server = np.zeros(instance.num_pairs, np.int64)
        for number, (slot, pairs) in enumerate(zip(slots, self.pairs, strict=True)):
            sites = {len(row) for row in slot.workers} | {instance.num_sites}
            if not len(slot.workers) == len(slot.server) == len(slot.jobs) or len(sites) > 1:
                raise NotACertificate(f"the run's slot {number} has another shape")
            if slot.jobs:
                self.workers[pairs], self.server[pairs] = slot.workers, slot.server
            self._check(f"slot {number}", pairs)

    def _check(self, slot: str, pairs: Ints) -> None:
        """Every job has its server, and workers for its data."""
        for pair in pairs.tolist():
            where, workers = f"{slot}: job {self.job[pair]}", self.workers[pair].tolist()
            server, needed = int(self.server[pair]), int(self.instance.workers_needed[pair])
            if min(workers) < 0:
                self.kept.broken.append(f"{where} has a negative number of workers")
            if server not in range(self.instance.num_sites):
                self.kept.broken.append(f"{where} has its server at site {server}")
            if sum(workers) < needed:
                have = f"{sum(workers)} workers, {needed} are needed"
                self.kept.broken.append(f"{where} has {have}")

    def replay(self) -> Replay:
        """Add up the four costs."""
        if self.kept.broken:
            return Replay.of(0, self.kept)
        prices = Prices(self.instance)
        moved = transfers(self.instance, prices, self.workers, self.kept)
        value = sum(moved, Fraction(0)) + self._resources(prices)
        return Replay.of(value + self._deployments() + self._traffic(prices), self.kept)

    def _resources(self, prices: Prices) -> Fraction:
        """Cost of what all jobs use at a site in a slot."""
        at_server = np.equal.outer(self.server, np.arange(self.instance.num_sites)).astype(object)
        used = (
            prices.usage(self.job[pairs], self.workers[pairs], at_server[pairs])
            for pairs in self.pairs
        )
        return Fraction(sum(prices.cost(units).sum() for units in used), 1 << prices.digits)

    def _deployments(self) -> Fraction:
        """Cost of every site that a job enters, again when it was away for a slot."""
        here = self.workers > 0
        here[np.arange(len(here)), self.server] = True
        previous = self.instance.previous_pair
        entered = here & ~(here[previous] & (previous >= 0)[:, None])
        (cost,), digits = whole([job.deploy_cost for job in self.instance.jobs])
        return Fraction((cost[self.job] * entered.sum(axis=1)).sum(), 1 << digits)

    def _traffic(self, prices: Prices) -> Fraction:
        """Cost of what workers exchange with their server."""
        (sent,), digits = whole([job.sync_volume for job in self.instance.jobs])
        lanes = (prices.lane[:, self.server].T * self.workers).sum(axis=1)
        return Fraction((sent[self.job] * lanes).sum(), 1 << (digits + prices.lane_digits))
