"""What solves the programs of a slot: our own solvers, and any general one."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption, UnknownName, UnsupportedForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.column import Columns
from farkas.models.gadget.slot import snapshot
from farkas.online import algorithms
from farkas.online.gadget.columns import slot_problem
from farkas.online.gadget.gadget import embedding, only_lone, size_selection
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.solvers.subproblem import own_solvers, solve_subproblem
from tests.tools.quick import some

GENERAL = ("highs", "gurobi", "scip", "pyomo:highs")
LINEAR = (*GENERAL, "clarabel", "scs", "cvxpy:CLARABEL")


def drawn(count: int, seed: int, **more: object) -> list[Cluster]:
    settings = {"network": "any", "servers": 3, "jobs": 3, "horizon": 2, **more}
    return list(random_clusters(count, seed, **settings))


def test_own_solvers_of_a_slot_find_the_optimum_of_a_general_one() -> None:
    for cluster in drawn(some(8, 16), 3, at_once=True):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        program = slot_problem(slot, "exact", 1e-3)
        known = own_solvers.names(f"{program.formulation.name}:")
        assert [name.rpartition(":")[2] for name in known] == ["columns", "exact"]
        best = solve_subproblem(program, "highs")
        for name, gap in (("columns", 1e-3), ("exact", 0.0), ("highs", 0.0), ("scip", 0.0)):
            answer = solve_subproblem(slot_problem(slot, name, gap), name)
            assert answer.value >= best.value * (1 - gap) - 1e-9
            assert answer.dual >= best.value * (1 - 1e-9) - 1e-9
            rings = answer.decisions
            assert Columns(slot, rings).gains.sum() == pytest.approx(answer.value)
            assert (rings.node_load(cluster).sum(axis=0) <= cluster.capacity).all()
            assert (rings.link_load(cluster).sum(axis=0) <= cluster.link_bandwidth).all()


@pytest.mark.parametrize("solver", ["highs", "scip", "clarabel"])
def test_both_programs_of_algorithm_2_have_one_optimum_by_every_solver(solver: str) -> None:
    for cluster in drawn(some(3, 6), 8):
        slot = only_lone(snapshot(cluster))
        if not len(slot.jobs):
            continue
        selection = size_selection(slot)
        chosen = solve_subproblem(selection).decisions
        for program in (selection, embedding(chosen)):
            wanted = solve_subproblem(program).value
            assert solve_subproblem(program, solver).value == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("solver", LINEAR)
def test_every_solver_of_linear_programs_runs_algorithm_2(solver: str) -> None:
    (cluster,) = drawn(1, 5, jobs=4)
    run = algorithms["gadget.gadget"].run(cluster, solver=solver)
    assert run.violations == []
    assert run.ratio is not None
    names = {name for step in run.steps for name in [step.solver] if name}
    assert names == {"cvxpy:SCS" if solver == "scs" else solver}
    first = next(step for step in run.steps if step.programs)
    assert (first.programs, first.program) == (2, "gadget.augmented")


@pytest.mark.parametrize("solver", GENERAL)
@pytest.mark.parametrize("name", ["gadget.columns", "gadget.greedy_exact"])
def test_every_solver_of_integer_programs_runs_the_slots(name: str, solver: str) -> None:
    (cluster,) = drawn(1, 5)
    usual, run = (algorithms[name].run(cluster, solver=each) for each in ("", solver))
    assert run.violations == []
    assert run.certificate == usual.certificate
    assert run.steps[0].fractional == pytest.approx(usual.steps[0].fractional, rel=2e-3)
    own = {"gadget.columns": "columns", "gadget.greedy_exact": "exact"}[name]
    assert (usual.steps[0].solver, run.steps[0].solver) == (own, solver)


def test_a_solver_that_cannot_take_the_program_is_refused() -> None:
    (cluster,) = drawn(1, 5)
    with pytest.raises(UnsupportedForm, match="clarabel"):
        algorithms["gadget.columns"].run(cluster, solver="clarabel")
    with pytest.raises(UnknownName):
        algorithms["gadget.gadget"].run(cluster, solver="columns")


def test_each_program_of_algorithm_2_is_asked_for_the_arrivals_of_its_slot() -> None:
    (cluster,) = drawn(1, 5, jobs=4)
    from farkas.online import environments
    from farkas.online.loop import take_step

    policy, world = algorithms["gadget.gadget"].policy(), environments["gadget"]
    state, rng = policy.start(world.known(cluster), 0), np.random.default_rng(0)
    for arrivals in world.arrivals(cluster):
        known = len(state.index)
        state, _, _ = take_step(policy, state, arrivals, rng)
        assert len(state.index) == known + len(arrivals)
        assert state.chosen is None


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gadget.gadget", {"rounds": 0}),
        ("gadget.gadget", {"rounds": -5}),
        ("gadget.columns", {"gap": -0.1}),
        ("mlbroker.opt", {"time_limit": 0.0}),
        ("mlbroker.opt", {"gap": -0.1}),
        ("mlbroker.oasis", {"gap": -0.1}),
    ],
)
def test_limits_that_leave_nothing_to_find_are_refused(name, options):
    with pytest.raises(InvalidOption, match=next(iter(options))):
        algorithms[name].settle(options)
