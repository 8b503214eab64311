"""Runs of a broker, replayed: whole placements, or the fractional ones of Algorithm 1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from farkas.errors import NotACertificate
from farkas.instances.mlbroker import FRACTIONAL, Brokerage
from farkas.replay.base import (
    Decided,
    Entry,
    Kept,
    Replayed,
    Whole,
    decoded,
    fixed,
    places,
    replays,
)
from farkas.replay.transport import cheapest
from farkas.tolerances import ROUNDING


@replays.register("mlbroker")
def replay(instance: Brokerage, run: Decided) -> Replayed:
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


# A whole placement pays for the cheapest transport of its data, for what all jobs use together
# under the volume discount, for every entry of a site, and for its traffic.


class PlacedEntry(Entry, frozen=True, kw_only=True):
    """Whole decision for one slot; fields as in `farkas.online.mlbroker.environment`."""

    jobs: list[Whole]
    workers: list[list[Whole]]
    server: list[Whole]
    repaired: Whole = 0


def replay_placements(instance: Brokerage, run: Decided) -> Replayed:
    """Check that every job has its server and workers, and add up the four costs."""
    return _Placement(instance, decoded(run.decisions, list[PlacedEntry])).replay()


def broken_placements(instance: Brokerage, decisions: list[Any]) -> list[str]:
    """Say which jobs lack their server, or workers for their data."""
    placed = _Placement(instance, decoded(decisions, list[PlacedEntry]))
    placed.check()
    return placed.kept.broken


class _Placement:
    """Whole decisions of all slots."""

    def __init__(self, instance: Brokerage, slots: list[PlacedEntry]) -> None:
        require_slots(instance, [slot.jobs for slot in slots])
        self.instance, self.slots, self.kept = instance, slots, Kept()
        for number, slot in enumerate(slots):
            sites = {len(row) for row in slot.workers} | {instance.num_sites}
            if not len(slot.workers) == len(slot.server) == len(slot.jobs) or len(sites) > 1:
                raise NotACertificate(f"the run's slot {number} has another shape")

    def replay(self) -> Replayed:
        """Check, then add up the four costs."""
        self.check()
        if self.kept.broken:
            return Replayed.of(0, self.kept)
        value = self.transfer() + self.resources() + self.deployments() + self.traffic()
        return Replayed.of(value, self.kept)

    def check(self) -> None:
        """Every job has its server, and workers for its data."""
        sites = range(self.instance.num_sites)
        needed = self.instance.workers_needed.tolist()
        for number, slot in enumerate(self.slots):
            pairs = self.instance.pairs_at(number).tolist()
            for job, pair, workers, server in zip(
                slot.jobs, pairs, slot.workers, slot.server, strict=True
            ):
                where = f"slot {number}: job {job}"
                if min(workers) < 0:
                    self.kept.broken.append(f"{where} has a negative number of workers")
                if server not in sites:
                    self.kept.broken.append(f"{where} has its server at site {server}")
                if sum(workers) < needed[pair]:
                    have = f"{sum(workers)} workers, {needed[pair]} are needed"
                    self.kept.broken.append(f"{where} has {have}")

    def transfer(self) -> Fraction:
        """Cost of the cheapest transport; data that no worker trains count as an excess."""
        instance = self.instance
        digits = places(instance.volume.ravel().tolist())
        digits = max(digits, places(instance.worker_capacity.tolist()))
        prices, price_digits = _table(instance.transfer_price)
        capacity = [fixed(job.worker_capacity, digits) for job in instance.jobs]
        total, scaled = 0, Fraction(0)
        for number, slot in enumerate(self.slots):
            for job, workers in zip(slot.jobs, slot.workers, strict=True):
                row = instance.jobs[job].data[number - instance.jobs[job].arrival]
                volume = [fixed(amount, digits) for amount in row]
                room = [capacity[job] * count for count in workers]
                all_data, all_room = sum(volume), sum(room)
                if all_data <= all_room:
                    total += cheapest(volume, room, prices)
                    continue
                if not self.kept.within(
                    all_data, all_room, ROUNDING, unit=max(all_data, capacity[job])
                ):
                    self.kept.broken.append(f"slot {number}: job {job} has untrained data")
                elif all_room:  # as much of every site's data as there is room
                    parts = [amount * all_room for amount in volume]
                    rooms = [most * all_data for most in room]
                    scaled += Fraction(cheapest(parts, rooms, prices), all_data)
        return (total + scaled) / (1 << (digits + price_digits))

    def resources(self) -> Fraction:
        """Cost of what all jobs use at a site in a slot: min(a h, b h + (a - b) l)."""
        instance = self.instance
        threshold, digits = _table(instance.threshold.tolist(), *(
            demand for job in instance.jobs for demand in (job.worker_demand, job.server_demand)
        ))  # fmt: skip
        tables = (instance.list_price.tolist(), instance.reduced_price.tolist())
        price_digits = max(_table(table)[1] for table in tables)
        high, low = ([[fixed(x, price_digits) for x in row] for row in table] for table in tables)
        by_worker = [[fixed(x, digits) for x in job.worker_demand] for job in instance.jobs]
        by_server = [[fixed(x, digits) for x in job.server_demand] for job in instance.jobs]
        kinds = range(instance.num_resources)
        total = 0
        for slot in self.slots:
            used = [[0] * instance.num_resources for _ in range(instance.num_sites)]
            for job, workers, server in zip(slot.jobs, slot.workers, slot.server, strict=True):
                for k in kinds:
                    used[server][k] += by_server[job][k]
                for site, count in enumerate(workers):
                    if count:
                        for k in kinds:
                            used[site][k] += count * by_worker[job][k]
            for site, row in enumerate(used):
                for k, amount in enumerate(row):
                    a, b = high[site][k], low[site][k]
                    total += min(a * amount, b * amount + (a - b) * threshold[site][k])
        return Fraction(total, 1 << (digits + price_digits))

    def deployments(self) -> Fraction:
        """Cost of every site that a job enters, again when it was away for a slot."""
        entries = [0] * self.instance.num_jobs
        before: dict[int, set[int]] = {}
        for slot in self.slots:
            here = {}
            for job, workers, server in zip(slot.jobs, slot.workers, slot.server, strict=True):
                here[job] = {site for site, count in enumerate(workers) if count} | {server}
                entries[job] += len(here[job] - before.get(job, set()))
            before = here
        jobs = zip(self.instance.jobs, entries, strict=True)
        return sum((Fraction(job.deploy_cost) * count for job, count in jobs), Fraction(0))

    def traffic(self) -> Fraction:
        """Cost of what workers exchange with their server."""
        prices, price_digits = _table(self.instance.transfer_price)
        digits = places(job.sync_volume for job in self.instance.jobs)
        sent = [fixed(job.sync_volume, digits) for job in self.instance.jobs]
        total = 0
        for slot in self.slots:
            for job, workers, server in zip(slot.jobs, slot.workers, slot.server, strict=True):
                lanes = (
                    prices[site][server] * count for site, count in enumerate(workers) if count
                )
                total += sent[job] * sum(lanes)
        return Fraction(total, 1 << (digits + price_digits))


def _table(rows: Any, *others: Any) -> tuple[list[list[int]], int]:
    """Rows in whole units, and the places of the unit, which also writes ``others`` out."""
    digits = places(number for row in (*rows, *others) for number in row)
    return [[fixed(number, digits) for number in row] for row in rows], digits
