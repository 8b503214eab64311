"""Lines over a setting, as means over seeds, and numbers as the words of a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.exhibit import Progress
from farkas.experiments.figures.figure import Numbers, Series


def mean_lines(
    values: Sequence[float],
    seeds: Sequence[int],
    measure: Callable[[Any, int], Mapping[str, float]],
    progress: Progress,
    *,
    ranges: bool = False,
) -> list[Series]:
    """Draw a line for every name that is measured.

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
    ranges
        Whether the lines have the range over the seeds around them.
    """
    found: dict[str, list[list[float]]] = {}
    for at, value in enumerate(values):
        measured = []
        for turn, seed in enumerate(seeds):
            measured.append(measure(value, seed))
            progress(at * len(seeds) + turn + 1, len(values) * len(seeds))
        for name in measured[0]:
            found.setdefault(name, []).append([numbers[name] for numbers in measured])
    lines = []
    for name, every in found.items():
        low, high = ([end(each) for each in every] if ranges else None for end in (min, max))
        lines.append(Series(name, values, [float(np.mean(each)) for each in every], low, high))
    return lines


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
