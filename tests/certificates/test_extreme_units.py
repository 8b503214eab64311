"""No certificate that is accepted says more than the best decisions reach, in any units."""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.certificates.coded import ChancePrices, CodedPrices, safe_patience, speeds_above
from farkas.certificates.coded_budgets import BudgetPrices
from farkas.certificates.coded_dedicated import DedicatedPrices
from farkas.certificates.coded_owners import CountBranch, OwnersTree, Types
from farkas.certificates.dps import DpsPrices, SlotPrices
from farkas.certificates.dps_servers import DpsServerPrices, EqualServers
from farkas.certificates.eris import ErisPrices
from farkas.certificates.eris_cases import CaseSplit, ErisCases, ErisSpans, Span
from farkas.certificates.files import Certificate, from_json
from farkas.certificates.gadget import certify_horizon
from farkas.certificates.gadget_slot import SharedServers, certify_slot
from farkas.certificates.gadget_slot_tree import SlotBranch, certify_one_slot, certify_slot_tree
from farkas.certificates.mlbroker import Guide, MlbrokerPrices
from farkas.certificates.mlbroker_slots import LEAF, SiteBounds, SiteTrees, SlotBounds, SlotTrees
from farkas.errors import FarkasError, InvalidInstance, NotACertificate
from farkas.exact.bounding import Deadline
from farkas.offline.ladder import Ascent, ladders
from farkas.online.driver import environments
from farkas.verbs.check import proof_of
from tests.generators.extreme import EXTREME, LARGEST, LEAST, Units
from tests.references import best_decisions as best
from tests.tools.quick import some

Made = Iterator[Callable[[], Certificate]]
"""Ways to make certificates, which may be refused."""


@functools.cache
def optimum(data: Any, program: str) -> Fraction | None:
    """Value of the best decisions that a certificate is about; None where nobody tried them all."""
    if data.kind != "coded":
        return BEST[data.kind](data)
    if program.startswith("coded.chance"):
        return best.surest(data) if all(task.rows == 1 for task in data.masters) else None
    return best.earliest(data)[program.endswith("[dedicated]")]


BEST: dict[str, Callable[[Any], Fraction]] = {
    "mlbroker": best.cheapest_placement,
    "eris": best.greatest_welfare,
    "dps": best.highest_payments,
    "gadget": best.greatest_reward,
}


def broker_proofs(data: Any, one: Units) -> Made:
    largest = float(data.deploy_cost.max())
    exponent = min(max(30 - int(np.frexp(largest)[1]), -1024), 1074)

    def trees(made: type[SlotTrees], bounds: SlotBounds) -> SlotTrees:
        deploy = data.deploy_cost[data.pair_job[bounds.links]]
        fall = np.floor(np.ldexp(deploy * one.rng.random(), exponent))
        sites = [s.bit_count() if made is SlotTrees else 1 for s in range(bounds.sets)]
        tolls = np.ldexp(-np.outer(fall, sites), -exponent) + 0.0
        tree = one.pick(([LEAF], [0, LEAF, LEAF], [1, LEAF, LEAF]))
        busy = len(np.unique(data.pair_slot))
        draft = made.of(data, Fraction(0), exponent, tolls, tree * busy)
        return msgspec.structs.replace(draft, bound=str(draft.prove_bound(data)))

    yield lambda: trees(SlotTrees, SlotBounds(data))
    yield lambda: trees(SiteTrees, SiteBounds(data))
    one.match(money=max(largest, float(data.list_price.max())))
    for relax, semantics in itertools.product(("printed", "tight"), ("printed", "strict")):
        drawn = {name: one.prices(shape, money=1) for name, shape in Guide.shapes(data).items()}
        yield partial(MlbrokerPrices.of, data, Guide(**drawn), relax, semantics)


def auction_proofs(data: Any, one: Units) -> Made:
    one.match(
        money=max(job.utility[0] for job in data.jobs),
        units=data.capacity.max(),
        data=data.transfer_budget,
    )

    def prices() -> Any:
        shape = data.sites, 1, data.slots
        return one.prices(shape[2:], money=1, data=-1), one.prices(shape, money=1, units=-1)

    yield partial(ErisPrices.of, data, *prices())
    if data.slots > 1:
        tree = CaseSplit(job=0, delay=0), None, None
        yield partial(ErisCases.of, data, tree, [prices(), prices()])
    jobs = tuple(i for i, job in enumerate(data.jobs) if any(job.data))
    unit = one.positive(1.0, 0.1, units=1)
    span = Span(first=0, last=data.slots - 1, resource=0, unit=unit, jobs=jobs)
    yield partial(ErisSpans.of, data, [span], [one.prices((len(jobs),), money=1)], *prices())


def market_proofs(data: Any, one: Units) -> Made:
    one.match(money=data.budget.max())

    def prices(kinds: int) -> Any:
        kind, slot = np.divmod(np.arange(kinds * data.horizon), data.horizon)
        return {"type": kind, "slot": slot, "price": one.prices(slot.shape, money=1)}

    rewards = "budget" if data.price_cap is None else "capped"
    for made, kinds in ((DpsPrices, 1), (DpsServerPrices, EqualServers.of_market(data).count)):
        yield partial(made.of, data, SlotPrices.of(data, prices(kinds), prices(kinds)), rewards)


def cluster_proofs(data: Any, one: Units) -> Made:
    one.match(
        money=max(float(data.reward(i, 1.0)) for i in range(data.num_jobs)),
        units=data.demand.max(),
        rate=data.bandwidth.max(),
    )
    servers = [np.array([0]), np.array([1])]
    prices = one.prices((data.horizon, 2, 1), money=1, units=-1)
    yield partial(certify_horizon, data, np.arange(data.horizon), servers, prices)
    if data.horizon > 1:
        return
    nothing = np.zeros(data.num_jobs, np.int64)
    node, link = one.prices((3, 2, 1), money=1, units=-1), one.prices((3, 2), money=1, rate=-1)
    shared = one.pick((None, SharedServers(resource=0, unit=one.positive(0.1, 1.0, units=1))))
    branch = SlotBranch(prices=0, of=one.pick(("size", "workers")), job=0, place=0, count=1)
    for slot in (
        partial(certify_slot, data, 0, nothing, node[0], link[0], shared),
        partial(certify_slot_tree, data, 0, nothing, 0.0, (branch, 1, 2), node, link),
    ):
        yield lambda slot=slot: certify_one_slot(data, slot())


def computing_proofs(data: Any, one: Units) -> Made:
    pairs = zip(data.rates.ravel().tolist(), data.shifts.ravel().tolist(), strict=True)
    accurate = np.reshape([float(best.patience(*pair)) for pair in pairs], data.rates.shape)
    masters = data.num_masters
    prices = np.maximum(one.prices((masters,), money=one.pick((0, 1))), LEAST)
    yield partial(CodedPrices.of, data, prices, accurate)
    yield partial(ChancePrices.of, data, prices, accurate)
    last = optimum(data, DedicatedPrices.subject)
    if last is not None and LEAST < 1 / last < LARGEST:
        level = one.pick((1.0, 1 - 1e-13, 1 + 1e-9, 2.0)) * float(1 / last)
        yield partial(DedicatedPrices.excluding, data, prices, accurate, level)
        safe = safe_patience(accurate)
        types = len(Types(speeds_above(data, np.ones(masters), safe)).size)
        of, width = one.pick((("masters", masters), ("types", types)))
        bids = np.maximum(one.prices((2, width)), LEAST)
        tree = CountBranch(master=0, type=0, count=0), 0, 1
        yield partial(OwnersTree.closing, data, level, tree, bids, safe, of)
    last = optimum(data, BudgetPrices.subject)
    if last is not None and LEAST < last < LARGEST:
        time = one.pick((1.0, 1 - 1e-12, 1 + 1e-12, 1 + 1e-9, 0.999)) * float(last)
        asked = one.rng.integers(1, 4, data.workers)
        budgets = np.full(masters, asked.sum())
        yield partial(BudgetPrices.excluding, data, time, asked, budgets, 4)


PROOFS = {
    "mlbroker": broker_proofs,
    "eris": auction_proofs,
    "dps": market_proofs,
    "gadget": cluster_proofs,
    "coded": computing_proofs,
}
FEW, MANY, SEARCHED = range(some(15, 60)), range(60, 1000), range(8)
"""Seeds of instances of each family whose certificates are drawn, and searched for."""


def instances(name: str, seeds: range) -> Iterator[tuple[int, Any]]:
    """Instances of a family, some of which are refused, and their seeds."""
    for seed in seeds:
        with contextlib.suppress(InvalidInstance):
            data = EXTREME[name](np.random.default_rng(seed))
            if data.kind != "mlbroker" or data.workers_needed.max() <= 3:
                yield seed, data


def is_near(made: Certificate, data: Any) -> bool:
    """Whether the bound of a certificate that is accepted nearly is the best value.

    It is never better.
    """
    bound, value = proof_of(from_json(msgspec.json.encode(made)), data).bound, None
    if bound is not None:
        value = optimum(data, made.program)
    if bound is None or value is None:
        return False
    below = environments[data.kind].sense == "min"
    assert bound <= value if below else bound >= value, (data, made)
    return abs(bound - value) <= value / 10**6


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize("name", EXTREME)
def test_no_drawn_bound_is_better_than_the_best_decisions(name, seeds):
    near = 0
    for seed, data in instances(name, seeds):
        with np.errstate(all="ignore"):
            for make in PROOFS[data.kind](data, Units(np.random.default_rng(seed))):
                with contextlib.suppress(NotACertificate):
                    near += is_near(make(), data)
    assert near


def is_after(end: float) -> bool:
    """Whether this process has taken so many seconds of a processor."""
    return time.process_time() > end


@pytest.mark.slow
@pytest.mark.parametrize("name", EXTREME)
def test_no_bound_that_is_searched_for_is_better_than_the_best_decisions(name):
    near = 0
    for _, data in instances(name, SEARCHED):
        sense = environments[data.kind].sense
        for climber in itertools.chain(
            *(ladders[ladder].climbers for ladder in ladders.names(f"{data.kind}."))
        ):
            end = time.process_time() + 0.3  # whatever else the machine does
            ascent = Ascent(sense, Deadline(60.0, partial(is_after, end)), Fraction(0))
            with contextlib.suppress(FarkasError), np.errstate(all="ignore"):
                for rung in itertools.islice(climber(data, ascent), 6):
                    if rung.bound is not None and rung.bound.certificate is not None:
                        made = from_json(msgspec.json.encode(rung.bound.certificate))
                        near += is_near(made, data)
    assert near
