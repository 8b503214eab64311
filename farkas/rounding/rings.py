"""Randomised rounding of mixtures of rings.  GADGET Algorithm 2, lines 7-9."""

import dataclasses
import math

import numpy as np

from farkas.numbers import Floats, Ints, Rng
from farkas.tolerances import TIE, allowed


@dataclasses.dataclass(frozen=True, eq=False)
class Mix:
    """Items of several jobs with shares, gains and loads."""

    job: Ints  #: Shape (items,), ascending.
    share: Floats  #: Shape (items,); the shares of a job sum to at most 1; φ.
    gain: Floats  #: Shape (items,).
    load: Floats  #: Shape (items, limits), use of everything that can fill up.
    room: Floats  #: Shape (limits,).

    def draw(self, rng: Rng) -> Ints:
        """Pick for each job independently one item with its share as probability, or none.

        One uniform draw a job, in job order; the items of a job are searched in order.
        """
        names, first = np.unique(self.job, return_index=True)
        level = rng.random(len(names))
        ends = np.append(first, len(self.job))[1:]
        picked = []
        for start, end, u in zip(first.tolist(), ends.tolist(), level.tolist(), strict=True):
            place = int(np.searchsorted(np.cumsum(self.share[start:end]), u, side="right"))
            if place < end - start:
                picked.append(start + place)
        return np.array(picked, np.int64)

    def fullness(self, picked: Ints) -> Floats:
        """Load over room, shape (limits,); a limit without room counts when anything is on it."""
        load = self.load[picked].sum(axis=0)
        full = np.where(load > 0, np.inf, 0.0)
        np.divide(load, self.room, out=full, where=self.room > 0)
        return full


def violation_factor(demand: Floats, size: Ints, room: Floats, places: int) -> float:
    """Factor by which Theorem 8 lets a capacity be exceeded: 1 + ε sqrt(2 Δ log places).

    ε is the largest demand over capacity (the text leaves it undefined), Δ = Σ size² over the jobs
    that use the resource, and the logarithm is natural.  GADGET Theorem 8.

    ``demand``, ``size``: Shape (jobs,), of one worker or ring edge, and the ring size.  ``room``:
    Shape (places,), finite capacities.  ``places``: Number of nodes or links.
    """
    users = demand > 0
    positive = room[room > 0]
    if not users.any() or not len(positive) or places < 1:
        return 1.0
    epsilon = min(1.0, float(demand[users].max() / positive.min()))
    spread = float((size[users].astype(float) ** 2).sum())
    return 1.0 + epsilon * math.sqrt(2.0 * spread * math.log(places))


def round_printed(
    mix: Mix, least: float, factor: Floats, most_rounds: int, rng: Rng
) -> tuple[Ints, bool]:
    """Draw until a round is worth ``least`` and no load exceeds ``factor`` times its room.

    As printed capacities may be violated.  The paper does not say what is returned when no round
    qualifies; here it is the round with the smallest worst load over room, ties larger gain.

    ``least``: α times the value of the relaxation.  ``factor``: Shape (limits,), β or γ.  Returns
    items, ascending, and whether their round qualifies.
    """
    best: tuple[float, float] | None = None
    kept = np.zeros(0, np.int64)
    for _ in range(most_rounds):
        picked = mix.draw(rng)
        full = mix.fullness(picked)
        worst, gain = float(full.max(initial=0.0)), float(mix.gain[picked].sum())
        if gain >= least * (1 - TIE) and (full <= factor).all():
            return picked, True
        if best is None or (worst, -gain) < best:
            best, kept = (worst, -gain), picked
    return kept, False


def round_repaired(mix: Mix, size: Ints, most_rounds: int, rng: Rng) -> Ints:
    """Best of several rounds after dropping what does not fit.

    Items picked are admitted by decreasing gain per worker, ties by job, when they fit; ascending.

    ``size``: Shape (items,), workers.
    """
    best, kept = -math.inf, np.zeros(0, np.int64)
    rate = mix.gain / size
    for _ in range(most_rounds):
        picked = mix.draw(rng)
        order = picked[np.lexsort((mix.job[picked], -rate[picked]))]
        admitted, gain = admit(mix, order)
        if gain > best:
            best, kept = gain, admitted
    return kept


def admit(mix: Mix, order: Ints) -> tuple[Ints, float]:
    """Take items in order as long as they fit, one per job; returns them ascending, and gains."""
    left = allowed(mix.room)
    taken: list[int] = []
    done: set[int] = set()
    for item in order.tolist():
        if int(mix.job[item]) in done or (mix.load[item] > left).any():
            continue
        left = left - mix.load[item]
        taken.append(item)
        done.add(int(mix.job[item]))
    return np.array(sorted(taken), np.int64), float(mix.gain[taken].sum())
