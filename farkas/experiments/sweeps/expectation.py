"""Randomised policies: ratios of expected values, by instance, over the seeds of a sweep."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterable
from fractions import Fraction

from farkas.certificates.doubles import double
from farkas.certificates.packed import rational
from farkas.certificates.ratio import certified_ratio
from farkas.experiments.sweeps.task import Result
from farkas.forms import Sense

LEVEL = 0.95  #: Probability that an interval is meant to cover the expectation with.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """Value of one algorithm on one instance, over seeds, against one proved bound."""

    instance: str  #: Hash of the instance.
    seeds: int  #: Number of runs, >= 2.
    mean: float  #: Mean value of the runs.
    #: low, high: ends of the 95 % t interval of the expected value.
    low: float
    high: float
    ratio: float | None  #: Mean value to the tightest bound of the runs, >= 1, rounded up.
    #: least, most: the ratio at either end of the interval; None where it says nothing.
    least: float | None
    most: float | None


def expectations(runs: Iterable[Result], sense: Sense) -> list[Expectation]:
    """Return the expectation on every instance that has runs of two seeds and more.

    The runs are of one algorithm with one set of options, each with a value and a proved bound.
    """
    groups: dict[str, dict[int, Result]] = collections.defaultdict(dict)
    for run in runs:
        groups[run.task.instance][run.task.seed] = run
    return [
        _expectation(sha, list(by_seed.values()), sense)
        for sha, by_seed in sorted(groups.items())
        if len(by_seed) > 1
    ]


def _expectation(instance: str, runs: list[Result], sense: Sense) -> Expectation:
    values = [Fraction(run.value) for run in runs if run.value is not None]
    count, mean = len(values), sum(values, Fraction(0)) / len(values)
    variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (count - 1)
    half = Fraction(_quantile(count - 1) * math.sqrt(variance / count))
    tightest = max if sense == "min" else min
    bound = tightest(rational(run.bound, "bound") for run in runs)
    better, worse = (mean - half, mean + half) if sense == "min" else (mean + half, mean - half)
    return Expectation(
        instance=instance,
        seeds=count,
        mean=float(mean),
        low=float(mean - half),
        high=float(mean + half),
        ratio=_ratio(sense, mean, bound),
        least=_ratio(sense, better, bound),
        most=_ratio(sense, worse, bound),
    )


def _ratio(sense: Sense, value: Fraction, bound: Fraction) -> float | None:
    """Ratio of a value that may lie beyond the bound, where it is 1."""
    beyond = value < bound if sense == "min" else value > bound
    found = certified_ratio(sense, bound if beyond else value, bound, exact=True)
    return None if found is None else double(found, up=True)


def _quantile(freedom: int) -> float:
    """Quantile of Student's t for a two-sided interval."""
    from scipy.special import stdtrit  # here: most sweeps have one seed

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
