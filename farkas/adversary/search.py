"""Several chains of annealing side by side, in rounds: after each, all learn what others keep.

Who performs the rounds makes no difference: there are always as many chains, each draws from its
own seed, and what they found is merged in their order.
"""

from __future__ import annotations

import collections
import dataclasses
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from farkas.adversary.moves import Cooling, accepted, chosen, extreme, kept, moved, pushed, redrawn
from farkas.adversary.scoring import LIFTS, Scored, Scorer
from farkas.adversary.shape import InstanceBox, Plain, copied
from farkas.errors import NoAnswer, UnknownName
from farkas.executor import LEAST_STEPS, Executor
from farkas.kernels import Kernel
from farkas.online.driver import Algorithm, algorithms
from farkas.solvers.options import CtrlC

CHAINS = 4  #: More workers than these have nothing to do.
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


@dataclasses.dataclass(slots=True)
class Chain:
    """Where one of the searches stands between two of its moves."""

    number: int  #: Its place among the others.
    rng: np.random.Generator  #: Draws its moves.
    #: The best instances, the worst for the algorithm first, each with other decisions.
    kept: list[Incumbent] = dataclasses.field(default_factory=list)
    #: What searches for better witnesses added lately, in logarithms of the ratio.
    lifts: collections.deque[float] = dataclasses.field(
        default_factory=lambda: collections.deque([math.inf], maxlen=LIFTS)
    )
    begun: int = 0  #: Starts of the box that it has scored.
    #: Draws and moves of the walk under way; one from an incumbent has no draws and begins at
    #: `DRAWN`.
    step: int = 0
    #: Where the walk stands; None where that is ``start``, which has no score.
    walk: Incumbent | None = None
    start: int = 0  #: Number of the box's start that was drawn from last.
    #: evaluations, refused: instances scored, and those of them on which the algorithm had no valid
    #: decisions.
    evaluations: int = 0
    refused: int = 0

    @classmethod
    def new(cls, number: int, seed: int) -> Chain:
        """Begin one; its draws follow from the seed and its number."""
        return cls(number, np.random.default_rng((seed, number)))

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


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """What all chains share."""

    box: InstanceBox  #: Instances to search among.
    algorithm: str | Algorithm  #: Registered name, or an algorithm that has none.
    #: options, seed, witnesses: as a `Scorer` takes them.
    options: Mapping[str, Any]
    seed: int
    witnesses: tuple[str, ...]

    @classmethod
    def of(cls, box: InstanceBox, scorer: Scorer) -> Problem:
        """Say what a scorer does."""
        algorithm: str | Algorithm = scorer.algorithm
        try:
            if algorithms[scorer.algorithm.name] is scorer.algorithm:
                algorithm = scorer.algorithm.name
        except UnknownName:
            pass
        return cls(box, algorithm, scorer.options, scorer.seed, tuple(scorer.witnesses))

    def scorer(self) -> Scorer:
        """Make a scorer of it."""
        name = self.algorithm
        algorithm = algorithms[name] if isinstance(name, str) else name
        return Scorer(algorithm, self.options, self.seed, self.witnesses)


@dataclasses.dataclass(frozen=True, slots=True)
class ChainTask:
    """One round of one chain."""

    chain: Chain  #: Where it stands.
    quota: int  #: Instances to score.
    seconds: float  #: CPU seconds after which no instance is scored any more.


@dataclasses.dataclass(frozen=True, slots=True)
class ChainRound:
    """What became of a round."""

    chain: Chain  #: Where it stands now.
    seconds: float  #: CPU seconds of the process ``process``.
    process: int
    cut: bool  #: Whether time or Ctrl-C ended it early.
    interrupted: bool  #: Whether that was Ctrl-C.


class ChainWork:
    """Lets a chain go on for a round; `farkas.executor.SpreadWork`."""

    kernels: tuple[Kernel[..., Any], ...] = ()

    def __init__(self, shared: Problem, scorer: Scorer | None = None) -> None:
        self._box = shared.box
        self._scorer = shared.scorer() if scorer is None else scorer
        self.pressed: Callable[[], bool] = lambda: False
        """Whether Ctrl-C was pressed in this process."""

    def __call__(self, task: ChainTask) -> ChainRound:
        """Go on until the quota is reached."""
        chain, begin = task.chain, time.process_time()
        end, cut, interrupted = begin + task.seconds, False, False
        self._scorer.pressed, self._scorer.lifts = self.pressed, chain.lifts
        self._scorer.left = lambda: end - time.process_time()
        last = chain.evaluations + task.quota
        try:
            for _ in range(REFUSED * task.quota):
                if chain.evaluations >= last or chain.ended:
                    break
                cut = self.pressed() or time.process_time() >= end
                if cut:
                    break
                self._advance(chain)
        except KeyboardInterrupt:
            cut = interrupted = True
        return ChainRound(
            chain,
            seconds=time.process_time() - begin,
            process=os.getpid(),
            cut=cut,
            interrupted=interrupted or self.pressed(),
        )

    def _advance(self, chain: Chain) -> None:
        """Score a start of the box, a draw, or a neighbour of where the walk stands."""
        starts, rng = self._box.starts, chain.rng
        first = chain.number + CHAINS * chain.begun
        if first < len(starts):
            chain.begun += 1
            self._score(chain, copied(starts[first]))
            return
        if chain.step % (DRAWN + COOLING.moves) == 0:
            chain.step, chain.walk = 0, None
            if chain.kept and rng.random() >= FRESH:
                chain.walk, chain.step = chosen(chain.kept, rng.random), DRAWN
        draws = chain.step < DRAWN
        if draws or chain.walk is None:
            chain.start = int(rng.integers(len(starts)))
        if draws:
            how = redrawn if rng.random() < REDRAWN else extreme
            data = how(starts[chain.start], self._box, rng)
        else:
            here = starts[chain.start] if chain.walk is None else chain.walk.data
            data = (pushed if rng.random() < PUSHED else moved)(here, self._box, rng)
        temperature = COOLING(chain.step - DRAWN)
        chain.step += 1
        found = self._score(chain, data)
        if found is None:
            return
        change = found.height - (-math.inf if chain.walk is None else chain.walk.height)
        if change >= 0 or (not draws and accepted(change, temperature, rng.random)):
            chain.walk = found

    def _score(self, chain: Chain, data: Plain) -> Incumbent | None:
        instance = self._box.built(data)
        if instance is None:
            return None
        chain.evaluations += 1
        scored = self._scorer.score(instance, chain.height)
        if scored is None:
            chain.refused += 1
            return None
        found = Incumbent(scored, data)
        chain.take(found)
        return found


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
    chains: Sequence[Chain] = (),
    keep: Callable[[Sequence[Chain]], None] | None = None,
) -> Found:
    """Search a box for an instance on which an algorithm is far from a witness.

    Raises `NoAnswer`: the algorithm has valid decisions and a witness on no instance that was
    tried; `KeyboardInterrupt`: ctrl-C came before anything was scored; later it ends the search
    with what it has.  ``seconds`` are CPU time of all processes, after which no instance is scored
    any more.  The same number of ``evaluations`` finds the same, whatever the time and whoever
    scores them.  ``chains`` say where an earlier search stood; ``keep`` is called with all of them
    after each round that nothing cut short, ``progress`` whenever the ratio has grown.
    """
    going = list(chains) or [Chain.new(number, seed) for number in range(CHAINS)]
    rounds = _Rounds(box, scorer, executor or Executor(), going, seconds, progress)
    with CtrlC() as keys:
        rounds.pressed = lambda: keys.pressed
        while (quotas := _quotas(rounds.evaluations, evaluations)) and not rounds.over():
            before = rounds.evaluations
            complete = rounds.go(quotas)
            if complete and min(quotas) == ROUND and keep is not None:
                keep(rounds.chains)
            if rounds.evaluations == before:
                break
    found = [chain.kept[0].scored for chain in rounds.chains if chain.kept]
    if not found and rounds.interrupted:
        raise KeyboardInterrupt("interrupted before a round had scored anything: nothing is kept")
    if not found:
        raise NoAnswer(
            f"{scorer.algorithm.name} has no valid decisions beside a witness on any of"
            f" {rounds.evaluations} instances"
        )
    best = max(found, key=lambda one: one.height)
    refused = sum(chain.refused for chain in rounds.chains)
    return Found(best, rounds.evaluations, refused, rounds.elsewhere, rounds.interrupted)


def _quotas(done: int, evaluations: int | None) -> list[int]:
    """Instances that each chain is to score in the next round; empty if none are left."""
    left = math.inf if evaluations is None else evaluations - done
    if left >= CHAINS * ROUND:
        return [ROUND] * CHAINS
    share, more = divmod(int(left), CHAINS)
    return [share + (number < more) for number in range(CHAINS)] if left > 0 else []


class _Rounds:
    """Chains that go on round by round."""

    def __init__(
        self,
        box: InstanceBox,
        scorer: Scorer,
        executor: Executor,
        chains: list[Chain],
        seconds: float,
        progress: Progress | None,
    ) -> None:
        self.chains, self.interrupted = chains, False
        self.elsewhere = 0.0
        """CPU seconds of other processes."""
        self.pressed: Callable[[], bool] = lambda: False
        self._problem, self._executor, self._progress = Problem.of(box, scorer), executor, progress
        self._work = ChainWork(self._problem, scorer)
        self._work.pressed = lambda: self.pressed()
        self._begin, self._seconds = time.process_time(), seconds
        self._highest = -math.inf

    @property
    def evaluations(self) -> int:
        return sum(chain.evaluations for chain in self.chains)

    @property
    def _left(self) -> float:
        return self._seconds - self.elsewhere - (time.process_time() - self._begin)

    def over(self) -> bool:
        """Whether time is over, Ctrl-C was pressed, or nothing can be worse."""
        self.interrupted |= self.pressed()
        return self.interrupted or any(chain.ended for chain in self.chains) or self._left <= 0

    def go(self, quotas: Sequence[int]) -> bool:
        """Let all chains go on, and merge what they find in order; True if nothing cut it short.

        A chain that finds what nothing can beat is the last whose round counts.
        """
        complete, share = True, self._left / len(quotas)
        tasks = [
            ChainTask(chain, quota, share) for chain, quota in zip(self.chains, quotas, strict=True)
        ]
        steps = [LEAST_STEPS] * len(tasks)
        try:
            for number, answer in enumerate(
                self._executor.each(self._work, self._problem, tasks, steps, self._check)
            ):
                self._take(number, answer)
                complete &= not answer.cut
                if answer.interrupted or answer.chain.ended:
                    break
        except _Pressed:
            self.interrupted, complete = True, False
        self._merge()
        return complete

    def _merge(self) -> None:
        """Tell all chains what the others keep, and what their searches for witnesses added."""
        incumbents = [found for chain in self.chains for found in chain.kept]
        lifts = [lift for chain in self.chains for lift in list(chain.lifts)[-SHARED_LIFTS:]]
        for chain in self.chains:
            chain.lifts.clear()
            chain.lifts.extend(lifts)
            for found in incumbents:
                chain.take(found)

    def _take(self, number: int, answer: ChainRound) -> None:
        self.chains[number] = answer.chain
        self.interrupted |= answer.interrupted
        if answer.process != os.getpid():
            self.elsewhere += answer.seconds
        if answer.chain.height > self._highest:
            self._highest = answer.chain.height
            if self._progress is not None:
                self._progress(self.evaluations, math.exp(min(self._highest, LARGEST)))

    def _check(self) -> None:
        if self.pressed():
            raise _Pressed
