"""Elementary functions are within an ulp, and variates follow their laws."""

from __future__ import annotations

import ast
import hashlib
import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from farkas.instances.variates import dirichlet, exponential, multinomial, normal
from farkas.portable_functions import exp, log, log1p, turn, uniform
from tests.tools.shared import ROOT

COUNT = 40_000
NEVER = 1e-6
"""Probability with which a correct law would fail a test; seeds are fixed."""
RNG = np.random.default_rng(20)


def sine(x):
    return turn(x)[0]


def cosine(x):
    return turn(x)[1]


def sizes(low, high):
    """Numbers of all sizes from 10**low to 10**high."""
    return 10.0 ** RNG.uniform(low, high, 400)


HALF_STEPS = (RNG.integers(-60_000, 60_000, 400) + 0.5) * math.log(2) / 64
"""Where exp passes from one entry of its table to the next."""
GRID_EDGES = (np.arange(91, 182) + 0.5) / 128
"""The same of log."""


@pytest.mark.parametrize(
    ("function", "true", "worst", "given"),
    [
        (exp, mpmath.exp, 0.52, [HALF_STEPS, -sizes(-300, 2.8), sizes(-300, 2.8), [-745.0]]),
        (log, mpmath.log, 0.52, [GRID_EDGES, sizes(-320, 308), 1 + sizes(-15, 0), [5e-324]]),
        (log1p, mpmath.log1p, 2.0, [sizes(-300, 300), -sizes(-300, -0.1)]),
        (sine, mpmath.sinpi, 0.8, [sizes(-300, 8), RNG.uniform(-4, 4, 400)]),
        (cosine, mpmath.cospi, 0.8, [sizes(-300, 8), RNG.uniform(-4, 4, 400)]),
    ],
)
def test_functions_are_within_an_ulp(function, true, worst, given):
    numbers = np.concatenate(given)
    with mpmath.workprec(1200):
        for number, found in zip(numbers.tolist(), function(numbers).tolist(), strict=True):
            exact = true(mpmath.mpf(number))
            allowed = 1.0 if abs(found) < 1e-307 else worst
            assert abs(found - exact) <= allowed * math.ulp(float(exact)), number


def test_functions_at_the_ends():
    assert exp([-1e300, -np.inf, 0.0, 1e300]).tolist() == [0.0, 0.0, 1.0, np.inf]
    assert log([0.0, 1.0]).tolist() == [-np.inf, 0.0]
    assert log1p([0.0, 1e-320]).tolist() == [0.0, 1e-320]
    halves = np.arange(-4, 5) / 2
    assert sine(halves).tolist() == [0, 1, 0, -1, 0, 1, 0, -1, 0]
    assert cosine(halves).tolist() == [1, 0, -1, 0, 1, 0, -1, 0, 1]


def test_the_bits_are_those_that_seeds_name():
    # every hash of a drawn instance rests on them
    x = np.random.default_rng(7).uniform(0, 30, 10_000)
    found = b"".join(y.tobytes() for y in (exp(-x), exp(x), log(x), log1p(x), *turn(x)))
    assert hashlib.sha256(found).hexdigest()[:12] == "acd27ab815be"


def check(sample, law):
    """Kolmogorov and Smirnov: sup |F_n - F| exceeds sqrt(ln(2/p) / 2n) with probability <= p."""
    distance = stats.kstest(sample, law.cdf).statistic
    assert distance <= math.sqrt(math.log(2 / NEVER) / (2 * len(sample)))


def test_normals_are_normal():
    sample = normal(np.random.default_rng(1), COUNT)
    check(sample, stats.norm)
    check((sample[::2] + sample[1::2]) / math.sqrt(2), stats.norm)  # the two of a pair
    check((sample[1:-1:2] + sample[2::2]) / math.sqrt(2), stats.norm)  # and of neighbours


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
    means = shares.mean(axis=0)  # 1/3 each, deviation about sqrt(2/9 / 2000) = 0.0105
    assert means == pytest.approx(np.full(3, 1 / 3), abs=5 * 0.0105)


def test_balls_fall_by_their_shares():
    shares = np.array([0.2, 0.0, 0.5, 0.3])
    balls = multinomial(np.random.default_rng(5), COUNT, shares)
    assert (balls.sum(), balls[1]) == (COUNT, 0)
    expected = COUNT * shares[[0, 2, 3]]
    chi_square = ((balls[[0, 2, 3]] - expected) ** 2 / expected).sum()
    assert chi_square <= stats.chi2(2).isf(NEVER)
    # weights count only in proportion
    assert np.array_equal(multinomial(np.random.default_rng(5), COUNT, 7 * shares), balls)


def test_variates_take_what_they_say_from_the_generator():
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    low, high = np.array([0.1, -3.0]), np.array([0.8, 1e6])
    found = uniform(one, low, high, (1000, 2))
    assert found == pytest.approx(other.uniform(low, high, (1000, 2)), rel=1e-15)
    assert uniform(one, 2.0, 5.0) == pytest.approx(other.uniform(2.0, 5.0), rel=1e-15)
    found = exponential(one, (3, 4))
    assert found.ravel() == pytest.approx(-np.log(1 - other.random(12)), rel=1e-15)
    found = normal(one, 5)  # three radii, then three angles; the last sine is dropped
    radius, angle = np.sqrt(-2 * np.log(1 - other.random(3))), 2 * np.pi * other.random(3)
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    assert found == pytest.approx(pairs.ravel()[:5], rel=1e-12)
    assert one.random() == other.random()


OF_THE_MACHINE = {
    "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "pow", "power", "sin", "cos", "tan",
    "hypot", "dot", "matmul", "einsum", "tensordot", "interp", "geomspace", "logspace",
}  # fmt: skip
VARIATES = {
    "beta", "binomial", "dirichlet", "exponential", "gamma", "geometric", "lognormal",
    "multinomial", "normal", "pareto", "poisson", "standard_normal", "uniform", "weibull", "zipf",
}  # fmt: skip


@pytest.mark.parametrize("folder", ["generate", "traces"])
def test_what_is_drawn_takes_no_bits_from_the_machine(folder):
    banned = {"np": OF_THE_MACHINE, "math": OF_THE_MACHINE, "rng": VARIATES}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "farkas" / "instances" / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Attribute)
            and node.attr in banned.get(ast.unparse(node.value).split(".")[-1], ()))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))
    ]  # fmt: skip
    assert not found, "draw with farkas.portable_functions and farkas.instances.variates"
