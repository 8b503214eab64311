"""Shared workers of small instances in whole numbers, where no solver of doubles finds them.

Speeds may lie 600 orders of magnitude apart.  The simplex method needs no first phase here, since
nobody works at the origin, and pivots in whole numbers over one denominator [Edmonds].
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from farkas.errors import NoAnswer
from farkas.numbers import Floats

#: Entries of the tableau, at most: a pivot over numbers of thousands of digits takes a second.
MOST_ENTRIES = 4_000

#: Pivots without a gain after which the first column that improves is taken, which ends.
PATIENT = 20

LEAST_SHARE = 2.0**-60  #: Smaller shares are as large as this, and all others lose next to nothing.

Row = list[int]


def exact_shares(speed: Floats) -> tuple[Floats, Floats]:
    """Shares and prices of an optimum, rounded so that each loses next to nothing.

    Parameters
    ----------
    speed
        Shape (masters, workers), >= 0 and finite, with somebody for every master; v.

    Returns
    -------
    Shares, columns of which sum to about 1 at most, and prices at which all workers together are
    worth about 1; shapes of ``speed`` and (masters,).

    Raises
    ------
    NoAnswer
        When the tableau has more than `MOST_ENTRIES` entries.
    """
    masters, workers = speed.shape
    if (masters + workers) * (masters * workers + 1) > MOST_ENTRIES:
        raise NoAnswer(f"{masters} masters and {workers} workers are too many for whole numbers")
    lines = _lines(speed)
    aim = [0] * (masters * workers) + [1, 0]  # the level alone
    columns = list(range(masters * workers + 1))
    basic = list(range(len(columns), len(columns) + len(lines)))
    bottom = _optimise(lines, aim, columns, basic)
    value = {j: Fraction(line[-1], bottom) for j, line in zip(basic, lines, strict=True)}
    slack = {j: Fraction(-rate, bottom) for j, rate in zip(columns, aim[:-1], strict=True)}
    share = np.zeros(speed.size)
    for j in range(speed.size):
        share[j] = max(float(value[j]), LEAST_SHARE) if value.get(j) else 0.0
    first, level = masters * workers + 1, Fraction(-aim[-1], bottom)
    unit = [2 ** _digits(row) for row in speed.tolist()]
    # rows count in their unit; at prices over the level all workers together are worth 1
    prices = [slack.get(first + m, Fraction(0)) * unit[m] / level for m in range(masters)]
    return share.reshape(speed.shape), np.array([_double(price) for price in prices])


def _digits(row: list[float]) -> int:
    """Binary digits behind the point of the numbers of a row."""
    return max(v.as_integer_ratio()[1].bit_length() - 1 for v in row)


def _double(value: Fraction) -> float:
    """Nearest double; the largest beyond it."""
    return float(min(value, Fraction(float(np.finfo(np.float64).max))))


def _lines(speed: Floats) -> list[Row]:
    """Rows ``level <= Σ v k`` and ``Σ k <= 1``; the last entry is the side."""
    masters, workers = speed.shape
    lines = []
    for m, row in enumerate(speed.tolist()):
        line = [0] * (masters * workers + 2)
        unit = 2 ** _digits(row)
        line[m * workers : (m + 1) * workers] = [-int(Fraction(v) * unit) for v in row]
        line[-2] = unit
        lines.append(line)
    for n in range(workers):
        line = [0] * (masters * workers + 2)
        line[n : masters * workers : workers] = [1] * masters
        line[-1] = 1
        lines.append(line)
    return lines


def _optimise(lines: list[Row], aim: Row, columns: list[int], basic: list[int]) -> int:
    """Pivot until no column improves the aim; return the denominator of all entries."""
    bottom, patience = 1, PATIENT
    while True:
        better = [s for s in range(len(columns)) if aim[s] > 0]
        if not better:
            return bottom
        s = max(better, key=aim.__getitem__) if patience else min(better, key=columns.__getitem__)
        able = [i for i, line in enumerate(lines) if line[s] > 0]
        i = min(able, key=lambda i: (Fraction(lines[i][-1], lines[i][s]), basic[i]))
        patience = PATIENT if lines[i][-1] else max(patience - 1, 0)
        bottom = _pivot(lines, aim, i, s, bottom)
        columns[s], basic[i] = basic[i], columns[s]


def _pivot(lines: list[Row], aim: Row, i: int, s: int, bottom: int) -> int:
    """Exchange basic variable ``i`` for column ``s``; return the new denominator."""
    line = lines[i]
    pivot = line[s]
    for other in [*(one for one in lines if one is not line), aim]:
        factor = other[s]
        other[:] = [(a * pivot - factor * b) // bottom for a, b in zip(other, line, strict=True)]
        other[s] = -factor
    line[s] = bottom
    return pivot
