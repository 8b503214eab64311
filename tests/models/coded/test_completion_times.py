"""Laws of completion times: by hand, by enumeration and by simulation."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import binomtest

from farkas.errors import InvalidOption, NotApplicable
from farkas.instances import library
from farkas.instances.coded import CodedComputing, log_excess, log_excess_inverse
from farkas.models.coded.completion_times import (
    Allocation,
    Law,
    by_subsets,
    dedicated_plan,
    dedicated_share,
    mean_time,
    recovery_probability,
    shared_plan,
)
from farkas.models.coded.kernel import (
    Pairs,
    first_time,
    returned_share,
)
from farkas.online.coded.environment import surrogate_times
from farkas.online.coded.simulation import simulate
from farkas.relaxations.coded.sharing import shared_optimum
from tests.generators.coded import by_speed, random_coded_computing
from tests.references.coded_recovery import by_counts

SPLIT = library.load("coded/split_worker")


def one_worker(rows=4, rho=0.5):
    return CodedComputing.build(
        success_probability=rho, masters=[{"rows": rows}], workers=1, rate=[[2.0]], shift=[[0.5]]
    )


def test_one_worker_by_hand():
    # T = a l + E l / u with l = 4: T - 2 is exponential with mean 2, so the median is 2 + 2 ln 2
    # and the mean 4.
    law = Law.given(one_worker(), np.ones((1, 1)), np.full((1, 1), 4.0))
    assert law.quantile(0.5) == pytest.approx(2 + 2 * np.log(2), rel=1e-12)
    assert law.joint_quantile(0.5) == pytest.approx(2 + 2 * np.log(2), rel=1e-12)
    assert law.mean() == pytest.approx(4.0, rel=1e-10)
    assert law.at(2.0).tolist() == [0.0]


def test_a_limit_that_only_equals_the_target_is_never_reached():
    # One shared worker decides: the limit of P is exactly its share, reached at t = infinity only.
    law = Law.given(one_worker(), np.full((1, 1), 0.5), np.full((1, 1), 4.0))
    assert law.recoverable().tolist() == [0.5]
    assert law.quantile(0.5) == np.inf
    assert law.quantile(0.49) < np.inf
    assert law.mean() == np.inf


@pytest.mark.parametrize("seed", range(4))
def test_the_joint_law_conditions_on_every_choice(seed):
    # Independent brute force over all outcomes of all workers: master chosen, done or not.
    data = random_coded_computing(seed, workers=3, rows=4, forbid=0.0)
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.ones(3), 3).T[:2]
    loads = rng.integers(1, 5, (2, 3)).astype(float)
    time = 3.0
    done = returned_share(data, loads, time)
    want = 0.0
    for choice in itertools.product((0, 1, 2), repeat=3):
        weight = np.prod(
            [share[m, n] if m < 2 else 1 - share[:, n].sum() for n, m in enumerate(choice)]
        )
        both = 1.0
        for m in range(2):
            mine = [n for n in range(3) if choice[n] == m]
            both *= recovery_probability(loads[m, mine], done[m, mine], data.rows[m])
        want += weight * both
    assert Law.given(data, share, loads).joint(time) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_simulation_agrees_with_the_exact_law(seed):
    data = random_coded_computing(seed, workers=6, rows=20)
    found = shared_optimum(data)
    plan = shared_plan(data, found.share, 1.5 * found.time)
    whole = Allocation(plan.share, plan.whole_loads)
    law = Law.given(data, whole.share, whole.loads)
    sample = simulate(data, whole, 20_000, np.random.default_rng(seed))
    for time in (found.time, 2 * found.time):
        hits = binomtest(int((sample.last <= time).sum()), len(sample.last))
        low, high = hits.proportion_ci(0.9999)
        assert low <= law.joint(time) <= high
    if np.isfinite(law.mean()):
        half = 3.9 * sample.last.std() / np.sqrt(len(sample.last))  # confidence 0.9999
        assert abs(sample.last.mean() - law.mean()) <= half


def test_too_many_shared_workers_are_refused():
    data = random_coded_computing(0, workers=7, forbid=0.0)
    law = Law.given(data, np.full((2, 7), 0.5), np.full((2, 7), 3.0))
    with pytest.raises(NotApplicable, match="7 shared workers"):
        law.joint(1.0)
    assert law.recoverable().shape == (2,)


def test_a_pair_without_load_is_not_used_whatever_its_share():
    law = Law.given(
        SPLIT, np.array([[1, 0, 0.5], [0, 1, 0.5]]), np.array([[1e3, 0, 0], [0, 1e3, 5.0]])
    )
    assert law.split.tolist() == [2]
    assert law.recoverable().tolist() == [1.0, 1.0]
    assert law.probability.tolist() == [[1, 0, 0], [0, 1, 0.5]]
    barred = SPLIT.replace(
        rate=[[None, *row[1:]] if m else row for m, row in enumerate(SPLIT.rate)],
        shift=[[None, *row[1:]] if m else row for m, row in enumerate(SPLIT.shift)],
    )
    law = Law.given(barred, np.full((2, 3), 0.5), np.ones((2, 3)))
    assert law.probability.tolist() == [[0.5, 0.5, 0.5], [0, 0.5, 0.5]]


def test_mean_of_a_maximum_of_two_exponentials():
    # E max of two unit exponentials = 1 + 1/2.
    assert mean_time(lambda t: (1 - np.exp(-t)) ** 2, np.zeros(1), 1.0) == pytest.approx(1.5)


@pytest.mark.parametrize("seed", range(8))
def test_a_quantile_asks_only_masters_that_are_late_and_is_that_of_all(seed, monkeypatch):
    data = random_coded_computing(seed, masters=3, workers=6)
    found = shared_optimum(data)
    plan = shared_plan(data, found.share, found.time)
    law = Law.given(data, plan.share, 1.3 * plan.loads)
    if not law.recoverable().min() > 0.5:
        return
    asked = []

    def noted(loads, chances, rows):
        asked.append(rows)
        return recovery_probability(loads, chances, rows)

    monkeypatch.setattr("farkas.models.coded.completion_times.recovery_probability", noted)
    quantile = law.quantile(0.5)
    few = len(asked)
    asked.clear()
    assert quantile == first_time(lambda t: bool(law.at(t).min() >= 0.5), law.first_return)
    assert few < len(asked)


@pytest.mark.parametrize("seed", range(4))
def test_the_plan_of_the_linear_program_takes_its_time(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    found = shared_optimum(data)
    plan = shared_plan(data, found.share, found.time)
    assert surrogate_times(data, plan.share, plan.loads).max() == pytest.approx(
        found.time, rel=1e-12
    )


def test_whole_loads_round_up_but_not_for_noise():
    plan = Allocation(np.ones((1, 4)), np.array([[2.0, 2.0 + 1e-12, 2.001, 0.0]]))
    assert plan.whole_loads.tolist() == [[2, 2, 3, 0]]


def test_idle_workers_belong_to_nobody():
    assert dedicated_share(np.array([1, -1, 0]), 2).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_each_master_has_its_own_time():
    # speeds 1 + 3 and 2, times 1/4 and 1/2; a load is time / φ with φ = h / u
    data = by_speed([[1, 3, 5], [1, 1, 2]], rows=3)
    plan = dedicated_plan(data, np.array([0, 0, 1]))
    assert plan.share.tolist() == [[1, 1, 0], [0, 0, 1]]
    per_row = Pairs.of(data).time_per_row
    want = [[0.25 / per_row[0, 0], 0.25 / per_row[0, 1], 0], [0, 0, 0.5 / per_row[1, 2]]]
    assert plan.loads == pytest.approx(np.array(want))


def test_forbidden_workers_stay_idle():
    plan = dedicated_plan(by_speed([[0, 3], [1, 1]]), np.array([0, 0]))
    assert plan.share.tolist() == [[0, 1], [0, 0]]
    assert plan.loads[0, 0] == 0


def test_shared_workers_are_loaded_whatever_their_share_and_never_for_ever():
    data, share = by_speed([[1, 3], [1, 1]]), np.array([[0.5, 0], [0.01, 1]])
    plan = shared_plan(data, share, 2.0)
    assert plan.loads[0, 0] == pytest.approx(2.0 / Pairs.of(data).time_per_row[0, 0])
    assert plan.loads[0, 1] == 0
    assert plan.loads[1, 0] == pytest.approx(plan.loads[0, 0])
    assert not shared_plan(data, share, np.inf).loads.any()


WORK = np.concatenate([10.0 ** np.arange(-300.0, 301.0, 25), [1e-12, 1e-3, 0.3, 0.9999, 1, 2, 745]])


def exact_patience(work: float) -> mpmath.mpf:
    """Newton in long arithmetic; digits enough for h − ln(1 + h) at h = 1e-150."""
    with mpmath.workdps(700):
        c = mpmath.mpf(work)
        h = mpmath.mpf(float(log_excess_inverse(work)))
        for _ in range(5):
            h -= (h - mpmath.log1p(h) - c) * (1 + h) / h
        return h


@pytest.mark.parametrize("work", WORK.tolist())
def test_patience_is_accurate_over_the_whole_range(work):
    # The textbook form -W(-exp(-c-1)) - 1 is off by 100 % at 1e-12 and underflows beyond 745.
    exact = exact_patience(work)
    assert abs(float((mpmath.mpf(float(log_excess_inverse(work))) - exact) / exact)) <= 1e-15


def test_excess_does_not_cancel():
    # h^2/2 - h^3/3 for small h.
    assert float(log_excess(1e-9)) == pytest.approx(1e-18 / 2 - 1e-27 / 3, rel=1e-15)
    assert float(log_excess(1.0)) == pytest.approx(1 - np.log(2), rel=1e-15)
    below, above = np.nextafter(1.0, 0), np.nextafter(1.0, 2)
    assert abs(float(log_excess(above) - log_excess(below))) < 1e-15


@pytest.mark.parametrize("seed", range(5))
def test_the_best_load_is_a_maximum(seed):
    data = random_coded_computing(seed)
    pairs = Pairs.of(data)
    m, n = (int(i[0]) for i in np.nonzero(data.allowed))
    u, a, time = data.rates[m, n], data.shifts[m, n], 7.0

    def results(load):
        return load * -np.expm1(u * (a - time / load))

    best = float(pairs.loads(time)[m, n])
    assert results(best) == pytest.approx(time * pairs.speed[m, n] * data.rows[m], rel=1e-13)
    assert results(best) > max(results(0.99 * best), results(1.01 * best))


def exact(loads, success, rows):
    total = Fraction(0)
    for outcome in itertools.product((0, 1), repeat=len(loads)):
        chance = Fraction(1)
        for hit, p in zip(outcome, success, strict=True):
            chance *= Fraction(p) if hit else 1 - Fraction(p)
        if sum(Fraction(load) * hit for load, hit in zip(loads, outcome, strict=True)) >= rows:
            total += chance
    return total


@pytest.mark.parametrize("seed", range(20))
def test_all_methods_agree_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    size, rows = int(rng.integers(1, 9)), int(rng.integers(1, 30))
    loads, success = rng.integers(0, 15, size), rng.random(size)
    want = float(exact(loads.tolist(), success.tolist(), rows))
    used = loads > 0
    assert recovery_probability(loads, success, rows) == pytest.approx(want, rel=1e-14, abs=0)
    assert by_subsets(loads.astype(float), success, rows) == pytest.approx(want, rel=1e-14, abs=0)
    assert by_counts(loads[used], success[used], rows) == pytest.approx(want, rel=1e-13, abs=1e-16)


def test_fractional_loads_of_many_workers_are_refused():
    with pytest.raises(InvalidOption, match="15 workers with fractional loads"):
        recovery_probability([1.5] * 15, [0.5] * 15, 10)
    # whole loads of as many workers are not: two of 15 fair coins at least
    chance = recovery_probability([1.0] * 15, [0.5] * 15, 2)
    assert chance == pytest.approx(1 - 16 / 2**15, rel=1e-14)


def test_rows_between_whole_loads_need_the_next_one():
    # 15 workers of 2 rows: 2.5 rows need two workers, as 4 do, and one is not enough
    loads, success = np.full(15, 2.0), np.full(15, 0.5)
    assert recovery_probability(loads, success, 2.5) == recovery_probability(loads, success, 4)
    assert recovery_probability(loads, success, 2) == pytest.approx(1 - 1 / 2**15, rel=1e-14)
