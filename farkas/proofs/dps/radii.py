"""Confidence radii (13), (14): exact binomial tails, and what wider variables do to them."""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from farkas.numbers import Floats
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import Trials

OFFERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5120)
MEANS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999)


def radius(eta: float, mean: Floats, offers: float) -> Floats:
    """η / (1 + N) + √(η X / (1 + N))."""
    wide: Floats = eta / (1.0 + offers) + np.sqrt(eta * mean / (1.0 + offers))
    return wide


def failure(eta: float, offers: int, mean: float) -> float:
    """Probability that the mean of N coin flips is further from its expectation than its radius."""
    seen = np.arange(offers + 1) / offers
    outside = np.abs(seen - mean) > radius(eta, seen, offers)
    return float(chances(offers, mean)[outside].sum())


def chances(offers: int, mean: float) -> Floats:
    """Probability of each number of successes, shape (offers + 1,)."""
    from scipy import stats

    found: Floats = stats.binom.pmf(np.arange(offers + 1), offers, mean)
    return found


def worst_failure(eta: float) -> tuple[float, int, float]:
    """Largest failure probability over numbers of offers and means, with where it occurs."""
    return max((failure(eta, n, q), n, q) for n in OFFERS for q in MEANS)


@claim("dps.confidence_radius", source="DPS (13), (14), η = ln n")
def confidence_radius() -> Verdict:
    """With η = ln n the radius fails with probability n^{-2} at most.

    Exact tails decay like e^{-c η} with c below 1, falling towards 1/2 for large η.
    """
    jobs = 1000
    worst, offers, mean = worst_failure(math.log(jobs))
    return refuted(
        {"jobs": jobs, "offers": offers, "mean": mean},
        Stated(worst, "<=", jobs**-2.0),
        failure=worst,
        promised=jobs**-2.0,
        exponent=-math.log(worst) / math.log(jobs),
    )


def _misses(example: Mapping[str, Any]) -> Saying:
    jobs, offers, mean = example["jobs"], example["offers"], example["mean"]
    missed = failure(2.5 * math.log(jobs), offers, mean)
    return said(Stated(missed, "<=", jobs**-2.0))


def _threefold(example: Mapping[str, Any]) -> Saying:
    jobs, offers, mean = example["jobs"], example["offers"], example["mean"]
    eta, seen = math.log(jobs), np.arange(offers + 1) / offers
    wide = radius(eta, seen, offers) > 3.0 * radius(eta, np.array(mean), offers)
    tail = float(chances(offers, mean)[wide].sum())
    return said(Stated(tail, "<=", jobs**-2.0), tail=tail)


def _grid(sizes: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Every number of jobs of a grid, with every number of offers and every mean."""
    for jobs, offers, mean in itertools.product(sizes, OFFERS, MEANS):
        yield {"jobs": jobs, "offers": offers, "mean": mean}


def _spread() -> Iterator[dict[str, Any]]:
    """Some of a grid, with its ends."""
    return itertools.islice(_grid((2, 1000)), 0, None, 16)


SPREAD = Among(samples=_spread, ranges={"jobs": (2, 1000), "mean": (0.001, 0.999)})


@claim(
    "dps.confidence_radius_repaired",
    source="DPS (13), (14), η = 2.5 ln n",
    says=_misses,
    among=SPREAD,
)
def confidence_radius_repaired() -> Verdict:
    """With η = 2.5 ln n the radius fails with probability n^{-2} at most, for n up to 1000."""
    trials = Trials()
    for example in _grid((2, 5, 10, 50, 100, 300, 1000)):
        trials.hear(example, _misses(example))
    return trials.verdict("exact tails on a grid of offers and means")


@claim(
    "dps.radius_at_most_threefold",
    source="DPS appendix C, from [18]",
    says=_threefold,
    among=SPREAD,
)
def radius_at_most_threefold() -> Verdict:
    """The radius of the estimate is at most three times the radius of the expectation.

    Exact tails: the probability of more is below 1e-3 for η = 2 and below n^{-2} for η = ln n.
    """
    trials, largest = Trials(), 0.0
    for example in _grid((10, 100, 1000)):
        found = _threefold(example)
        trials.hear(example, found)
        largest = max(largest, found.numbers["tail"])
    return trials.verdict(largest_tail=largest)


DRAWN = 100  #: Offers of a run of random demands.


def _demands(runs: int, seed: int) -> Iterator[tuple[int, Floats, Floats]]:
    """Largest demand, and the mean demand of runs with its distance from the expectation."""
    rng = np.random.default_rng(seed)
    for most in (10, 30, 60):
        sold = rng.integers(1, most + 1, (runs, DRAWN)) * (rng.random((runs, DRAWN)) < 0.5)
        mean = sold.mean(axis=1)
        yield most, mean, np.abs(mean - 0.25 * (most + 1))


@claim("dps.radius_of_demands", source="DPS (13), (14), demands above 1")
def radius_of_demands() -> Verdict:
    """The same radii hold for the units sold per offer when jobs ask for more than one unit.

    A demand up to 60 spreads sixty times as wide as the coin flips the radius is made for.
    """
    jobs, runs = 700, 4000
    missed = {
        most: float((error > radius(math.log(jobs), mean, DRAWN)).mean())
        for most, mean, error in _demands(runs, seed=0)
    }
    return refuted(
        {"jobs": jobs, "offers": DRAWN, "runs": runs, "seed": 0},
        Stated(missed[60], "<=", jobs**-2.0),
        "dps_scaled widens the radii to the range",
        missed_up_to_10=missed[10],
        missed_up_to_30=missed[30],
        missed_up_to_60=missed[60],
        promised=jobs**-2.0,
    )


@claim("dps.radius_of_ranges", source="DPS (13), (14), widened")
def radius_of_ranges() -> Verdict:
    """Radii B η / (1 + N) + √(B η X / (1 + N)) with η = 3 ln n hold for variables in [0, B]."""
    trials = Trials()
    for most, mean, error in _demands(2000, seed=1):
        wide = radius(3.0 * math.log(700) * most, mean, DRAWN)
        example = {"jobs": 700, "offers": DRAWN, "most": most, "seed": 1}
        for off, allowed in zip(error.tolist(), wide.tolist(), strict=True):
            trials.add(example, Stated(off, "<=", allowed))
    return trials.verdict()
