"""Plans by measured times: near the best that enumeration finds, and guaranteed as stated."""

import msgspec
import numpy as np
import pytest

from farkas.errors import NotACertificate, NotApplicable
from farkas.instances import library
from farkas.models.coded.law import MeasuredPairs
from farkas.online import algorithms
from farkas.online.coded.distribution_free import MeasuredGrains
from farkas.verbs.check_run import prove_run
from tests.generators.coded import measured_computing
from tests.references import coded_chance, coded_plans


def drawn(seed, rows=2, size=40):
    rng = np.random.default_rng(seed)
    times = [(rng.integers(4, 13, size) / 4).tolist() for _ in range(2)]
    return measured_computing(times, law=[[0, 1, 0, 1], [1, 1, 0, 0]], rows=rows, confidence=0.5)


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


def test_an_instance_without_measured_times_is_refused():
    with pytest.raises(NotApplicable, match="no measured times"):
        algorithms["coded.distribution_free"].run(library.load("coded/tiny"))


def test_times_that_guarantee_too_little_leave_a_run_without_value():
    run = algorithms["coded.distribution_free"].run(drawn(0, size=2))
    assert run.ratio is None
    assert "never guarantee master 0" in run.violations[0]


def laws_apart(seed, masters, workers):
    """Times of every pair, with three decimals; some pairs are forbidden."""
    rng = np.random.default_rng(seed)
    law = [
        [None if rng.random() < 0.15 else m * workers + n for n in range(workers)]
        for m in range(masters)
    ]
    times = [
        np.round(rng.lognormal(0, 0.7, int(rng.integers(20, 60))), 3).tolist()
        for _ in range(masters * workers)
    ]
    rows = int(rng.integers(4, 20))
    return measured_computing(times, law, rows=rows, confidence=0.6, success_probability=0.6)


@pytest.mark.ids(1)
@pytest.mark.parametrize(
    ("seed", "masters", "workers", "grains"), [(0, 2, 4, 400), (1, 3, 5, 6), (3, 2, 4, 6)]
)
def test_a_search_is_that_of_p1_by_what_is_guaranteed(seed, masters, workers, grains):
    data = laws_apart(seed, masters, workers)
    policy = algorithms["coded.distribution_free"].policy(grains=grains, candidates=4)
    plan, search = policy.plan(data, 0), coded_chance.Search(coded_chance.Measured(data, grains))
    owner, loads = search.plan(4, 200)
    wanted = np.zeros((masters, workers))
    for n, m in enumerate(owner):
        wanted[m, n] = loads[n] if m >= 0 else 0
    assert plan.loads.tolist() == wanted.tolist()


def test_speeds_are_the_most_that_is_guaranteed_per_time_of_a_row_and_are_reached_there():
    apart, data = 0, laws_apart(1, 3, 5)
    grains = MeasuredGrains(data, 6)
    for m, n in np.argwhere(data.allowed).tolist():
        worker = np.array([n])
        times = np.array(data.measured.times[data.measured.law[m][n]])
        rows = float(data.rows[m])  # a master is served once it has all its rows
        back = [grains.returned(m, worker, np.array([x]))[0] / (x * rows) for x in times]
        assert grains.speed[m, n] == pytest.approx(max(back), rel=1e-9)
        here = grains.time_per_row[m, n]
        reached = grains.returned(m, worker, np.array([here * (1 + 1e-12)]))[0] / (here * rows)
        assert reached == pytest.approx(max(back), rel=1e-9)
        apart += abs(here * rows * grains.speed[m, n] - 1) > 0.05
    assert apart > 5


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(6))
def test_times_of_loads_are_the_exact_ones(seed):
    data = laws_apart(seed, 2, 5)
    grains, judge = MeasuredGrains(data, 6), coded_chance.Measured(data, 6)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        m = int(rng.integers(2))
        mine = np.flatnonzero(data.allowed[m])
        loads = rng.integers(0, 7, len(mine))
        wanted = judge.time(m, dict(zip(mine.tolist(), loads.tolist(), strict=True)))
        assert grains.time(m, mine, loads) == pytest.approx(float(wanted), rel=1e-11)


def test_a_guarantee_of_just_the_probability_is_enough():
    data = measured_computing([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] * 5], rows=1)
    chances = MeasuredPairs.of(data).chances[0]
    for place in (24, 29):
        exactly = data.replace(success_probability=float(chances[place]))
        grains = MeasuredGrains(exactly, 400)
        found = grains.time(0, np.array([0]), np.array([1]))
        assert found == pytest.approx(sorted(data.measured.times[0])[place], rel=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_the_probability_times_the_best_shared_time(seed):
    data = laws_apart(seed, 2, 4)
    speed = MeasuredPairs.of(data).speed
    bound = algorithms["coded.distribution_free"].run(data, rounds=1, candidates=1).certificate
    best = data.success_probability / coded_plans.shared_level(speed.tolist())
    assert float(bound) == pytest.approx(float(best), rel=1e-9)


def test_the_margin_that_is_told_is_the_largest():
    times = [[1.0, 2.0, 3.0] * 20, [1.0, 2.0, 3.0] * 40]
    data = measured_computing(times, law=[[0, 1]], success_probability=0.3)
    run = algorithms["coded.distribution_free"].run(data)
    assert run.numbers["margin"] == data.measured.margins[0] > data.measured.margins[1]
