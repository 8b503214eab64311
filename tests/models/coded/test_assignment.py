"""coded.assignment and the max-min structure that its relaxations share."""

import itertools

import numpy as np
import pytest

from farkas.models.coded.assignment import Assignment, AssignmentByType, WorkerTypes, level, tidy
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.solvers import solve
from tests.conformance.oracle import column, row
from tests.generators.coded import by_speed, random_coded_computing


def test_speeds_in_multiples_of_the_largest_written_out():
    # v = (4, 1) and (2, 0): 1, 1/4, 1/2, and a pair that is forbidden
    form = Assignment().form(by_speed([[4, 1], [2, 0]]))
    first = "0 <= +1 share[0,0] +0.25 share[0,1] -1 level"
    assert row(form, "every_master_reaches_the_level[0]") == first
    assert row(form, "every_master_reaches_the_level[1]") == "0 <= +0.5 share[1,0] -1 level"
    assert row(form, "one_master_per_worker[0]") == "+1 share[0,0] +1 share[1,0] <= 1"
    assert column(form, "share[1,0]") == "0 <= share[1,0] <= 1 integer"
    assert column(form, "share[1,1]") == "0 <= share[1,1] <= 0 integer"
    # the second master is no faster than 1/2, whoever serves it
    assert form.implied_upper[form.column_block("level").where].tolist() == [0.5]
    # the first worker for the second master, the second for the first: min(1/4, 1/2)
    assert solve(form).objective == pytest.approx(0.25)
    assert Assignment().scale(by_speed([[4, 1], [2, 0]])) == pytest.approx(4)


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_the_best_of_all_owners(seed):
    data = random_coded_computing(seed, masters=2, workers=5)
    speed = Pairs.of(data).speed
    best = max(
        min(sum(speed[m, n] for n in range(5) if owner[n] == m) for m in range(2))
        for owner in itertools.product(range(2), repeat=5)
    )
    assert solve(Assignment().form(data)).objective * speed.max() == pytest.approx(best)


def test_the_level_is_that_of_the_slowest_master():
    speed, share = np.array([[4.0, 1], [2, 8]]), np.array([[0.5, 0], [0.5, 0.25]])
    assert level(speed, share) == 2.0  # 4/2 against 2/2 + 8/4


def test_shares_of_a_solver_are_made_to_fit():
    # below 0 and above 1 are cut, a column of 1.25 is scaled, one of 0.75 is not, noise goes
    given = np.array([[-0.1, 1.5, 0.75, 0.25], [1.0, 1e-15, 0.5, 0.5]])
    assert tidy(given) == pytest.approx(np.array([[0, 1, 0.6, 0.25], [1, 0, 0.4, 0.5]]))


def typed(seed, workers=7):
    """Three types of workers for two or three masters, mixed up."""
    rng = np.random.default_rng(seed)
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=3)
    of = rng.integers(0, 3, workers)
    rates, shifts = ([[row[k] for k in of] for row in part] for part in (data.rate, data.shift))
    return data.replace(workers=workers, rate=rates, shift=shifts, plans=None, sca_point=None)


def test_types_by_their_first_workers():
    # columns a, b, a, c, b: the third differs from the first in one master only
    speed = np.array([[1.0, 2, 1, 1, 2], [3, 4, 3, 5, 4]])
    types = WorkerTypes.given(speed)
    assert types.of.tolist() == [0, 1, 0, 2, 1]
    assert types.speed.tolist() == [[1, 2, 1], [3, 4, 5]]
    assert types.size.tolist() == [2, 2, 1]


def test_speeds_that_differ_in_the_last_bit_are_two_types():
    speed = np.array([[1.0, np.nextafter(1.0, 2.0)]])
    assert WorkerTypes.given(speed).of.tolist() == [0, 1]


def test_counts_and_owners_are_inverse():
    types = WorkerTypes.given(np.array([[1.0, 2, 1, 1, 2], [3, 4, 3, 3, 1]]))
    owner = np.array([0, 1, 1, 1, -1])
    counts = types.counted(owner)
    assert counts.tolist() == [[1, 0, 0], [2, 1, 0]]
    # the idle worker goes to the master that it is faster for: 2 > 1
    assert types.owners(counts).tolist() == [0, 1, 1, 1, 0]
    assert types.counted(types.owners(counts))[:, :2].tolist() == counts[:, :2].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_that_of_named_workers(seed):
    data = typed(seed)
    by_type, named = AssignmentByType().form(data), Assignment().form(data)
    assert by_type.num_columns < named.num_columns
    merged = solve(by_type, gap=0.0).require_optimal()
    assert merged.objective == pytest.approx(solve(named, gap=0.0).objective, rel=1e-9)
    types = WorkerTypes.given(Pairs.of(data).speed)
    counts = np.round(by_type.values(merged.point, "workers")).astype(int)
    owner = types.owners(counts.reshape(types.speed.shape))
    reached = owner_levels(Pairs.of(data).speed, owner).min() / Pairs.of(data).speed.max()
    assert reached >= merged.objective * (1 - 1e-9)


def test_counts_written_out():
    # v = (4, 1, 1) and (2, 0, 0)
    form = AssignmentByType().form(by_speed([[4, 1, 1], [2, 0, 0]]))
    first = "0 <= +1 workers[0,0] +0.25 workers[0,1] -1 level"
    assert row(form, "every_master_reaches_the_level[0]") == first
    assert row(form, "workers_serve_one_master[1]") == "+1 workers[0,1] +1 workers[1,1] <= 2"
    assert column(form, "workers[0,1]") == "0 <= workers[0,1] <= 2 integer"
    assert column(form, "workers[1,1]") == "0 <= workers[1,1] <= 0 integer"
    # the second master is no faster than 1/2, whoever serves it
    assert form.implied_upper[form.column_block("level").where].tolist() == [0.5]
    # the fast worker for the second master: min(2/4, 2/4)
    assert solve(form).objective == pytest.approx(0.5)
