"""Rounding the fractional decisions of every slot."""

import dataclasses

import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.models.mlbroker.data import snapshot
from farkas.online import algorithms, environments
from farkas.online.mlbroker.environment import tight_bound
from farkas.online.mlbroker.fractional import (
    FractionalSlot,
    GreedyRounding,
    IndependentRounding,
    Lanes,
    MlBroker,
    clean,
)
from farkas.online.mlbroker.local import SlotBaseline
from tests.generators.mlbroker import random_brokerage, single
from tests.references.mlbroker_policies import plans_of, rounded
from tests.tools.decisions import decisions


@pytest.mark.ids(5)
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("name", ["mlbroker", "ir", "gr"])
def test_a_run_ends_with_the_better_of_its_own_bound_and_the_tight_one(name, relax):
    instance = generate("mlbroker", "small", seed=0)
    run = algorithms[f"mlbroker.{name}"].run(instance, relax=relax)
    own = algorithms["mlbroker.fractional"].run(instance, relax=relax).certificate
    assert run.certificate.fraction == max(own.fraction, tight_bound(instance).fraction)
    assert run.certificate.fraction > own.fraction  # 6.4 of 146.2 with one constant M


def decided(workers, server):
    empty = Lanes.of(np.zeros((1, 2, 2)))
    shares = np.array([server], float)
    return FractionalSlot(
        np.array([0]), np.array([workers], float), shares, shares, empty, empty, 0.0
    )


def test_nearest_rounding_repairs_jobs_left_with_too_few_workers():
    # 28 GB need 3 workers of 10: 1.4 + 1.6 are rounded to 1 + 2; 1.4 + 1.4 + noise to 1 + 1
    market, rng = snapshot(single([[13.0, 15.0]]), 0).market, np.random.default_rng(0)
    assert IndependentRounding().whole(decided([1.4, 1.6], [1, 0]), market, rng).repaired == 0
    mended = IndependentRounding().whole(decided([1.4, 1.4], [1, 0]), market, rng)
    assert mended.repaired == 1
    # 15 GB at site 1 are less trained by one worker than 13 GB at site 0
    assert mended.workers.tolist() == [[1, 2]]


def test_noise_of_the_solver_is_no_worker():
    market = snapshot(single([[13.0, 15.0]]), 0).market
    workers, server = clean(decided([1e-9, 3 - 1e-9], [1 - 1e-10, 1e-10]), market)
    assert workers.tolist() == [[0, 3]]
    assert server.tolist() == [[1, 0]]


@pytest.mark.parametrize("seed", range(6))
def test_decisions_are_those_of_the_rounding_written_with_lists(seed):
    broker = random_brokerage(seed, sites=3, jobs=4, resources=2, most=5)
    if seed % 2:  # workers stay where the data are, so that fewer are whole
        broker = broker.replace(transfer_price=(100 * broker.transfer).tolist())
    points = decisions("mlbroker.fractional", broker)
    rules = {"max": ("mlbroker", {}), "round2": ("mlbroker", {"combine": "round2"})}
    for rule, (name, options) in {**rules, "ir": ("ir", {}), "gr": ("gr", {})}.items():
        rng = np.random.default_rng(seed)
        shares = [(point.workers.tolist(), point.server.tolist()) for point in points]
        wanted = [rounded(broker, t, share, rng, rule) for t, share in enumerate(shares)]
        found = decisions(f"mlbroker.{name}", broker, seed, **options)
        assert [plans_of(decision) for decision in found] == wanted


@pytest.mark.parametrize("seed", range(30))
def test_halves_and_noise_are_rounded_as_with_lists(seed):
    # shares in quarters tie, and are off by what a solver leaves
    rng = np.random.default_rng(seed)
    broker = random_brokerage(seed, sites=1 + seed % 3, slots=1, jobs=3, resources=2, most=6)
    market, sites = snapshot(broker, 0).market, broker.num_sites
    if not market.num_jobs:
        return
    size = (market.num_jobs, sites)
    workers = rng.integers(0, 9, size) / 4 + rng.choice([-1e-8, 0, 1e-8], size)
    workers[:, 0] += np.maximum(0, market.workers_needed - workers.sum(axis=1))
    server = rng.multinomial(4, [1 / sites] * sites, size[0]) / 4
    empty = Lanes.of(np.zeros((size[0], sites, sites)))
    point = FractionalSlot(market.jobs_at(0), workers, server, server, empty, empty, 0.0)
    made = {"max": MlBroker(), "round2": MlBroker(combine="round2")}
    made |= {"ir": IndependentRounding(), "gr": GreedyRounding()}
    for rule, policy in made.items():
        shares = point.workers.tolist(), point.server.tolist()
        wanted = rounded(market, 0, shares, np.random.default_rng(seed), rule)
        assert plans_of(policy.whole(point, market, np.random.default_rng(seed))) == wanted


@dataclasses.dataclass(frozen=True)
class Wandering(SlotBaseline):
    """All workers and the server at the site with most data; keeps what it was told."""

    told: list = dataclasses.field(default_factory=list)

    def place(self, now):
        self.told.append(now.deployed.tolist())
        site = now.market.volume.argmax(axis=1)
        workers = np.zeros((len(site), now.market.num_sites), int)
        workers[np.arange(len(site)), site] = now.market.workers_needed
        return workers, site


def test_a_job_is_deployed_where_it_was_in_the_slot_before_only():
    broker, world = single([[5.0, 0.0], [0.0, 5.0], [0.0, 5.0]]), environments["mlbroker"]
    policy = Wandering()
    state = policy.start(world.known(broker), 0)
    for arrival in world.arrivals(broker):
        state, _ = policy.step(state, arrival)
    assert policy.told == [[[False, False]], [[True, False]], [[False, True]]]


def test_a_baseline_that_places_nothing_says_so():
    world, broker = environments["mlbroker"], single([[5.0, 0.0]])
    state = SlotBaseline().start(world.known(broker), 0)
    with pytest.raises(NotImplementedError):
        SlotBaseline().step(state, world.arrivals(broker)[0])
