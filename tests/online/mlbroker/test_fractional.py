"""Algorithm 1: what it pays, what it remembers, what it proves."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import FarkasError, UnsupportedForm
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms, environments
from farkas.online.loop import decide
from farkas.online.mlbroker.fractional import Fractional, FractionalSlot, Lanes
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from farkas.solvers.subproblem import solve_subproblem
from tests.generators.mlbroker import edge_cases, random_brokerage
from tests.references.mlbroker_policies import least_slot, worth_of
from tests.tools.decisions import decisions
from tests.tools.quick import some

ALGORITHM = algorithms["mlbroker.fractional"]
BROKERS = ["mlbroker/tiny", "mlbroker/quiet_slot", "mlbroker/return_trip", "mlbroker/set_cover"]


def sweep():
    found = [library.load(name) for name in BROKERS]
    for seed, epsilon in enumerate((0.01, 1.0, 100.0)):
        dear = {"deploy_rate": [1.0, 2.0], "transfer_scale": 20.0}
        found += [generate("mlbroker", "small", seed=seed, epsilon=epsilon, **dear)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_run_lies_above_its_relaxation_and_its_bound_below(relax, semantics):
    for broker in sweep():
        optimum = solve(Relaxation(relax=relax, semantics=semantics).form(broker)).objective
        run = ALGORITHM.run(broker, relax=relax, semantics=semantics)
        assert run.violations == []
        assert float(run.certificate) <= optimum + 1e-6 * optimum
        assert run.value >= optimum - 1e-6 * optimum
        # The closed form needs exact slot optima, the certificate does not.
        assert float(run.certificate) == pytest.approx(run.numbers["certificate"], rel=1e-3)


def test_lanes_keep_what_is_positive():
    values = np.zeros((2, 3, 3))
    values[1, 0, 2] = 4.0
    lanes = Lanes.of(values)
    assert lanes.amount.tolist() == [4.0]
    np.testing.assert_array_equal(lanes.dense(2, 3), values)


def test_epsilon_decides_how_much_is_deployed():
    dear = {"deploy_rate": [1.0, 2.0], "transfer_scale": 20.0}
    broker = generate("mlbroker", "small", seed=1, epsilon=0.01, **dear)
    own, other = decisions("mlbroker.fractional", broker), broker.replace(epsilon=100.0)
    given = decisions("mlbroker.fractional", broker, epsilon=100.0)
    same = decisions("mlbroker.fractional", other)
    for slot, wanted in zip(given, same, strict=True):
        assert slot.deployed == pytest.approx(wanted.deployed, abs=1e-6)
    assert any(
        np.abs(slot.deployed - before.deployed).max(initial=0.0) > 0.01
        for slot, before in zip(given, own, strict=True)
    )
    # what is proved of the run is about the ε in use as well
    asked, stated = ALGORITHM.run(broker, epsilon=100.0), ALGORITHM.run(other)
    for name in ("certificate", "moving"):
        assert asked.numbers[name] == pytest.approx(stated.numbers[name], rel=1e-6)
    assert float(asked.certificate) == pytest.approx(float(stated.certificate), rel=1e-6)
    assert asked.numbers["certificate"] == pytest.approx(float(asked.certificate), rel=1e-3)


@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("seed", [2, 5])
def test_every_slot_is_the_least_of_10_written_number_by_number(seed, relax, semantics):
    broker = random_brokerage(seed, sites=3, slots=2, resources=1 + seed % 2, most=3)
    if seed % 2:  # workers stay where the data are, and more are needed than at any one site
        broker = broker.replace(transfer_price=(20 * broker.transfer).tolist())
    sites, before = broker.num_sites, {}
    made = decisions("mlbroker.fractional", broker, relax=relax, semantics=semantics)
    for slot, found in enumerate(made):
        jobs = found.jobs.tolist()
        was = [before.get(job, [0.0] * sites) for job in jobs]
        lanes = (each.dense(len(jobs), sites) for each in (found.moved, found.connected))
        point = found.workers, found.server, found.deployed, *lanes
        least = least_slot(broker, slot, was, relax, semantics)
        value = worth_of(broker, slot, was, point, relax, semantics)
        assert value == pytest.approx(least, rel=1e-6)
        before = dict(zip(jobs, found.deployed.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_any_decisions_cost_what_lists_say(seed):
    rng = np.random.default_rng(seed)
    broker = random_brokerage(seed, sites=3, slots=3, jobs=4)
    made, before, wanted = [], {}, []
    for slot in range(broker.num_slots):
        jobs = broker.jobs_at(slot).tolist()
        tables = rng.random((3, len(jobs), 3)) * np.array([4.0, 1.0, 1.0])[:, None, None]
        lanes = rng.random((2, len(jobs), 3, 3)) * (rng.random((2, len(jobs), 3, 3)) < 0.5)
        numbers = np.array(jobs, np.int64)
        made.append(FractionalSlot(numbers, *tables, *(Lanes.of(each) for each in lanes), 0.25))
        cost = {"transfer": 0.0, "deploy": 0.0, "sync": 0.0}
        for row, number in enumerate(jobs):
            job = broker.jobs[number]
            for r in range(3):
                new = tables[2][row][r] - before.get((number, r), 0.0)
                cost["deploy"] += job.deploy_cost * max(0.0, new)
                before[number, r] = tables[2][row][r]
                for p in range(3):
                    price = broker.transfer_price[r][p]
                    cost["transfer"] += price * lanes[0][row, r, p]
                    cost["sync"] += price * job.sync_volume * lanes[1][row, r, p]
        wanted.append(cost)
    found = Fractional("tight").price(broker, made)
    for said, cost in zip(found.costs, wanted, strict=True):
        assert {part: said[part] for part in cost} == pytest.approx(cost, rel=1e-12)
    assert found.numbers["gap"] == 0.25 * broker.num_slots
    assert found.numbers["moving"] == pytest.approx(sum(cost["deploy"] for cost in wanted))
    for said, slot in zip(Fractional("printed").price(broker, made).costs, made, strict=True):
        assert said["resource"] == pytest.approx(least_paid(broker, slot), rel=1e-12)


def least_paid(broker, slot):
    """Sum over sites and resources of the least x that (8c) to (8e) leave."""
    big_m, total = broker.valid_big_m("printed"), 0.0
    for r in range(broker.num_sites) if len(slot.jobs) else ():
        for k in range(broker.list_price.shape[1]):
            usage = 0.0
            for row, number in enumerate(slot.jobs):
                job = broker.jobs[number]
                usage += slot.workers[row, r] * job.worker_demand[k]
                usage += slot.server[row, r] * job.server_demand[k]
            dear = broker.list_price[r, k] * usage
            cheap = broker.reduced_price[r, k] * usage + broker.surcharge[r, k]
            # both fall below x at once where the two lines in y cross, if that is a share
            shares = [y for y in (0.0, 1.0, ((dear - cheap) / big_m + 1) / 2) if 0 <= y <= 1]
            total += min(max(dear - big_m * y, cheap - big_m * (1 - y), 0.0) for y in shares)
    return total


def stepped(policy, broker):
    """State after all slots, and the decisions."""
    done = decide(policy, environments["mlbroker"], broker, 0)
    return done.state, done.decisions


@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_a_guide_holds_every_multiplier_of_every_slot(relax, semantics):
    broker = random_brokerage(2, sites=3, slots=3, jobs=4, resources=2)
    policy = Fractional(relax, semantics)
    state, made = stepped(policy, broker)
    guide = policy.guide(broker, state)
    for slot, (solution, decision) in enumerate(zip(state.solved, made, strict=True)):
        if solution is None:
            assert not len(decision.jobs)
            continue
        pairs = broker.pairs_at(slot)
        for mine, its in (
            (guide.server[pairs], solution.server_price),
            (guide.presence[pairs], solution.presence_price),
            (guide.worker[pairs], solution.worker_price),
            (guide.absence[pairs], solution.absence_price),
            (guide.list_share[slot], solution.list_price),
            (guide.reduced_share[slot], solution.reduced_price),
        ):
            assert mine.tolist() == its.tolist()
        assert decision.gap == solution.gap
    solved = [solution for solution in state.solved if solution is not None]
    assert any(solution.gap > 0 for solution in solved)
    if (relax, semantics) == ("tight", "strict"):  # it pays to leave a site
        assert any(solution.absence_price.any() for solution in solved)


@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_constants_are_those_of_the_semantics_and_deployment_is_a_share(relax, semantics):
    # without data no worker is needed, and strict semantics let an idle one hold a site
    broker = edge_cases()["no data at all"]
    policy, world = Fractional(relax, semantics), environments["mlbroker"]
    state = policy.start(world.known(broker), 0)
    asked = []
    for arrival in world.arrivals(broker):
        program = policy.model(state, arrival)
        asked.append(program.data)
        answer = solve_subproblem(program)
        noise = dataclasses.replace(answer.decisions, deployed=answer.decisions.deployed + 1.0)
        answer = dataclasses.replace(answer, decisions=noise)
        state, decision = policy.round(state, arrival, answer, np.random.default_rng(0))
        assert decision.deployed.max() <= 1.0
        assert semantics == "printed" or decision.deployed.min() == 1.0
    assert {problem.constants.presence_bound for problem in asked} == {
        1 if semantics == "printed" else 2
    }


SOLVERS = ["cutting_planes", "filling", "clarabel", "scs", "cvxpy:clarabel"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_any_solver_runs_the_algorithm_and_its_multipliers_prove_a_bound(relax, semantics, solver):
    if solver == "filling" and (relax, semantics) != ("tight", "printed"):
        with pytest.raises(UnsupportedForm, match=r"filling solves .* only; try cutting_planes"):
            ALGORITHM.run(
                library.load("mlbroker/tiny"), relax=relax, semantics=semantics, solver=solver
            )
        return
    for seed in range(some(1, 2)):
        broker = random_brokerage(seed, sites=3, slots=3, jobs=2)
        variant = {"relax": relax, "semantics": semantics}
        own, general = (ALGORITHM.run(broker, solver=name, **variant) for name in ("", solver))
        assert general.violations == []
        assert {step.solver for step in general.steps if step.programs} == {solver}
        # deployment is unique, so that every slot costs the same; not how it is split
        solved = [pair for pair in zip(own.steps, general.steps, strict=True) if pair[0].programs]
        for mine, its in solved:
            assert mine.fractional == pytest.approx(its.fractional, rel=1e-4, abs=1e-6)
        assert float(general.certificate) == pytest.approx(float(own.certificate), rel=1e-3)
        assert float(general.certificate) <= float(general.value) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("solver", "words"),
    [("highs", "HIGHS cannot solve this problem"), ("nobody", "nobody")],
)
def test_a_solver_that_cannot_take_the_slots_is_refused(solver, words):
    with pytest.raises(FarkasError, match=f"(?i){words}"):
        ALGORITHM.run(library.load("mlbroker/tiny"), solver=solver)


def test_the_inequality_of_theorem_3_is_that_of_every_slot():
    for name in ("mlbroker/tiny", "mlbroker/return_trip"):
        run = ALGORITHM.run(library.load(name))
        assert run.theorem == "mlBroker (12), (13)"
        assert sum(Fraction(step.left) for step in run.steps) == Fraction(run.value_exact)
        # 2 + (1 + ε) ln(1 + 1/ε) times what the slot adds to the bound
        epsilon, before = library.load(name).epsilon, Fraction(0)
        for step in run.steps:
            more, before = Fraction(step.bound_so_far) - before, Fraction(step.bound_so_far)
            factor = 2 + (1 + epsilon) * math.log(1 + 1 / epsilon)
            assert float(Fraction(step.right)) == pytest.approx(factor * float(more), rel=1e-9)
            assert step.holds == (Fraction(step.left) <= Fraction(step.right))


def test_the_first_slot_that_breaks_theorem_3_is_seen_and_others_have_none():
    wandering = library.load("mlbroker/harmonic")
    holds = [step.holds for step in ALGORITHM.run(wandering).steps]
    assert holds[0] is False  # all is paid for the first site, and nothing is proved yet
    assert holds[-1] is True
    for options in ({"relax": "tight"}, {"semantics": "strict"}):
        run = ALGORITHM.run(library.load("mlbroker/tiny"), **options)
        assert run.theorem == ""
        assert {step.holds for step in run.steps} == {None}
