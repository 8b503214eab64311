"""The search of `farkas worst` and of attacks on claims: annealing in a box of instances."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from farkas.adversary.moves import extreme, moved, pushed, redrawn
from farkas.adversary.scoring import ScoredInstance, Scorer
from farkas.adversary.shape import InstanceBox, Plain, copied
from farkas.errors import NoAnswer, PolicyProblem
from farkas.instances import Instance
from farkas.solvers.options import CtrlC

DRAWN = 20  #: Draws at a restart; the walk goes on from the highest of them.
MOVES = 60  #: Of a walk.
FRESH = 0.25  #: Share of walks that begin with draws, not with an incumbent.
#: Share of draws with every number drawn anew from its range; of the others, families are at ends
#: of theirs, because generators keep to the middle.
REDRAWN = 0.1
PUSHED = 0.4  #: Share of moves that put a family at an end of its range.
KEPT = 6  #: Incumbents.
COLD = 0.02  #: Last temperature of a walk; at 1 a loss of 1 in height is taken once in e times.
#: Instances at the begin after which the search ends if a policy of one's own raises on all.
MOST_RAISED = 20
IDLE = 1200  #: Moves in a row that the box refuses, after which the search ends.
WARM = 0.15  #: First temperature of a search for a worst instance.
LARGEST = 700.0  #: Logarithm beyond which a ratio is not told apart in progress.
#: Called with the evaluations done and the best ratio, whenever that has grown.
Progress = Callable[[int, float], None]


class Candidate(Protocol):
    """What an instance, or other input, scores: a height, which is to be large."""

    @property
    def height(self) -> float:
        """In logarithms, so that a difference of heights knows no unit."""
        ...

    @property
    def signature(self) -> Hashable:
        """Of those that are alike the highest is kept."""
        ...


C = TypeVar("C", bound=Candidate)


class Annealer(Generic[C]):
    """Walks in a box while the temperature falls, and keeps the highest of what it meets.

    ``score`` is called with an instance, or other input, and its plain data; ``warm`` is the first
    temperature.
    """

    def __init__(
        self,
        box: InstanceBox,
        score: Callable[[Any, Plain], C | None],
        rng: np.random.Generator,
        warm: float,
    ) -> None:
        #: What was scored, the highest first, and the plain data that moves start from.
        self.kept: list[tuple[C, Plain]] = []
        self.refused = self._idle = 0
        self._box, self._score, self._rng, self._warm = box, score, rng, warm

    @property
    def height(self) -> float:
        """Height of the highest."""
        return self.kept[0][0].height if self.kept else -math.inf

    def run(self, over: Callable[[], bool]) -> None:
        """Try the starts of the box, and walk until it is over."""
        for start in self._box.starts:
            if over():
                return
            self._tried(copied(start))
        while not over() and self._idle < IDLE:
            self._walk(over)

    def take(self, found: C, data: Plain) -> None:
        """Keep a candidate unless a higher one that is alike is known."""
        for place, (known, _) in enumerate(self.kept):
            if known.signature == found.signature:
                if known.height >= found.height:
                    return
                del self.kept[place]
                break
        self.kept.append((found, data))
        self.kept.sort(key=lambda one: -one[0].height)
        del self.kept[KEPT:]

    def _walk(self, over: Callable[[], bool]) -> None:
        """Walk from the highest of some draws, or from an incumbent: high ones more often."""
        box, rng = self._box, self._rng
        here: tuple[C, Plain] | None = None
        if self.kept and rng.random() >= FRESH:
            here = self.kept[int(len(self.kept) * rng.random() ** 2)]
        else:
            for _ in range(DRAWN):
                if over():
                    return
                draw = redrawn if rng.random() < REDRAWN else extreme
                found = self._tried(draw(self._start(), box, rng))
                if found is not None and (here is None or found[0].height >= here[0].height):
                    here = found
        for move in range(MOVES):
            if over():
                return
            change = pushed if rng.random() < PUSHED else moved
            found = self._tried(change(self._start() if here is None else here[1], box, rng))
            temperature = self._warm * (COLD / self._warm) ** (move / MOVES)
            if found is not None and (
                here is None
                or found[0].height >= here[0].height
                or rng.random() < math.exp((found[0].height - here[0].height) / temperature)
            ):
                here = found

    def _start(self) -> Plain:
        return self._box.starts[int(self._rng.integers(len(self._box.starts)))]

    def _tried(self, data: Plain) -> tuple[C, Plain] | None:
        example = self._box.built(data) if self._box.kind else copied(data)
        if example is None:
            self.refused += 1
            self._idle += 1
            return None
        self._idle = 0
        found = self._score(example, data)
        if found is None:
            return None
        self.take(found, data)
        return found, data


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """Where a search ended."""

    best: ScoredInstance  #: The instance with the largest ratio.
    evaluations: int  #: Instances scored.
    #: raised, broken: those of them on which the algorithm raised, or broke requirements.
    raised: int
    broken: int
    interrupted: bool  #: Whether Ctrl-C ended it.


def search(
    box: InstanceBox,
    scorer: Scorer,
    *,
    seconds: float = math.inf,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Found:
    """Search a box for an instance on which an algorithm is far from a witness.

    Raises `NoAnswer`: the algorithm has valid decisions and a witness on no instance that was
    tried; `PolicyProblem`: a policy of one's own raises on each of the first ones;
    `KeyboardInterrupt`: ctrl-C came before anything was scored; later it ends the search
    with what it has.  ``seconds`` are CPU time, after which no instance is scored any more.  The
    same number of ``evaluations`` finds the same, whatever the time.  ``progress`` is called
    whenever the ratio has grown.
    """
    end = time.process_time() + seconds
    most = math.inf if evaluations is None else evaluations
    done = 0

    def score(instance: Instance, data: Plain) -> ScoredInstance | None:
        nonlocal done
        done, before = done + 1, annealer.height
        scored = scorer.score(instance, before)
        if scorer.raised == done == MOST_RAISED and isinstance(scorer.error, PolicyProblem):
            raise scorer.error
        if scored is not None and progress is not None and scored.height > before:
            progress(done, math.exp(min(scored.height, LARGEST)))
        return scored

    def over() -> bool:
        late = done >= most or time.process_time() >= end
        return late or scorer.pressed() or annealer.height == math.inf  # nothing is worse

    annealer: Annealer[ScoredInstance] = Annealer(box, score, np.random.default_rng(seed), WARM)
    with CtrlC() as keys:
        scorer.pressed = lambda: keys.pressed
        scorer.left = lambda: end - time.process_time()
        try:
            annealer.run(over)
            interrupted = scorer.pressed()
        except KeyboardInterrupt:
            interrupted = True
    if not annealer.kept and interrupted:
        raise KeyboardInterrupt("interrupted before anything was scored: nothing is kept")
    if not annealer.kept:
        raise NoAnswer(
            f"{scorer.algorithm.name} has no valid decisions beside a witness on any of"
            f" {done} instances{_failures(scorer)}"
        ) from scorer.error
    return Found(annealer.kept[0][0], done, scorer.raised, scorer.broken, interrupted)


def _failures(scorer: Scorer) -> str:
    """Say on how many instances an algorithm failed, and its first error."""
    said = f"; it breaks requirements on {scorer.broken}" if scorer.broken else ""
    return said + (f"; it raises on {scorer.raised}: {scorer.error}" if scorer.raised else "")
