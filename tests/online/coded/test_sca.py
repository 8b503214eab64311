"""Shared workers: the linear program, and steps that approach it."""

import msgspec
import numpy as np
import pytest

from farkas.errors import NoAnswer, UnsupportedForm
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.coded import sca
from farkas.online.coded.environment import surrogate_times
from farkas.online.coded.sca import ExpectedSharing, SuccessiveApproximation, iterates, start_point
from farkas.relaxations.coded.sca import SharedPoint
from farkas.solvers.subproblem import solve_subproblem
from tests.generators.coded import random_coded_computing
from tests.references.coded_plans import least_step, pair, shared_level, speeds


@pytest.mark.parametrize("start", ["uniform", "greedy"])
def test_every_point_is_feasible_and_none_is_later_than_the_one_before(start):
    data = random_coded_computing(2, masters=2, workers=4, rows=30)
    point = start_point(data, start)
    for after in iterates(data, point, "product", 1e-3, 5):
        expected = (after.share * after.loads).sum(axis=1)
        assert surrogate_times(data, after.share, after.loads).max() <= after.time * (1 + 1e-6)
        assert (after.share.sum(axis=0) <= 1 + 1e-7).all()
        assert after.time <= point.time * (1 + 1e-9)
        assert (expected > 0).all()
        point = after


def test_step_sizes_fall_as_printed(monkeypatch):
    # targets at time 0 from time 1: 1 - 1, then steps 0.9 and 0.9 (1 - 0.09) of what is left
    steps = []

    class Toward(SharedPoint):
        def toward(self, other, step):
            steps.append(step)
            return self

    monkeypatch.setattr(
        "farkas.relaxations.coded.sca.solve_step", lambda *arguments: (arguments[2], 1.0, 1.0)
    )
    data = random_coded_computing(0)
    list(iterates(data, Toward(*vars_of(SharedPoint.uniform(data))), "product", 0.1, 3))
    assert steps == pytest.approx([1.0, 0.9, 0.9 * (1 - 0.1 * 0.9)])


def vars_of(point):
    return point.share, point.loads, point.time


def test_the_last_feasible_point_stands_where_the_solver_fails(monkeypatch):
    def fail(*arguments):
        raise NoAnswer("no step")

    monkeypatch.setattr("farkas.relaxations.coded.sca.solve_step", fail)
    data = random_coded_computing(1)
    plan = SuccessiveApproximation().plan(data, 0)
    uniform = SharedPoint.uniform(data)
    assert plan.share.tolist() == uniform.share.tolist()
    assert plan.loads.tolist() == np.where(uniform.share > 0, uniform.loads, 0).tolist()


def test_a_greedy_start_that_leaves_a_master_without_workers_is_the_uniform_one():
    data = random_coded_computing(0, masters=3, workers=2, forbid=0.0)
    assert start_point(data, "greedy").share.tolist() == SharedPoint.uniform(data).share.tolist()
    enough = random_coded_computing(0, masters=2, workers=4, forbid=0.0)
    assert set(np.unique(start_point(enough, "greedy").share)) == {0.0, 1.0}


@pytest.mark.parametrize("seed", range(16))
def test_the_shared_optimum_is_the_least_of_all_prices_in_fractions(seed):
    data = random_coded_computing(seed, masters=1 + seed % 3, workers=1 + seed % 5, rows=30)
    plan, best = ExpectedSharing().plan(data, 0), shared_level(speeds(data))
    if best == 0:
        return
    # the load of a pair in use is t/φ, whatever its share
    for m, n in zip(*np.nonzero(plan.loads), strict=True):
        per_row = pair(data, m, n)[1]
        assert plan.loads[m, n] * float(per_row * best) == pytest.approx(1.0, rel=1e-9)
    served = (plan.share * speeds(data)).sum(axis=1)
    assert served.min() == pytest.approx(float(best), rel=1e-9)
    assert (plan.share.sum(axis=0) <= 1 + 1e-12).all()


@pytest.mark.parametrize("split", ["product", "scaled", "printed"])
@pytest.mark.parametrize("name", ["split_worker", "tiny", "demo"])
def test_every_split_has_its_steps_on_shipped_instances(name, split):
    data = library.load(f"coded/{name}")
    point = start_point(data, "uniform")
    (after,) = iterates(data, point, split, 0.0, 1)
    assert after.time <= point.time * (1 + 1e-9)


def moved(data, share, seed):
    """Instance with every rate and shift off by at most a share."""
    rng = np.random.default_rng(seed)

    def near(rows):
        return tuple(
            tuple(None if x is None else x * (1 + share * rng.uniform(-1, 1)) for x in row)
            for row in rows
        )

    return msgspec.structs.replace(data, rate=near(data.rate), shift=near(data.shift))


@pytest.mark.ids(3)
@pytest.mark.parametrize("share", [1e-15, 1e-9])
@pytest.mark.parametrize("split", ["product", "scaled", "printed"])
def test_where_nothing_is_earlier_than_the_start_it_stays_whatever_the_last_bits(split, share):
    # three equal workers: whatever gives both masters one and a half of them is optimal
    algorithm = SuccessiveApproximation(split=split)
    for seed in range(4):
        data = moved(library.load("coded/split_worker"), share, seed)
        plan, start = algorithm.plan(data, 0), SharedPoint.uniform(data)
        assert plan.share.tolist() == start.share.tolist() == [[0.5] * 3] * 2
        assert plan.loads.tolist() == start.loads.tolist()


def test_a_later_point_is_kept_only_for_what_it_is_earlier_by():
    data = library.load("coded/greedy_trap")
    first, last = (SuccessiveApproximation(rounds=r).plan(data, 0) for r in (1, 200))
    start = SharedPoint.uniform(data)
    times = [surrogate_times(data, p.share, p.loads).max() for p in (start, first, last)]
    assert times[0] > 1.1 * times[1] > 1.2 * times[2]
    loose = SuccessiveApproximation(stop=10 * (times[0] / times[2] - 1)).plan(data, 0)
    assert loose.share.tolist() == start.share.tolist()


@pytest.mark.parametrize("split", ["product", "scaled"])
@pytest.mark.parametrize("seed", [1, 3, 6])
def test_a_step_is_that_of_the_products_written_out(seed, split):
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=3, rows=9)
    point = start_point(data, "uniform")
    (after,) = iterates(data, point, split, 0.0, 1)
    shares, loads = point.share.tolist(), point.loads.tolist()
    wanted = least_step(data, shares, loads, point.time, split)
    assert after.time == pytest.approx(wanted, rel=1e-6)


def test_of_the_last_points_that_are_equally_early_the_first_is_kept(monkeypatch):
    data = random_coded_computing(1, masters=2, workers=3)
    first = start_point(data, "uniform")
    points = [SharedPoint(first.share, first.loads * (1 + i), 9.0 - i) for i in range(5)]
    # 5.0000004 is within a tenth of 1e-6 of the last; what lies before 9 is not looked at
    times = [5.0, 9.0, 5.0 + 4e-7, 5.0 + 1e-7, 5.0]
    measured = {id(p.loads): np.array([1.0, time]) for p, time in zip(points, times, strict=True)}
    monkeypatch.setattr(sca, "surrogate_times", lambda data, share, loads: measured[id(loads)])
    for stop, kept in ((0.0, 4), (3e-7, 3), (1e-6, 2)):
        plan = algorithms["coded.sca"].policy(stop=stop)._chosen(data, tuple(points))
        assert plan.loads == pytest.approx(points[kept].loads * data.allowed)


@pytest.mark.parametrize(
    "solver",
    ["clarabel", *(pytest.param(n, marks=pytest.mark.slow) for n in ("scs", "cvxpy:CLARABEL"))],
)
def test_other_solvers_end_where_the_own_one_does(solver):
    data = random_coded_computing(2, masters=2, workers=3, rows=9)
    own = algorithms["coded.sca"].run(data, rounds=20)
    other = algorithms["coded.sca"].run(data, rounds=20, solver=solver)
    assert other.value == pytest.approx(own.value, rel=1e-3 if solver == "scs" else 1e-5)
    assert other.certificate == own.certificate or other.ratio < 1.1
    (slot,) = other.steps
    assert (slot.program, slot.programs > 1) == ("coded.sca[printed]", True)
    assert slot.solver == solver


@pytest.mark.parametrize("solver", ["highs", "scip", "clarabel", "pyomo:highs"])
def test_the_linear_program_has_one_optimum_by_every_solver(solver):
    data = random_coded_computing(5, masters=3, workers=5)
    own = algorithms["coded.expected"].run(data)
    other = algorithms["coded.expected"].run(data, solver=solver)
    assert other.value == pytest.approx(own.value, rel=1e-7)
    assert other.steps[0].fractional == pytest.approx(own.steps[0].fractional, rel=1e-7)
    assert own.steps[0].solver == "priced"


def test_a_solver_that_takes_no_cone_is_refused_before_the_first_step():
    data, seen = random_coded_computing(2), []
    with pytest.raises(UnsupportedForm, match="cvxpy:HIGHS cannot take the program"):
        algorithms["coded.sca"].run(data, solver="highs", progress=lambda *_: seen.append(1))
    assert not seen


@pytest.mark.parametrize("split", ["printed", "product", "scaled"])
@pytest.mark.parametrize("seed", range(3))
def test_its_own_solver_leaves_value_and_dual_of_the_last_program_as_a_general_one(seed, split):
    data = random_coded_computing(seed, masters=2, workers=4, rows=30)
    policy = SuccessiveApproximation(split=split)
    asked = policy.model(policy.start(None, 0), data)
    own, general = solve_subproblem(asked), solve_subproblem(asked, "clarabel")
    assert (own.solver, general.solver) == ("parametric", "clarabel")
    assert own.value == pytest.approx(general.value, rel=1e-6)
    assert own.dual == pytest.approx(general.dual, rel=1e-6)
    # weak duality, and hardly any gap
    assert own.value * (1 - 1e-5) <= own.dual <= own.value * (1 + 1e-7)
    (slot,) = algorithms["coded.sca"].run(data, split=split, rounds=2).steps
    assert slot.dual == pytest.approx(slot.fractional, rel=1e-5)
