"""Instances written in other units are decided alike: money, data and rewards are only amounts.

Units are powers of 2, so that every double scales without rounding and results must be equal.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.certificates.ratio import certified_ratio
from farkas.errors import InvalidInstance, NotACertificate
from farkas.instances import library
from farkas.instances.dps import Market
from farkas.instances.eris import Auction
from farkas.instances.gadget import Cluster
from farkas.instances.mlbroker import Brokerage
from farkas.instances.utilities import TableUtility
from farkas.models.eris.prices import Prices
from farkas.models.gadget import curvature
from farkas.online import environments
from farkas.online.dps.environment import Offer
from farkas.online.driver import plain
from farkas.online.eris.environment import Piece, SlotDecision
from farkas.online.eris.printed_scheduler import printed_schedule
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.online.gadget.environment import Room
from farkas.online.loop import decide
from farkas.online.mlbroker.fractional import Fractional, Points
from farkas.relaxations.eris.payoff_bound import bound_payoff, chunks_sent, job_slots
from farkas.replay import replay
from farkas.replay.mlbroker_fractional import replay_fractional
from farkas.rounding.rings import Mix, admit
from tests.generators.dps import market_in
from tests.generators.eris import auction_in, random_auction
from tests.tools.eris_bounds import prove_payoffs

UNITS = [2.0**-40, 2.0**40]


def cluster_in(cluster: Cluster, amount: float, reward: float = 1.0) -> Cluster:
    """Capacities, demands and bandwidths times ``amount``, utilities times ``reward``."""
    data: dict[str, Any] = msgspec.to_builtins(cluster)
    for node in data["nodes"]:
        node["capacity"] = [amount * c for c in node["capacity"]]
    for link in data["links"]:
        link["bandwidth"] *= amount
    for job in data["jobs"]:
        job["demand"] = [amount * d for d in job["demand"]]
        job["bandwidth"] *= amount
        if job.get("budget"):
            job["budget"] = [b and amount * b for b in job["budget"]]
        for key in ("slope", "scale", "linear", "quadratic"):
            if key in job["utility"]:
                job["utility"][key] *= reward
        if "values" in job["utility"]:
            job["utility"]["values"] = [reward * v for v in job["utility"]["values"]]
    return cluster.replace(nodes=data["nodes"], links=data["links"], jobs=data["jobs"])


@pytest.mark.parametrize("unit", UNITS)
def test_a_full_link_is_full_in_every_unit(unit):
    # 0.3 - 0.1 - 0.1 - 0.1 = -2.8e-17: the third ring still fits, a fourth does not
    cluster = cluster_in(library.load("gadget/two_triangles"), unit * 0.1)
    room = Room(cluster)
    need = float(cluster.bandwidth[0])
    room.residual = [need * (1 - 1e-12)] * cluster.num_links
    ends = int(cluster.link_source[0]), int(cluster.link_target[0])
    assert room._path(*ends, need) is not None
    room.residual = [need * (1 - 1e-6)] * cluster.num_links
    assert room._path(*ends, need) is None


@pytest.mark.parametrize("unit", UNITS)
def test_items_are_admitted_alike_in_every_unit(unit):
    # three times 0.1 in 0.3 fits but for rounding; a fourth does not, nor does 0.3 (1 + 1e-6)
    def taken(load, room):
        count = len(load)
        mix = Mix(
            np.arange(count), np.ones(count), np.ones(count), unit * np.array([load]).T,
            unit * np.array([room]),
        )  # fmt: skip
        return admit(mix, np.arange(count))[0].tolist()

    assert taken([0.1, 0.1, 0.1, 0.1], 0.3) == [0, 1, 2]
    assert taken([0.3 * (1 + 1e-6)], 0.3) == []


@pytest.mark.parametrize("unit", UNITS)
def test_curvature_does_not_depend_on_the_unit_of_reward(unit):
    # 0, 1, 3 rises faster and faster; 0, 2, 3 does not, and 0, 1, 2 (1 + 1e-14) but for rounding
    def is_concave(*values):
        return curvature.is_concave(TableUtility(values=tuple(unit * v for v in values)), 1.0, 2)

    assert not is_concave(0.0, 1.0, 3.0)
    assert is_concave(0.0, 2.0, 3.0)
    assert is_concave(0.0, 1.0, 2.0 * (1 + 1e-14))
    falling = TableUtility(values=(unit * 1.0, unit * 0.5))
    assert not curvature.is_monotone(falling, 1.0, 1)


@pytest.mark.parametrize("unit", UNITS)
def test_users_accept_the_same_offers_in_every_currency(unit):
    market = library.load("dps/tiny")
    assert isinstance(market, Market)
    offer = Offer.of(market_in(market, unit), 0)
    answers = [offer.accepts(unit * 3.5 * share) for share in (1.0, 1 + 5e-10, 1 + 2e-9, 2.0)]
    assert answers == [True, True, False, False]


@pytest.mark.parametrize("unit", [2.0**-30, 2.0**30])
def test_requirements_on_data_are_shares_of_the_data(unit):
    # 1e-4 of the data left untrained: 40 GB of 40 TB, or 4 MB of 40 GB
    broker = library.load("mlbroker/tiny")
    assert isinstance(broker, Brokerage)
    jobs: list[dict[str, Any]] = msgspec.to_builtins(broker.jobs)
    for job in jobs:
        job["worker_capacity"] *= unit
        job["data"] = (unit * np.array(job["data"])).tolist()
    other = broker.replace(jobs=jobs, transfer_price=(np.array(broker.transfer) / unit).tolist())
    policy = Fractional()
    decisions = decide(policy, environments["mlbroker"], broker, 0).decisions
    for share, labels in ((0.0, []), (1e-4, ["(8b)"])):
        moved = [
            dataclasses.replace(d.moved, amount=unit * (1 - share) * d.moved.amount)
            for d in decisions
        ]
        scaled = [dataclasses.replace(d, moved=m) for d, m in zip(decisions, moved, strict=True)]
        said = replay_fractional(other, Points(plain(scaled), {})).broken
        assert sorted({word for line in said for word in line.split() if word[0] == "("}) == labels


@pytest.mark.parametrize("unit", UNITS)
def test_ratios_do_not_depend_on_the_currency(unit):
    one = Fraction(unit)
    assert certified_ratio("min", unit * 12.0, one * 8, exact=True) == Fraction(3, 2)
    assert certified_ratio("min", unit * (1 - 1e-9), one, exact=False) == 1
    # a value a tenth better than its bound is wrong, however few dollars a tenth is
    with pytest.raises(NotACertificate):
        certified_ratio("min", unit * 0.9, one, exact=False)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("share", "fits"), [(1.0, True), (1 + 5e-10, True), (1.5, False)])
def test_occupied_transfer_is_measured_by_its_budget(unit, share, fits):
    auction = library.load("eris/tiny")
    assert isinstance(auction, Auction)
    sites, resources = auction.capacity.shape
    used = {
        "transfer": [unit * share * auction.transfer_budget] * auction.slots,
        "resources": np.zeros((sites, resources, auction.slots)).tolist(),
    }
    smaller = auction_in(auction, data=unit)
    if fits:
        assert smaller.replace(occupied=used).occupied is not None
    else:
        with pytest.raises(InvalidInstance, match="transfer_budget"):
            smaller.replace(occupied=used)


def tenths(seed: int) -> Auction:
    """A random auction of tenths, in which sums of what fits exceed a capacity by rounding."""
    return auction_in(random_auction(seed, most_chunks=5, jobs=5), data=0.1, units=0.1)


def seen(auction: Auction, data: float = 1.0, units: float = 1.0, money: float = 1.0) -> Iterator:
    """Every job of the auction in other units, what it meets at random prices, and the prices."""
    rng = np.random.default_rng(0)
    prices = Prices(
        rng.integers(0, 3, auction.slots) * 0.1, rng.integers(0, 9, auction.used.shape) * 0.3
    )
    prices = Prices(money / data * prices.transfer, money / units * prices.resource)
    auction = auction_in(auction, data=data, units=units, money=money)
    for job in auction.jobs:
        met = job_slots(auction, job, prices, auction.transferred, auction.used)
        yield auction, job, met, prices


@pytest.mark.ids(8)
@pytest.mark.parametrize("power", [-60, -47, -30, -13, -1, 5, 17, 33, 60])
@pytest.mark.parametrize("which", ["data", "units", "money"])
def test_schedules_at_given_prices_do_not_depend_on_any_unit(which, power):
    unit = 2.0**power
    gain = unit if which == "money" else 1.0
    for seed in range(10):
        auction = tenths(seed)
        pairs = zip(seen(auction), seen(auction, **{which: unit}), strict=True)
        for (_, job, met, prices), (other, its, meets, its_prices) in pairs:
            for schedule in (
                lambda a, j, m: repaired_schedule(a, j, m), lambda a, j, m: printed_schedule(m)
            ):  # fmt: skip
                one, found = schedule(auction, job, met), schedule(other, its, meets)
                assert found.payoff == gain * one.payoff
                assert (found.cost, found.bound) == (gain * one.cost, gain * one.bound)
                assert found.finish == one.finish
                for part in ("workers", "server", "moved"):
                    assert np.array_equal(getattr(found, part), getattr(one, part))
            now, then = (bound_payoff(one, chunks_sent(one)).payoff for one in (meets, met))
            assert now == gain * then
            its_auction, alone = other.replace(jobs=(its,)), auction.replace(jobs=(job,))
            proved = prove_payoffs(its_auction, its_prices.transfer, its_prices.resource)
            wanted = prove_payoffs(alone, prices.transfer, prices.resource)
            assert proved == Fraction(gain) * wanted


@pytest.mark.parametrize("unit", UNITS)
def test_use_beyond_a_capacity_or_budget_is_a_violation_in_every_unit(unit):
    auction = auction_in(library.load("eris/tiny"), data=unit, units=unit)
    # tiny: a capacity of 1 gpu and a budget of 4 MB; job 2 takes 1 gpu a worker, θ = 2 MB
    for workers, moved, said in ((1, 2, 0), (2, 2, 1), (1, 3, 1)):
        piece = Piece(job=2, slot=1, server=0, workers=((0, workers),), moved=moved)
        slots = plain([SlotDecision(pieces=(piece,)), SlotDecision(), SlotDecision()])
        run = SimpleNamespace(algorithm="eris.eris", kind="eris", options={}, decisions=slots)
        assert len(replay(run, auction).broken) == said
