"""coded.loads: the loads of dedicated workers, against Theorem 1."""

import itertools

import numpy as np
import pyomo.environ as pyo
import pytest
from scipy.stats import binomtest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.assignment import Assignment, AssignmentByType
from farkas.models.coded.completion_times import Allocation, Law, dedicated_share
from farkas.models.coded.expected import (
    ExpectedInteger,
    ExpectedPlans,
    best_integer_time,
    best_results,
    integer_time,
)
from farkas.models.coded.kernel import (
    Ownership,
    Pairs,
    WorkerTypes,
    blocks_owner,
    expected_results,
    first_time,
    owner_levels,
    returned_share,
    theorem1_times,
    tidy,
)
from farkas.models.coded.loads import (
    Loads,
)
from farkas.online.coded.environment import UncodedPlanner
from farkas.online.coded.exhaustive import best_owner
from farkas.online.coded.local_search import least_level
from farkas.online.coded.simulation import simulate
from farkas.relaxations.coded.sharing import best_sharing, shared_optimum
from farkas.solvers import solve
from farkas.solvers.convex import solve_problem
from tests.conformance.oracle import column, row
from tests.generators.coded import by_speed, random_coded_computing
from tests.references.coded_recovery import printed_results


@pytest.mark.parametrize("seed", range(4))
def test_loads_of_dedicated_workers_are_theorem_1(seed):
    data = random_coded_computing(seed, forbid=0.0)
    owner = np.array([0, 1, 0, 1])
    times = theorem1_times(Pairs.of(data).speed, owner)
    answer = solve_problem(programs.build("coded.loads").model(Ownership(data, owner)).problem)
    assert answer.require_optimal().objective == pytest.approx(times.sum(), rel=1e-6)


def test_a_block_without_worker_has_no_program():
    data = library.load("coded/stuck").replace(
        workers=2, rate=[[5, 5], [1, 1], [1, 1]], shift=[[1, 1]] * 3
    )
    with pytest.raises(NotApplicable, match="master 2 has no worker"):
        programs.build("coded.loads").model(data)


def test_workers_that_are_idle_or_forbidden_carry_nothing():
    owned = Ownership(by_speed([[1, 0, 5], [2, 1, 2]]), np.array([0, 0, -1]))
    with pytest.raises(NotApplicable, match="master 1 has no worker"):
        Loads().model(owned)
    owned = Ownership(owned.data, np.array([0, 0, 1]))
    model = Loads().model(owned)
    assert solve_problem(model.problem).require_optimal().objective == pytest.approx(1 + 1 / 2)
    assert model.point()["load"].shape == (2,)


def test_blocks_are_contiguous_and_an_instance_stands_for_them():
    data = library.load("coded/demo")  # five workers for two masters: 3 and 2
    assert blocks_owner(data).tolist() == [0, 0, 0, 1, 1]
    assert Ownership.of(data).owner.tolist() == [0, 0, 0, 1, 1]
    given = Ownership(data, np.array([1, 1, 0, 0, 0]))
    assert Ownership.of(given) is given


def test_uncoded_rows_are_split_evenly_and_all_are_needed():
    # 20 rows over blocks of 3 and 2 workers: 7, 7, 6 and 10, 10.
    data = library.load("coded/demo")
    loads = UncodedPlanner().plan(data, 0).loads
    assert loads[0].tolist() == [7, 7, 6, 0, 0]
    assert loads[1].tolist() == [0, 0, 0, 10, 10]
    plan = Allocation((loads > 0).astype(float), loads)
    law = Law.given(data, plan.share, loads)
    sample = simulate(data, plan, 20_000, np.random.default_rng(0))
    half = 3.9 * sample.last.std() / np.sqrt(len(sample.last))  # confidence 0.9999
    assert abs(law.mean() - sample.last.mean()) <= half
    quantile = law.joint_quantile(0.9)
    hits = binomtest(int((sample.last <= quantile).sum()), len(sample.last))
    low, high = hits.proportion_ci(0.9999)
    assert low <= 0.9 <= high


def pair():
    """Two workers of one master, rate 1; the second starts half a unit a row later."""
    return CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 2}], workers=2, rate=[[1, 1]], shift=[[1, 1.5]]
    )


def test_a_forbidden_worker_in_a_block_leaves_it_undone():
    data = pair().replace(rate=[[1, None]], shift=[[1, None]])
    with pytest.raises(NotApplicable, match="forbidden pair"):
        UncodedPlanner().plan(data, 0)


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
    counts = np.round(by_type.values(merged.point, "share")).astype(int)
    owner = types.owners(counts.reshape(types.speed.shape))
    reached = owner_levels(Pairs.of(data).speed, owner).min() / Pairs.of(data).speed.max()
    assert reached >= merged.objective * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_best_whole_loads_are_the_best_of_all(seed):
    data = random_coded_computing(seed, rows=20)
    for time in (0.3, 2.0, 11.0):
        gains = best_results(data, time)
        tried = np.array(
            [
                load * returned_share(data, np.full(data.rates.shape, float(load)), time)
                for load in range(200)
            ]
        )
        assert gains == pytest.approx(tried.max(axis=0), rel=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_integer_plans_are_optimal_by_bisection_and_enumeration(seed):
    data = random_coded_computing(seed, workers=4, rows=10)
    speed = Pairs.of(data).speed
    owner = best_owner(speed)
    if least_level(speed, owner) == 0:
        raise AssertionError("choose other seeds: nobody serves a master")
    masters = data.num_masters
    found = best_integer_time(
        data, lambda g: dedicated_share(best_owner(g), masters), dedicated_share(owner, masters)
    )
    want = min(
        integer_time(data, dedicated_share(np.array(owner), masters))
        for owner in itertools.product(range(masters), repeat=4)
    )
    assert found == pytest.approx(want, rel=1e-9)
    shared = best_integer_time(data, lambda g: best_sharing(g).share, shared_optimum(data).share)
    assert shared <= found * (1 + 1e-12)
    rows = data.rows[:, None]
    assert best_sharing(best_results(data, shared) / rows).level >= 1 - 1e-9
    assert best_sharing(best_results(data, shared * (1 - 1e-7)) / rows).level < 1


def test_the_first_time_is_the_end_that_is_enough():
    # 10 is found within its last bits, from below and from above; a start that is enough stays
    found = first_time(lambda t: t >= 10.0, 3.0)
    assert 10.0 <= found <= 10.0 * (1 + 1e-14)
    assert first_time(lambda t: t >= 10.0, 12.0) == 12.0
    assert first_time(lambda t: t >= 2.0**600, 1e-300) == pytest.approx(2.0**600, rel=1e-14)


@pytest.mark.parametrize("precision", [0.0, 1e-17])
def test_bisection_ends_where_no_double_is_left(precision):
    assert first_time(lambda t: t >= 10.0, 3.0, precision) == 10.0


@pytest.mark.parametrize("workers", ["shared", "dedicated"])
@pytest.mark.parametrize(
    ("name", "results"),
    [("coded.expected", printed_results), ("coded.expected_integer", expected_results)],
)
def test_the_printed_program_means_what_the_arrays_say(name, results, workers):
    data = library.load("coded/forbidden_pairs")
    plan = data.plans[0]
    model = programs.build(name, workers=workers).to_pyomo(data)
    share, loads = np.array(plan.probability), np.maximum(np.array(plan.loads, float), 1.0)
    for m, n in model.pairs:
        model.share[m, n].set_value(share[m, n], skip_validation=True)
        model.rows_sent[m, n].set_value(loads[m, n])
    for time in (plan.time, 0.5):
        model.time.set_value(time)
        want = results(data, share * data.allowed, loads, time)
        found = [_results(model, data, m) for m in range(2)]
        assert found == pytest.approx(want.tolist(), rel=1e-12)
    assert model.share[0, 0].is_binary() == (workers == "dedicated")
    assert (0, 1) not in model.pairs


def _results(model, data, master):
    """Expected results of the Pyomo row, whichever side they stand on."""
    row = model.every_master_expects_its_rows[master]
    body = pyo.value(row.body)
    lower, upper = pyo.value(row.lower), pyo.value(row.upper)
    rows = float(data.rows[master])
    if lower is not None and upper is None:
        return body - lower + rows
    return rows + (upper - body)


def one_pair():
    """One worker: T = a l + E l / u with a = 1/2, u = 2."""
    return CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 4}], workers=1, rate=[[2.0]], shift=[[0.5]]
    )


def test_loads_are_whole_in_p2_only_and_shares_where_workers_are_dedicated():
    for program, whole in ((ExpectedPlans(), False), (ExpectedInteger(workers="dedicated"), True)):
        model = program.to_pyomo(one_pair())
        assert model.rows_sent[0, 0].is_integer() == whole
        assert model.share[0, 0].is_binary() == whole
        assert model.rows_sent[0, 0].ub is None
        assert model.rows_sent[0, 0].lb == 0
