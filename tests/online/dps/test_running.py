"""A market that runs makes the decisions of the same market run as a whole."""

import heapq
import json
import re

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption, UnknownName
from farkas.online import algorithms
from farkas.online.dps.offers import Known
from farkas.online.dps.posted import run_seller
from farkas.online.dps.running import Provider, RunningMarket
from tests.generators.dps import random_market, uniform_users

SELLERS = [
    ("dps.dps", {}), ("dps.dps", {"placement": "best_fit", "capacity": "turnover"}),
    ("dps.simple", {}), ("dps.top", {}), ("dps.dps_scaled", {}), ("dps.dps_random_placement", {}),
    ("dps.dps_pairs", {}), ("dps.dps_pairs", {"arms": "joint"}), ("dps.bwk", {}),
    ("dps.random", {}), ("dps.pa", {}), ("dps.best_fit", {}),
]  # fmt: skip


def provider_of(market, **guesses):
    """What the paper assumes a provider to know of a market."""
    known = Known.of(market)
    facts = {
        "server_workers": market.server_workers,
        "server_ps": market.server_ps,
        "price_cap": known.price_cap,
        "horizon": known.horizon,
        "worker_jobs": tuple(known.worker_jobs.tolist()),
        "ps_jobs": tuple(known.ps_jobs.tolist()),
        "most_workers": tuple(known.most_workers.tolist()),
        "most_ps": tuple(known.most_ps.tolist()),
        "occupancy": market.occupancy,
        "learning": market.learning,
    }
    return Provider(**{**facts, **guesses})


def play(running, market, saved_every=0):
    """Offer every job of a market and answer as its users would; jobs end as they do there."""
    decisions, ends = [], []
    for number, job in enumerate(market.jobs):
        while ends and not market.still_held(ends[0][0], job.arrival):
            _, gone, runtime = heapq.heappop(ends)
            running.over(gone, runtime)
        if saved_every and number % saved_every == 0:
            running = RunningMarket.from_json(running.to_json())
        quote = running.offer(job.arrival, job.worker_type, job.workers, job.ps_type, job.ps)
        decision = running.answer(quote.payment <= job.budget * (1 + 1e-9))
        decisions.append(decision)
        if decision.served:
            whole = decision.colocated
            runtime = (market.colocated_runtime if whole else market.spread_runtime)[number]
            end = (market.colocated_end if whole else market.spread_end)[number]
            heapq.heappush(ends, (float(end), number, float(runtime)))
    return decisions, running


@pytest.mark.parametrize("saved_every", [0, 1, 7])
@pytest.mark.parametrize(("name", "options"), SELLERS)
def test_a_running_market_decides_as_the_run_of_the_whole(name, options, saved_every):
    served = 0
    for seed in range(4):
        market = random_market(seed, jobs=40).replace(price_cap=1.0)
        running = RunningMarket(provider_of(market), name, options, seed)
        found, _ = play(running, market, saved_every)
        assert found == run_seller(algorithms[name].policy(**options), market, seed)
        served += sum(d.served for d in found)
    assert served > 20


def test_guesses_double_and_learning_begins_anew_when_they_are_exceeded():
    # 100 jobs, one a slot: 8 + 16 + 32 + 64 jobs, and 20 + 40 + 80 slots.  Numbers are exceeded by
    # jobs 8, 24 and 56, the horizon by slots 20 and 60; every one of them clears what was learned.
    market = uniform_users(100, 1)
    running = RunningMarket(
        provider_of(market, horizon=20, worker_jobs=(8,), ps_jobs=(8,)), "dps.simple"
    )
    began = []
    for number, job in enumerate(market.jobs):
        before = running.state
        running.offer(job.arrival, 0, 1, 0, 1)
        if running.state is not before:
            began.append(number)
        running.answer(False)
    slots = [job.arrival for job in market.jobs]
    assert slots == list(range(100))
    # numbers are counted from the last beginning: 8, then 16 from job 20 on, 32 from 36 on, ...
    assert began == [8, 20, 36, 60, 92]
    known = running.state.known
    assert (known.horizon, known.worker_jobs.tolist(), known.ps_jobs.tolist()) == (80, [64], [64])
    assert running.state.workers.offers.sum() == 8


@pytest.mark.parametrize(("workers", "ps"), [(2, 9), (9, 2)])
def test_the_number_of_either_side_is_exceeded_by_the_next_job(workers, ps):
    provider = Provider(
        server_workers=((9,),), server_ps=((9,),), worker_jobs=(workers,), ps_jobs=(ps,)
    )
    market = RunningMarket(provider, "dps.simple")
    for slot in range(3):
        known = market.state.known
        assert (known.worker_jobs.tolist(), known.ps_jobs.tolist()) == ([workers], [ps])
        market.offer(slot, 0, 1, 0, 1)
        market.answer(False)
    known = market.state.known
    assert (known.worker_jobs.tolist(), known.ps_jobs.tolist()) == ([2 * workers], [2 * ps])
    assert market.state.workers.seen.tolist() == [1]


def test_jobs_stay_where_they_are_when_learning_begins_anew():
    market = random_market(1).replace(server_workers=[[2, 2]], server_ps=[[2, 2]])
    running = RunningMarket(provider_of(market, horizon=1), "dps.pa")
    running.offer(0, 0, 2, 0, 2)
    assert running.answer(True).served
    assert not running.offer(9, 0, 1, 0, 1).fits
    assert running.answer(True).outcome == "full"
    running.over(0, 9.0)
    assert running.offer(9, 0, 1, 0, 1).fits


def test_little_has_to_be_known():
    running = RunningMarket(Provider(server_workers=((4, 2), (4, 0)), server_ps=((4,), (1,))))
    quote = running.offer(0, 0, 2, 0, 1)
    assert quote.payment == 2 * quote.worker_price + quote.ps_price
    assert 0 < quote.worker_price <= 1
    assert running.state.known.most_workers.tolist() == [8, 2]
    assert running.answer(False).outcome == "declined"


def test_a_file_goes_on_where_the_market_stopped(tmp_path):
    market = random_market(3, jobs=30)
    running = RunningMarket(provider_of(market), "dps.random", seed=5)
    play(running, market)
    running.save(tmp_path / "market.json")
    again = RunningMarket.load(tmp_path / "market.json")
    assert again.to_json() == running.to_json()
    slot = market.jobs[-1].arrival
    assert again.offer(slot, 0, 1, 0, 1) == running.offer(slot, 0, 1, 0, 1)


def opened(**changes):
    market = random_market(0)
    return RunningMarket(provider_of(market, **changes), "dps.dps_pairs")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m: m.answer(True), "no open offer"),
        (lambda m: [m.offer(0, 0, 1, 0, 1), m.offer(0, 0, 1, 0, 1)], "job 0 has no answer"),
        (lambda m: [m.offer(0, 0, 1, 0, 1), m.to_json()], "job 0 has no answer"),
        (lambda m: [m.offer(3, 0, 1, 0, 1), m.answer(False), m.offer(2, 0, 1, 0, 1)], "slot 2"),
        (lambda m: m.offer(0, 9, 1, 0, 1), "type 9"),
        (lambda m: m.offer(0, 0, 1, 0, 0), "0 units"),
        (lambda m: m.over(0, 1.0), "job 0 holds no units"),
        (lambda m: [m.offer(0, 0, 1, 0, 1), m.answer(True), m.over(0, -1.0)], "runtime = -1"),
        (lambda m: opened(horizon=0), "horizon"),
        (lambda m: opened(price_cap=float("nan")), "price_cap"),
        (lambda m: opened(worker_jobs=(1,) * 9), "worker_jobs has 9"),
        (lambda m: opened(worker_jobs=(-1,) * 2), "negative"),
        (lambda m: opened(server_workers=()), "server_workers"),
        (lambda m: opened(server_ps=((1, 1),) * 9), "servers"),
        (lambda m: RunningMarket(m.provider, "dps.bfp_coord"), "whole market"),
        (lambda m: RunningMarket(m.provider, "dps.dps_pairs", {"arms": "x"}), "arms"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(wrong, message):
    with pytest.raises(InvalidOption, match=message):
        wrong(opened())
    with pytest.raises(UnknownName):
        RunningMarket(opened().provider, "dps.nobody")


def edited(change):
    running = opened()
    running.offer(0, 0, 1, 0, 1)
    running.answer(True)
    content = json.loads(running.to_json())
    change(content)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("seed"), "seed"),
        (lambda c: c["learned"].popitem(), "missing or unknown"),
        (lambda c: c["learned"].update({"pair 0 0 odd": [1.0]}), "missing or unknown"),
        (lambda c: c["learned"].update({"pair 7 0 offers": [1.0]}), "out of bounds"),
        (lambda c: c["learned"]["pair 0 0 paid"].append(1.0), "numbers"),
        (lambda c: c["random"]["state"].update(state="x"), "x"),
        (lambda c: c.update(held=2 * c["held"]), "not idle"),
        (lambda c: c["held"][0].update(workers=[9] * len(c["held"][0]["workers"])), "not idle"),
        (lambda c: c["seen_ps"].append(1), "numbers"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(change, message):
    RunningMarket.from_json(edited(lambda content: None))
    with pytest.raises(FileProblem, match=message) as caught:
        RunningMarket.from_json(edited(change))
    assert re.match("running market: no running market: ", str(caught.value))
    assert "\n" not in str(caught.value)


def test_what_is_not_said_is_taken_from_what_is_installed():
    # the most that one job may ask for are all units of its type, on either side by itself
    one = Provider(server_workers=((3, 1), (5, 1)), server_ps=((2, 4, 6), (1, 1, 1)), horizon=9,
                   price_cap=2.0).known()  # fmt: skip
    assert (one.most_workers.tolist(), one.most_ps.tolist()) == ([8, 2], [3, 5, 7])
    assert (len(one.worker_jobs), len(one.ps_jobs)) == (2, 3)
    told = Provider(server_workers=((3,),), server_ps=((2, 4),), horizon=9, price_cap=2.0,
                    most_ps=(1, 2), worker_jobs=(7,), ps_jobs=(8, 9)).known()  # fmt: skip
    assert (told.most_workers.tolist(), told.most_ps.tolist()) == ([3], [1, 2])
    assert (told.worker_jobs.tolist(), told.ps_jobs.tolist()) == ([7], [8, 9])


def test_draws_go_on_where_guesses_double():
    provider = Provider(server_workers=((9,),), server_ps=((9,),), worker_jobs=(1,), ps_jobs=(1,))
    market, rng = RunningMarket(provider, "dps.random", seed=5), np.random.default_rng(5)
    for slot in range(9):
        quote = market.offer(slot, 0, 1, 0, 1)
        assert [quote.worker_price, quote.ps_price] == rng.random(2).tolist()
        market.answer(False)
    assert market.state.known.worker_jobs.tolist() == [8]


def test_a_file_with_one_unit_more_than_idle_is_refused():
    provider = Provider(server_workers=((3,), (2,)), server_ps=((2,), (2,)))
    market = RunningMarket(provider, "dps.pa")
    market.offer(0, 0, 3, 0, 2)
    market.answer(True)
    saved = json.loads(market.to_json())
    (held,) = saved["held"]
    assert (held["workers"], held["ps"]) == ([3, 0], [2, 0])
    assert RunningMarket.from_json(json.dumps(saved).encode()).state.cluster.running.keys() == {0}
    for side, units in (("workers", [4, 0]), ("ps", [3, 0]), ("workers", [2, 3])):
        wrong = {**saved, "held": [{**held, side: units}]}
        with pytest.raises(FileProblem, match="job 0 holds units that are not idle"):
            RunningMarket.from_json(json.dumps(wrong).encode())
    twice = {**saved, "held": [held, {**held, "ask": {**held["ask"], "job": 1}}]}
    with pytest.raises(FileProblem, match="job 1 holds units that are not idle"):
        RunningMarket.from_json(json.dumps(twice).encode())
