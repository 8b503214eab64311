"""Prices prove bounds on the welfare of an auction; nothing else does."""

from __future__ import annotations

import itertools
from fractions import Fraction
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from farkas.certificates.eris import (
    NEVER,
    _all_sites,
    _units,
    _worths,
    short,
)
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.eris import Auction, Job
from farkas.numbers import Floats
from farkas.tolerances import NORMAL, ULP
from tests.generators.eris import one_resource, random_auction
from tests.tools.eris_bounds import prove_payoffs, prove_welfare


def payoff_of(auction: Auction, job: Job, transfer: Floats, resource: Floats) -> Fraction:
    """What is proved of one job alone."""
    return prove_payoffs(auction.replace(jobs=(job,)), transfer, resource)


def fractions_slot(auction: Auction, job: Job, per_mb: Fraction, resource: list) -> dict:
    """Least cost of a slot by chunks in plain fractions: sites, chunks, server or not."""
    states = {(0, False): Fraction(0)}
    for site in range(auction.sites):
        worker, server = (
            sum((Fraction(w) * p for w, p in zip(each, resource[site], strict=True)), Fraction(0))
            for each in (job.worker_demand, job.server_demand)
        )
        after: dict[tuple[int, bool], Fraction] = {}
        for (done, served), cost in states.items():
            for q in range(sum(job.data) - done + 1):
                count = -(-job.epochs * q // job.worker_rate)
                moves = per_mb * Fraction(auction.chunk_size) * max(0, q - job.data[site])
                remote = per_mb * Fraction(job.parameter_size)
                for here in (False, True):
                    if here and served:
                        continue
                    use = [
                        count * w + here * s
                        for w, s in zip(job.worker_demand, job.server_demand, strict=True)
                    ]
                    if any(u > c for u, c in zip(use, auction.site_capacity[site], strict=True)):
                        continue
                    extra = count * (worker + (0 if here else remote)) + moves
                    new = cost + extra + (server if here else 0)
                    key = (done + q, served or here)
                    after[key] = min(after.get(key, new), new)
        states = after
    return {d: cost for (d, served), cost in states.items() if served} | {0: Fraction(0)}


def fractions_payoff(auction: Auction, job: Job, transfer: list, resource: list) -> Fraction:
    """The same bound in plain fractions: slots, and what fits the transfer; for tiny data."""
    total = sum(job.data)
    if total == 0:
        return Fraction(job.utility[0])
    best, so_far = Fraction(0), {0: Fraction(0)}
    free = [[Fraction(0)] * auction.num_resources] * auction.sites
    sent = fractions_slot(auction, job, Fraction(1), free)
    for t in range(job.arrival, auction.slots):
        prices = [[row[t] for row in site] for site in resource]
        slot = fractions_slot(auction, job, transfer[t], prices)
        merged: dict[int, Fraction] = {}
        for n, before in so_far.items():
            for d, cost in slot.items():
                if n + d <= total and sent[d] <= auction.transfer_budget:
                    merged[n + d] = min(merged.get(n + d, before + cost), before + cost)
        so_far = merged
        if total in so_far:
            best = max(best, Fraction(job.utility[t - job.arrival]) - so_far[total])
    return best


@pytest.mark.parametrize("seed", range(30))
def test_rounded_integers_bound_the_exact_fractions_from_above(seed: int) -> None:
    auction = random_auction(seed, most_chunks=3)
    rng = np.random.default_rng(seed)
    transfer = short(rng.uniform(0, 2, auction.slots) * (rng.random(auction.slots) < 0.8))
    resource = short(rng.uniform(0, 5, auction.used.shape))
    exact_t = [Fraction(p) for p in transfer.tolist()]
    exact_r = [[[Fraction(p) for p in row] for row in site] for site in resource.tolist()]
    for job in auction.jobs:
        exact = fractions_payoff(auction, job, exact_t, exact_r)
        proved = payoff_of(auction, job, transfer, resource)
        assert exact <= proved <= exact + Fraction(max(1.0, job.utility[0])) / 10**9


@pytest.mark.parametrize(("budget", "earned"), [(0.3, 10.0), (0.29, 0.0)])
def test_a_slot_holds_what_a_replay_counts_as_fitting(budget: float, earned: float) -> None:
    # the server fills site 0, and 3 workers at site 1 exchange 0.1 + 0.1 + 0.1 > 0.3 MB
    auction = one_resource(
        {"data": [0, 3], "parameter_size": 0.1, "server_demand": [1.0]}, slots=1,
        site_capacity=[[1.0], [3.0]], transfer_budget=budget, chunk_size=1.0,
    )  # fmt: skip
    assert float(prove_welfare(auction, np.zeros(1), np.zeros((2, 1, 1)))) == earned


def test_free_capacity_proves_the_sum_of_the_best_worths() -> None:
    # tiny: 35 + 41 + 43, but job 2 must run one slot longer than it may at best: 29 less nothing
    tiny = library.load("eris/tiny")
    bound = prove_welfare(tiny, np.zeros(3), np.zeros((2, 2, 3)))
    assert bound <= 35 + 41 + 43
    assert bound >= 105


def test_rent_counts_exactly() -> None:
    # prices so high that nobody runs: only rent is left, 3 slots of 4 MB and of 1+8+2+7 units
    tiny = library.load("eris/tiny")
    assert prove_welfare(tiny, np.full(3, 1e6), np.full((2, 2, 3), 1e6)) == 1_000_000 * 3 * (4 + 18)


def test_what_rounding_takes_from_the_room_beside_a_server_evicts_no_worker() -> None:
    # 1 - s is rounded down by half a place of 1/2, more than the last of 33,554,428 workers needs:
    # they fill the site but for less than one part of 2**75
    server, worker, count = (
        float.fromhex("0x1.fffffff80007fp-2"),
        float.fromhex("0x1.0000020400001p-26"),
        33_554_428,
    )
    assert 0 <= 1 - Fraction(server) - count * Fraction(worker) < 2.0**-75
    job = Job(
        arrival=0,
        utility=(100.0,),
        data=(4,),
        epochs=count // 4,
        worker_rate=1,
        worker_demand=(worker,),
        server_demand=(server,),
        parameter_size=0.0,
    )
    auction = Auction(
        slots=1,
        sites=1,
        resource_names=("cpu",),
        site_capacity=((1.0,),),
        transfer_budget=0.0,
        chunk_size=0.0,
        price_base_transfer=2.0,
        price_base_resource=(2.0,),
        jobs=(job,),
    )
    assert prove_welfare(auction, np.zeros(1), np.zeros((1, 1, 1))) == 100


def test_tiny_and_huge_worths_keep_their_digits() -> None:
    tiny = library.load("eris/tiny")
    for scale in (1e-200, 1e200):
        jobs = [
            msgspec.structs.replace(j, utility=tuple(u * scale for u in j.utility))
            for j in tiny.jobs
        ]
        scaled = msgspec.structs.replace(tiny, jobs=tuple(jobs))
        free = prove_welfare(tiny, np.zeros(3), np.zeros((2, 2, 3)))
        bound = prove_welfare(scaled, np.zeros(3), np.zeros((2, 2, 3)))
        assert float(bound / Fraction(scale)) == pytest.approx(float(free), rel=1e-9)


def one_site(**changes: object) -> Auction:
    """One site with room for both chunks of one job: the optimum is its first worth."""
    job = {
        "arrival": 0, "utility": [10.0, 9.0], "data": [2], "epochs": 1, "worker_rate": 1,
        "worker_demand": [1.0], "server_demand": [0.0], "parameter_size": 1e10,
    }  # fmt: skip
    fields = {
        "name": "one site", "slots": 2, "sites": 1, "resource_names": ["gpu"],
        "site_capacity": [[4.0]], "transfer_budget": 0.0, "chunk_size": 1e10,
        "price_base_transfer": 2.0, "price_base_resource": [2.0], "jobs": [job],
    }  # fmt: skip
    return Auction.build(**{**fields, **changes})


@pytest.mark.parametrize("price", [1e290, 1e299, 1e308])
def test_what_is_not_used_costs_nothing_at_infinite_prices(price: float) -> None:
    # transfer is priced at 1e10 MB x 1e308 = inf, but there is none to rent and none is needed:
    # 0 x inf must not become a cost that hides the payoff of 10
    auction = one_site()
    bound = prove_welfare(auction, np.full(2, price), np.zeros((1, 1, 2)))
    assert bound == 10


def test_infinitely_dear_resources_beside_free_ones_are_not_forced_on_anybody() -> None:
    # a worker at site 1 costs 2 x 1e308 = inf and there is nothing to rent; site 0 is free
    job = msgspec.structs.replace(one_site().jobs[0], data=(2, 0), worker_demand=(2.0,))
    auction = one_site(sites=2, site_capacity=[[4.0], [0.0]], jobs=[msgspec.to_builtins(job)])
    dear = np.array([0.0, 1e308])[:, None, None] * np.ones((1, 1, 2))
    assert prove_welfare(auction, np.zeros(2), dear) == 10


def test_a_little_worth_late_beside_a_huge_one_early_is_not_lost() -> None:
    # one worker needs both slots for two chunks, so 1e-100 is all that can be earned: far below
    # one unit of 1e300 / 2**42
    auction = one_site(site_capacity=[[1.0]])
    job = msgspec.structs.replace(auction.jobs[0], utility=(1e300, 1e-100))
    bound = prove_welfare(auction.replace(jobs=(job,)), np.zeros(2), np.zeros((1, 1, 2)))
    assert bound >= Fraction(1e-100)


def test_a_cost_that_only_rounding_takes_beyond_all_doubles_is_still_paid_by_the_dearest_worth():
    # three workers cost a little less than the largest double, in doubles infinitely much: the job
    # is worth more than its rent, and the bound has to say so
    largest = float(np.finfo(float).max)
    demand, price = float.fromhex("0x1.1027f0e1aef10p+0"), float.fromhex("0x1.41121bbb5f7f3p+1022")
    assert 3 * Fraction(demand) * Fraction(price) < Fraction(largest)
    with np.errstate(over="ignore"):
        assert np.float64(3.0) * (np.float64(demand) * np.float64(price)) == np.inf
    job = msgspec.structs.replace(
        one_site().jobs[0], data=(3,), utility=(largest,), worker_demand=(demand,)
    )
    auction = one_site(slots=1, site_capacity=[[3 * demand]], jobs=[msgspec.to_builtins(job)])
    bound = prove_welfare(auction, np.zeros(1), np.full((1, 1, 1), price))
    assert bound >= Fraction(largest)


def test_products_below_the_smallest_double_do_not_round_up_to_a_cost() -> None:
    # 0.6 x 2**-1074 rounds to 2**-1074; two workers then seem to cost 2**-1073, not 1.2 x 2**-1074
    least = 2.0**-1074
    auction = one_site()
    job = msgspec.structs.replace(auction.jobs[0], utility=(4 * least, 0.0), worker_demand=(0.6,))
    exact = Fraction(4 * least) - 2 * Fraction(0.6) * Fraction(least)
    price = np.full((1, 1, 2), least)
    assert payoff_of(auction, job, np.zeros(2), price) >= exact


def test_worth_that_is_negative_or_rises_and_costs_that_are_no_numbers_are_refused():
    job = one_site().jobs[0]
    for utility in ([1.0, 2.0], [1.0, -1.0], [1.0, float("nan")]):
        broken = msgspec.structs.replace(job, utility=tuple(utility))
        with pytest.raises(NotACertificate, match="utility"):
            _worths(SimpleNamespace(jobs=[job, broken], num_jobs=2, slots=2))
    for cost in (-1.0, float("nan")):
        with pytest.raises(NotACertificate, match="cost"):
            _units(np.array([cost]), 1, 0)
    with pytest.raises(NotACertificate, match="finite"):
        short(np.array([float("inf")]))


def test_a_window_of_many_slots_is_searched_to_its_end():
    # a chunk costs 200 in the first 20 slots and nothing later: 400 - 200 early, 390 late
    window = 40
    auction = one_site(slots=window, jobs=[])
    job = msgspec.structs.replace(
        one_site().jobs[0], data=(1,), utility=(400.0,) * 16 + (390.0,) * (window - 16)
    )
    price = np.where(np.arange(window) < 20, 200.0, 0.0)[None, None, :]
    free = np.zeros(window)
    bounds = [
        payoff_of(auction, msgspec.structs.replace(job, utility=utility), free, price)
        for utility in (job.utility, (400.0,) * 16 + (150.0,) * 24, (400.0,) * window)
    ]
    for bound, exact in zip(bounds, (390, 200, 400), strict=True):
        assert exact <= bound <= exact + Fraction(1, 10**9)


def test_units_are_whole_and_below_the_cost():
    costs = np.array([0.0, 5.0, 5.5, 1e300, np.inf, NORMAL / 2])
    with np.errstate(over="ignore"):
        units = _units(costs, 1, 0)
    assert units.tolist() == [0, 4, 5, 2**43, 2**43, 0]
    assert _units(np.array([5.0, 0.75]), 4, 2).tolist() == [19, 2]
    assert _units(np.array([NORMAL]), 1, 905).tolist() == [31]
    assert _units(np.array([2.0**41]), 4094, 0).tolist() == [2**41 - int(2**41 * 4096 * ULP)]


def test_prices_keep_thirty_bits_and_never_rise():
    given = np.array([-1.0, 0.0, 1.0 + 2.0**-29, 1.0 + 2.0**-30, 2.0**30 - 1, 2.0**31 - 1])
    assert short(given).tolist() == [0, 0, 1 + 2.0**-29, 1, 2.0**30 - 1, 2.0**31 - 2]


@pytest.mark.parametrize("site", [(0, 1), (1, 0)])
def test_a_chunk_that_moves_pays_its_transfer_and_one_at_home_does_not(site):
    # chunks of 2 MB at 3 a MB: moving costs 6; workers cost 1 at one site and 100 at the other
    job = msgspec.structs.replace(one_site().jobs[0], data=(1, 0), parameter_size=0.0)
    auction = one_site(
        sites=2, site_capacity=[[4.0], [4.0]], chunk_size=2.0, transfer_budget=9.0, jobs=[]
    )
    price = np.array([1.0, 100.0])[list(site)][:, None, None] * np.ones((1, 1, 2))
    exact = 10 - (1 if site == (0, 1) else 7)
    proved = payoff_of(auction, job, np.full(2, 3.0), price)
    assert exact <= proved <= exact + Fraction(1, 10**9)


def test_room_for_more_chunks_than_a_job_has_changes_nothing() -> None:
    auction = one_site()
    wide = auction.replace(
        site_capacity=[[1000.0 * c for c in row] for row in auction.site_capacity]
    )
    for job in wide.jobs:
        free = np.zeros(wide.slots), np.zeros((1, wide.num_resources, wide.slots))
        assert payoff_of(wide, job, *free) == max(0, Fraction(job.utility[0]))


@pytest.mark.parametrize("late", [2.0**-30 * (1 + 2.0**-52), 1e-9 / 3, 5e-7])
def test_a_worth_between_two_units_is_rounded_up(late: float) -> None:
    # one worker needs both free slots, so that the later worth is all that can be earned
    auction = one_site(site_capacity=[[1.0]])
    job = msgspec.structs.replace(auction.jobs[0], utility=(1.0, late))
    payoff = payoff_of(auction, job, np.zeros(2), np.zeros((1, 1, 2)))
    assert Fraction(late) <= payoff <= Fraction(late) + Fraction(1, 2**40)


PRICES = {
    "small and equal": [0.0, 1.0, 2.0],
    "of all sizes": [0.0, 5e-324, 1e-308, 1e-9, 0.3, 7.0, 1e10, 1e154, 1e300, 1e308],
    "nothing": [0.0],
}


@pytest.mark.ids(6)
@pytest.mark.parametrize("some", PRICES)
@pytest.mark.parametrize("worth", [1e-320, 1e-12, 1.0, 1e300])
def test_all_jobs_at_once_earn_exactly_what_each_earns_alone(
    some: str, worth: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = 0
    for seed in range(25):
        auction = random_auction(seed, most_chunks=12, most_sites=9, most_slots=20, jobs=6)
        rng = np.random.default_rng(seed)
        jobs = [
            msgspec.structs.replace(
                job, utility=tuple(worth * u for u in job.utility), data=tuple(job.data)
            )
            for job in auction.jobs
        ]
        capacity = rng.integers(0, 9, (auction.sites, 2)).astype(float)
        auction = auction.replace(jobs=jobs, site_capacity=capacity, occupied=None)
        transfer = short(rng.choice(PRICES[some], auction.slots))
        resource = short(rng.choice(PRICES[some], auction.used.shape))
        if seed % 2:  # the same at all sites, as the pooled program prices them
            resource = np.broadcast_to(resource[:1], resource.shape)
        alone = [
            prove_payoffs(auction.replace(jobs=[job]), transfer, resource) for job in auction.jobs
        ]
        several += len({payoff for payoff in alone if payoff > 0}) > 1
        monkeypatch.setattr("farkas.certificates.eris.CELLS", int(rng.choice([1, 60, 1 << 17])))
        assert prove_payoffs(auction, transfer, resource) == sum(alone, Fraction(0))
    assert several > 5


@pytest.mark.parametrize("sites", [1, 2, 3, 5, 6, 8])
def test_sites_together_cost_the_least_of_all_ways_to_share_chunks(sites: int) -> None:
    rng = np.random.default_rng(sites)
    reach, most = rng.integers(0, 4, sites), 5
    beyond = np.arange(4)[:, None] > reach
    idle, served = (np.where(beyond, NEVER, rng.integers(0, 9, (4, sites))) for _ in range(2))
    idle[0] = 0
    wanted = np.full(most + 1, NEVER)
    for chunks in itertools.product(*(range(r + 1) for r in reach.tolist())):
        if sum(chunks) > most:
            continue
        costs = [int(idle[q, site]) for site, q in enumerate(chunks)]
        for server, q in enumerate(chunks):
            cost = sum(costs) - costs[server] + int(served[q, server])
            wanted[sum(chunks)] = min(wanted[sum(chunks)], cost)
    found = _all_sites(idle[..., None], served[..., None], most)[:, 0]
    assert found.tolist() == wanted[: len(found)].tolist()
    assert len(found) > min(most, reach.sum())


def test_sums_over_many_resources_lose_as_many_roundings_as_there_are() -> None:
    # each of 199 summands is 3/4 of the last place of the first, and adds a whole one in doubles:
    # the exact cost lies below a unit of worth, the rounded one above
    last = 2.0**-12
    price = np.full((1, 200, 1), 0.75 * last)
    price[0, 0] = 2.0**40 + 1 - 180 * last
    worth = 2.0**41
    auction = one_site(
        slots=1, resource_names=[f"r{k}" for k in range(200)], site_capacity=[[4.0] * 200],
        price_base_resource=[2.0] * 200,
        jobs=[{
            "arrival": 0, "utility": [worth], "data": [1], "epochs": 1, "worker_rate": 1,
            "worker_demand": [1.0] * 200, "server_demand": [0.0] * 200, "parameter_size": 0.0,
        }],
    )  # fmt: skip
    exact = Fraction(worth) - sum(map(Fraction, price.ravel().tolist()))
    assert exact <= prove_payoffs(auction, np.zeros(1), price) <= exact + 2


@pytest.mark.parametrize("wrong", [-1.0, -5e-324, np.nan, -np.inf])
def test_one_cost_that_is_negative_or_no_number_is_refused(wrong: float) -> None:
    assert _units(np.array([1.0, 0.0]), 0, 4).tolist() == [15, 0]
    with pytest.raises(NotACertificate, match="a cost is negative or not a number"):
        _units(np.array([1.0, wrong, 2.0]), 0, 4)


def test_chunks_that_no_table_holds_are_refused() -> None:
    # two lines of an instance may ask for a table of 10**10 numbers, or of 10**24
    tiny = library.load("eris/tiny")
    for chunks in (10**5, 10**12):
        free = {"worker_demand": (0.0, 0.0), "server_demand": (0.0, 0.0), "epochs": 1}
        job = msgspec.structs.replace(tiny.jobs[0], data=(chunks, 0), **free)
        with pytest.raises(NotACertificate, match="chunks of a job"):
            prove_payoffs(tiny.replace(jobs=(job,)), np.zeros(3), np.zeros((2, 2, 3)))
