"""Fractional runs of a broker, replayed under the relaxation (9) that they decide.

A fractional decision is a point of mlbroker.relaxed[printed] or [tight]: it is worth what the
relaxation says and must keep the relaxation's rows, within what solvers leave of them.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator
from fractions import Fraction
from typing import get_args

from farkas.errors import NotACertificate
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.replay.base import Decided, Kept, Replayed
from farkas.replay.exact import Entry, Whole, decoded, fixed, places, quotient
from farkas.replay.mlbroker import require_slots
from farkas.tolerances import FEASIBLE
from farkas.words import quoted

Lane = tuple[int, int, int]
"""Job by its place in the slot, and two sites."""

Row = tuple[str, int, int, int]
"""Label, what is used, what it may be at most, and of what a violation is a share."""


class LanesEntry(Entry, frozen=True, kw_only=True):
    """Positive entries over (jobs, sites, sites), as columns."""

    job: list[Whole]
    origin: list[Whole]
    target: list[Whole]
    amount: list[float]


class FractionalEntry(Entry, frozen=True, kw_only=True):
    """Fractional decision for one slot; fields as in `farkas.online.mlbroker.fractional`."""

    jobs: list[Whole]
    workers: list[list[float]]
    server: list[list[float]]
    deployed: list[list[float]]
    moved: LanesEntry
    connected: LanesEntry
    gap: float = 0.0


def replay_fractional(instance: Brokerage, run: Decided) -> Replayed:
    """Check the rows of the relaxation and add up its costs."""
    relaxation = _Relaxation(instance, run)
    slots = decoded(run.decisions, list[FractionalEntry])
    require_slots(instance, [slot.jobs for slot in slots])
    kept, low, high = Kept(), Fraction(0), Fraction(0)
    before: dict[int, list[Fraction]] = {}
    for number, slot in enumerate(slots):
        point = _Point(relaxation, number, slot)
        kept.broken.extend(f"slot {number}: {words}" for words in point.missed(kept))
        exactly = point.lanes() + point.deployments(before)
        least, most = point.resources()
        low, high = low + exactly + least, high + exactly + most
        before = point.present()
    note = f"Decisions are fractional: points of mlbroker.relaxed[{relaxation.variant}]."
    return Replayed.between(low, high, kept, note=note)


class _Relaxation:
    """Data of the instance in whole units, and the variant."""

    def __init__(self, instance: Brokerage, run: Decided) -> None:
        self.relax = run.options.get("relax", "tight")
        self.semantics: Semantics = run.options.get("semantics", "printed")
        self.variant = f"{self.relax},{self.semantics}"
        if self.relax not in ("tight", "printed") or self.semantics not in get_args(Semantics):
            raise NotACertificate(f"no relaxation of mlbroker is {quoted(self.variant)}")
        self.instance = instance
        self.needed = instance.workers_needed.tolist()
        self.most = instance.most_workers(self.semantics).tolist()
        self.presence_bound = 1 + max(self.most, default=0)
        transfer = instance.transfer_price
        self.lane_digits = places(x for row in transfer for x in row)
        self.transfer = [[fixed(x, self.lane_digits) for x in row] for row in transfer]
        high, low = instance.list_price.tolist(), instance.reduced_price.tolist()
        self.price_digits = places(x for table in (high, low) for row in table for x in row)
        self.high, self.low = (
            [[fixed(x, self.price_digits) for x in row] for row in table] for table in (high, low)
        )
        demands = [(job.worker_demand, job.server_demand) for job in instance.jobs]
        threshold = instance.threshold.tolist()
        rows = [*threshold, *(row for pair in demands for row in pair)]
        self.unit_digits = places(x for row in rows for x in row)
        self.threshold = [[fixed(x, self.unit_digits) for x in row] for row in threshold]
        self.by_worker, self.by_server = (
            [[fixed(x, self.unit_digits) for x in pair[part]] for pair in demands]
            for part in (0, 1)
        )
        first, second = instance.two_big_ms(self.semantics)
        raised = (float(first.max(initial=0)), float(second.max(initial=0)))
        self.big_m = max(instance.single_big_m, *raised)

    def cost(self, site: int, resource: int, units: int) -> int:
        """F of ``units``: min(a h, b h + (a - b) l)."""
        a, b = self.high[site][resource], self.low[site][resource]
        return min(a * units, b * units + (a - b) * self.threshold[site][resource])

    def first_unit(self, site: int, resource: int) -> int:
        """Price of the first unit: the list price, unless the discount counts from 0 on."""
        table = self.high if self.threshold[site][resource] else self.low
        return table[site][resource]


class _Point:
    """Decisions of one slot in whole units of 2**-digits."""

    def __init__(self, relaxation: _Relaxation, number: int, slot: FractionalEntry) -> None:
        self.relaxation, self.number, self.slot = relaxation, number, slot
        instance = relaxation.instance
        self.jobs = [instance.jobs[job] for job in slot.jobs]
        self.pairs = instance.pairs_at(number).tolist()
        self.sites = range(instance.num_sites)
        tables = (slot.workers, slot.server, slot.deployed)
        shape = [instance.num_sites] * len(slot.jobs)
        if any([len(row) for row in table] != shape for table in tables):
            raise NotACertificate(f"the run's slot {number} has another shape")
        data = [job.data[number - job.arrival] for job in self.jobs]
        rates = [job.worker_capacity for job in self.jobs]
        amounts = [rates, slot.moved.amount, slot.connected.amount]
        self.digits = digits = places(
            x for table in (*tables, data, amounts) for row in table for x in row
        )
        self.one = 1 << digits
        self.rate = [fixed(x, digits) for x in rates]
        self.workers, self.server, self.deployed, self.volume = (
            [[fixed(x, digits) for x in row] for row in table] for table in (*tables, data)
        )
        self.moved, self.connected = self._whole(slot.moved), self._whole(slot.connected)

    def _whole(self, lanes: LanesEntry) -> dict[Lane, int]:
        columns = (lanes.job, lanes.origin, lanes.target)
        if len({len(column) for column in (*columns, lanes.amount)}) > 1:
            raise NotACertificate(f"the run's slot {self.number} has lanes of several lengths")
        amounts = (fixed(amount, self.digits) for amount in lanes.amount)
        found = dict(zip(zip(*columns, strict=True), amounts, strict=True))
        jobs = range(len(self.jobs))
        if len(found) < len(lanes.amount) or not all(
            job in jobs and origin in self.sites and target in self.sites
            for job, origin, target in found
        ):
            raise NotACertificate(f"the run's slot {self.number} has a lane twice or from nowhere")
        return found

    # --- rows ------------------------------------------------------------------------------------

    def missed(self, kept: Kept) -> list[str]:
        """Rows that are missed by more than counts as kept, in words."""
        count = collections.Counter(
            label
            for label, used, limit, unit in self._rows()
            if used > limit and not kept.within(used, limit, FEASIBLE, unit=unit)
        )
        return [f"({label}) is missed at {places} places" for label, places in count.items()]

    def _rows(self) -> Iterator[Row]:
        relaxation, one, sites = self.relaxation, self.one, self.sites
        arriving, leaving = self._sums(self.moved)
        connected, serving = self._sums(self.connected)
        for job, pair in enumerate(self.pairs):
            workers, server, deployed = self.workers[job], self.server[job], self.deployed[job]
            rate, volume = self.rate[job], self.volume[job]
            needed, most = relaxation.needed[pair], relaxation.most[pair]
            # by its data; by what a worker could train, which may be far more, only where the data
            # are so few that no worker is needed
            data, room = sum(volume) if needed else rate, max(1, needed) * one
            yield "8f", abs(sum(server) - one), 0, one
            for r in sites:
                y, s, v = workers[r], server[r], deployed[r]
                yield "8a", arriving[job][r] << self.digits, rate * y, data << self.digits
                yield "8b", abs(leaving[job][r] - volume[r]), 0, data
                yield "8i", abs(serving[job][r] - y), 0, room
                yield "8j", needed * s, connected[job][r], room
                if relaxation.relax == "printed":
                    yield "8g", y + s, relaxation.presence_bound * v, room
                else:
                    yield "8g*", y, most * v, room
                    yield "8g*", s, v, one
                if relaxation.semantics == "strict":
                    yield "8l", v, y + s, one
                yield "not below 0", -min(y, s, v), 0, room
        for (job, _, _), amount in self.moved.items():
            needed = relaxation.needed[self.pairs[job]]
            data = sum(self.volume[job]) if needed else self.rate[job]
            yield "not below 0", -amount, 0, data
        for (job, _, target), amount in self.connected.items():
            most = relaxation.most[self.pairs[job]]
            yield "not below 0", -amount, 0, one
            if relaxation.semantics == "strict":
                yield "8m", amount, most * self.server[job][target], most * one

    def _sums(self, lanes: dict[Lane, int]) -> tuple[list[list[int]], list[list[int]]]:
        """Add up by target and by origin, shape (jobs, sites) each."""
        into, out = ([[0 for _ in self.sites] for _ in self.jobs] for _ in range(2))
        for (job, origin, target), amount in lanes.items():
            into[job][target] += amount
            out[job][origin] += amount
        return into, out

    # --- costs -----------------------------------------------------------------------------------

    def lanes(self) -> Fraction:
        """Cost of moving data and of traffic between workers and servers."""
        price = self.relaxation.transfer
        moving = sum(price[o][r] * amount for (_, o, r), amount in self.moved.items())
        by_job = [0] * len(self.jobs)
        for (job, r, p), amount in self.connected.items():
            by_job[job] += price[r][p] * amount
        traffic = sum(
            (Fraction(job.sync_volume) * sent for job, sent in zip(self.jobs, by_job, strict=True)),
            Fraction(0),
        )
        return (moving + traffic) / (1 << (self.digits + self.relaxation.lane_digits))

    def present(self) -> dict[int, list[Fraction]]:
        """Deployment by job, for the slot to come."""
        shares = ([Fraction(v, self.one) for v in row] for row in self.deployed)
        return dict(zip(self.slot.jobs, shares, strict=True))

    def deployments(self, before: dict[int, list[Fraction]]) -> Fraction:
        """Cost of what is deployed beyond the slot before."""
        total, nowhere = Fraction(0), [Fraction(0)] * len(self.sites)
        for number, job, row in zip(self.slot.jobs, self.jobs, self.deployed, strict=True):
            ever = before.get(number, nowhere)
            grown = (
                Fraction(v, self.one) - old
                for v, old in zip(row, ever, strict=True)
                if Fraction(v, self.one) > old
            )
            total += Fraction(job.deploy_cost) * sum(grown, Fraction(0))
        return total

    def resources(self) -> tuple[Fraction, Fraction]:
        """Bounds on the cost of resources under the relaxation's prices."""
        used = self._usage()
        if not self.jobs:
            return Fraction(0), Fraction(0)
        if self.relaxation.relax == "printed":
            exactly = self._least_cost(used)
            return exactly, exactly
        return self._on_chords(used)

    def _usage(self) -> list[list[int]]:
        """Units in use, shape (sites, resources), in units of both digits."""
        relaxation = self.relaxation
        used = [[0] * relaxation.instance.num_resources for _ in self.sites]
        for number, workers, server in zip(self.slot.jobs, self.workers, self.server, strict=True):
            by_worker, by_server = relaxation.by_worker[number], relaxation.by_server[number]
            for row, y, s in zip(used, workers, server, strict=True):
                if y or s:
                    for k, (n, m) in enumerate(zip(by_worker, by_server, strict=True)):
                        row[k] += n * y + m * s
        return used

    def _least_cost(self, used: list[list[int]]) -> Fraction:
        """Least x that (8c), (8d) and (8e) leave, with the better share of the two branches."""
        relaxation = self.relaxation
        more = places([relaxation.big_m]) + 1  # room for the constant and for halves
        digits = self.digits + relaxation.unit_digits + relaxation.price_digits + more
        big_m = fixed(relaxation.big_m, digits)
        total = 0
        for r, row in enumerate(used):
            for k, units in enumerate(row):
                a, b = relaxation.high[r][k], relaxation.low[r][k]
                dear = (a * units) << more
                surcharge = ((a - b) * relaxation.threshold[r][k]) << self.digits
                cheap = (b * units + surcharge) << more
                total += max((dear + cheap - big_m) // 2, dear - big_m, cheap - big_m, 0)
        return Fraction(total, 1 << digits)

    def _on_chords(self, used: list[list[int]]) -> tuple[Fraction, Fraction]:
        """Usage at F(H) / H, where H is all that can be used in the slot."""
        relaxation = self.relaxation
        low = high = Fraction(0)
        for k in range(relaxation.instance.num_resources):
            most = sum(
                relaxation.most[pair] * relaxation.by_worker[job][k] + relaxation.by_server[job][k]
                for pair, job in zip(self.pairs, self.slot.jobs, strict=True)
            )
            if most:
                total = sum(row[k] * relaxation.cost(r, k, most) for r, row in enumerate(used))
                least, largest = quotient(total, most)
                low, high = low + least, high + largest
            else:
                first = sum(row[k] * relaxation.first_unit(r, k) for r, row in enumerate(used))
                low, high = low + first, high + first
        digits = self.digits + relaxation.unit_digits + relaxation.price_digits
        return low / (1 << digits), high / (1 << digits)
