"""Several searches side by side, in rounds: after each, all of them learn what others keep.

Who performs the rounds makes no difference: there are always as many islands, each draws from its
own seed, and what they found is merged in their order.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from farkas.adversary.box import InstanceBox, entries, plain_of
from farkas.adversary.island import Hunt, Island, IslandWork, Leave, Return
from farkas.adversary.scoring import LIFTS, Scored, Scorer
from farkas.adversary.shape import Plain, copied, shape_of, without
from farkas.errors import NoAnswer
from farkas.executor import LEAST_STEPS, Executor
from farkas.solvers.interrupt import CtrlC

ISLANDS = 4  #: Searches side by side; more workers than these have nothing to do.
ROUND = 15  #: Instances that each of them scores between two looks at the others.
#: Of each island's lifts, those that all of them go by: together as many as one keeps.
TOLD = LIFTS // ISLANDS
LARGEST = 700.0  #: Logarithm beyond which a ratio is not told apart in progress.
#: Called with the evaluations done and the best ratio, whenever that has grown.
Progress = Callable[[int, float], None]
#: Called with all islands after each round that nothing cut short.
Keep = Callable[[Sequence[Island]], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """Where a search ended."""

    best: Scored  #: The instance with the largest ratio.
    #: evaluations, refused: instances scored, and those of them on which the algorithm had no valid
    #: decisions.
    evaluations: int
    refused: int
    seconds: float  #: CPU seconds of other processes.
    interrupted: bool  #: Whether Ctrl-C ended it.


class _Pressed(Exception):
    """Ctrl-C was pressed while others worked."""


def search(
    box: InstanceBox,
    scorer: Scorer,
    *,
    seconds: float = math.inf,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    executor: Executor | None = None,
    islands: Sequence[Island] = (),
    keep: Keep | None = None,
) -> Found:
    """Search a box for an instance on which an algorithm is far from a witness.

    Parameters
    ----------
    seconds
        CPU seconds of all processes after which no instance is scored any more.
    evaluations
        Instances scored at most; the same number finds the same, whatever the time and whoever
        scores them.
    seed
        Of the search's own draws.
    progress
        Called whenever the ratio has grown.
    executor
        Who performs; this process if left out.
    islands
        Where an earlier search stood; by default they begin.
    keep
        Called with where islands stand.

    Raises
    ------
    NoAnswer
        The algorithm has valid decisions and a witness on no instance that was tried.
    KeyboardInterrupt
        Ctrl-C came before anything was scored; later it ends the search with what it has.
    """
    hunt = Hunt.of(box, scorer, ISLANDS)
    going = list(islands) or [Island.new(number, seed) for number in range(ISLANDS)]
    rounds = _Rounds(hunt, scorer, executor or Executor(), going, seconds, progress)
    with CtrlC() as keys:
        rounds.pressed = lambda: keys.pressed
        while (quotas := _quotas(rounds.evaluations, evaluations)) and not rounds.over():
            complete = rounds.go(quotas)
            if complete and min(quotas) == ROUND and keep is not None:
                keep(rounds.islands)
            if not rounds.scored:
                break
    best = rounds.best
    if best is None and rounds.interrupted:
        raise KeyboardInterrupt("interrupted before a round had scored anything: nothing is kept")
    if best is None:
        raise NoAnswer(
            f"{scorer.algorithm.name} has no valid decisions beside a witness on any of"
            f" {rounds.evaluations} instances"
        )
    refused = sum(island.refused for island in rounds.islands)
    return Found(best, rounds.evaluations, refused, rounds.elsewhere, rounds.interrupted)


def _quotas(done: int, evaluations: int | None) -> list[int]:
    """Instances that each island is to score in the next round; empty if none are left."""
    left = math.inf if evaluations is None else evaluations - done
    if left >= ISLANDS * ROUND:
        return [ROUND] * ISLANDS
    share, more = divmod(int(left), ISLANDS)
    return [share + (number < more) for number in range(ISLANDS)] if left > 0 else []


class _Rounds:
    """Islands that go on round by round."""

    def __init__(
        self,
        hunt: Hunt,
        scorer: Scorer,
        executor: Executor,
        islands: list[Island],
        seconds: float,
        progress: Progress | None,
    ) -> None:
        self.islands, self.interrupted = islands, False
        self.elsewhere = 0.0
        """CPU seconds of other processes."""
        self.scored = True
        """Whether the last round scored anything."""
        self.pressed: Callable[[], bool] = lambda: False
        self._hunt, self._executor, self._progress = hunt, executor, progress
        self._work = IslandWork(hunt, scorer)
        self._work.pressed = lambda: self.pressed()
        self._begin, self._seconds = time.process_time(), seconds
        self._told = -math.inf

    @property
    def evaluations(self) -> int:
        return sum(island.evaluations for island in self.islands)

    @property
    def best(self) -> Scored | None:
        """The largest ratio, of the first island that has it."""
        found = [island.best.scored for island in self.islands if island.best is not None]
        return max(found, key=lambda one: one.height) if found else None

    @property
    def ended(self) -> bool:
        return any(island.ended for island in self.islands)

    @property
    def _left(self) -> float:
        return self._seconds - self.elsewhere - (time.process_time() - self._begin)

    def over(self) -> bool:
        """Whether time is over or Ctrl-C was pressed."""
        self.interrupted |= self.pressed()
        return self.interrupted or self.ended or self._left <= 0

    def go(self, quotas: Sequence[int]) -> bool:
        """Let all islands go on, and merge what they find in order; True if nothing cut it short.

        An island that finds what nothing can beat is the last whose round counts.
        """
        before, complete = self.evaluations, True
        share = self._left / len(quotas)
        tasks = [
            Leave(island, quota, share) for island, quota in zip(self.islands, quotas, strict=True)
        ]
        answers = self._executor.each(
            self._work, self._hunt, tasks, [LEAST_STEPS] * len(tasks), self._check
        )
        try:
            for number, answer in enumerate(answers):
                self._take(number, answer)
                complete &= not answer.cut
                if answer.interrupted or answer.island.ended:
                    break
        except _Pressed:
            self.interrupted, complete = True, False
        self.scored = self.evaluations > before
        self._merge()
        return complete

    def _merge(self) -> None:
        """Tell all islands what the others keep, and what their searches for witnesses added."""
        kept = [found for island in self.islands for found in island.kept]
        lifts = [lift for island in self.islands for lift in list(island.lifts)[-TOLD:]]
        for island in self.islands:
            island.lifts.clear()
            island.lifts.extend(lifts)
            for found in kept:
                island.take(found)

    def _take(self, number: int, answer: Return) -> None:
        self.islands[number] = answer.island
        self.interrupted |= answer.interrupted
        if answer.process != os.getpid():
            self.elsewhere += answer.seconds
        if answer.island.height > self._told:
            self._told = answer.island.height
            if self._progress is not None:
                self._progress(self.evaluations, math.exp(min(self._told, LARGEST)))

    def _check(self) -> None:
        if self.pressed():
            raise _Pressed


LOST = 0.01  #: Share of the ratio that shrinking may give up in all.
DIGITS = (1, 2, 3)  #: Digits to which numbers are rounded, the fewest first.


def shrunk(
    scored: Scored, box: InstanceBox, scorer: Scorer, *, seconds: float = math.inf
) -> tuple[Scored, bool]:
    """Leave out parts and round numbers while the ratio keeps within `LOST`.

    Parameters
    ----------
    seconds
        CPU seconds after which it ends with what it has.

    Returns
    -------
    The instance, and whether nothing more can be left out or rounded.
    """
    least = scored.height + math.log1p(-LOST)

    def tried(data: Plain, current: Scored) -> Scored | None:
        instance = box.built(data)
        if instance is None or instance.sha256 == current.instance.sha256:
            return None
        found = scorer.score(instance, least)
        return found if found is not None and found.height >= least else None

    return reduced(scored, lambda one: plain_of(one.instance), box, tried, seconds=seconds)


S = TypeVar("S")


def reduced(
    current: S,
    plain: Callable[[S], Plain],
    box: InstanceBox,
    tried: Callable[[Plain, S], S | None],
    *,
    seconds: float = math.inf,
) -> tuple[S, bool]:
    """Leave out parts and round numbers of something while it stays what it is.

    Parameters
    ----------
    plain
        Its plain fields.
    tried
        What plain fields with a part less, or fewer digits, make instead of the second; None where
        that is not wanted.
    seconds
        CPU seconds after which it ends with what it has.

    Returns
    -------
    What is left, and whether nothing more can be left out or rounded.
    """
    end = time.process_time() + seconds
    changed = True
    while changed:
        changed = False
        for simpler in (_parts, _digits):
            while (found := _first(simpler(plain(current), box), current, tried, end)) is not None:
                current, changed = found, True
            if time.process_time() >= end:
                return current, False
    return current, True


def _first(
    candidates: Iterator[Plain], current: S, tried: Callable[[Plain, S], S | None], end: float
) -> S | None:
    """Try simpler fields until one is wanted."""
    for data in candidates:
        if time.process_time() >= end:
            return None
        found = tried(data, current)
        if found is not None:
            return found
    return None


def _parts(data: Plain, box: InstanceBox) -> Iterator[Plain]:
    """Yield instances with one part less."""
    shape = shape_of(box.kind)
    if not box.kind or box.fixed:
        return
    yield from shape.smaller(data)
    if not any(True for _ in shape.smaller(data)):
        for job in range(len(data.get(shape.records) or ())):
            yield without(data, job, (shape.records,))


def _digits(data: Plain, box: InstanceBox) -> Iterator[Plain]:
    """Yield instances with numbers of fewer digits: all of them, a family, a single one."""
    families = sorted({family for family, _, _ in entries(data) if family in box.ranges})
    for digits in DIGITS:
        yield _rounded(data, box, digits, set(families))
    for family in families:
        for digits in DIGITS:
            yield _rounded(data, box, digits, {family})


def _rounded(data: Plain, box: InstanceBox, digits: int, families: set[str]) -> Plain:
    """Copy with numbers of some families rounded that have more digits; ranges are kept."""
    found: Plain = copied(data)
    for family, holder, key in entries(found):
        if family in families and holder[key]:
            near = float(f"{holder[key]:.{digits - 1}e}")
            if box.ranges[family].clipped(near) == near:
                holder[key] = int(near) if box.ranges[family].whole else near
    return found
