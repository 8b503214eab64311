"""Sweeps of moves and swaps that lift the slowest master.  Coded Algorithm 1, lines 4-18.

``printed`` accepts an insertion that lifts the minimum, and a swap whose masters both stay above
the minimum and lose speed together; levels are updated move by move.  ``lexicographic`` accepts
what raises the sorted levels lexicographically, recomputes levels after each sweep, and so never
gets stuck with several masters at level 0.

Ties go to the smallest master, then the smallest worker.  A sum of speeds counts as larger only by
the factor 1 + 1e-12.
"""

from typing import Literal

import numpy as np

from farkas.certificates.arrays import copy_floats
from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled
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


def least_level(speed: Floats, owner: Ints) -> float:
    """Level of the slowest master, 1/time."""
    return float(owner_levels(speed, owner).min())


def local_optimum(speed: Floats, owner: Ints, variant: Variant) -> Ints:
    """Sweep until a sweep changes nothing; returns the new owners.

    Parameters
    ----------
    speed
        Shape (masters, workers); v.
    owner
        Shape (workers,), master of each worker.
    """
    own, levels = owner.astype(np.int64), owner_levels(speed, owner)
    if len(speed) > 1:
        for _ in range(MOST_SWEEPS):
            if not sweep(speed, own, levels, variant == "printed"):
                break
    return own


@compiled(steps=lambda speed, own, levels, printed: speed.size + speed.shape[1] ** 2)
def sweep(speed: Floats2, own: Out[Ints1], levels: Out[Floats1], printed: bool) -> bool:
    """Try to move every worker, then to swap every two; returns whether anything changed."""
    moved = _move(speed, own, levels, printed)
    swapped = _swap(speed, own, levels, printed)
    if not printed:  # forget the rounding errors of the updates
        levels[:] = 0.0
        for n in range(len(own)):
            levels[own[n]] += speed[own[n], n]
    return moved or swapped


@compiled
def _move(speed: Floats2, own: Out[Ints1], levels: Out[Floats1], printed: bool) -> bool:
    """Give workers to the slowest other master."""
    masters, workers = speed.shape
    trial, ordered = np.empty(masters), np.empty((2, masters))
    count = np.zeros(masters, np.int64)
    for n in range(workers):
        count[own[n]] += 1
    changed = False
    for n in range(workers):
        giver = own[n]
        taker = 1 if giver == 0 else 0
        for m in range(masters):
            if m != giver and levels[m] < levels[taker]:
                taker = m
        copy_floats(levels, trial)
        trial[giver] -= speed[giver, n]
        trial[taker] += speed[taker, n]
        if not printed and count[giver] == 1:
            trial[giver] = 0.0
        lifts = _least(trial) > _least(levels) * MORE
        if lifts if printed else _rises(trial, levels, ordered):
            copy_floats(trial, levels)
            own[n] = taker
            count[giver] -= 1
            count[taker] += 1
            changed = True
    return changed


@compiled
def _swap(speed: Floats2, own: Out[Ints1], levels: Out[Floats1], printed: bool) -> bool:
    """Swap workers of two masters."""
    masters, workers = speed.shape
    trial, ordered = np.empty(masters), np.empty((2, masters))
    changed = False
    least = _least(levels)
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
            elif min(a1, a2) * MORE < min(levels[m1], levels[m2]):
                good = False  # sorted levels rise only if the smaller of the two does, or is kept
            else:
                copy_floats(levels, trial)
                trial[m1], trial[m2] = a1, a2
                good = _rises(trial, levels, ordered)
            if good:
                levels[m1], levels[m2] = a1, a2
                own[n1], own[n2] = m2, m1
                least = _least(levels)
                changed = True
    return changed


@compiled
def _least(levels: Floats1) -> float:
    least: float = levels[0]
    for level in levels:
        least = min(least, level)
    return least


@compiled
def _rises(trial: Floats1, levels: Floats1, ordered: Out[Floats2]) -> bool:
    """Whether sorted levels are lexicographically larger; ``ordered`` is scratch."""
    _sort(trial, ordered[0])
    _sort(levels, ordered[1])
    for m in range(len(levels)):
        new, old = ordered[0, m], ordered[1, m]
        if new > old * MORE or old > new * MORE:
            return bool(new > old)
    return False


@compiled
def _sort(levels: Floats1, into: Out[Floats1]) -> None:
    """Sort by insertion: there are few masters."""
    for m in range(len(levels)):
        place = m
        while place > 0 and into[place - 1] > levels[m]:
            into[place] = into[place - 1]
            place -= 1
        into[place] = levels[m]
