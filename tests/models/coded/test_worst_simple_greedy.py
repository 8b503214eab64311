"""Program coded.worst_simple_greedy against instances of a box."""

import functools
import itertools
from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.worst_simple_greedy import speed_range
from farkas.models.worst_case import by_family
from farkas.online.coded.simple_greedy import greedy_owner
from tests.tools.boxes import coded_box


@functools.cache
def proved(ratio):
    return farkas.prove(coded_box(), f"coded.worst_simple_greedy[ratio={ratio}]")


def sides(speed):
    """Levels of the best plan and of the algorithm, by enumeration."""
    masters, workers = speed.shape
    owners = itertools.product(range(masters), repeat=workers)
    best = max(owner_levels(speed, np.array(owner)).min() for owner in owners)
    return best, owner_levels(speed, greedy_owner(speed)).min()


def grid(masters, workers, steps):
    for entries in itertools.product(steps, repeat=masters * workers):
        yield sides(np.reshape(entries, (masters, workers)))


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.25, 1.5])
def test_the_optimum_is_the_largest_loss_over_the_box(ratio):
    most = max(best - ratio * level for best, level in grid(2, 3, [1.0, 2.0, 3.0]))
    found = proved(ratio)
    assert found.status == "optimal"
    assert float(found.value) >= most
    assert float(found.value) == pytest.approx(most, rel=1e-9, abs=1e-9)


def test_two_workers_are_as_bad_as_the_box_allows():
    # the fastest pair leaves the other master the slowest: 1 instead of 3
    found = farkas.prove(coded_box(workers=2), "coded.worst_simple_greedy[ratio=2]")
    assert float(found.value) == pytest.approx(3.0 - 2.0 * 1.0)
    assert max(best - 2 * level for best, level in grid(2, 2, [1.0, 2.0, 3.0])) == 1.0


def test_unlike_masters_are_not_taken_for_equal_ones():
    # the second master needs half as many rows: its speeds are twice as large
    box = coded_box().replace(masters=[{"rows": 20}, {"rows": 10}])
    found = farkas.prove(box, "coded.worst_simple_greedy[ratio=1.5]")
    scale = np.array([[1.0], [2.0]])
    steps = itertools.product([1.0, 2.0, 3.0], repeat=6)
    scored = [sides(np.reshape(speed, (2, 3)) * scale) for speed in steps]
    most = max(best - 1.5 * level for best, level in scored)
    assert float(found.value) >= most
    assert most >= 0.25


@pytest.mark.slow
def test_a_point_is_decoded_to_rates_and_shifts_of_the_box_with_its_speeds():
    box = coded_box()
    program = programs.build("coded.worst_simple_greedy[ratio=1.25]")
    form = program.form(box)
    found = proved(1.25)
    values = by_family(form, found.point)
    data = program.decoded(box, values)
    unit = 1.0 / 10.0 / (1.0 + 2.1461932206205825)  # h - ln(1 + h) = 1
    assert Pairs.of(data).speed == pytest.approx(values["speed"] * unit, rel=1e-12)
    assert 1.0 <= data.rates.min() <= data.rates.max() <= 3.0
    assert 1.0 / 3.0 <= data.shifts.min() <= data.shifts.max() <= 1.0


@pytest.mark.slow
def test_a_margin_leaves_the_algorithm_no_choice():
    box = coded_box()
    program = programs.build("coded.worst_simple_greedy[ratio=1.25,margin=0.01]")
    found = farkas.prove(box, program)
    best, level = sides(by_family(program.form(box), found.point)["speed"])
    assert best - 1.25 * level == pytest.approx(float(found.value), rel=1e-9)


def test_speeds_reach_from_the_slowest_rate_and_largest_shift_to_the_opposite():
    low, high = speed_range(coded_box().replace(shift=[[2.0, 1.0, 1.0]] * 2), "it")
    speeds = [Pairs.of(coded_box().replace(rate=[[u] * 3] * 2, shift=[[a] * 3] * 2)).speed[0, 0]
              for u, a in ((1.0, 2.0), (3.0, 1.0))]  # fmt: skip
    assert low.min() == 1.0
    assert high.max() == pytest.approx(speeds[1] / speeds[0], rel=1e-12)
    assert high.max() >= speeds[1] / speeds[0]


def test_a_box_of_equal_speeds_is_one_instance():
    # three workers for two masters: somebody has one only, whoever gives them away
    found = farkas.prove(coded_box(most=1.0), "coded.worst_simple_greedy[ratio=0.5]")
    assert found.status == "optimal"
    assert found.value == Fraction(1, 2)


def test_what_it_is_not_about_is_refused():
    with pytest.raises(NotApplicable, match="pairs are forbidden"):
        programs.build("coded.worst_simple_greedy").form(farkas.load("coded/tiny"))
    with pytest.raises(NotApplicable, match="a worker for every master"):
        programs.build("coded.worst_simple_greedy").form(coded_box(workers=2, masters=3))
