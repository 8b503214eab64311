"""Slow references for measured times: exact probabilities by sets of workers."""

from __future__ import annotations

import itertools
from fractions import Fraction


def chance(loads, chances, rows):
    """P[Σ loads of the successful >= rows], exactly."""
    total = Fraction(0)
    for done in itertools.product((0, 1), repeat=len(loads)):
        if sum(load for load, back in zip(loads, done, strict=True) if back) >= rows:
            part = Fraction(1)
            for p, back in zip(chances, done, strict=True):
                part *= p if back else 1 - p
            total += part
    return total


def guaranteed(times, margin, per_row):
    """Largest of 0 and the fraction of times at most ``per_row``, less the margin."""
    back = sum(Fraction(time) <= per_row for time in times)
    return max(Fraction(0), Fraction(back, len(times)) - Fraction(margin))


def served_at(data, master, loads, share, time):
    """P[X >= L] under the guaranteed laws, exactly."""
    measured = data.measured
    chances = [
        Fraction(0)
        if load == 0 or law is None
        else Fraction(k)
        * guaranteed(measured.times[law], measured.margins[law], Fraction(time) / load)
        for load, k, law in zip(loads, share, measured.law[master], strict=True)
    ]
    return chance(loads, chances, data.masters[master].rows)


def time_of(data, master, loads, share):
    """Smallest time at which a master is served; None where there is none."""
    measured = data.measured
    times = sorted(
        {
            load * Fraction(time)
            for load, law in zip(loads, measured.law[master], strict=True)
            if load and law is not None
            for time in measured.times[law]
        }
    )
    target = Fraction(data.success_probability)
    found = [t for t in times if served_at(data, master, loads, share, t) >= target]
    return found[0] if found else None


def best_time(data):
    """Earliest time that any owners and whole loads guarantee; None where none does."""
    best = None
    rows = [task.rows for task in data.masters]
    for owner in itertools.product(range(len(rows)), repeat=data.workers):
        worst = Fraction(0)
        for master, needed in enumerate(rows):
            mine = [n for n, own in enumerate(owner) if own == master]
            options = []
            for loads in itertools.product(range(needed + 1), repeat=len(mine)):
                whole = [0] * data.workers
                for n, load in zip(mine, loads, strict=True):
                    whole[n] = load
                options.append(time_of(data, master, whole, [1] * data.workers))
            finite = [time for time in options if time is not None]
            if not finite:
                break
            worst = max(worst, min(finite))
        else:
            best = worst if best is None else min(best, worst)
    return best
