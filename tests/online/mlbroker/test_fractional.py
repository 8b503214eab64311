"""Algorithm 1: what it pays, what it remembers, what it proves."""

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.mlbroker.fractional import Fractional, Lanes
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.solvers import solve
from tests.generators.mlbroker import random_brokerage
from tests.references.mlbroker_policies import least_slot, worth_of
from tests.tools.decisions import decisions

ALGORITHM = algorithms["mlbroker.fractional"]
BROKERS = ["mlbroker/tiny", "mlbroker/quiet_slot", "mlbroker/return_trip", "mlbroker/set_cover"]


def sweep():
    found = [library.load(name) for name in BROKERS]
    for seed, epsilon in enumerate((0.01, 1.0, 100.0)):
        dear = {"deploy_rate": [1.0, 2.0], "transfer_scale": 20.0}
        found += [generate("mlbroker", "small", seed=seed, epsilon=epsilon, **dear)]
    return found


@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_run_lies_above_its_relaxation_and_its_bound_below(relax, semantics):
    for broker in sweep():
        optimum = solve(Relaxed(relax=relax, semantics=semantics).form(broker)).objective
        run = ALGORITHM.run(broker, relax=relax, semantics=semantics)
        assert run.violations == []
        assert float(run.certificate) <= optimum + 1e-6 * optimum
        assert run.value >= optimum - 1e-6 * optimum
        # The closed form needs exact slot optima, the certificate does not.
        assert float(run.certificate) == pytest.approx(run.numbers["certificate"], rel=1e-3)


def test_deployment_never_falls_under_printed_semantics():
    broker = library.load("mlbroker/return_trip")
    policy = Fractional()
    run = ALGORITHM.run(broker)
    first, second, third = (np.array(d["deployed"]) for d in run.decisions)
    # Data at site 0, then 1, then 0: v = (1, 0), (1, 1), (1, 1), and the return is free.
    np.testing.assert_allclose([first[0], second[0], third[0]], [[1, 0], [1, 1], [1, 1]], atol=1e-6)
    assert run.value == pytest.approx(6.6)
    assert policy.relax == "tight"


def test_strict_deployment_falls_and_is_paid_again():
    # Strict optimum of the relaxation 9.15 > 6.6: the return to site 0 costs again.
    run = ALGORITHM.run(library.load("mlbroker/return_trip"), semantics="strict")
    assert run.value > 9.15 - 1e-6
    assert np.array(run.decisions[1]["deployed"])[0, 0] < 0.9


def test_harmonic_run_pays_more_than_theorem_3_allows():
    # 2 + 11 ln 1.1 = 3.0484; each of 12 sites adds about 1/(sites left): 3.0730.
    run = ALGORITHM.run(library.load("mlbroker/harmonic"), relax="printed")
    assert run.value == pytest.approx(3.0730, abs=1e-3)


def test_epsilon_overrides_the_instance_and_changes_no_bound_but_its_own():
    broker = library.load("mlbroker/return_trip")
    changed = ALGORITHM.run(broker, relax="printed", epsilon=0.01)
    same = ALGORITHM.run(broker.replace(epsilon=0.01), relax="printed")
    assert changed.value == pytest.approx(same.value, rel=1e-9)
    assert changed.manifest.instance_sha256 == broker.sha256
    assert float(changed.certificate) <= 4.72 + 1e-9


def test_future_slots_do_not_change_earlier_decisions():
    broker = generate("mlbroker", "small", seed=3)
    whole = ALGORITHM.run(broker)
    jobs = [job for job in broker.jobs if job.departure < 4]
    early = broker.replace(num_slots=4, jobs=jobs)
    untouched = [t for t in range(4) if broker.jobs_at(t).tolist() == early.jobs_at(t).tolist()]
    cut = ALGORITHM.run(early)
    assert untouched
    for slot in untouched:
        assert cut.costs[slot]["resource"] == pytest.approx(whole.costs[slot]["resource"])


def test_a_broken_decision_is_reported_with_its_label():
    broker = library.load("mlbroker/tiny")
    policy = Fractional()
    from farkas.online import environments

    world = environments["mlbroker"]
    state, decisions = policy.start(world.known(broker), 0), []
    for arrival in world.arrivals(broker):
        state, decision = policy.step(state, arrival)
        decisions.append(decision)
    decisions[0].workers[:] *= 0.5
    messages = policy.evaluate(broker, decisions).violations
    assert any("slot 0: (8a)" in message for message in messages)
    assert any("(8i)" in message for message in messages)


def test_lanes_keep_what_is_positive():
    values = np.zeros((2, 3, 3))
    values[1, 0, 2] = 4.0
    lanes = Lanes.of(values)
    assert lanes.amount.tolist() == [4.0]
    np.testing.assert_array_equal(lanes.dense(2, 3), values)


def test_unknown_options_are_refused():
    with pytest.raises(InvalidOption, match="relax"):
        ALGORITHM.run(library.load("mlbroker/tiny"), relax="loose")


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
