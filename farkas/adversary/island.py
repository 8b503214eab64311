"""One of several searches that go on side by side: annealing from draws and from its best."""

from __future__ import annotations

import collections
import dataclasses
import math
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from farkas.adversary.box import InstanceBox
from farkas.adversary.moves import extreme, moved, pushed, redrawn
from farkas.adversary.scoring import LIFTS, Scored, Scorer
from farkas.adversary.shape import Plain, copied
from farkas.errors import UnknownName
from farkas.kernels import Kernel
from farkas.online.driver import Algorithm, algorithms

DRAWN = 20  #: Instances drawn for a descent that begins anew; it goes down from the worst of them.
LEG = 60  #: Moves of one descent in temperature.
#: WARM, COLD: first and last temperature; at 1 a factor of e in the ratio is given up once in e
#: times.
WARM = 0.15
COLD = 0.02
KEPT = 6  #: Instances kept, each with other decisions of the algorithm.
FRESH = 0.25  #: Share of descents that begin anew.
#: Share of draws with every number drawn anew from its range; of the others, families are at ends
#: of theirs, because generators keep to the middle.
REDRAWN = 0.1
PUSHED = 0.4  #: Share of moves that put a family at an end of its range.
REFUSED = 20  #: Moves for each instance that may be scored; readers refuse the others.


@dataclasses.dataclass(frozen=True, slots=True)
class Foothold:
    """An instance with its score, and the plain data that moves start from."""

    scored: Scored
    data: Plain


@dataclasses.dataclass(slots=True)
class Island:
    """Where a search stands between two of its moves."""

    number: int  #: Its place among the others.
    rng: np.random.Generator  #: Draws its moves.
    #: The best instances, the worst for the algorithm first, each with other decisions.
    kept: list[Foothold] = dataclasses.field(default_factory=list)
    #: What searches for better witnesses added lately, in logarithms of the ratio.
    lifts: collections.deque[float] = dataclasses.field(
        default_factory=lambda: collections.deque([math.inf], maxlen=LIFTS)
    )
    begun: int = 0  #: Starts of the box that it has scored.
    #: Draws and moves of the descent under way; one from an instance that is kept has no draws and
    #: begins at `DRAWN`.
    step: int = 0
    #: Where the descent stands; None where that is ``start``, which has no score.
    walk: Foothold | None = None
    start: int = 0  #: Number of the box's start that was drawn from last.
    #: evaluations, refused: instances scored, and those of them on which the algorithm had no valid
    #: decisions.
    evaluations: int = 0
    refused: int = 0

    @classmethod
    def new(cls, number: int, seed: int) -> Island:
        """Begin one; its draws follow from the seed and its number."""
        return cls(number, np.random.default_rng((seed, number)))

    @property
    def best(self) -> Foothold | None:
        """The worst instance for the algorithm."""
        return self.kept[0] if self.kept else None

    @property
    def height(self) -> float:
        """Logarithm of the largest ratio."""
        return self.kept[0].scored.height if self.kept else -math.inf

    @property
    def ended(self) -> bool:
        """Whether nothing can be worse."""
        return self.height == math.inf

    def take(self, found: Foothold) -> None:
        """Keep an instance unless a worse one with the same decisions is known."""
        for place, known in enumerate(self.kept):
            if known.scored.signature == found.scored.signature:
                if known.scored.height >= found.scored.height:
                    return
                del self.kept[place]
                break
        self.kept.append(found)
        self.kept.sort(key=lambda one: -one.scored.height)
        del self.kept[KEPT:]

    def advance(
        self,
        box: InstanceBox,
        scorer: Scorer,
        quota: int,
        islands: int,
        over: Callable[[], bool],
    ) -> None:
        """Score up to ``quota`` instances, starts of the box first.

        Parameters
        ----------
        islands
            How many share the starts.
        over
            Asked before each; True ends it at once.
        """
        scorer.lifts = self.lifts
        last = self.evaluations + quota
        for _ in range(REFUSED * quota):
            if self.evaluations >= last or self.ended or over():
                return
            start = self.number + islands * self.begun
            if start < len(box.starts):
                self.begun += 1
                self._score(copied(box.starts[start]), box, scorer)
            else:
                self._move(box, scorer)

    def _score(self, data: Plain, box: InstanceBox, scorer: Scorer) -> Foothold | None:
        instance = box.built(data)
        if instance is None:
            return None
        self.evaluations += 1
        scored = scorer.score(instance, self.height)
        if scored is None:
            self.refused += 1
            return None
        found = Foothold(scored, data)
        self.take(found)
        return found

    def _move(self, box: InstanceBox, scorer: Scorer) -> None:
        """Make one draw of a descent that begins anew, or one move of a descent in temperature."""
        if self.step % (DRAWN + LEG) == 0:
            self.step, self.walk = 0, None
            if self.kept and self.rng.random() >= FRESH:
                self.walk = self.kept[int(len(self.kept) * self.rng.random() ** 2)]
                self.step = DRAWN
        draws = self.step < DRAWN
        if draws or self.walk is None:
            self.start = int(self.rng.integers(len(box.starts)))
        if draws:
            how = redrawn if self.rng.random() < REDRAWN else extreme
            data = how(box.starts[self.start], box, self.rng)
        else:
            here = box.starts[self.start] if self.walk is None else self.walk.data
            data = (pushed if self.rng.random() < PUSHED else moved)(here, box, self.rng)
        temperature = WARM * (COLD / WARM) ** ((self.step - DRAWN) / LEG)
        height = -math.inf if self.walk is None else self.walk.scored.height
        self.step += 1
        found = self._score(data, box, scorer)
        if found is None:
            return
        change = found.scored.height - height
        if change >= 0 or (not draws and self.rng.random() < math.exp(change / temperature)):
            self.walk = found


@dataclasses.dataclass(frozen=True, slots=True)
class Hunt:
    """What all islands share."""

    box: InstanceBox  #: Instances to search among.
    algorithm: str | Algorithm  #: Registered name, or an algorithm that has none.
    #: options, seed, witnesses: as a `Scorer` takes them.
    options: Mapping[str, Any]
    seed: int
    witnesses: tuple[str, ...]
    islands: int  #: How many there are.

    @classmethod
    def of(cls, box: InstanceBox, scorer: Scorer, islands: int) -> Hunt:
        """Say what a scorer does."""
        algorithm: str | Algorithm = scorer.algorithm
        try:
            if algorithms[scorer.algorithm.name] is scorer.algorithm:
                algorithm = scorer.algorithm.name
        except UnknownName:
            pass
        return cls(box, algorithm, scorer.options, scorer.seed, tuple(scorer.witnesses), islands)

    def scorer(self) -> Scorer:
        """Make a scorer of it."""
        name = self.algorithm
        algorithm = algorithms[name] if isinstance(name, str) else name
        return Scorer(algorithm, self.options, self.seed, self.witnesses)


@dataclasses.dataclass(frozen=True, slots=True)
class Leave:
    """One round of one island."""

    island: Island  #: Where it stands.
    quota: int  #: Instances to score.
    seconds: float  #: CPU seconds after which no instance is scored any more.


@dataclasses.dataclass(frozen=True, slots=True)
class Return:
    """What became of a round."""

    island: Island  #: Where it stands now.
    seconds: float  #: CPU seconds of the process ``process``.
    process: int
    cut: bool  #: Whether time or Ctrl-C ended it early.
    interrupted: bool  #: Whether that was Ctrl-C.


class IslandWork:
    """Lets an island go on for a round; `farkas.executor.SpreadWork`.

    Parameters
    ----------
    shared
        What all islands share.
    scorer
        Where it is made already.
    """

    kernels: tuple[Kernel[..., Any], ...] = ()

    def __init__(self, shared: Hunt, scorer: Scorer | None = None) -> None:
        self._hunt = shared
        self._scorer = shared.scorer() if scorer is None else scorer
        self.pressed: Callable[[], bool] = lambda: False
        """Whether Ctrl-C was pressed in this process."""

    def __call__(self, task: Leave) -> Return:
        """Go on until the quota is reached."""
        island, begin = task.island, time.process_time()
        end, cut = begin + task.seconds, False

        def over() -> bool:
            nonlocal cut
            cut = self.pressed() or time.process_time() >= end
            return cut

        interrupted, self._scorer.pressed = False, self.pressed
        self._scorer.left = lambda: end - time.process_time()
        try:
            island.advance(self._hunt.box, self._scorer, task.quota, self._hunt.islands, over)
        except KeyboardInterrupt:
            cut = interrupted = True
        return Return(
            island,
            seconds=time.process_time() - begin,
            process=os.getpid(),
            cut=cut,
            interrupted=interrupted or self.pressed(),
        )
