"""Lines over a setting, as means over instances, and numbers as the words of a note."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.exhibit import Progress
from farkas.experiments.figures.figure import Chart, Numbers, Places, Series
from farkas.numbers import Floats

LEVEL = 0.95
FEW = 4
"""Below so many instances a t interval says nothing: of two it is thirteen standard errors wide."""
ANY = (-math.inf, math.inf)
SHARES = (0.0, 1.0)
"""What shares and probabilities lie within."""


def mean_lines(
    values: Sequence[float],
    seeds: Sequence[int],
    measure: Callable[[Any, int], Mapping[str, float]],
    progress: Progress,
    within: tuple[float, float] = ANY,
) -> list[Series]:
    """Draw a line of means for every name that is measured, as `mean_series`.

    Parameters
    ----------
    values
        Of the setting, from left to right.
    seeds
        Over which means are taken.
    measure
        Called with a value and a seed; gives a number by name of the line, always the same names.
    progress
        Called after every measurement.
    within
        As in `mean_series`.
    """
    found: dict[str, list[list[float]]] = {}
    for turn, seed in enumerate(seeds):
        for at, value in enumerate(values):
            measured = measure(value, seed)
            progress(turn * len(values) + at + 1, len(values) * len(seeds))
            for name, number in measured.items():
                found.setdefault(name, [[] for _ in seeds])[turn].append(number)
    return [mean_series(name, values, every, within=within) for name, every in found.items()]


def mean_series(
    name: str, x: Places, every: Any, chart: Chart = "line", within: tuple[float, float] = ANY
) -> Series:
    """Means over instances with 95 % t intervals; with the range of fewer instances than `FEW`.

    The interval holds the mean of all instances in 95 of 100 draws if numbers are about normal; a
    bootstrap of five instances would promise more than it keeps.

    Parameters
    ----------
    every
        Shape (instances, points).
    within
        Least and greatest number that can be measured: no mean lies beyond, nor do intervals.
    """
    numbers = np.asarray(every, dtype=float)
    mean = numbers.mean(axis=0)
    if len(numbers) < 2:
        return Series(name, x, mean, chart=chart)
    if len(numbers) < FEW:
        low, high = numbers.min(axis=0), numbers.max(axis=0)
    else:
        half = half_width(numbers)
        low, high = np.maximum(mean - half, within[0]), np.minimum(mean + half, within[1])
    # a mean of equal numbers may lie a rounding error outside its own range
    low, high = np.minimum(low, mean), np.maximum(high, mean)
    return Series(name, x, mean, low, high, chart)


def spread(count: int) -> str:
    """Say what stands around means over so many instances.

    >>> spread(2), spread(5)
    ('their least and greatest value', '95 % t intervals of the mean')
    """
    return "their least and greatest value" if count < FEW else "95 % t intervals of the mean"


def half_width(numbers: Floats) -> Floats:
    """Half of the 95 % t interval of the means of columns; shape (instances >= 2, points).

    >>> half_width(np.array([[1.0], [3.0]])).round(4)  # t = 12.7062, s = sqrt 2, n = 2
    array([12.7062])
    """
    from scipy.special import stdtrit

    count = len(numbers)
    quantile = float(stdtrit(count - 1, (1 + LEVEL) / 2))
    with np.errstate(invalid="ignore"):  # infinite numbers have no interval
        deviation = numbers.std(axis=0, ddof=1)
    return np.asarray(quantile * deviation / math.sqrt(count))


def by_name(lines: Sequence[Series]) -> dict[str, Numbers]:
    """Values of lines by their name."""
    return {line.name: line.y for line in lines}


def listed(numbers: Mapping[str, float], form: str) -> str:
    """Names with their numbers, for notes.

    >>> listed({"Local": 1.25, "Central": 2}, ".1f")
    'Local 1.2, Central 2.0'
    """
    return ", ".join(f"{name} {number:{form}}" for name, number in numbers.items())


def shown(length: int, most: int = 101) -> np.ndarray:
    """Up to so many places of a long line, evenly apart, the first and the last among them.

    >>> shown(5, 3).tolist(), shown(2).tolist(), shown(0).tolist()
    ([0, 2, 4], [0, 1], [])
    """
    return np.unique(np.linspace(0, max(0, length - 1), most).astype(int))[:length]
