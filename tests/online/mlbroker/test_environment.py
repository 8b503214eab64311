"""What integer decisions cost, and which are refused; every algorithm's are certified."""

import numpy as np
import pytest

from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.online import algorithms, environments
from farkas.online.mlbroker.environment import PlacedSlot, by_pair, present
from tests.generators.mlbroker import edge_cases, single


@pytest.mark.parametrize("site", [-1, 2])
def test_a_server_outside_the_sites_and_workers_below_none_are_violations(site):
    broker = library.load("mlbroker/tiny")
    active = [broker.jobs_at(t) for t in range(2)]
    # one job-slot is wrong: its server is nowhere, and it has 11 - 1 workers
    slots = [PlacedSlot(j, np.full((len(j), 2), 10), np.zeros(len(j), int)) for j in active]
    slots[1].server[0] = site
    slots[1].workers[0] = 11, -1
    outcome = environments["mlbroker"].evaluate(broker, slots)
    assert outcome.violations == [
        "1 job-slots have a negative number of workers",
        "1 job-slots have their server outside the sites",
    ]
    assert np.isnan(outcome.total)


def test_decisions_about_other_jobs_are_refused():
    broker = library.load("mlbroker/tiny")
    wrong = PlacedSlot(np.array([1]), np.zeros((1, 2), int), np.array([0]))
    with pytest.raises(InvalidInstance, match="slot 0"):
        by_pair(broker, [wrong, wrong])


def test_brokers_without_jobs_cost_nothing():
    empty = library.load("mlbroker/tiny").replace(jobs=[])
    for name in algorithms.names("mlbroker."):
        run = algorithms[name].run(empty)
        assert (run.value, run.ratio) == (0.0, 1.0)


def test_a_job_is_present_where_it_has_workers_or_its_server():
    decision = PlacedSlot(np.array([0, 1]), np.array([[0, 2, 0], [0, 0, 0]]), np.array([0, 2]))
    assert present(decision).tolist() == [[True, True, False], [False, False, True]]


def test_decisions_about_too_few_slots_are_refused():
    with pytest.raises(InvalidInstance, match="0 decisions for 2 slots"):
        by_pair(library.load("mlbroker/tiny"), [])


def test_known_constants_are_those_of_either_semantics():
    # strict semantics let an idle worker hold a site, so that U and M are larger without data
    broker = edge_cases()["no data at all"].replace(
        discount_price=[[0.5], [0.5]], discount_threshold=[[1.0], [1.0]]
    )
    known = environments["mlbroker"].known(broker)
    assert (known.printed.presence_bound, known.strict.presence_bound) == (1, 2)
    assert (known.printed.big_m, known.strict.big_m) == (0.5, 0.5)
    dear = broker.replace(discount_threshold=[[0.25], [0.25]])
    known = environments["mlbroker"].known(dear)
    # (a - b) (H - l): H is the server's unit, or a worker's as well
    assert (known.printed.big_m, known.strict.big_m) == (0.375, 0.875)


def test_first_entries_and_repairs_are_counted_apart():
    # sites 0, 1, 0: three entries, two of them the first
    broker = library.load("mlbroker/return_trip")
    there = [
        PlacedSlot(np.array([0]), np.eye(2, dtype=int)[[site]], np.array([site]), repaired)
        for site, repaired in ((0, 0), (1, 2), (0, 1))
    ]
    outcome = environments["mlbroker"].worth(broker, there)
    cost = broker.jobs[0].deploy_cost
    assert [slot["deploy"] for slot in outcome.costs] == [cost] * 3
    assert outcome.numbers["deploy_once"] == 2 * cost
    assert outcome.total - outcome.numbers["total_sticky"] == pytest.approx(cost)
    assert outcome.numbers["repaired"] == 3.0


def test_one_worker_too_few_is_a_violation():
    broker = single([[15.0, 0.0]])  # 2 workers of 10 GB
    world = environments["mlbroker"]
    for count, said in ((1, ["1 job-slots have too few workers for their data"]), (2, [])):
        slot = PlacedSlot(np.array([0]), np.array([[count, 0]]), np.array([0]))
        assert world.evaluate(broker, [slot]).violations == said
