"""What integer decisions cost, and which are refused; every algorithm's are certified."""

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates.mlbroker import Guide, MlbrokerPrices, complete
from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.models.mlbroker.data import PlacedWorkers, present_at
from farkas.online import Bound, algorithms, environments
from farkas.online.mlbroker.environment import (
    PlacedSlot,
    by_pair,
    recourse_costs,
    tight_bound,
)
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from tests.generators.mlbroker import edge_cases, random_brokerage, single


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
        "slot 1: job 0 has a negative number of workers",
        f"slot 1: job 0 has its server at site {site}",
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
    here = present_at(np.array([[0, 2, 0], [0, 0, 0]]), np.array([0, 2]))
    assert here.tolist() == [[True, True, False], [False, False, True]]


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
    for count, said in ((1, ["slot 0: job 0 has 1 workers, 2 are needed"]), (2, [])):
        slot = PlacedSlot(np.array([0]), np.array([[count, 0]]), np.array([0]))
        assert world.evaluate(broker, [slot]).violations == said


def ended(broker, last):
    """The broker that ends with a slot: jobs that have come by then, with the data until then."""
    come = broker.replace(jobs=[job for job in broker.jobs if job.arrival <= last])
    return environments["mlbroker"].so_far(come, last + 1)


@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_proved_so_far_bounds_the_broker_that_ends_there(seed, relax, semantics):
    broker = random_brokerage(seed, sites=3, slots=4, jobs=4)
    run = algorithms["mlbroker.fractional"].run(broker, relax=relax, semantics=semantics)
    found = environments["mlbroker"].bounds_so_far(broker, run.certificate)
    assert [str(bound) for bound in found] == [step.bound_so_far for step in run.steps]
    assert found[-1] == run.certificate.fraction
    assert any(bound > 0 for bound in found)
    for last, bound in enumerate(found):
        optimum = solve(Relaxation(relax=relax, semantics=semantics).form(ended(broker, last)))
        assert float(bound) <= optimum.require_optimal().objective * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_what_is_proved_so_far_is_the_certificate_of_the_broker_that_ends_there(seed):
    broker = random_brokerage(seed, sites=3, slots=4, jobs=4)
    bound = tight_bound(broker)
    whole = msgspec.convert(bound.certificate, MlbrokerPrices).read_guide(broker)
    found = environments["mlbroker"].bounds_so_far(broker, bound)
    for last in range(broker.num_slots):
        cut = ended(broker, last)
        guide = Guide.zeros(cut)
        numbers = [job for job, one in enumerate(broker.jobs) if one.arrival <= last]
        for job, number in enumerate(numbers):
            mine, its = cut.pair_start[job], broker.pair_start[number]
            count = cut.pair_start[job + 1] - mine
            for part in ("move", "server", "presence"):
                getattr(guide, part)[mine : mine + count] = getattr(whole, part)[its : its + count]
            stays = broker.jobs[number].departure > last
            guide.leave[job] = whole.move[its + count] if stays else whole.leave[number]
        alone = complete(cut, guide, "tight", "printed").bound
        # sums over fewer jobs are rounded less
        assert found[last] <= alone
        assert float(found[last]) == pytest.approx(float(alone), rel=1e-12)


def test_other_certificates_say_nothing_of_slots():
    broker = random_brokerage(0, sites=2, slots=2, jobs=2)
    world, plain = environments["mlbroker"], Bound.of(Fraction(1), "nobody")
    assert world.bounds_so_far(broker, plain) is None
    best = farkas.optimum(broker, time_limit=20).run.certificate
    assert world.bounds_so_far(broker, best) is None


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_the_relaxation_and_below_the_optimum(seed):
    broker = random_brokerage(seed, sites=3, jobs=3)
    bound = float(tight_bound(broker))
    relaxed = solve(Relaxation(relax="tight").form(broker)).objective
    assert bound == pytest.approx(relaxed, rel=1e-6, abs=1e-6)
    assert bound <= algorithms["mlbroker.opt"].run(broker).value + 1e-9


def test_costs_of_a_job_that_leaves_a_site_and_returns():
    # 10 GB at site 0, 1, 0; one worker and the server follow the data; deploying costs 1, a unit
    # of the resource 1, and worker and server use one unit each
    broker = single([[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]])
    placed = PlacedWorkers.of(broker, [[1, 0], [0, 1], [1, 0]], [0, 1, 0])
    costs = recourse_costs(placed)
    assert costs.transfer.tolist() == pytest.approx([0, 0, 0])
    assert costs.resource.tolist() == [2, 2, 2]
    assert costs.deploy.tolist() == [1, 1, 1]
    assert costs.deploy_once.tolist() == [1, 1, 0]
    assert costs.sync.tolist() == [0, 0, 0]
    assert (costs.total, costs.total_sticky) == (9.0, 8.0)


def test_data_move_to_the_workers_and_parameters_to_the_server():
    # 10 GB move at 1 USD each; two workers away from the server send 2 GB each
    broker = single([[10.0, 10.0]])
    placed = PlacedWorkers.of(broker, [[0, 2]], [0])
    costs = recourse_costs(placed)
    assert costs.transfer.tolist() == pytest.approx([10.0])
    assert (costs.resource.tolist(), costs.sync.tolist()) == ([3.0], [4.0])
    assert costs.deploy.tolist() == [2.0]
    assert recourse_costs(PlacedWorkers.of(broker, [[0, 2]], [1])).sync.tolist() == [0.0]
