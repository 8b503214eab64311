"""Several chains of annealing, in rounds: after each, all learn what others keep."""

from __future__ import annotations

import collections
import dataclasses
import math
import time
from collections.abc import Callable, Sequence

import numpy as np

from farkas.adversary.moves import Cooling, accepted, chosen, extreme, kept, moved, pushed, redrawn
from farkas.adversary.scoring import LIFTS, Scored, Scorer
from farkas.adversary.shape import InstanceBox, Plain, copied
from farkas.errors import NoAnswer
from farkas.solvers.options import CtrlC

CHAINS = 4
ROUND = 15  #: Instances that each chain scores between two looks at the others.
#: Of each chain's lifts, those that all of them go by: together as many as one keeps.
SHARED_LIFTS = LIFTS // CHAINS
DRAWN = 20  #: Instances drawn at a restart; the walk goes down from the worst of them.
COOLING: Cooling = Cooling(warm=0.15, cold=0.02, moves=60)
FRESH = 0.25  #: Share of walks that begin with draws, not with an incumbent.
#: Share of draws with every number drawn anew from its range; of the others, families are at ends
#: of theirs, because generators keep to the middle.
REDRAWN = 0.1
PUSHED = 0.4  #: Share of moves that put a family at an end of its range.
REFUSED = 20  #: Moves for each instance that may be scored; readers refuse the others.
LARGEST = 700.0  #: Logarithm beyond which a ratio is not told apart in progress.
#: Called with the evaluations done and the best ratio, whenever that has grown.
Progress = Callable[[int, float], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Incumbent:
    """An instance with its score, and the plain data that moves start from."""

    scored: Scored
    data: Plain

    @property
    def height(self) -> float:
        """Logarithm of the ratio."""
        return self.scored.height


class Chain:
    """One of the searches, between two of its moves.

    Its draws follow from the seed and from its ``number``, its place among the others.
    """

    def __init__(self, box: InstanceBox, scorer: Scorer, number: int, seed: int) -> None:
        self.number, self.rng = number, np.random.default_rng((seed, number))
        #: The best instances, the worst for the algorithm first, each with other decisions.
        self.kept: list[Incumbent] = []
        #: What searches for better witnesses added lately, in logarithms of the ratio.
        self.lifts: collections.deque[float] = collections.deque([math.inf], maxlen=LIFTS)
        self.evaluations = self.refused = 0
        self._box, self._scorer = box, scorer
        self._begun = 0  # starts of the box that it has scored
        # draws and moves of the walk under way; one from an incumbent begins at `DRAWN`
        self._step = 0
        self._walk: Incumbent | None = None  # None: at a start, which has no score
        self._start = 0  # number of the box's start that was drawn from last

    @property
    def height(self) -> float:
        """Logarithm of the largest ratio."""
        return self.kept[0].height if self.kept else -math.inf

    @property
    def ended(self) -> bool:
        """Whether nothing can be worse."""
        return self.height == math.inf

    def take(self, found: Incumbent) -> None:
        """Keep an instance unless a worse one with the same decisions is known."""
        for place, known in enumerate(self.kept):
            if known.scored.signature == found.scored.signature:
                if known.height >= found.height:
                    return
                del self.kept[place]
                break
        kept(self.kept, found)

    def go(self, quota: int, over: Callable[[], bool]) -> None:
        """Score so many instances, unless it is over before."""
        self._scorer.lifts = self.lifts
        last = self.evaluations + quota
        for _ in range(REFUSED * quota):
            if self.evaluations >= last or self.ended or over():
                return
            self._advance()

    def _advance(self) -> None:
        """Score a start of the box, a draw, or a neighbour of where the walk stands."""
        starts, rng = self._box.starts, self.rng
        first = self.number + CHAINS * self._begun
        if first < len(starts):
            self._begun += 1
            self._score(copied(starts[first]))
            return
        if self._step % (DRAWN + COOLING.moves) == 0:
            self._step, self._walk = 0, None
            if self.kept and rng.random() >= FRESH:
                self._walk, self._step = chosen(self.kept, rng.random), DRAWN
        draws = self._step < DRAWN
        if draws or self._walk is None:
            self._start = int(rng.integers(len(starts)))
        if draws:
            how = redrawn if rng.random() < REDRAWN else extreme
            data = how(starts[self._start], self._box, rng)
        else:
            here = starts[self._start] if self._walk is None else self._walk.data
            data = (pushed if rng.random() < PUSHED else moved)(here, self._box, rng)
        temperature = COOLING(self._step - DRAWN)
        self._step += 1
        found = self._score(data)
        if found is None:
            return
        change = found.height - (-math.inf if self._walk is None else self._walk.height)
        if change >= 0 or (not draws and accepted(change, temperature, rng.random)):
            self._walk = found

    def _score(self, data: Plain) -> Incumbent | None:
        instance = self._box.built(data)
        if instance is None:
            return None
        self.evaluations += 1
        scored = self._scorer.score(instance, self.height)
        if scored is None:
            self.refused += 1
            return None
        found = Incumbent(scored, data)
        self.take(found)
        return found


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """Where a search ended."""

    best: Scored  #: The instance with the largest ratio.
    #: evaluations, refused: instances scored, and those of them on which the algorithm had no valid
    #: decisions.
    evaluations: int
    refused: int
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
    tried; `KeyboardInterrupt`: ctrl-C came before anything was scored; later it ends the search
    with what it has.  ``seconds`` are CPU time, after which no instance is scored any more.  The
    same number of ``evaluations`` finds the same, whatever the time.  ``progress`` is called
    whenever the ratio has grown.
    """
    chains = [Chain(box, scorer, number, seed) for number in range(CHAINS)]
    with CtrlC() as keys:
        scorer.pressed = lambda: keys.pressed
        interrupted = _rounds(chains, scorer, seconds, evaluations, progress)
    found = [chain.kept[0].scored for chain in chains if chain.kept]
    done = sum(chain.evaluations for chain in chains)
    if not found and interrupted:
        raise KeyboardInterrupt("interrupted before a round had scored anything: nothing is kept")
    if not found:
        raise NoAnswer(
            f"{scorer.algorithm.name} has no valid decisions beside a witness on any of"
            f" {done} instances"
        )
    best = max(found, key=lambda one: one.height)
    return Found(best, done, sum(chain.refused for chain in chains), interrupted)


def _rounds(
    chains: Sequence[Chain],
    scorer: Scorer,
    seconds: float,
    evaluations: int | None,
    progress: Progress | None,
) -> bool:
    """Let all chains go on round by round; return whether Ctrl-C ended that.

    A chain that finds what nothing can beat is the last that goes on.
    """
    end, highest, done = time.process_time() + seconds, -math.inf, -1
    try:
        while not scorer.pressed() and time.process_time() < end:
            before, done = done, sum(chain.evaluations for chain in chains)
            quotas = _quotas(done, evaluations)
            if done == before or not quotas:
                break
            share = (end - time.process_time()) / CHAINS
            for chain, quota in zip(chains, quotas, strict=True):
                late = time.process_time() + share
                scorer.left = lambda late=late: late - time.process_time()  # type: ignore[misc]
                chain.go(quota, lambda: scorer.pressed() or scorer.left() <= 0)
                if chain.height > highest:
                    highest = chain.height
                    if progress is not None:
                        scored = sum(one.evaluations for one in chains)
                        progress(scored, math.exp(min(highest, LARGEST)))
                if chain.ended:
                    return scorer.pressed()
            _merge(chains)
    except KeyboardInterrupt:
        return True
    return scorer.pressed()


def _quotas(done: int, evaluations: int | None) -> list[int]:
    """Instances that each chain is to score in the next round; empty if none are left."""
    left = math.inf if evaluations is None else evaluations - done
    if left >= CHAINS * ROUND:
        return [ROUND] * CHAINS
    share, more = divmod(int(left), CHAINS)
    return [share + (number < more) for number in range(CHAINS)] if left > 0 else []


def _merge(chains: Sequence[Chain]) -> None:
    """Tell all chains what the others keep, and what their searches for witnesses added."""
    incumbents = [found for chain in chains for found in chain.kept]
    lifts = [lift for chain in chains for lift in list(chain.lifts)[-SHARED_LIFTS:]]
    for chain in chains:
        chain.lifts.clear()
        chain.lifts.extend(lifts)
        for found in incumbents:
            chain.take(found)
