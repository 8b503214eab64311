"""Servers that follow workers: against linear programs and cones, and what proves it."""

import math

import msgspec
import numpy as np
import pytest

from farkas.models.mlbroker.data import Constants, SlotProblem, entropy, snapshot
from farkas.relaxations.mlbroker import slot_transport
from farkas.relaxations.mlbroker.slot_solver import Together
from farkas.relaxations.mlbroker.slot_transport import (
    FreeMoves,
    JobPrices,
    PouredJobs,
    SiteLevels,
    follow,
)
from tests.generators.mlbroker import edge_cases, random_brokerage, single


def drawn(seed, jobs=3):
    """A slot of a random broker; servers are drawn away from workers by dear or cheap wires."""
    rng = np.random.default_rng(seed)
    broker = random_brokerage(seed, sites=2 + seed % 4, slots=1, jobs=jobs, resources=2, most=3)
    broker = broker.replace(transfer_price=float(rng.choice([0.0, 1, 9])) * broker.transfer)
    market = snapshot(broker, 0).market
    before = rng.random((market.num_jobs, market.num_sites)) * rng.choice([0.0, 0.3, 1.0])
    return SlotProblem(market=market, before=before, constants=Constants.of(broker))


@pytest.fixture
def asked(monkeypatch):
    """Slots that were left to the linear program, by their jobs."""
    left = []

    class Noted(Together):
        def solve(self, problem):
            left.append(problem.market.num_jobs)
            return super().solve(problem)

    monkeypatch.setattr(slot_transport, "Together", Noted)
    return left


def dual_value(problem, prices, i, eta, rent, servers):
    """What a job's multipliers of (8j) and v >= s and rents are worth, the others best for them."""
    sites, epsilon = range(problem.market.num_sites), problem.market.epsilon
    assert (eta >= 0).all()
    assert (servers >= 0).all()
    assert (servers <= rent).all()
    alpha = [
        min(prices.connected[i, r, p] - eta[p] for p in sites) + rent[r] - servers[r] for r in sites
    ]
    size = 1e-12 * (1 + sum(prices.connected[i].max(axis=0)) + sum(rent) + sum(eta))
    assert min(alpha) >= -size
    total = min(prices.server[i, p] + eta[p] + servers[p] for p in sites)
    for o in sites:
        total += prices.volume[i, o] * min(prices.moved[i, o, r] + alpha[r] for r in sites)
    for r in sites:
        before, scale = problem.before[i, r], problem.scale[i, 0]
        if rent[r] > 0:
            held = (before + epsilon) * np.exp(rent[r] / scale) - epsilon
            term = entropy(*np.atleast_1d(held, before, scale), epsilon)[0]
            total -= rent[r] * held - term
    return total


@pytest.mark.ids(4)
@pytest.mark.parametrize("seed", range(40))
def test_it_finds_what_linear_programs_find_and_proves_it(seed, asked):
    problem = drawn(seed)
    if not problem.market.num_jobs:
        return
    found = follow(problem)
    left = set(asked)
    reference = Together("tight").solve(problem)
    room = reference.gap + found.gap + 1e-12 * abs(reference.objective)
    assert abs(found.objective - reference.objective) <= room
    share = found.server.sum(axis=1)
    assert share == pytest.approx(np.ones(len(share)))
    if not left:
        prices, needed = JobPrices.of(problem.market), problem.market.workers_needed
        worth = sum(
            dual_value(problem, prices, i, max(1, needed[i]) * eta, rent, servers)
            for i, (eta, rent, servers) in enumerate(
                zip(found.server_price, found.deployed_price, found.presence_price, strict=True)
            )
        )
        assert worth == pytest.approx(found.objective, rel=1e-9)
        assert found.gap <= 1e-11 * (1 + found.objective)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gaps_of_jobs_that_are_placed_badly_cover_what_they_lose_together(seed):
    problem = drawn(seed)
    prices, jobs = JobPrices.of(problem.market), problem.market.num_jobs
    good = slot_transport._fill(problem, prices)
    work = np.roll(good.work, 1, axis=2)  # all of it a site farther
    held = np.maximum(problem.before, work.sum(axis=1))
    bad = PouredJobs(good.amount, good.workers, good.server, work, held)
    found, cost, gap, proved = slot_transport._priced(problem, prices, bad)
    least = [Together("tight").solve(problem.some(np.array([job]))) for job in range(jobs)]
    lost = cost - [one.objective for one in least]
    assert (lost <= gap + 1e-6 * cost).all()
    assert (lost > 1e-3 * cost).sum() >= 2
    assert not proved.all()
    assert found.objective - found.gap <= sum(one.objective for one in least) * (1 + 1e-9)


def test_only_jobs_that_are_not_proved_are_left_to_the_program(asked):
    mixed = 0
    for seed in range(12):
        problem = drawn(seed, jobs=6)
        asked.clear()
        found = follow(problem)
        if not asked or asked[0] == problem.market.num_jobs:
            continue
        mixed += 1
        reference = Together("tight").solve(problem)
        room = reference.gap + found.gap + 1e-12 * abs(reference.objective)
        assert abs(found.objective - reference.objective) <= room
        market, needed = problem.market, problem.market.workers_needed
        # what is joined keeps the rows of every job, and is worth what it says, at chords of all
        assert found.moved.sum(axis=2) == pytest.approx(market.trained_volume, abs=1e-7)
        assert (found.workers.sum(axis=1) >= needed * (1 - 1e-7)).all()
        assert found.connected.sum(axis=2) == pytest.approx(found.workers, abs=1e-6)
        assert (found.deployed >= found.server - 1e-7).all()
        slope = market.chord_slope()[0]
        usage = found.workers.T @ market.worker_demand + found.server.T @ market.server_demand
        terms = entropy(found.deployed, problem.before, problem.scale, market.epsilon)
        cost = (market.transfer * found.moved).sum() + (slope * usage).sum() + terms.sum()
        cost += (market.sync_volume[:, None, None] * market.transfer * found.connected).sum()
        assert found.objective == pytest.approx(cost, rel=1e-7)
    assert mixed >= 2


@pytest.mark.parametrize("name", edge_cases())
@pytest.mark.parametrize("deploy", [0.0, 1.0])
def test_edge_cases(name, deploy):
    market = snapshot(edge_cases()[name], 0).market
    jobs = [msgspec.structs.replace(job, deploy_cost=deploy) for job in market.jobs]
    market = market.replace(jobs=jobs)
    before = np.zeros((market.num_jobs, market.num_sites))
    problem = SlotProblem(market=market, before=before, constants=Constants.of(market))
    found = follow(problem)
    reference = Together("tight").solve(problem)
    assert found.objective == pytest.approx(reference.objective, rel=1e-8, abs=1e-12)
    assert found.moved.shape == reference.moved.shape


@pytest.mark.parametrize(
    ("sync", "left", "server", "cost"), [(1.0, [1], [0, 1], 7.0), (20.0, [], [1, 0], 8.0)]
)
def test_a_server_goes_where_it_is_cheap_if_wires_are(asked, sync, left, server, cost):
    # 10 GB, one worker, at site 0, and presence is paid everywhere.  All at site 0 costs 4 + 4, all
    # at site 1 5 + 2.5 + 2.5; the worker at 0 and the server at 1 cost 4 + 2.5 and traffic, 0.5 or
    # 10; another worker at site 1, to whom the server talks, costs 2.5.
    wires = [[0, 0.5], [0.5, 0]]
    broker = single([[10.0, 0.0]], transfer_price=wires, base_price=[[4], [2.5]], sync_volume=sync)
    market = snapshot(broker, 0).market
    problem = SlotProblem(market=market, before=np.ones((1, 2)), constants=Constants.of(broker))
    found = follow(problem)
    assert asked == left
    assert found.server[0].tolist() == pytest.approx(server, abs=1e-6)
    assert found.objective == pytest.approx(cost, rel=1e-9)


def test_a_filling_without_end_is_left_to_the_program(asked, monkeypatch):
    problem = drawn(11, jobs=6)
    plain = follow(problem)
    monkeypatch.setattr(slot_transport, "MOST_STEPS", 0)
    found = follow(problem)
    assert asked[-1:] == [problem.market.num_jobs]
    assert found.objective == pytest.approx(plain.objective, rel=1e-8)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_proved_has_multipliers_worth_it_where_wires_are_cheap(seed):
    rng = np.random.default_rng(seed)
    broker = random_brokerage(seed, sites=6, slots=1, jobs=8, resources=2, most=3)
    wires = rng.choice([0.0, 0.02, 0.2, 1.0], (6, 6)) * (1 - np.eye(6))
    market = snapshot(broker.replace(transfer_price=wires), 0).market
    before = rng.random((market.num_jobs, 6)) * (rng.random((market.num_jobs, 6)) < 0.5)
    problem = SlotProblem(market=market, before=before, constants=Constants.of(broker))
    prices = JobPrices.of(market)
    found, _, _, proved = slot_transport._priced(
        problem, prices, slot_transport._fill(problem, prices)
    )
    for i in np.flatnonzero(proved):
        eta = max(1, market.workers_needed[i]) * found.server_price[i]
        multipliers = eta, found.deployed_price[i], found.presence_price[i]
        reached = np.maximum(before[i], found.server[i])
        terms = entropy(reached, before[i], problem.scale[i], market.epsilon)
        cost = (market.transfer * found.moved[i]).sum() + terms.sum()
        # the share of the workers at a site is that of the server, which serves them
        cost += ((np.diagonal(prices.connected[i]) + prices.server[i]) * found.server[i]).sum()
        assert dual_value(problem, prices, i, *multipliers) == pytest.approx(cost, rel=1e-9)


def poured(amount, move, floor, before, scale=1.0, epsilon=1.0):
    arrays = (np.array(values, dtype=float) for values in (move, floor, before))
    found = SiteLevels(*arrays, scale, epsilon)
    found.pour(np.array(amount, dtype=float))
    return found


def assert_optimal(found, amount, move, floor, before, scale, epsilon):
    """The conditions of Karush, Kuhn and Tucker, number by number."""
    origins, sites = len(amount), len(floor)
    load = [sum(found.work[o, r] for o in range(origins)) for r in range(sites)]
    for o in range(origins):
        assert sum(found.work[o]) == pytest.approx(amount[o], abs=1e-12)
        prices = [move[o][r] + floor[r] + found.rent[r] for r in range(sites)]
        for r in range(sites):
            assert found.work[o, r] >= 0
            if found.work[o, r] > 0:
                assert prices[r] == pytest.approx(min(prices), rel=1e-9, abs=1e-12)
    for r in range(sites):
        assert found.rent[r] >= 0
        if scale == 0 or found.rent[r] == 0:
            assert load[r] <= (before[r] if scale else 1.0) + 1e-12
        else:
            risen = (before[r] + epsilon) * math.expm1(found.rent[r] / scale)
            assert load[r] - before[r] == pytest.approx(risen, rel=1e-7, abs=1e-9)
        assert found.held[r] >= load[r] - 1e-12


def amounts(seed):
    """Amounts, prices and shares of any size; every other time with many ties."""
    rng = np.random.default_rng(seed)
    sites = int(rng.integers(1, 7))
    tied = seed % 2
    amount = rng.dirichlet(np.ones(sites + 1)) * (rng.random(sites + 1) < 0.8)
    move = rng.uniform(0, 2, (sites + 1, sites))
    move[:sites][np.eye(sites, dtype=bool)] = 0
    move[sites] = 0
    floor = rng.uniform(0, 2, sites)
    before = rng.uniform(0, 1, sites) * (rng.random(sites) < 0.6)
    if tied:
        amount = np.round(8 * amount) / 16
        move, floor, before = np.round(move), np.round(floor), np.round(4 * before) / 8
    scale = float(rng.choice([0.01, 0.5, 3.0]))
    epsilon = float(rng.choice([0.001, 0.1, 1.0, 100.0]))
    return amount, move, floor, before, scale, epsilon


def test_rises_end_for_every_reason(monkeypatch):
    """All is held, another site is as cheap, work that made room is used up; and work shifts."""
    ends, raised, shifted = set(), SiteLevels._raise, []

    def noted(self, found, more):
        first, was = found.sites[0], self.work.copy()
        raised(self, found, more)
        if self.load[first] == self.held[first]:
            ends.add("held")
        elif any(self.work[o, r] == 0 < was[o, r] for o, r in found.taken_from.items()):
            ends.add("used up")
        else:
            ends.add("as cheap")

    shift = SiteLevels._shift
    monkeypatch.setattr(SiteLevels, "_raise", noted)
    monkeypatch.setattr(SiteLevels, "_shift", lambda *these: (shifted.append(1), shift(*these)))
    for seed in range(60):
        given = amounts(seed)
        assert_optimal(poured(*given), *given)
    assert ends == {"held", "used up", "as cheap"}
    assert shifted


def test_no_more_work_is_moved_than_there_is_on_the_way():
    # site 0 holds 0.4 too much, site 2 has room for 0.5, but from site 1 only 0.1 can move on
    levels = SiteLevels(np.zeros((2, 3)), np.zeros(3), np.array([0.2, 0.1, 0.5]), 1.0, 1.0)
    levels.work[0, 0], levels.work[1, 1] = 0.6, 0.1
    levels.load[:] = [0.6, 0.1, 0.0]
    levels._shift(FreeMoves([0, 1, 2], {0: 0, 1: 1}, {1: 0, 2: 1}, room=2))
    assert levels.work.tolist() == [[0.5, 0.1, 0.0], [0.0, 0.0, 0.1]]
    assert levels.load.tolist() == [0.5, 0.1, 0.1]
