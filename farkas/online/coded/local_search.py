"""Sweeps of moves and swaps that lift the slowest master.  Coded Algorithm 1, lines 4-18.

Ties go to the smallest master, then the smallest worker.  A sum of speeds counts as larger only by
the factor 1 + 1e-12.  `search` is the readable reference of the compiled `climb`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np

from farkas.models.coded.kernel import owner_levels
from farkas.numbers import Floats, Ints
from farkas.tolerances import TIE

Variant = Literal["printed", "lexicographic"]
MORE = 1.0 + TIE
LESS = 1.0 - TIE
MOST_SWEEPS = 1000


def favourites(speed: Floats) -> Ints:
    """Every worker to the master it is fastest for, shape (workers,)."""
    return np.asarray(speed.argmax(axis=0))


def search(speed: Floats, owner: Ints, variant: Variant) -> Ints:
    """Sweep until a sweep changes nothing; returns the new owners.

    ``printed`` accepts an insertion that lifts the minimum, and a swap whose masters both stay
    above the minimum and lose speed together; levels are updated move by move.
    ``lexicographic`` accepts what raises the sorted levels lexicographically, recomputes levels
    after each sweep, and so never gets stuck with several masters at level 0.

    Parameters
    ----------
    speed
        Shape (masters, workers); v.
    owner
        Shape (workers,), master of each worker.
    """
    own = owner.copy()
    masters, workers = speed.shape
    if masters == 1:
        return own
    levels = owner_levels(speed, own)
    better = _lifts if variant == "printed" else _climbs
    for _ in range(MOST_SWEEPS):
        changed = False
        for n in range(workers):
            giver = own[n]
            taker = min((m for m in range(masters) if m != giver), key=lambda m: levels[m])
            trial = levels.copy()
            trial[giver] -= speed[giver, n]
            trial[taker] += speed[taker, n]
            if variant == "lexicographic" and (own == giver).sum() == 1:
                trial[giver] = 0.0
            if better(trial, levels):
                levels, changed = trial, True
                own[n] = taker
        for n1 in range(workers):
            for n2 in range(workers) if variant == "printed" else range(n1 + 1, workers):
                m1, m2 = own[n1], own[n2]
                if m1 == m2:
                    continue
                trial = levels.copy()
                trial[m1] = levels[m1] - speed[m1, n1] + speed[m1, n2]
                trial[m2] = levels[m2] - speed[m2, n2] + speed[m2, n1]
                if variant == "printed":
                    before = speed[m1, n1] + speed[m2, n2]
                    after = speed[m1, n2] + speed[m2, n1]
                    floor = levels.min() * MORE
                    good = before < after * LESS and trial[m1] > floor and trial[m2] > floor
                else:
                    good = _climbs(trial, levels)
                if good:
                    levels, changed = trial, True
                    own[n1], own[n2] = m2, m1
        if variant == "lexicographic":
            levels = owner_levels(speed, own)
        if not changed:
            break
    return own


def _lifts(trial: Floats, levels: Floats) -> bool:
    return bool(trial.min() > levels.min() * MORE)


def _climbs(trial: Floats, levels: Floats) -> bool:
    for new, old in zip(np.sort(trial), np.sort(levels), strict=True):
        if new > old * MORE:
            return True
        if old > new * MORE:
            return False
    return False


def climb(speed: Floats, owner: Ints, variant: Variant) -> Ints:
    """As `search`, compiled."""
    if len(speed) == 1:
        return owner.copy()
    start = np.ascontiguousarray(owner, dtype=np.int64)
    table = np.ascontiguousarray(speed)
    return np.asarray(_kernel()(table, start, owner_levels(speed, owner), variant == "printed"))


@cache
def _kernel() -> Any:
    """Compile when first needed.  One function: numba caches no function that refers to another."""
    from numba import njit

    @njit(cache=True)  # type: ignore[untyped-decorator]
    def sweeps(speed: Floats, owner: Ints, levels: Floats, printed: bool) -> Ints:
        masters, workers = speed.shape
        own, levels = owner.copy(), levels.copy()
        count = np.zeros(masters, np.int64)
        for n in range(workers):
            count[own[n]] += 1
        trial = levels.copy()
        for _ in range(MOST_SWEEPS):
            changed = False
            for n in range(workers):
                giver = own[n]
                taker = 1 if giver == 0 else 0
                for m in range(masters):
                    if m != giver and levels[m] < levels[taker]:
                        taker = m
                trial[:] = levels
                trial[giver] -= speed[giver, n]
                trial[taker] += speed[taker, n]
                if not printed and count[giver] == 1:
                    trial[giver] = 0.0
                good = printed and trial.min() > levels.min() * MORE
                if not printed:
                    new, old = np.sort(trial), np.sort(levels)
                    for i in range(masters):
                        if new[i] > old[i] * MORE or old[i] > new[i] * MORE:
                            good = new[i] > old[i]
                            break
                if good:
                    levels[:] = trial
                    own[n] = taker
                    count[giver] -= 1
                    count[taker] += 1
                    changed = True
            least = levels.min()
            for n1 in range(workers):
                for n2 in range(0 if printed else n1 + 1, workers):
                    m1, m2 = own[n1], own[n2]
                    if m1 == m2:
                        continue
                    a1 = levels[m1] - speed[m1, n1] + speed[m1, n2]
                    a2 = levels[m2] - speed[m2, n2] + speed[m2, n1]
                    if printed:
                        before = speed[m1, n1] + speed[m2, n2]
                        after = speed[m1, n2] + speed[m2, n1]
                        good = before < after * LESS and a1 > least * MORE and a2 > least * MORE
                    else:
                        # the sorted levels rise only if the smaller of the two does, or is kept
                        if min(a1, a2) * MORE < min(levels[m1], levels[m2]):
                            continue
                        trial[:] = levels
                        trial[m1] = a1
                        trial[m2] = a2
                        good = False
                        new, old = np.sort(trial), np.sort(levels)
                        for i in range(masters):
                            if new[i] > old[i] * MORE or old[i] > new[i] * MORE:
                                good = new[i] > old[i]
                                break
                    if good:
                        levels[m1] = a1
                        levels[m2] = a2
                        own[n1] = m2
                        own[n2] = m1
                        least = levels.min()
                        changed = True
            if not printed:
                levels[:] = 0.0
                for n in range(workers):
                    levels[own[n]] += speed[own[n], n]
            if not changed:
                break
        return own

    return sweeps
