"""Program coded.chance: the written-out (3b) is the exact probability, its optimum that of P1."""

from __future__ import annotations

import itertools

import numpy as np
import pyomo.environ as pyo
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.completion_times import Law
from farkas.models.coded.kernel import (
    expected_results,
    reference_time,
    returned_share,
)
from farkas.online.coded.environment import surrogate_times
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers.convex import solve_problem
from tests.generators.coded import by_speed, random_coded_computing
from tests.references.coded_recovery import printed_results


def settle(model, data, share, loads, time):
    """Fix a plan; a set is called enough exactly when its loads are."""
    for m, n in model.pairs:
        model.share[m, n].set_value(share[m, n], skip_validation=True)
        model.rows_sent[m, n].set_value(loads[m, n], skip_validation=True)
    for m, bits in model.sets:
        row = model.sets_that_are_enough[m, bits]
        # z − Σ l / L in some scaling: with z = 1 the row holds iff the loads suffice
        model.enough[m, bits].set_value(1)
        if not holds(row):
            model.enough[m, bits].set_value(0)
        assert holds(row)
    model.time.set_value(time)


def holds(row):
    body, lower, upper = pyo.value(row.body), pyo.value(row.lower), pyo.value(row.upper)
    return (lower is None or body >= lower) and (upper is None or body <= upper)


def probability(model, data, master):
    """Left side of (3b), whichever side it stands on."""
    row = model.in_time_with_probability[master]
    body = pyo.value(row.body)
    if row.lower is not None:
        return body - pyo.value(row.lower) + data.success_probability
    return data.success_probability + pyo.value(row.upper) - body


@pytest.mark.parametrize("workers", ["shared", "dedicated"])
@pytest.mark.parametrize("seed", range(3))
def test_the_sum_over_sets_is_the_exact_probability(seed, workers):
    data = random_coded_computing(seed, workers=4, rows=5)
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.ones(data.num_masters + 1), data.workers).T[:-1]
    if workers == "dedicated":
        share = (share == share.max(axis=0)).astype(float)
    loads = rng.integers(1, 6, share.shape).astype(float)
    model = programs.build("coded.chance", workers=workers).to_pyomo(data)
    for time in (0.4, 3.0, 40.0):
        settle(model, data, share, loads, time)
        want = Law.given(data, share * data.allowed, loads).at(time)
        found = [probability(model, data, m) for m in range(data.num_masters)]
        assert found == pytest.approx(want.tolist(), rel=1e-12, abs=1e-15)
    assert (0, 0) in model.pairs or not data.allowed[0, 0]


def test_the_optimum_is_that_of_the_enumeration():
    data = random_coded_computing(1, workers=3, rows=3)
    best = best_quantile(data)
    assert np.isfinite(best)
    model = programs.build("coded.chance[dedicated]").to_pyomo(data)
    feasible = {0.999: False, 1.001: False}
    for owner in itertools.product(range(data.num_masters), repeat=data.workers):
        share = (np.array(owner) == np.arange(data.num_masters)[:, None]) * data.allowed
        for loads in itertools.product(range(1, 4), repeat=data.workers):
            table = np.tile(np.array(loads, float), (data.num_masters, 1))
            for stretch in feasible:
                settle(model, data, share.astype(float), table, stretch * best)
                rows = model.component_data_objects(pyo.Constraint)
                feasible[stretch] |= all(holds(row) for row in rows)
    assert feasible == {0.999: False, 1.001: True}


def brute_quantile(data):
    """P1 over all owners and loads one by one."""
    best = np.inf
    for owner in itertools.product(range(data.num_masters), repeat=data.workers):
        worst = 0.0
        for m in range(data.num_masters):
            mine = [n for n in range(data.workers) if owner[n] == m and data.allowed[m, n]]
            found = np.inf
            for loads in itertools.product(range(int(data.rows[m]) + 1), repeat=len(mine)):
                if sum(loads) < data.rows[m]:
                    continue
                table = np.zeros(data.rates.shape)
                table[m, mine] = loads
                share = (table > 0).astype(float)
                row = data.replace(
                    masters=[data.masters[m]], rate=[data.rate[m]], shift=[data.shift[m]]
                )
                law = Law.given(row, share[m : m + 1], table[m : m + 1])
                found = min(found, law.quantile(data.success_probability))
            worst = max(worst, found)
        best = min(best, worst)
    return best


@pytest.mark.ids(3)
@pytest.mark.parametrize(("seed", "masters"), [(0, 2), (1, 2), (2, 2), (0, 3), (4, 3), (0, 1)])
def test_the_chance_optimum_is_that_of_plain_enumeration(seed, masters):
    data = random_coded_computing(seed, masters, workers=3, rows=4 - masters, forbid=0.1)
    want = brute_quantile(data)
    found = best_quantile(data)
    assert found == want or found == pytest.approx(want, rel=1e-12)


def test_forbidden_pairs_have_no_variables_and_too_many_sets_are_refused():
    data = library.load("coded/forbidden_pairs")
    model = programs.build("coded.chance").to_pyomo(data)
    assert set(model.pairs) == {tuple(p) for p in np.argwhere(data.allowed).tolist()}
    with pytest.raises(NotApplicable, match=r"2\^13 sets"):
        programs.build("coded.chance").to_pyomo(random_coded_computing(0, workers=13, forbid=0.0))


@pytest.mark.parametrize(
    "name", ["coded.chance", "coded.expected", "coded.expected_integer", "coded.expected_convex"]
)
def test_a_master_that_nobody_may_serve_has_no_program(name):
    data = library.load("coded/tiny")
    rate = [[None] * data.workers, *data.rate[1:]]
    shift = [[None] * data.workers, *data.shift[1:]]
    program = programs.build(name)
    build = program.model if name == "coded.expected_convex" else program.to_pyomo
    with pytest.raises(NotApplicable, match="may use no worker"):
        build(data.replace(rate=rate, shift=shift, plans=None, sca_point=None))


@pytest.mark.parametrize("seed", range(4))
def test_the_convex_program_is_the_linear_one(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    model = programs.build("coded.expected_convex").model(data)
    answer = solve_problem(model.problem).require_optimal()
    assert answer.objective * reference_time(data) == pytest.approx(
        shared_optimum(data).time, rel=1e-6
    )


def test_the_true_law_returns_nothing_before_the_shift():
    data = library.load("coded/tiny")
    loads = np.ones(data.rates.shape)
    early = 0.1
    assert returned_share(data, loads, early).max() == 0.0
    assert expected_results(data, data.allowed * 1.0, loads, early).tolist() == [0.0, 0.0]
    assert (printed_results(data, data.allowed * 1.0, loads, early) < 0).all()


def test_the_time_at_which_one_worker_expects_its_rows():
    # l = 8 rows sent, 4 needed: 8 (1 - exp(u (a - t/8))) = 4 at t = 8 (a + ln 2 / u)
    data = CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 4}], workers=1, rate=[[2.0]], shift=[[0.5]]
    )
    one, loads = np.ones((1, 1)), np.full((1, 1), 8.0)
    want = 8 * (0.5 + np.log(2) / 2)
    assert surrogate_times(data, one, loads).tolist() == pytest.approx([want], rel=1e-14)
    assert expected_results(data, one, loads, want) == pytest.approx([4.0])
    assert printed_results(data, one, loads, want) == pytest.approx([4.0])
    # half a worker of 8 rows never expects more than 4
    assert surrogate_times(data, 0.5 * one, loads).tolist() == [np.inf]
    assert printed_results(data, one, loads, np.inf) == pytest.approx([8.0])


def test_the_unit_of_time_is_that_of_equal_shares():
    # speeds 1 + 3 and 2 + 0 halved: the slower master needs 1
    assert reference_time(by_speed([[1, 3], [2, 0]])) == pytest.approx(1.0)


def test_times_of_masters_of_other_sizes_are_nearly_the_first_that_suffice():
    # one master ends in millionths, the other after hundreds of thousands
    data = CodedComputing.build(
        success_probability=0.5,
        masters=[{"rows": 3}, {"rows": 5}],
        workers=2,
        rate=[[3e6, 2e6], [1.7e-5, 2e-5]],
        shift=[[1e-7, 2e-7], [3e4, 1e4]],
    )
    share, loads = np.full((2, 2), 0.5), np.array([[7.0, 6.0], [9.0, 8.0]])
    times = surrogate_times(data, share, loads)
    assert times[0] < 1e-4 < 1e4 < times[1]
    for master, time in enumerate(times.tolist()):
        for end, enough in ((time * (1 + 1e-13), True), (time * (1 - 1e-13), False)):
            found = printed_results(data, share, loads, end)[master]
            assert (found >= data.rows[master]) == enough
