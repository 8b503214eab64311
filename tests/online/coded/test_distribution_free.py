"""Plans by measured times: near the best that enumeration finds, and guaranteed as stated."""

import msgspec
import numpy as np
import pytest

from farkas.errors import NotACertificate, NotApplicable
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.coded.distribution_free import MeasuredGrains
from farkas.verbs.check_run import prove_run
from tests.generators.coded import measured_computing
from tests.references.coded_measured import best_time


def drawn(seed, rows=2, size=40):
    rng = np.random.default_rng(seed)
    times = [(rng.integers(4, 13, size) / 4).tolist() for _ in range(2)]
    return measured_computing(times, law=[[0, 1, 0, 1], [1, 1, 0, 0]], rows=rows, confidence=0.5)


@pytest.mark.parametrize("seed", range(3))
def test_a_run_is_near_the_best_guarantee_by_enumeration_and_never_below(seed):
    data = drawn(seed)
    best = float(best_time(data))
    run = algorithms["coded.distribution_free"].run(data)
    assert not run.violations
    assert best <= run.value <= best * 1.25
    assert float(run.certificate) <= best
    assert run.ratio >= 1


def test_a_run_says_what_it_assumes_and_is_proved_again():
    data = drawn(1)
    run = algorithms["coded.distribution_free"].run(data)
    assert run.numbers["confidence"] == 0.5
    assert run.numbers["margin"] == max(data.measured.margins)
    (said,) = run.remarks
    assert said.startswith("With confidence 0.5 every master has its rows")
    assert "independent samples" in said
    again = prove_run(run, data, "test")
    assert again.ratio == run.ratio
    assert said in again.statement


def test_bounds_of_exponential_laws_and_of_measured_times_are_not_exchanged():
    data = drawn(2)
    names = ("coded.distribution_free", "coded.chance_search", "coded.simple_greedy")
    runs = [algorithms[name].run(data) for name in names]
    for run in runs:
        for other in runs:
            if other is not run:
                forged = msgspec.structs.replace(run, certificate=other.certificate, ratio=None)
                with pytest.raises(NotACertificate, match="does not bound runs"):
                    prove_run(forged, data, "test")


def test_more_confidence_costs_time():
    data = drawn(3, rows=20)
    surer = data.replace(measured=msgspec.structs.replace(data.measured, confidence=0.95))
    late, early = (algorithms["coded.distribution_free"].run(one).value for one in (surer, data))
    assert late >= early


def test_an_instance_without_measured_times_is_refused():
    with pytest.raises(NotApplicable, match="no measured times"):
        algorithms["coded.distribution_free"].run(library.load("coded/tiny"))


def test_times_that_guarantee_too_little_leave_a_run_without_value():
    run = algorithms["coded.distribution_free"].run(drawn(0, size=2))
    assert run.ratio is None
    assert "never guarantee master 0" in run.violations[0]


def test_loads_are_searched_by_the_measured_steps():
    data = drawn(0, rows=100, size=20)
    grains = MeasuredGrains(data, 400)
    first = np.array([0, 1])
    assert grains.time(0, first, np.array([0, 0])) == np.inf
    loads = np.array([100, 100])
    time = grains.time(0, first, loads)
    assert grains.chance(0, first, loads, time) >= 0.7
    assert grains.chance(0, first, loads, time * (1 - 1e-6)) < 0.7
    every = [100 * x for times in data.measured.times for x in times]
    assert min(abs(time - one) for one in every) < 1e-9 * time
    assert grains.time(0, first, np.array([50, 50])) == np.inf  # both wanted: (1 - ε)² < 0.7
