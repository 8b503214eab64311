"""The regularised slot (10): tangents against logarithms, cutting planes against a cone solver."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.mlbroker.entropy import entropy
from farkas.models.mlbroker.one_shot import snapshot
from farkas.models.mlbroker.slot import Constants, SlotProblem
from farkas.online.mlbroker.slot_solver import JobByJob, Together
from farkas.relaxations.mlbroker.outer import Touched
from farkas.relaxations.mlbroker.tangents import Tangents


def slots(semantics):
    """Slots of small brokers, with nothing and with something deployed before."""
    rng = np.random.default_rng(7)
    brokers = [library.load(f"mlbroker/{name}") for name in ("tiny", "quiet_slot", "set_cover")]
    brokers += [generate("mlbroker", "small", seed=4, transfer_scale=30.0)]
    for broker in brokers:
        constants = Constants.of(broker, semantics)
        for slot in range(broker.num_slots):
            market = snapshot(broker, slot).market
            shape = (market.num_jobs, market.num_sites)
            if market.num_jobs:
                for before in (np.zeros(shape), rng.uniform(0, 0.6, shape)):
                    yield SlotProblem(market=market, before=before, constants=constants)


@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_cutting_planes_reach_the_optimum_of_the_cone_solver(relax, semantics):
    program = programs.build(f"mlbroker.regularized[relax={relax},semantics={semantics}]")
    solver = Together(relax, semantics)
    for problem in slots(semantics):
        model = program.model(problem)
        model.problem.solve(solver="CLARABEL")
        solution = solver.solve(problem)
        assert solution.objective == pytest.approx(model.problem.value, rel=2e-6, abs=2e-6)
        assert solution.gap <= 1e-6 * max(1.0, solution.objective)


def test_jobs_one_by_one_are_the_whole_tight_slot():
    # Only totals and v are unique; v moves by the root of a gap.
    for problem in slots("printed"):
        alone = JobByJob(problem.market.num_sites).solve(problem)
        whole = Together("tight").solve(problem)
        assert alone.objective == pytest.approx(whole.objective, rel=1e-8, abs=1e-8)
        reached = np.maximum(problem.before, whole.deployed)
        np.testing.assert_allclose(alone.deployed, reached, atol=1e-3)


def test_one_session_serves_slots_in_any_order():
    # The trap: prices or right-hand sides of the job before that stay in the warm session.
    problems = [p for p in slots("printed") if p.market.num_sites == 2]
    warm = JobByJob(2)
    for problem in problems + problems[::-1]:
        expected = JobByJob(2).solve(problem).objective
        assert warm.solve(problem).objective == pytest.approx(expected, rel=1e-9)


def test_the_entropy_term_is_least_where_nothing_changes():
    # p = 1/2, ε = 1: at v = 0 the term is ln(2/3) + 1/2 = 0.0945 > 0; it is not increasing.
    one = np.ones(1)
    low = entropy(0 * one, 0.5 * one, one, 1.0)
    assert low[0] == pytest.approx(np.log(2 / 3) + 0.5)
    assert entropy(0.5 * one, 0.5 * one, one, 1.0)[0] == 0.0


def test_the_entropy_term_is_the_relative_entropy_of_cvxpy():
    import cvxpy as cp

    rng = np.random.default_rng(0)
    v, p = rng.uniform(0, 1, (2, 50))
    expected = cp.kl_div(v + 0.3, p + 0.3).value
    np.testing.assert_allclose(entropy(v, p, np.ones(50), 0.3), expected, atol=1e-12)


@pytest.mark.parametrize("grows", [True, False])
def test_segments_add_up_to_the_highest_tangent(grows):
    rng = np.random.default_rng(1)
    before = rng.uniform(0, 0.9, (3, 4))
    scale = rng.uniform(0, 2, (3, 1))
    tangents = Tangents.first(before, scale, 0.2, grows=grows, pieces=9)
    for _ in range(4):
        spot = rng.uniform(tangents.start, 1.0)
        tangents.refine(spot, scale * rng.normal(size=before.shape), np.ones(before.shape, bool))
    prices, widths = tangents.segments()
    assert (np.diff(prices) >= -1e-12).all()
    for v in rng.uniform(tangents.start, 1.2, (20, 3, 4)):
        filled = np.clip(v[..., None] - tangents.start[..., None] - _starts(widths), 0, widths)
        value = tangents.constant() + (prices * filled).sum()
        true = entropy(v, before, scale, 0.2)
        assert value == pytest.approx((true - tangents.shortfall(v)).sum(), abs=1e-9)


def _starts(widths):
    return np.concatenate([np.zeros((*widths.shape[:2], 1)), np.cumsum(widths, -1)[..., :-1]], -1)


def test_tangents_never_lie_above_the_term_and_touch_where_added():
    before = np.array([[0.0, 0.4]])
    tangents = Tangents.first(before, np.ones((1, 1)), 0.1, grows=True, pieces=8)
    spot = np.array([[0.3, 0.7]])
    assert (tangents.shortfall(spot) > 1e-4).all()
    assert tangents.refine(spot, np.zeros((1, 2)), np.ones((1, 2), bool))
    np.testing.assert_allclose(tangents.shortfall(spot), 0.0, atol=1e-12)


def test_a_job_in_shares_has_the_value_of_the_traced_slot():
    from farkas.solvers import solve

    for problem in slots("printed"):
        if problem.market.num_jobs == 1:
            tangents = Tangents.first(
                problem.before, problem.scale, problem.market.epsilon, grows=True, pieces=6
            )
            touched = Touched(problem, tangents)
            whole = solve(programs.build("mlbroker.outer[relax=tight]").form(touched))
            share = solve(programs.build("mlbroker.outer_job").form(touched))
            assert share.objective == pytest.approx(whole.objective, rel=1e-9, abs=1e-9)
