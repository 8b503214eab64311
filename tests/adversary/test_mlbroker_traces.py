"""Traces searched for in closed form, and proved on their instances."""

from __future__ import annotations

import itertools

import pytest

from farkas.adversary.mlbroker_traces import FORBIDDEN, Wandering, worst_trace
from farkas.errors import InvalidOption
from farkas.online import algorithms

HARMONIC = Wandering(((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 2.0, 0.0)), (0, 1, 2))


def harmonic(sites):
    return sum(1 / k for k in range(1, sites + 1))


def test_the_cost_of_a_trace_by_hand():
    assert HARMONIC.cost(3.0) == pytest.approx(1 + 1 / 2 + 1 / 3)
    assert HARMONIC.staying == (2, 1.0)
    # data that stay at a site to which no others are moved are paid for at another one
    assert Wandering(((0.0, 0.25), (FORBIDDEN, 0.0)), (0, 0, 1)).staying == (1, 1.5)


def test_the_algorithm_pays_what_the_closed_form_says():
    trace = worst_trace(4, 1.0, tried=3000).trace
    for workers in (1, 7):
        run = algorithms["mlbroker.fractional[tight]"].run(trace.instance(1.0, workers))
        assert run.value == pytest.approx(trace.cost(1.0), rel=1e-4)


def test_the_printed_relaxation_pays_nearly_as_much():
    # the server's share 1/(N+1) of a deployment stays where the job is deployed already
    run = algorithms["mlbroker.fractional"].run(HARMONIC.instance(1.0, 99), relax="printed")
    assert run.value == pytest.approx(1 + (0.99 - 2 / 3) + 0.99 / 2, abs=1e-4)


@pytest.mark.ids(2)
@pytest.mark.parametrize(("sites", "epsilon"), [(3, 0.1), (4, 1.0), (5, 10.0), (6, 10.0)])
@pytest.mark.parametrize("seed", [0, 1])
def test_more_than_the_harmonic_family_is_found_from_random_traces(sites, epsilon, seed):
    assert worst_trace(sites, epsilon, tried=1600 * sites, seed=seed).ratio > harmonic(sites)


def test_one_site_has_no_gap():
    assert worst_trace(1, 1.0, tried=50).ratio == 1


def free_or_closed(slots):
    """All traces of two sites whose data are moved for nothing or not at all."""
    for first, second in itertools.product((0.0, FORBIDDEN), repeat=2):
        for origins in itertools.product(range(2), repeat=slots):
            yield Wandering(((0.0, first), (second, 0.0)), origins)


def test_no_trace_of_two_sites_without_tolls_is_worse_than_the_harmonic_one():
    assert max(trace.ratio(5.0) for trace in free_or_closed(4)) == pytest.approx(1.5)
    assert worst_trace(2, 5.0, slots=4, tried=4000).ratio > 1.55  # tolls make it worse


def test_the_same_seed_finds_the_same_and_sizes_are_kept():
    one, two = (worst_trace(3, 2.0, slots=4, tried=500, seed=4) for _ in range(2))
    assert one == two
    assert len(one.trace.origins) <= 4
    assert one.tried == 500
    assert worst_trace(3, 2.0, slots=4, tried=500, seed=5) != one


@pytest.mark.parametrize("wrong", [{"sites": 0}, {"epsilon": 0.0}, {"tried": 0}, {"slots": 0}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidOption, match=next(iter(wrong))):
        worst_trace(**({"sites": 2, "epsilon": 1.0} | wrong))
