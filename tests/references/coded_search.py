"""Coded Algorithm 1, lines 4-18, sweep by sweep, as one reads it."""

from __future__ import annotations

import itertools

import numpy as np

from farkas.numbers import Floats, Ints

MORE, LESS = 1 + 1e-12, 1 - 1e-12


def greedy(speed: Floats) -> list[int]:
    """Algorithm 2: the best pair for every master, then the slowest master chooses."""
    masters, workers = range(speed.shape[0]), range(speed.shape[1])
    owner, without = [-1] * len(workers), list(masters)
    total = [0.0] * len(masters)
    while -1 in owner:
        free = [n for n in workers if owner[n] < 0]
        asking = without or [min(masters, key=lambda m: (total[m], m))]
        m, n = max(itertools.product(asking, free), key=lambda p: (speed[p], -p[0], -p[1]))
        owner[n] = m
        total[m] += speed[m, n]
        without = [other for other in without if other != m]
    return owner


def sums(speed: Floats, owner: Ints) -> Floats:
    """Speed of every master, worker after worker."""
    levels = np.zeros(len(speed))
    for n, m in enumerate(owner):
        levels[m] += speed[m, n]
    return levels


def search(speed: Floats, owner: Ints, variant: str) -> Ints:
    """Sweep until a sweep changes nothing; returns the new owners.

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
    levels = sums(speed, own)
    better = _lifts if variant == "printed" else _climbs
    for _ in range(1000):
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
            levels = sums(speed, own)
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
