"""Annealing on the logarithm of the ratio, from draws of the box and from the best so far."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable

import numpy as np

from farkas.adversary.box import InstanceBox
from farkas.adversary.moves import moved
from farkas.adversary.scoring import Scored, Scorer
from farkas.adversary.shape import Plain, copied
from farkas.errors import NoAnswer
from farkas.portable.exponentials import exp

LEG = 60
"""Moves of one descent in temperature."""
WARM, COLD = 1.0, 0.02
"""First and last temperature: at 1 a factor of e in the ratio is given up once in e times."""
LARGEST = 700.0
"""Logarithm beyond which a ratio is not told apart in progress."""
KEPT = 6
"""Instances kept, each with other decisions of the algorithm."""
Progress = Callable[[int, float], None]
"""Called with the evaluations done and the best ratio, whenever that has grown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """Where a search ended.

    Parameters
    ----------
    best
        The instance with the largest ratio.
    evaluations, refused
        Instances scored, and those of them on which the algorithm had no valid decisions.
    interrupted
        Whether Ctrl-C ended it.
    """

    best: Scored
    evaluations: int
    refused: int
    interrupted: bool


class _Pool:
    """The best instances, each with decisions of its own."""

    def __init__(self, progress: Progress | None, scorer: Scorer) -> None:
        self.kept: dict[bytes, tuple[Scored, Plain]] = {}
        self.best: Scored | None = None
        self._progress, self._scorer = progress, scorer

    def take(self, scored: Scored, data: Plain) -> None:
        known = self.kept.get(scored.signature)
        if known is None or known[0].height < scored.height:
            self.kept[scored.signature] = (scored, copied(data))
            ranked = sorted(self.kept.items(), key=lambda item: -item[1][0].height)
            self.kept = dict(ranked[:KEPT])
        if self.best is None or scored.height > self.best.height:
            self.best = scored
            if self._progress is not None:
                self._progress(self._scorer.evaluations, exp(min(scored.height, LARGEST)))

    @property
    def height(self) -> float:
        return -math.inf if self.best is None else self.best.height

    @property
    def ended(self) -> bool:
        return self.height == math.inf


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

    Parameters
    ----------
    seconds
        CPU seconds of this process after which no instance is scored any more.
    evaluations
        Instances scored at most; the same number finds the same whatever the time.
    seed
        Of the search's own draws.
    progress
        Called whenever the ratio has grown.

    Raises
    ------
    NoAnswer
        The algorithm has valid decisions and a witness on no instance that was tried.
    """
    rng = np.random.default_rng(seed)
    pool = _Pool(progress, scorer)
    end = time.process_time() + seconds

    def over() -> bool:
        spent = evaluations is not None and scorer.evaluations >= evaluations
        return spent or pool.ended or time.process_time() >= end

    interrupted = False
    try:
        for start in box.starts:
            if over():
                break
            _score(start, box, scorer, pool)
        while not over():
            _leg(box, scorer, pool, rng, over)
    except KeyboardInterrupt:
        interrupted = True
    if pool.best is None:
        raise NoAnswer(
            f"{scorer.algorithm.name} has no valid decisions beside a witness on any of"
            f" {scorer.evaluations} instances"
        )
    return Found(pool.best, scorer.evaluations, scorer.refused, interrupted)


def _score(data: Plain, box: InstanceBox, scorer: Scorer, pool: _Pool) -> Scored | None:
    instance = box.built(data)
    if instance is None:
        return None
    scored = scorer.score(instance, pool.height)
    if scored is not None:
        pool.take(scored, data)
    return scored


def _leg(
    box: InstanceBox,
    scorer: Scorer,
    pool: _Pool,
    rng: np.random.Generator,
    over: Callable[[], bool],
) -> None:
    """Walk from a start or a kept instance while the temperature falls."""
    height, data = -math.inf, box.starts[int(rng.integers(len(box.starts)))]
    known = list(pool.kept.values())
    if known and rng.random() < 0.75:
        chosen, data = known[int(len(known) * rng.random() ** 2)]
        height = chosen.height
    for step in range(LEG):
        if over():
            return
        temperature = WARM * (COLD / WARM) ** (step / LEG)
        candidate = moved(data, box, rng)
        scored = _score(candidate, box, scorer, pool)
        if scored is None:
            continue
        change = scored.height - height
        if change >= 0 or rng.random() < exp(change / temperature):
            height, data = scored.height, candidate
