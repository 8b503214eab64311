"""Variates follow their laws, and take from the generator what they say they take."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from farkas.portable.draws import dirichlet, exponential, multinomial, normal, uniform

COUNT = 40_000
NEVER = 1e-6
"""Probability with which a correct law would fail a test; seeds are fixed."""


def check(sample, law):
    """Kolmogorov and Smirnov: sup |F_n - F| exceeds sqrt(ln(2/p) / 2n) with probability <= p."""
    distance = stats.kstest(sample, law.cdf).statistic
    assert distance <= math.sqrt(math.log(2 / NEVER) / (2 * len(sample)))


def generators(seed=5):
    return np.random.default_rng(seed), np.random.default_rng(seed)


def test_normals_are_normal():
    rng = np.random.default_rng(1)
    sample = normal(rng, COUNT)
    check(sample, stats.norm)
    check((sample[::2] + sample[1::2]) / math.sqrt(2), stats.norm)  # the two of a pair
    check((sample[1:-1:2] + sample[2::2]) / math.sqrt(2), stats.norm)  # and of neighbours
    check(np.array([normal(rng) for _ in range(COUNT // 10)]), stats.norm)


def test_exponentials_are_exponential():
    check(exponential(np.random.default_rng(2), COUNT), stats.expon)


@pytest.mark.parametrize("concentration", [0.3, 1.0, 2.5])
def test_shares_are_dirichlet(concentration):
    shares = dirichlet(np.random.default_rng(3), concentration, (COUNT, 3))
    assert shares.sum(axis=1) == pytest.approx(1.0, rel=1e-15)
    for site in range(3):
        check(shares[:, site], stats.beta(concentration, 2 * concentration))
    # given the first, the second is a beta share of the rest
    rest = shares[:, 1] / (1 - shares[:, 0])
    check(rest[shares[:, 0] < 1], stats.beta(concentration, concentration))


def test_shares_with_tiny_concentrations_are_numbers():
    # gamma variates of shape 1e-3 are below 1e-308 in half of the cases
    shares = dirichlet(np.random.default_rng(4), 1e-3, (2000, 3))
    assert np.isfinite(shares).all()
    means = shares.mean(axis=0)  # 1/3 each, deviation about sqrt(2/9 / 2000) = 0.0105
    assert means == pytest.approx(np.full(3, 1 / 3), abs=5 * 0.0105)


def test_balls_fall_by_their_shares():
    shares = np.array([0.2, 0.0, 0.5, 0.3])
    balls = multinomial(np.random.default_rng(5), COUNT, shares)
    assert balls.sum() == COUNT
    assert balls[1] == 0
    expected = COUNT * shares[[0, 2, 3]]
    chi_square = ((balls[[0, 2, 3]] - expected) ** 2 / expected).sum()
    assert chi_square <= stats.chi2(2).isf(NEVER)
    assert multinomial(np.random.default_rng(5), 0, shares).tolist() == [0, 0, 0, 0]
    # weights count only in proportion
    assert np.array_equal(multinomial(np.random.default_rng(5), COUNT, 7 * shares), balls)


def test_uniform_has_the_stream_of_numpy_but_for_a_fused_product():
    one, other = generators()
    low, high = np.array([0.1, -3.0]), np.array([0.8, 1e6])
    found = uniform(one, low, high, (1000, 2))
    assert np.all(np.abs(found - other.uniform(low, high, (1000, 2))) <= np.spacing(np.abs(found)))
    assert uniform(one, 2.0, 5.0) == pytest.approx(other.uniform(2.0, 5.0), rel=1e-15)
    assert one.random() == other.random()


def test_variates_take_what_they_say_from_the_generator():
    one, other = generators()
    found = exponential(one, (3, 4))
    assert found.ravel() == pytest.approx(-np.log(1 - other.random(12)), rel=1e-15)
    found = normal(one, 5)  # three radii, then three angles; the last sine is dropped
    radius, turn = np.sqrt(-2 * np.log(1 - other.random(3))), 2 * np.pi * other.random(3)
    pairs = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    assert found == pytest.approx(pairs.ravel()[:5], rel=1e-12)
    assert isinstance(normal(one), float)
    assert normal(np.random.default_rng(0), 1)[0] == normal(np.random.default_rng(0))
    other.random(2)
    assert one.random() == other.random()
