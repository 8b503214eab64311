"""Runs of kind mlbroker as quantities: where they are absent."""

import math

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.quantities import evaluate, evaluate_all
from tests.generators.mlbroker import single


def test_myopic_baselines_are_absent_where_ties_decide():
    by_hand = {item.key: item for item in evaluate_all(library.load("mlbroker/tiny"))}
    assert "no seed" in str(by_hand["mlbroker.oasis"].error)
    free = generate("mlbroker", "small", seed=1, worker_demand=[[0, 0], [0, 0]])
    items = {item.key: item for item in evaluate_all(free, ["mlbroker.one_shot"])}
    assert "demand nothing" in str(items["mlbroker.one_shot"].error)


def test_expectation_over_too_many_choices_is_absent():
    many = generate("mlbroker", "small", seed=0, num_jobs=9)
    assert evaluate(many, ["mlbroker.local_expected"]) == {}


def test_a_discount_is_in_reach_where_all_jobs_at_one_site_use_so_much():
    # of the published ranges, counted by hand: units of all workers and servers of a slot
    broker = generate("mlbroker", "small", seed=3, jobs_per_slot=2)
    for k in range(broker.num_resources):
        reached = []
        for slot in range(broker.num_slots):
            jobs = broker.jobs_at(slot)
            if not len(jobs):
                continue
            workers = broker.workers_needed[broker.pairs_at(slot)]
            used = workers @ broker.worker_demand[jobs, k] + broker.server_demand[jobs, k].sum()
            reached.append(any(used >= row[k] for row in broker.threshold))
        key = f"mlbroker.discount_in_reach[{k}]"
        assert evaluate(broker, [key])[key] == sum(reached) / len(reached)


def test_a_site_without_a_discount_has_none_in_reach():
    # 5 units are used at most: the threshold of 9 is out of reach, the other site gives nothing
    broker = single([[30.0, 0.0]], server_demand=[2.0], discount_price=[[0.5], [None]],
                    discount_threshold=[[9.0], [None]])  # fmt: skip
    key = "mlbroker.discount_in_reach[0]"
    assert evaluate(broker, [key])[key] == 0.0
    assert evaluate(broker.replace(discount_threshold=[[5.0], [None]]), [key])[key] == 1.0
    assert evaluate(broker.replace(discount_price=None), [key])[key] == 0.0


def test_the_ratio_that_theorem_3_claims():
    broker = library.load("mlbroker/tiny")
    key = "mlbroker.ratio_bound_printed"
    for epsilon, ratio in ((0.5, 2 + 1.5 * math.log(3)), (3.0, 2 + 4 * math.log(4 / 3))):
        assert math.isclose(evaluate(broker.replace(epsilon=epsilon), [key])[key], ratio)


def test_slots_without_jobs_are_not_counted():
    broker = single([[5.0, 0.0]], num_slots=3, discount_price=[[0.5]] * 2,
                    discount_threshold=[[1.0]] * 2)  # fmt: skip
    key = "mlbroker.discount_in_reach[0]"
    assert evaluate(broker, [key])[key] == 1.0


def test_central_and_what_of_it_are_deployments():
    # data at site 0, then 1: staying would move 5 GB at 1 USD each
    broker = single([[5.0, 0.0], [0.0, 5.0]], deploy_cost=0.25)
    found = evaluate(broker, ["mlbroker.central", "mlbroker.central.deploy"])
    # a worker and a server at 1 USD each in either slot, and two deployments
    assert found == {"mlbroker.central": 4.5, "mlbroker.central.deploy": 0.5}
