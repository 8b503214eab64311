"""Fractional decisions of one job in one slot, moved until every row of (9) is kept exactly.

What solvers leave of a row counts as kept, a millionth of its unit; at a site that is a billion
times as dear as others that millionth may be worth more than all the rest.  So a run is worth what
the mended point costs, and never what the decided one saves: no point that keeps everything is
cheaper than the optimum.  Mending never fails, whatever is decided:

- what is below 0 becomes 0, and so does everything of a job that has nothing to train and, as
  printed, needs no worker: its lanes and workers (then Y = 0 and D = 0);
- (8f): the largest s takes what is missing of 1, the largest ones give what is too much;
- (8m): g is cut at Ȳ s, where the semantics are strict;
- (8b): what is missing of a site's data joins the largest lane out of it, or goes where most of the
  job's data go; what is too much is taken from its largest lanes;
- (8j): what is missing of Y s joins the largest lane into the server's site, or comes from where
  most data go.  That keeps (8m), since Y <= Ȳ: the lane ends below the Y s of its column;
- (8a), (8i): y is the larger of what arriving data need and of what is connected; what is needed
  beyond that is connected along lanes that have room for it, the largest first.  Room there is
  without end, or Ȳ less what is connected, since Σ s = 1; and no site needs more than Y <= Ȳ
  workers, since P Y >= Σ D (`Brokerage.trained_volume`);
- (8g): v is raised to what workers and server need; (8l): and cut at y + s, which is no less,
  since U, Ȳ >= 1.

Later steps change nothing that earlier ones rely on: lanes of data are mended before workers, s
before lanes of workers, which only grow from (8j) on, and v last.  (8h), whose side is 0, holds
with z as the increase of v, which the replay charges.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

Lane = tuple[int, int]  #: Two sites.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
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

    def mend(self, asked: Asked) -> None:
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

    def _connect(self, r: int, missing: int, asked: Asked) -> None:
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

    def _present(self, r: int, asked: Asked) -> int:
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
