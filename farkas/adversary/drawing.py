"""Random instances of a box: what a search has to be better than."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping

import numpy as np

from farkas.adversary.box import DRAWS, InstanceBox, entries
from farkas.adversary.moves import redrawn
from farkas.adversary.scoring import Scored, Scorer
from farkas.adversary.shape import Plain, copied


def worst_drawn(
    box: InstanceBox,
    scorer: Scorer,
    *,
    preset: str | None = None,
    size: Mapping[str, int] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seconds: float = math.inf,
    draws: int | None = None,
    seed: int = 0,
) -> Scored | None:
    """Score random instances of a box and keep the worst; None where none could be scored.

    Draws of the generator, clipped to the box, take turns with the same draws in which every number
    is drawn anew from its range, so that wide ranges are drawn from as well.

    Parameters
    ----------
    box
        Made from ``preset``, ``size`` and ``ranges``, see `InstanceBox.drawn`.
    seconds
        CPU seconds after which no instance is drawn any more.
    draws
        Instances at most.
    seed
        Of the draws; they are none of those that made the box.
    """
    rng = np.random.default_rng(seed)
    best: Scored | None = None
    end = time.process_time() + seconds
    every = _draws(box, preset, size, ranges, seed)
    for data in itertools.islice(_redrawn(every, box, rng), draws):
        if time.process_time() >= end or (best is not None and best.height == math.inf):
            break
        instance = box.built(data)
        if instance is None:
            continue
        found = scorer.score(instance, -math.inf if best is None else best.height)
        if found is not None and (best is None or found.height > best.height):
            best = found
    return best


def _draws(
    box: InstanceBox,
    preset: str | None,
    size: Mapping[str, int] | None,
    ranges: Mapping[str, tuple[float, float]] | None,
    seed: int,
) -> Iterator[Plain]:
    """Yield draws of the generator without end, inside the box."""
    for batch in itertools.count(seed + 1):
        other = InstanceBox.drawn(
            box.kind, preset=preset, size=size, ranges=ranges, seed=DRAWS * batch
        )
        for data in other.starts:
            for family, holder, key in entries(data):
                if family in box.ranges:
                    holder[key] = box.ranges[family].clipped(holder[key])
            yield data


def _redrawn(every: Iterator[Plain], box: InstanceBox, rng: np.random.Generator) -> Iterator[Plain]:
    """Yield each instance, and again with numbers from the whole of their ranges."""
    for data in every:
        yield copied(data)
        yield redrawn(data, box, rng)
