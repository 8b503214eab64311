"""Program mlbroker.relaxed: order of the bounds, proofs, and the fast path by job."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.instances import library
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.solvers import solve
from tests.conformance.oracle import variants
from tests.generators.mlbroker import edge_cases, random_brokerage

EDGES = edge_cases()
RANDOM = {f"random {n}": random_brokerage(n, sites=3, jobs=4, resources=2) for n in range(4)}
DATA = {**EDGES, **RANDOM}
every_instance = pytest.mark.parametrize("name", DATA)
every_variant = pytest.mark.parametrize("program", variants(Relaxed), ids=lambda p: p.full_name)


def value(program, data):
    return solve(program.form(data)).require_optimal().objective


@every_variant
@every_instance
def test_duals_prove_the_bound_exactly(program, name):
    form = program.form(DATA[name])
    answer = solve(form).require_optimal()
    proved = exact_bound(form, answer.row_duals)
    assert isinstance(proved, Fraction)
    assert float(proved) == pytest.approx(answer.objective, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("tiny", {"printed": 14.1928571, "tight": 16.8}),
        # one worker of half a site's data each: only the sharp bound sees the 5 USD of traffic
        ("surplus_worker", {"tight,strict": 0.7, "sharp,strict": 3.2}),
        ("return_trip", {"tight": 6.6, "tight,strict": 9.15}),
        # the constant of the harmonic counterexample: hindsight deploys once
        ("harmonic", {"printed": 1.0, "tight": 1.0}),
    ],
)
def test_known_bounds(name, bounds):
    data = library.load(f"mlbroker/{name}")
    for variant, expected in bounds.items():
        program = programs.build(f"mlbroker.relaxed[{variant}]")
        assert value(program, data) == pytest.approx(expected)


def test_a_larger_constant_makes_the_printed_bound_collapse():
    # once M >= (a + b) H + e, resources cost nothing in (9), however many are used
    data = random_brokerage(2, sites=2, jobs=3)
    smallest = data.smallest_big_m
    bounds = [
        value(Relaxed(), data.replace(big_m=factor * smallest)) for factor in (1, 2, 5, 100, 1000)
    ]
    assert bounds[0] > bounds[1] + 1e-6
    assert all(high >= low - 1e-9 for high, low in itertools.pairwise(bounds))
    assert bounds[-1] == pytest.approx(bounds[-2])
    free = data.replace(
        big_m=None,
        base_price=np.zeros((2, 1)),
        discount_price=None,
        discount_threshold=None,
    )
    assert bounds[-1] == pytest.approx(value(Relaxed(), free))
