"""Program coded.sca: convex steps and their splits."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.coded.kernel import Pairs
from farkas.online.coded.environment import surrogate_times
from farkas.relaxations.coded.sca import At, Sca, SharedPoint, coefficients, read_point, solve_step
from farkas.relaxations.coded.sharing import TruncatedAssignment, shared_optimum
from farkas.solvers import Conclusion
from farkas.solvers.convex import solve_problem
from tests.generators.coded import by_speed, random_coded_computing

SPLITS = ("product", "printed", "scaled")


def majorant(at, values, d):
    """Value of the convex constraint at differences d, written out once more."""
    linear = (
        values["constant"]
        + values["by_share"] * d["share"]
        + values["by_load"] * d["load"]
        + values["by_extra"] * d["extra"]
        + values["by_time"] * d["time"]
    )
    squares = (
        values["square_share"] * d["share"]
        + values["square_load"] * d["load"]
        + values["square_extra"] * d["extra"]
    )
    return linear + (squares**2).sum(axis=0)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("seed", range(3))
def test_the_split_lies_above_the_products_and_touches_them_at_the_point(split, seed):
    data = random_coded_computing(seed, rows=8)
    at = At.of(data, SharedPoint.uniform(data))
    values = coefficients(at, split)
    rng = np.random.default_rng(seed)
    for size in (0.0, 1e-6, 0.05, 0.3):
        share = np.clip(at.share + size * rng.standard_normal(len(at.share)), 0, 1)
        load = at.load * np.exp(size * rng.standard_normal(len(at.load)))
        time = at.time * (1 + size * rng.standard_normal())
        lost = load * np.exp(at.work - at.patience * time / load)
        extra = load - lost if split == "product" else lost
        d = {"share": share - at.share, "load": load - at.load, "time": time - at.time}
        d["extra"] = extra - values["extra_at"]
        true = -at.size * share * (load - lost)
        gap = majorant(at, values, d) - true
        scale = np.abs(true) + 1e-3
        assert (gap >= -1e-10 * scale).all()
        if size == 0.0:
            assert (np.abs(gap) <= 1e-12 * scale).all()
        if size == 1e-6:
            assert (gap <= 1e-7 * (1 + np.abs(values["square_load"]).max() ** 2)).all()


@pytest.mark.parametrize("split", SPLITS)
def test_a_step_is_feasible_and_not_later(split):
    data = library.load("coded/demo")
    point = SharedPoint.uniform(data)
    after = solve_step(data, split, point).point
    best = shared_optimum(data).time
    assert best * (1 - 1e-6) <= after.time < point.time
    assert after.share.sum(axis=0).max() <= 1 + 1e-12
    assert surrogate_times(data, after.share, after.loads).max() <= after.time * (1 + 1e-5)


def test_moving_a_model_is_building_it_anew():
    data = library.load("coded/demo")
    first = SharedPoint.uniform(data)
    models = {}
    second = solve_step(data, "product", first, models).point
    (before,) = models.values()
    moved = solve_step(data, "product", second, models).point
    assert list(models.values()) == [before]
    assert moved.time == pytest.approx(solve_step(data, "product", second).point.time, rel=1e-6)
    assert before.problem.is_dcp(dpp=True)


@pytest.mark.parametrize("seed", range(6))
def test_steps_are_found_where_the_solver_is_unsure_in_one_unit(seed):
    # Points away from the best loads; about a third of such solves end "inaccurate".
    data = random_coded_computing(seed, 2 + seed % 2, 5, 60, forbid=0.25 * (seed % 2))
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.ones(data.num_masters), 5).T * data.allowed
    loads = Pairs.of(data).loads(20.0) * rng.uniform(0.7, 1.3, share.shape)
    time = surrogate_times(data, share, loads).max()
    if not np.isfinite(time):
        loads *= 3
        time = surrogate_times(data, share, loads).max()
    assert solve_step(data, "printed", SharedPoint(share, loads, time * 1.0001)).point.time < time


def test_printed_units_overflow_with_a_message():
    data = library.load("coded/demo")
    slow = data.replace(shift=(1000.0 * data.shifts).tolist())
    with pytest.raises(NotApplicable, match="split printed"):
        coefficients(At.of(slow, SharedPoint.uniform(slow)), "printed")
    assert coefficients(At.of(slow, SharedPoint.uniform(slow)), "product")


def test_shares_that_add_up_to_too_much_are_scaled_and_others_stay():
    data = random_coded_computing(0, 2, 3, 10, forbid=0.0)
    point = SharedPoint(np.full((2, 3), 0.5), Pairs.of(data).loads(9.0), 9.0)
    model = Sca().model((data, point))
    size = len(At.of(data, point).share)
    zero = {"share": np.zeros(size), "load": np.zeros(size), "time": 0.0}
    for more, want in ((0.25, 0.5), (-0.25, 0.25)):
        model.point = lambda more=more: zero | {"share": np.full(size, more)}
        after = read_point(data, model, point, 1.0)
        assert after.share == pytest.approx(np.full((2, 3), want))
        assert after.time == pytest.approx(9.0)


def test_a_step_begins_where_the_instance_says():
    data = library.load("coded/demo").replace(sca_point=None)
    uniform = SharedPoint.uniform(data)
    assert SharedPoint.given(data).time == uniform.time
    later = {
        "probability": uniform.share.tolist(),
        "loads": uniform.loads.tolist(),
        "time": 1.5 * uniform.time,
    }
    named = data.replace(sca_point=later)
    assert SharedPoint.given(named).time == 1.5 * uniform.time
    for instance, point in ((data, uniform), (named, SharedPoint.given(named))):
        by_default, by_point = (
            solve_step(instance, "product", z).point.time for z in (None, point)
        )
        assert by_default == pytest.approx(by_point, rel=1e-7)


@pytest.mark.ids(1)
@pytest.mark.parametrize("split", ["product", "scaled"])
def test_pairs_that_hardly_count_leave_the_solver_sure(split):
    # one pair is ten thousand times as fast as another of the same master
    trap = library.load("coded/greedy_trap")
    for place in range(12):
        rate = np.array(trap.rate, dtype=float)
        rate[place % 2, place % 3] *= 1.0 + 1e-9 * (place - 5.5)
        data = msgspec.structs.replace(trap, rate=tuple(map(tuple, rate.tolist())))
        assert solve_problem(Sca(split=split).model(data).problem).claim is Conclusion.OPTIMAL


def test_an_instance_is_cut_at_the_slowest_master_with_everybody():
    # 100 + 1 and 2 + 1: nobody counts for more than 3
    speeds = TruncatedAssignment().speeds(by_speed([[100, 1], [2, 1]]))
    assert speeds == pytest.approx(np.array([[3, 1], [2, 1]]))
