"""Fractional runs of a broker, replayed under the relaxation (9) that they decide.

A fractional decision is a point of mlbroker.relaxed[printed] or [tight]: it must keep the
relaxation's rows, within what solvers leave of them, and is worth what the relaxation says of the
point beside it that keeps them exactly.  The value of a run is that of points of the program, so
that no run is better than its optimum, however dear a site is where it misses a millionth.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import get_args

import numpy as np

from farkas.errors import NotACertificate
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.messages import quoted
from farkas.numbers import Array
from farkas.replay.base import (
    Entry,
    Replay,
    Requirements,
    RunDecisions,
    Whole,
    decoded,
    fixed,
    places,
    quotient,
)
from farkas.replay.mlbroker import Prices, require_slots
from farkas.tolerances import FEASIBLE

# Fractional decisions of one job in one slot, moved until every row of (9) is kept exactly.
#
# What solvers leave of a row counts as kept, a millionth of its unit.  Mending never fails,
# whatever is decided:
#
# - what is below 0 becomes 0, and so does everything of a job that has nothing to train and, as
#   printed, needs no worker: its lanes and workers (then Y = 0 and D = 0);
# - (8f): the largest s takes what is missing of 1, the largest ones give what is too much;
# - (8m): g is cut at Ȳ s, where the semantics are strict;
# - (8b): what is missing of a site's data joins the largest lane out of it, or goes where most of
#   the job's data go; what is too much is taken from its largest lanes;
# - (8j): what is missing of Y s joins the largest lane into the server's site, or comes from where
#   most data go.  That keeps (8m), since Y <= Ȳ: the lane ends below the Y s of its column;
# - (8a), (8i): y is the larger of what arriving data need and of what is connected; what is needed
#   beyond that is connected along lanes that have room for it, the largest first.  Room there is
#   without end, or Ȳ less what is connected, since Σ s = 1; and no site needs more than Y <= Ȳ
#   workers, since P Y >= Σ D (`Brokerage.trained_volume`);
# - (8g): v is raised to what workers and server need; (8l): and cut at y + s, which is no less,
#   since U, Ȳ >= 1.
#
# Later steps change nothing that earlier ones rely on: lanes of data are mended before workers, s
# before lanes of workers, which only grow from (8j) on, and v last.  (8h), whose side is 0, holds
# with z as the increase of v, which the replay charges.


Lane = tuple[int, int]  #: Two sites.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RowDemand:
    """What rows ask of a job in a slot, in whole units."""

    one: int  #: How many units one worker or a whole share has.
    rate: int  #: Data that a worker trains, in units of data; P.
    volume: list[int]  #: Data of each site, in units of data; D.
    #: needed, most: workers; Y and Ȳ.
    needed: int
    most: int
    presence: int  #: U under the printed (8g), 0 where it is split.
    strict: bool  #: Whether (8l) and (8m) are asked for.


@dataclasses.dataclass(slots=True, kw_only=True)
class JobPoint:
    """Decisions about a job in a slot, in whole units."""

    #: workers, server, deployed: by site; y, s and v.
    workers: list[int]
    server: list[int]
    deployed: list[int]
    #: moved, connected: by lane; q and g.
    moved: dict[Lane, int]
    connected: dict[Lane, int]

    def mend(self, asked: RowDemand) -> None:
        """Move to a point that keeps all rows exactly; see the module for why it does."""
        sites = range(len(self.server))
        if asked.most == 0:
            self.moved, self.connected = {}, {}
        self.moved, self.connected = _positive(self.moved), _positive(self.connected)
        self.server = _summing_to([max(share, 0) for share in self.server], asked.one)
        if asked.strict:
            cut = {
                (r, p): min(amount, asked.most * self.server[p])
                for (r, p), amount in self.connected.items()
            }
            self.connected = _positive(cut)
        self._move_all(asked.volume)
        arriving = by_end(self.moved, 1, sites)
        busiest = _largest(arriving)
        serving = by_end(self.connected, 1, sites)
        for p in sites:
            missing = asked.needed * self.server[p] - serving[p]
            if missing > 0:
                into = [lane for lane in self.connected if lane[1] == p]
                _join(self.connected, into or [(busiest, p)], missing)
        self.workers = by_end(self.connected, 0, sites)
        for r in sites:
            least = -(-arriving[r] * asked.one // asked.rate)
            if self.workers[r] < least:
                self._connect(r, least - self.workers[r], asked)
                self.workers[r] = least
        for r in sites:
            self.deployed[r] = self._present(r, asked)

    def _move_all(self, volume: list[int]) -> None:
        """(8b)."""
        sites = range(len(volume))
        busiest = _largest(by_end(self.moved, 1, sites))
        for o, sent in enumerate(by_end(self.moved, 0, sites)):
            out = [lane for lane in self.moved if lane[0] == o]
            if sent < volume[o]:
                _join(self.moved, out or [(o, busiest if self.moved else o)], volume[o] - sent)
            elif sent > volume[o]:
                kept = _summing_to([self.moved[lane] for lane in out], volume[o])
                self.moved.update(zip(out, kept, strict=True))
        self.moved = _positive(self.moved)

    def _connect(self, r: int, missing: int, asked: RowDemand) -> None:
        """(8i), along lanes from site ``r`` that have room, the largest first."""
        by_size = sorted(
            range(len(self.server)), key=lambda p: (self.connected.get((r, p), 0), self.server[p])
        )
        for p in reversed(by_size):
            had = self.connected.get((r, p), 0)
            step = min(missing, asked.most * self.server[p] - had if asked.strict else missing)
            if step:
                self.connected[r, p] = had + step
                missing -= step
        assert not missing

    def _present(self, r: int, asked: RowDemand) -> int:
        """(8g), (8l)."""
        y, s, v = self.workers[r], self.server[r], max(self.deployed[r], 0)
        if asked.presence:
            least = -(-(y + s) // asked.presence)
        else:
            least = max(s, -(-y // max(asked.most, 1)))
        return min(max(v, least), y + s) if asked.strict else max(v, least)


def _largest(values: list[int]) -> int:
    return max(range(len(values)), key=values.__getitem__)


def _positive(lanes: dict[Lane, int]) -> dict[Lane, int]:
    return {lane: amount for lane, amount in lanes.items() if amount > 0}


def _join(lanes: dict[Lane, int], among: list[Lane], amount: int) -> None:
    """Add to the largest of some lanes."""
    lane = max(among, key=lambda one: lanes.get(one, 0))
    lanes[lane] = lanes.get(lane, 0) + amount


def by_end(lanes: dict[Lane, int], end: int, sites: Iterable[int]) -> list[int]:
    """Add up by origin (``end`` 0) or target (1)."""
    found = [0 for _ in sites]
    for lane, amount in lanes.items():
        found[lane[end]] += amount
    return found


def _summing_to(values: list[int], total: int) -> list[int]:
    """Nonnegative numbers with this sum: the largest takes what is missing, or they give in turn.

    >>> _summing_to([2, 5, 1], 9), _summing_to([2, 5, 1], 6), _summing_to([2, 5, 1], 1)
    ([2, 6, 1], [2, 3, 1], [0, 0, 1])
    """
    found, more = list(values), sum(values) - total
    for place in sorted(range(len(values)), key=values.__getitem__, reverse=True):
        step = min(more, found[place])
        found[place] -= step
        more -= step
    return found


FINER = 64  #: Binary places beyond those of the decisions, for quotients that mending rounds up.

#: Label, what is used, what it may be at most, and of what a violation is a share.
Row = tuple[str, int, int, int]


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
    gap: float | None = 0.0


def replay_fractional(instance: Brokerage, run: RunDecisions) -> Replay:
    """Check the rows of the relaxation and add up its costs."""
    relaxation, kept = _Relaxation(instance, run), Requirements()
    costs, decided = _slots(relaxation, run, kept)
    low, high = (sum(side, Fraction(0)) for side in zip(*costs, strict=True)) if costs else (0, 0)
    note = f"Decisions are fractional: points of mlbroker.relaxed[{relaxation.variant}]."
    return Replay.between(low, high, kept, note=note, decided=decided)


def slot_costs(instance: Brokerage, run: RunDecisions) -> list[Fraction] | None:
    """Return what each slot costs at most, of the point that is mended; None where rows break."""
    kept = Requirements()
    costs, _ = _slots(_Relaxation(instance, run), run, kept)
    return None if kept.broken else [high for _, high in costs]


def _slots(
    relaxation: _Relaxation, run: RunDecisions, kept: Requirements
) -> tuple[list[tuple[Fraction, Fraction]], Fraction]:
    """Bounds on the cost of every slot, and what decisions cost in all as they are."""
    instance, costs, decided = relaxation.instance, [], Fraction(0)
    slots = decoded(run.decisions, list[FractionalEntry])
    require_slots(instance, [slot.jobs for slot in slots])
    before: dict[int, list[Fraction]] = {}
    left: dict[int, list[Fraction]] = {}
    for number, slot in enumerate(slots):
        point = _Point(relaxation, number, slot)
        kept.broken.extend(f"slot {number}: {words}" for words in point.missed(kept))
        if kept.broken:  # then the value says nothing
            continue
        decided += point.lanes() + point.deployments(left) + point.resources()[1]
        left = point.present()
        point.mend()
        exactly = point.lanes() + point.deployments(before)
        least, most = point.resources()
        costs.append((exactly + least, exactly + most))
        before = point.present()
    return costs, decided


class _Relaxation(Prices):
    """What the variant of the relaxation asks of jobs and makes them pay, in integers."""

    def __init__(self, instance: Brokerage, run: RunDecisions) -> None:
        self.relax = run.options.get("relax", "printed")
        self.semantics: Semantics = run.options.get("semantics", "printed")
        self.variant = f"{self.relax},{self.semantics}"
        if self.relax not in ("tight", "printed") or self.semantics not in get_args(Semantics):
            raise NotACertificate(f"no relaxation of mlbroker is {quoted(self.variant)}")
        super().__init__(instance)
        self.instance = instance
        self.needed = instance.workers_needed.tolist()
        self.most = instance.most_workers(self.semantics).tolist()
        self.presence_bound = instance.deployment_bound(self.semantics)
        self.big_m = instance.valid_big_m(self.semantics)


class _Point:
    """Decisions of one slot, job by job: shares and workers in whole units of 2**-digits.

    Data have units of 2**-data_digits, so that quotients are rounded alike in every unit of data.
    """

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
        data = instance.trained_volume[self.pairs].tolist()
        rates = [job.worker_capacity for job in self.jobs]
        counts = [*(row for table in tables for row in table), slot.connected.amount]
        self.digits = digits = FINER + places(x for row in counts for x in row)
        self.one = 1 << digits
        amounts = [rates, *data]
        self.data_digits = places(x for row in (*amounts, slot.moved.amount) for x in row)
        self.rate, *self.volume = ([fixed(x, self.data_digits) for x in row] for row in amounts)
        workers, server, deployed = (
            [[fixed(x, digits) for x in row] for row in table] for table in tables
        )
        moved = self._whole(slot.moved, self.data_digits)
        connected = self._whole(slot.connected, digits)
        self.points = [
            JobPoint(workers=y, server=s, deployed=v, moved=q, connected=g)
            for y, s, v, q, g in zip(workers, server, deployed, moved, connected, strict=True)
        ]

    def _whole(self, lanes: LanesEntry, digits: int) -> list[dict[Lane, int]]:
        """Amounts by lane in whole units, for every job."""
        columns = (lanes.job, lanes.origin, lanes.target)
        if len({len(column) for column in (*columns, lanes.amount)}) > 1:
            raise NotACertificate(f"the run's slot {self.number} has lanes of several lengths")
        found: list[dict[Lane, int]] = [{} for _ in self.jobs]
        for job, origin, target, amount in zip(*columns, lanes.amount, strict=True):
            known = job in range(len(found)) and {origin, target} <= set(self.sites)
            if not known or (origin, target) in found[job]:
                raise NotACertificate(
                    f"the run's slot {self.number} has a lane twice or from nowhere"
                )
            found[job][origin, target] = fixed(amount, digits)
        return found

    def mend(self) -> None:
        """Move to a point that keeps every row exactly."""
        relaxation = self.relaxation
        printed, strict = relaxation.relax == "printed", relaxation.semantics == "strict"
        for pair, point, rate, volume in zip(
            self.pairs, self.points, self.rate, self.volume, strict=True
        ):
            asked = RowDemand(
                one=self.one,
                rate=rate,
                volume=volume,
                needed=relaxation.needed[pair],
                most=relaxation.most[pair],
                presence=relaxation.presence_bound if printed else 0,
                strict=strict,
            )
            point.mend(asked)

    # --- rows ------------------------------------------------------------------------------------

    def missed(self, kept: Requirements) -> list[str]:
        """Rows that are missed by more than counts as kept, in words."""
        count = collections.Counter(
            label
            for label, used, limit, unit in self._rows()
            if used > limit and not kept.within(used, limit, FEASIBLE, unit=unit)
        )
        return [f"({label}) is missed at {places} places" for label, places in count.items()]

    def _rows(self) -> Iterator[Row]:
        relaxation, one, sites = self.relaxation, self.one, self.sites
        for job, (pair, point) in enumerate(zip(self.pairs, self.points, strict=True)):
            rate, volume = self.rate[job], self.volume[job]
            leaving, arriving = (by_end(point.moved, end, sites) for end in (0, 1))
            serving, connected = (by_end(point.connected, end, sites) for end in (0, 1))
            needed, most = relaxation.needed[pair], relaxation.most[pair]
            # by its data; by what a worker could train, which may be far more, only where the data
            # are so few that no worker is needed
            data, room = sum(volume) if needed else rate, max(1, needed) * one
            yield "8f", abs(sum(point.server) - one), 0, one
            for r in sites:
                y, s, v = point.workers[r], point.server[r], point.deployed[r]
                yield "8a", arriving[r] << self.digits, rate * y, data << self.digits
                yield "8b", abs(leaving[r] - volume[r]), 0, data
                yield "8i", abs(serving[r] - y), 0, room
                yield "8j", needed * s, connected[r], room
                if relaxation.relax == "printed":
                    yield "8g", y + s, relaxation.presence_bound * v, room
                else:
                    yield "8g*", y, most * v, room
                    yield "8g*", s, v, one
                if relaxation.semantics == "strict":
                    yield "8l", v, y + s, one
                yield "not below 0", -min(y, s, v), 0, room
            for amount in point.moved.values():
                yield "not below 0", -amount, 0, data
            for (_, target), amount in point.connected.items():
                yield "not below 0", -amount, 0, one
                if relaxation.semantics == "strict":
                    yield "8m", amount, most * point.server[target], most * one

    # --- costs -----------------------------------------------------------------------------------

    def lanes(self) -> Fraction:
        """Cost of moving data and of traffic between workers and servers."""
        price = self.relaxation.lane.tolist()
        moving, sending = 0, Fraction(0)
        for job, point in zip(self.jobs, self.points, strict=True):
            moving += sum(price[o][r] * amount for (o, r), amount in point.moved.items())
            sent = sum(price[r][p] * amount for (r, p), amount in point.connected.items())
            sending += Fraction(job.sync_volume) * sent
        total = Fraction(moving, 1 << self.data_digits) + sending / self.one
        return total / (1 << self.relaxation.lane_digits)

    def present(self) -> dict[int, list[Fraction]]:
        """Deployment by job, for the slot to come."""
        shares = ([Fraction(v, self.one) for v in point.deployed] for point in self.points)
        return dict(zip(self.slot.jobs, shares, strict=True))

    def deployments(self, before: dict[int, list[Fraction]]) -> Fraction:
        """Cost of what is deployed beyond the slot before."""
        total, nowhere, now = Fraction(0), [Fraction(0)] * len(self.sites), self.present()
        for number, job in zip(self.slot.jobs, self.jobs, strict=True):
            pairs = zip(now[number], before.get(number, nowhere), strict=True)
            total += Fraction(job.deploy_cost) * sum(v - old for v, old in pairs if v > old)
        return total

    def resources(self) -> tuple[Fraction, Fraction]:
        """Bounds on the cost of resources under the relaxation's prices."""
        if not self.jobs:
            return Fraction(0), Fraction(0)
        workers, server = (
            np.array([getattr(point, part) for point in self.points], dtype=object)
            for part in ("workers", "server")
        )
        used = self.relaxation.usage(np.array(self.slot.jobs), workers, server)
        if self.relaxation.relax == "printed":
            exactly = self._least_cost(used)
            return exactly, exactly
        return self._on_chords(used)

    def _least_cost(self, used: Array) -> Fraction:
        """Least x that (8c), (8d) and (8e) leave, with the better share of the two branches."""
        prices = self.relaxation
        more = places([prices.big_m]) + 1  # room for the constant and for halves
        digits = self.digits + prices.digits + more
        big_m = fixed(prices.big_m, digits)
        surcharge = ((prices.high - prices.low) * prices.threshold) << self.digits
        dear, cheap = (prices.high * used) << more, (prices.low * used + surcharge) << more
        least = np.maximum((dear + cheap - big_m) // 2, np.maximum(dear, cheap) - big_m)
        return Fraction(np.maximum(least, 0).sum(), 1 << digits)

    def _on_chords(self, used: Array) -> tuple[Fraction, Fraction]:
        """Usage at F(H) / H, where H is all that can be used in the slot."""
        prices, jobs = self.relaxation, np.array(self.slot.jobs)
        workers = np.array([[prices.most[pair]] for pair in self.pairs], dtype=object)
        most = prices.usage(jobs, workers, np.ones_like(workers))[0]
        # without use, the first unit costs the list price, or less where the discount counts from 0
        first = np.where(prices.threshold, prices.high, prices.low)
        paid = (used * np.where(most, prices.cost(most), first)).sum(axis=0)
        bounds = [quotient(each, limit or 1) for each, limit in zip(paid, most, strict=True)]
        low, high = (sum(ends, Fraction(0)) for ends in zip(*bounds, strict=True))
        digits = self.digits + prices.digits
        return low / (1 << digits), high / (1 << digits)
