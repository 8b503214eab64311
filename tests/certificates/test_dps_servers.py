"""Prices by class of servers: the integer check against charges by hand, and against optima."""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import farkas
from farkas.certificates import sums
from farkas.certificates.dps import SlotPrices, prices_bound, rewards_of
from farkas.certificates.dps_servers import (
    PricedMarket,
    ServerPools,
    server_charges,
    server_prices_bound,
)
from farkas.certificates.gadget import SUM_BITS, grid_exponent, rounded_down
from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotACertificate
from farkas.forms import Sense
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps.prices import lp_prices
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, posted, random_market


def random_prices(market, seed: int, unit: float = 1.0) -> SlotPrices:
    rng = np.random.default_rng(seed)
    classes = ServerPools.of_market(market).count

    def side(types: int) -> dict:
        kind, slot = np.divmod(np.arange(classes * types * market.horizon), market.horizon)
        price = unit * rng.choice([0.0, 0.0, 0.1, 0.37, -1.0], len(kind))
        return {"type": kind, "slot": slot, "price": price}

    return SlotPrices.of(market, side(market.num_worker_types), side(market.num_ps_types))


def by_hand(market, prices: SlotPrices) -> Fraction:
    """Charge every job in fractions, server by server and unit by unit."""
    unit = Fraction(1, 2**prices.scale)
    servers = list(zip(market.server_workers, market.server_ps, strict=True))
    classes = sorted(set(servers))

    def listed(positions, numbers, width):
        found = {}
        for p, n in zip(positions.tolist(), numbers.tolist(), strict=True):
            group, slot = divmod(p, market.horizon)
            found[(*divmod(group, width), slot)] = n * unit
        return found

    y = listed(prices.worker_positions, prices.worker_numbers, market.num_worker_types)
    w = listed(prices.ps_positions, prices.ps_numbers, market.num_ps_types)
    total = Fraction(0)
    for server in servers:
        c = classes.index(server)
        total += sum(n * server[0][k] for (d, k, _), n in y.items() if d == c)
        total += sum(n * server[1][k] for (d, k, _), n in w.items() if d == c)
    for i, job in enumerate(market.jobs):
        reward = Fraction(float(market.budget[i]))

        def held(end, arrival=job.arrival):
            last = [t for t in range(arrival + 1, market.horizon) if market.still_held(end, t)]
            return [arrival, *last]

        short, long = held(market.colocated_end[i]), held(market.spread_end[i])

        def over(table, c, kind, slots):
            return sum((table.get((c, kind, t), Fraction(0)) for t in slots), Fraction(0))

        ways = []
        for server in servers:
            if server[0][job.worker_type] >= job.workers and server[1][job.ps_type] >= job.ps:
                c = classes.index(server)
                ways.append(
                    job.workers * over(y, c, job.worker_type, short)
                    + job.ps * over(w, c, job.ps_type, short)
                )
        single = [
            sorted(
                over(table, classes.index(server), kind, long)
                for server in servers
                for _ in range(server[side][kind])
            )[:units]
            for side, table, kind, units in (
                (0, y, job.worker_type, job.workers),
                (1, w, job.ps_type, job.ps),
            )
        ]
        if len(single[0]) == job.workers and len(single[1]) == job.ps:
            ways.append(sum(single[0], Fraction(0)) + sum(single[1], Fraction(0)))
        if ways:
            total += max(Fraction(0), reward - min(ways))
    return total


@pytest.mark.parametrize("seed", range(60))
def test_the_integer_check_is_the_least_charge_by_hand(seed):
    market = random_market(seed, jobs=7)
    prices = random_prices(market, seed)
    exact = by_hand(market, prices)
    proved = server_prices_bound(market, prices, "budget")
    # each reward is rounded up by less than one unit of the grid
    assert exact <= proved <= exact + Fraction(market.num_jobs, 2**prices.scale)
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    assert proved >= Fraction(best) - Fraction(1, 10**7)


@pytest.mark.parametrize("seed", range(6))
def test_no_prices_prove_less_than_the_proved_optimum(seed):
    market = random_market(100 + seed, jobs=5)
    rewards = "budget" if market.price_cap is None else "capped"
    program = "dps.offline[free]" if rewards == "budget" else "dps.offline[capped]"
    best = farkas.prove(market, program).value
    for draw in range(20):
        prices = random_prices(market, draw, 2.0 ** -(draw % 5))
        assert server_prices_bound(market, prices, rewards) >= best


@pytest.mark.parametrize("seed", range(20))
def test_prices_that_are_equal_for_all_classes_are_those_by_type(seed):
    market = random_market(seed, jobs=8, servers=1 if seed % 2 else None)
    prices, count = lp_prices(market), ServerPools.of_market(market).count

    def repeated(positions, numbers, types):
        steps = np.arange(count) * types * market.horizon
        return (steps[:, None] + positions).ravel(), np.tile(numbers, count)

    by_class = SlotPrices(
        prices.scale,
        *repeated(prices.worker_positions, prices.worker_numbers, market.num_worker_types),
        *repeated(prices.ps_positions, prices.ps_numbers, market.num_ps_types),
    )
    # a job that no server hosts alone is charged for its long runtime by both, others for both
    assert server_prices_bound(market, by_class, "budget") == prices_bound(market, prices)


def test_classes_are_servers_with_equal_units():
    market = random_market(0).replace(
        server_workers=[[2, 0], [1, 3], [2, 0], [2, 0]],
        server_ps=[[1], [1], [1], [2]],
        worker_bandwidth=[None, None],
        ps_bandwidth=[None],
        jobs=[],
    )
    classes = ServerPools.of_market(market)
    assert classes.of.tolist() == [1, 0, 1, 2]
    assert classes.workers.tolist() == [[1, 3], [4, 0], [2, 0]]
    assert classes.ps.tolist() == [[1], [2], [2]]


def test_what_one_server_hosts_is_charged_on_the_cheapest_class_that_hosts_it():
    market = posted((0, 1.0, 2, 9.0), units=2).replace(
        server_workers=[[2], [1], [1]], server_ps=[[2], [1], [1]]
    )
    classes = ServerPools.of_market(market)
    assert classes.hosts.tolist() == [[False, True]]
    # a unit of the small servers is free, so that spread the job costs nothing
    prices = SlotPrices.of(
        market,
        {"type": np.array([1]), "slot": np.array([0]), "price": np.array([2.0])},
        {"type": np.array([1]), "slot": np.array([0]), "price": np.array([1.0])},
    )
    reward = rewards_of(market, "budget")
    charges = server_charges(market, classes, prices, reward)
    unit = 2**prices.scale
    assert charges.whole[0].tolist() == [0, 6 * unit]
    assert charges.least(classes.hosts).tolist() == [0]
    assert charges.total == 6 * unit
    assert server_prices_bound(market, prices, "budget") == 6 + 9


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**60])
@pytest.mark.parametrize("seed", range(4))
def test_the_unit_of_money_changes_nothing(seed, unit):
    market = random_market(seed, jobs=8)
    scaled = market_in(market, unit)
    one = server_prices_bound(market, random_prices(market, seed), "budget")
    other = server_prices_bound(scaled, random_prices(scaled, seed, unit), "budget")
    assert other == one * Fraction(unit)


def test_sums_beyond_64_bits_are_done_in_long_numbers():
    market = random_market(3, jobs=8)
    prices = random_prices(market, 3)
    long = SlotPrices(
        prices.scale + 60,
        prices.worker_positions, prices.worker_numbers.astype(object) * 2**60,
        prices.ps_positions, prices.ps_numbers.astype(object) * 2**60,
    )  # fmt: skip
    classes = ServerPools.of_market(market)
    reward = rewards_of(market, "budget")
    assert server_charges(market, classes, long, reward).whole.dtype == object
    assert server_charges(market, classes, prices, reward).whole.dtype == np.int64
    unit = Fraction(market.num_jobs, 2**prices.scale)
    short = server_prices_bound(market, prices, "budget")
    assert short - unit <= server_prices_bound(market, long, "budget") <= short


def test_positions_beyond_the_last_class_are_refused():
    market = random_market(1, jobs=4)
    last = ServerPools.of_market(market).count * market.num_worker_types * market.horizon
    none, one = np.zeros(0, np.int64), np.ones(1, np.int64)
    for positions in (np.array([last]), np.array([-1])):
        prices = SlotPrices(0, positions, one, none, none)
        with pytest.raises(NotACertificate, match="workers: positions do not ascend below"):
            server_prices_bound(market, prices, "budget")


def test_a_market_that_nobody_visits_is_worth_nothing():
    market = empty_market()
    none = {"type": (), "slot": (), "price": ()}
    assert server_prices_bound(market, SlotPrices.of(market, none, none), "budget") == 0


def test_tables_are_limited(monkeypatch):
    monkeypatch.setattr(sums.affordable, "__defaults__", (7,))
    with pytest.raises(NotACertificate, match="ways to place jobs"):
        ServerPools.of_market(random_market(1, jobs=8))


@pytest.mark.parametrize("seed", range(6))
def test_pools_are_stated_in_the_file_and_anything_else_is_refused(seed):
    market = random_market(seed, servers=4)
    count = ServerPools.of_market(market).count
    name = "dps.offline[free]"
    pool = np.arange(count) % 2 if count > 1 else np.zeros(1, np.int64)
    program = PricedMarket(market, name, pool)
    assert program.layout == {"pools": (tuple(pool.tolist()),)}
    again = PricedMarket.laid_out(market, name, program.layout)
    assert (again.pools.of == program.pools.of).all()
    assert again.width == program.width == sum(map(np.prod, program.shapes))
    assert PricedMarket(market, name).layout == {}
    by_type = PricedMarket(market, "dps.interval_lp[budget]")
    assert (by_type.layout, by_type.pools.count) == ({}, 1)
    hosts = ServerPools.of_market(market).hosts
    for number in range(program.pools.count):
        assert (program.pools.hosts[:, number] == hosts[:, pool == number].any(axis=1)).all()
    for layout in (
        {"pools": ((0,) * (count + 1),)}, {"pools": ((1,) * count,)}, {"pools": ()},
        {"pools": ((*range(count - 1), 2**31 - 1),)},
        {"classes": (tuple(pool.tolist()),)},
    ):  # fmt: skip
        with pytest.raises(NotACertificate, match="pool"):
            PricedMarket.laid_out(market, name, layout)
    with pytest.raises(NotACertificate, match=r"rows of .* are pooled as"):
        PricedMarket.laid_out(market, by_type.name, program.layout)


def test_prices_between_arrivals_are_paid_at_the_one_before():
    market = posted((1, 2.0, 1, 9.0), (4, 1.0, 1, 4.0), units=1)
    prices = SlotPrices(0, np.array([0, 1, 2, 4]), np.array([5, 1, 2, 3]), NONE, NONE)
    program = PricedMarket(market, "dps.interval_lp[budget]")
    assert program.dense(prices).tolist() == [3.0, 3.0, 0.0, 0.0]


NONE = np.zeros(0, np.int64)


INSTANCE: Any = SimpleNamespace(kind="toy", sha256="0" * 64)


def certificate(
    bound: str | None, proved: str | None, bounds: Sense = "max", **fields: Any
) -> PriceCertificate:
    """Certificate that claims ``bound``, and whose numbers prove ``proved``."""

    class Toy(PriceCertificate, frozen=True, kw_only=True, tag="toy"):
        about = "toy"
        subject = "toy.linear"
        numbers: str | None
        bound: str | None

        def prove_bound(self, instance: Any, /) -> F | None:
            assert instance is INSTANCE
            return None if self.numbers is None else F(self.numbers)

    Toy.bounds = bounds
    return Toy(
        **{"kind": "toy", "program": "toy.linear", "bound": bound, "numbers": proved} | fields
    )


@pytest.mark.parametrize(
    ("bounds", "weaker", "stronger"), [("max", "8", "13/2"), ("min", "6", "15/2")]
)
def test_a_weaker_bound_may_be_claimed_and_a_stronger_one_not(bounds, weaker, stronger):
    for claim in ("7", weaker):
        proof = certificate(claim, "7", bounds).prove(None, INSTANCE)
        assert (proof.bound, proof.sense, proof.infeasible) == (F(claim), bounds, False)
        assert (proof.program, proof.provenance, proof.value) == ("toy.linear", "instance", None)
    with pytest.raises(NotACertificate, match=rf"bound {float(F(stronger))}, .* prove 7 only"):
        certificate(stronger, "7", bounds).prove(None, INSTANCE)


def test_that_there_is_no_point_needs_numbers_that_prove_it():
    proof = certificate(None, None).prove(None, INSTANCE)
    assert (proof.bound, proof.infeasible) == (None, True)
    # where there is no point, every number bounds the value of all
    assert certificate("3", None).prove(None, INSTANCE).bound == 3
    with pytest.raises(NotACertificate, match=r"claims that there is no point, .* prove 7 only"):
        certificate(None, "7").prove(None, INSTANCE)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": None}, "not toy.linear of kind None"),
        ({"kind": "eris"}, "not toy.linear of kind eris"),
        ({"program": "toy.integer"}, "bound toy.linear of kind toy, not toy.integer"),
    ],
)
def test_numbers_of_one_program_prove_nothing_about_another(fields, words):
    with pytest.raises(NotACertificate, match=words):
        certificate("7", "7", **fields).prove(None, INSTANCE)


@pytest.mark.parametrize("instance", [None, SimpleNamespace(kind="eris", sha256="0" * 64)])
def test_without_an_instance_of_the_kind_nothing_is_proved(instance):
    with pytest.raises(NotACertificate, match="an instance of kind toy; give it"):
        certificate("7", "7").prove(None, instance)


def test_a_claim_that_no_double_holds_is_refused_in_words():
    huge = "1" + "0" * 400
    with pytest.raises(NotACertificate, match=r"the bound 10{36}\.\.\., .* prove 7 only"):
        certificate(huge, "7", "min").prove(None, INSTANCE)


def test_a_claim_is_a_fraction():
    with pytest.raises(NotACertificate, match=r"bound: '0\.5' is not a fraction"):
        certificate("0.5", "0.5").prove(None, INSTANCE)


def test_options_that_mean_nothing_are_refused():
    with pytest.raises(NotACertificate, match="take no options"):
        certificate("7", "7", options={"rewards": "capped"}).prove(None, INSTANCE)


@pytest.mark.parametrize(("bounds", "step"), [("max", -1), ("min", 1)])
def test_a_claim_that_is_better_by_a_hair_is_refused(bounds, step):
    hair = F(step, 10**30)
    assert certificate(str(7 - hair), "7", bounds).prove(None, INSTANCE).bound == 7 - hair
    with pytest.raises(NotACertificate, match="prove 7 only"):
        certificate(str(7 + hair), "7", bounds).prove(None, INSTANCE)


def test_the_grid_leaves_room_for_all_terms():
    for terms in (1, 2**17, 2**18, 2**19, 10**9, 2**50):
        for largest in (5e-324, 1.0, 3.7, 1.79e308):
            exponent = grid_exponent(largest, terms)
            assert terms * Fraction(largest) * Fraction(2) ** exponent < 2 ** (SUM_BITS - 1)
    assert grid_exponent(1.0) == 39  # 1 becomes 2^39, below 2^40
    for largest, terms in ((np.inf, 1), (np.nan, 1), (-1.0, 1), (1.0, 2**58)):
        with pytest.raises(NotACertificate):
            grid_exponent(largest, terms)


@pytest.mark.parametrize("value", [np.inf, np.nan, -1.0, 1e308])
def test_rounding_down_refuses_what_it_cannot_hold(value):
    with pytest.raises(NotACertificate):
        rounded_down(np.array([[1.0, value]]), np.array([[2.0, 4.0]]), 0)


def test_the_grid_of_prices_by_hand():
    # 40 bits, and 57 less the bits of the number of terms; 1.0 is below 2**1
    assert [grid_exponent(1.0, terms) for terms in (0, 1, 2**16, 2**17, 2**18, 2**40)] == [
        39, 39, 39, 38, 37, 15,
    ]  # fmt: skip
    assert [grid_exponent(largest) for largest in (0.0, 0.75, 2.0, 3.0, 2.0**30)] == [
        0, 40, 38, 38, 9,
    ]  # fmt: skip
    assert grid_exponent(1.0, 2**55) == 0
    with pytest.raises(NotACertificate, match="cannot be added up"):
        grid_exponent(1.0, 2**56)


def test_sums_of_products_are_rounded_down_by_one_unit_at_most():
    rng = np.random.default_rng(1)
    amount, price = rng.uniform(0, 9, (50, 3)), rng.uniform(0, 9, (50, 3))
    found = rounded_down(amount, price, 20)
    for k in range(50):
        exact = sum(
            Fraction(a) * Fraction(p)
            for a, p in zip(amount[k].tolist(), price[k].tolist(), strict=True)
        )
        assert exact * 2**20 - 1 - Fraction(1, 1000) < int(found[k]) < exact * 2**20
    # every job on every node: (jobs, 1, resources) and (1, nodes, resources), as it is priced
    pairs = rounded_down(amount[:4, None], price[None, :6], 20)
    assert pairs.shape == (4, 6)
    for i, u in np.ndindex(4, 6):
        assert pairs[i, u] == rounded_down(amount[i : i + 1], price[u : u + 1], 20)[0]
    assert rounded_down(np.zeros((1, 2)), np.ones((1, 2)), 9).tolist() == [0]
    assert rounded_down(np.ones((1, 2)), np.ones((1, 2)), 1).tolist() == [3]
    # the largest price of 41 bits is kept, the next is not
    for value, fine in ((2.0**41 - 4, True), (2.0**41 + 4096, False)):
        if fine:
            assert rounded_down(np.ones((1, 1)), np.array([[value]]), 0) == 2**41 - 5
        else:
            with pytest.raises(NotACertificate, match="out of range"):
                rounded_down(np.ones((1, 1)), np.array([[value]]), 0)
