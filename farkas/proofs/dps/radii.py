"""Confidence radii (13), (14): exact binomial tails, and what wider variables do to them."""

from __future__ import annotations

import math

import numpy as np

from farkas.numbers import Floats
from farkas.proofs.claim import Verdict, claim, held, refuted

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
    assert worst > jobs**-2.0
    return refuted(
        {"jobs": jobs, "offers": offers, "mean": mean},
        failure=worst,
        promised=jobs**-2.0,
        exponent=-math.log(worst) / math.log(jobs),
    )


@claim("dps.confidence_radius_repaired", source="DPS (13), (14), η = 2.5 ln n")
def confidence_radius_repaired() -> Verdict:
    """With η = 2.5 ln n the radius fails with probability n^{-2} at most, for n up to 1000."""
    slack, runs = np.inf, 0
    for jobs in (2, 5, 10, 50, 100, 300, 1000):
        worst, _, _ = worst_failure(2.5 * math.log(jobs))
        slack = min(slack, jobs**-2.0 - worst)
        runs += len(OFFERS) * len(MEANS)
    return held(runs, slack, "exact tails on a grid of offers and means")


@claim("dps.radius_at_most_threefold", source="DPS appendix C, from [18]")
def radius_at_most_threefold() -> Verdict:
    """The radius of the estimate is at most three times the radius of the expectation.

    Exact tails: the probability of more is below 1e-3 for η = 2 and below n^{-2} for η = ln n.
    """
    slack, runs = np.inf, 0
    for jobs in (10, 100, 1000):
        eta = math.log(jobs)
        for offers in OFFERS:
            seen = np.arange(offers + 1) / offers
            for mean in MEANS:
                wide = radius(eta, seen, offers) > 3.0 * radius(eta, np.array(mean), offers)
                tail = float(chances(offers, mean)[wide].sum())
                slack = min(slack, jobs**-2.0 - tail)
                runs += 1
    return held(runs, slack)


@claim("dps.radius_of_demands", source="DPS (13), (14), demands above 1")
def radius_of_demands() -> Verdict:
    """The same radii hold for the units sold per offer when jobs ask for more than one unit.

    A demand up to 60 spreads sixty times as wide as the coin flips the radius is made for.
    """
    jobs, offers, runs = 700, 100, 4000
    rng = np.random.default_rng(0)
    missed = {}
    for most in (10, 30, 60):
        sold = rng.integers(1, most + 1, (runs, offers)) * (rng.random((runs, offers)) < 0.5)
        mean = sold.mean(axis=1)
        expected = 0.25 * (most + 1)
        wide = radius(math.log(jobs), mean, offers)
        missed[most] = float((np.abs(mean - expected) > wide).mean())
    assert missed[60] > jobs**-2.0
    return refuted(
        {"jobs": jobs, "offers": offers, "runs": runs, "seed": 0},
        "dps_scaled widens the radii to the range",
        missed_up_to_10=missed[10],
        missed_up_to_30=missed[30],
        missed_up_to_60=missed[60],
        promised=jobs**-2.0,
    )


@claim("dps.radius_of_ranges", source="DPS (13), (14), widened")
def radius_of_ranges() -> Verdict:
    """Radii B η / (1 + N) + √(B η X / (1 + N)) with η = 3 ln n hold for variables in [0, B]."""
    jobs, offers, runs = 700, 100, 2000
    rng = np.random.default_rng(1)
    slack = np.inf
    for most in (10, 30, 60):
        sold = rng.integers(1, most + 1, (runs, offers)) * (rng.random((runs, offers)) < 0.5)
        mean = sold.mean(axis=1)
        wide = radius(3.0 * math.log(jobs) * most, mean, offers)
        slack = min(slack, float((wide - np.abs(mean - 0.25 * (most + 1))).min()))
    return held(3 * runs, slack)
