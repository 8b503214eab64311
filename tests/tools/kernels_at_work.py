"""Every kernel at work, and what it returns: run by tests/kernels/test_kernels.py in both ways.

``python -m tests.tools.kernels_at_work STEPS [KIND...]`` prints results to the last bit; kernels
are interpreted up to so many steps.  The last line names kernels that the interpreter never ran.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import farkas
import farkas.kernels
from farkas.certificates.coded import chance_by_budget
from farkas.decomposition.packing import Packing
from farkas.decomposition.protocol import Exchanges
from farkas.exact.node_bounds import Deadline
from farkas.instances import library
from farkas.kernels import Kernel
from farkas.models.coded.completion_times import counts
from farkas.models.coded.kernel import Pairs
from farkas.models.gadget.envelope import envelope
from farkas.models.gadget.slot import snapshot
from farkas.offline.eris.optimum import AuctionPricing
from farkas.offline.methods import Method, SearchState
from farkas.offline.mlbroker import slots
from farkas.offline.price_search import price_search
from farkas.online import environments
from farkas.online.coded.local_search import favourites, local_optimum
from farkas.online.coded.owner_tree import OwnerTree
from farkas.online.dps.learning import Dps, RandomPlacement, ScaledBandits, Top
from farkas.online.dps.pairs import PairPrices
from farkas.online.dps.seller import BestFit, Random
from farkas.online.driver import plain as as_plain
from farkas.online.eris.environment import Ledger
from farkas.online.eris.printed_scheduler import printed_schedule, printed_slot
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.online.gadget.plans import GadgetPlans
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.relaxations.eris.payoff_bound import bound_payoff
from tests.generators.coded import random_coded_computing
from tests.generators.dps import random_market
from tests.generators.eris import random_auction
from tests.generators.mlbroker import random_brokerage
from tests.references.gadget_pricing import pricing


def every_kernel() -> list[Kernel[..., Any]]:
    """Kernels of all modules that make some."""
    root = Path(farkas.__file__).parent
    sources = [path for path in root.rglob("*.py") if "@compiled" in path.read_text()]
    names = [
        ".".join(("farkas", *path.relative_to(root).with_suffix("").parts)) for path in sources
    ]
    modules = [importlib.import_module(name) for name in names if name != "farkas.kernels"]
    found = [x for module in modules for x in vars(module).values() if isinstance(x, Kernel)]
    return list(dict.fromkeys(found))


def eris() -> Iterator[Any]:
    for seed in range(30):
        auction = random_auction(seed, most_chunks=6)
        ledger = Ledger.in_state_of(auction)
        for job in auction.jobs:
            seen = ledger.meet(job)
            yield bound_payoff(seen, seen.chunks)
            for found in (repaired_schedule(auction, job, seen), printed_schedule(seen)):
                yield found.payoff, found.cost, found.finish, found.bound
                yield found.workers, found.server, found.moved
            if seen.chunks:
                yield printed_slot(seen, 0, seen.chunks)
    for seed in range(6):
        auction = random_auction(seed, most_chunks=5, jobs=8)
        pricing = AuctionPricing(auction)
        payoff, _ = pricing.replies(np.zeros(len(pricing.rows)), {})
        yield payoff, pricing.chosen.finish, pricing.chosen.processed
        packing, prices = Packing(pricing), np.zeros(len(pricing.rows))
        packing.fill(prices, -np.arange(auction.num_jobs), lambda: 60.0)
        wanting, rng = np.arange(auction.num_jobs), np.random.default_rng(seed)
        now = pricing.packed(pricing.exchange(packing.plans, Exchanges(wanting, prices, 10, rng)))
        yield now.finish, now.workers
        now = pricing.packed({i: packing.plans[i] for i in packing.plans if i % 2})
        pricing.squeeze(now, wanting, pricing.room(prices), pricing.everywhere, 30)
        yield now.finish, now.workers, now.moved
    chosen = random_auction(4, most_chunks=5, most_slots=5, jobs=8)  # whose plans are followed
    for auction in (library.load("eris/demo"), chosen):
        yield from found_by(price_search(AuctionPricing), auction)


def dps() -> Iterator[Any]:
    for seed in range(6):
        market = random_market(seed, jobs=30)
        sellers = Dps(), ScaledBandits(), Top(), RandomPlacement(), Random(), BestFit()
        for seller in (*sellers, PairPrices()):
            done = seller.simulate(market, seed)
            yield done.outcome, done.colocated, done.exploring, done.worker_price, done.ps_price


def coded() -> Iterator[Any]:
    for seed in range(12):
        data = random_coded_computing(seed, masters=2 + seed % 3, workers=9)
        speed, rng = Pairs.of(data).speed, np.random.default_rng(seed)
        start = favourites(speed)
        yield local_optimum(speed, start, "printed"), local_optimum(speed, start, "lexicographic")
        tree = OwnerTree(speed, start, np.ones(len(speed)))
        yield tree.advance(300), tree.owner, tree.nodes
        yield chance_by_budget(data, 0, rng.integers(0, 4, 9), 1.0, 20, 8)
        yield counts(rng.integers(1, 9, 20), rng.uniform(0, 1, 20), 40)


def gadget() -> Iterator[Any]:
    rng = np.random.default_rng(0)
    for _ in range(8):
        worth = rng.uniform(0, 1, 30).cumsum()
        yield envelope(worth)
    for cluster in random_clusters(12, 3, network="any", servers=4, jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        prices = rng.random(cluster.capacity.shape), rng.random(cluster.num_links)
        for scale in (0.0, 1e-3, 1.0):
            floor = np.zeros(len(slot.jobs))
            search = pricing(slot)
            most, rings = search.rings_at(scale * prices[0], scale * prices[1], floor, search.worth)
            yield most, rings.workers, rings.flow
    for name in ("gadget/demo", "gadget/seven_ninths"):
        yield from found_by(price_search(GadgetPlans), library.load(name))


def mlbroker() -> Iterator[Any]:
    for seed in range(3):
        yield from found_by(slots, random_brokerage(seed))
    # more than ten sites have prices of their own
    yield from found_by(slots, random_brokerage(0, sites=11, slots=2, jobs=2))


def found_by(method: Method, instance: Any) -> Iterator[Any]:
    """What a search for the optimum finds and proves."""
    sense = environments[instance.kind].sense
    for candidate in method(instance, SearchState(sense, Deadline(), Fraction(1, 100))):
        if candidate.bound is not None:
            yield str(candidate.bound.exact), candidate.method
        if candidate.decisions is not None:
            yield str(as_plain(candidate.decisions)), candidate.method


def plain(value: Any) -> Any:
    """Numbers with their types; equal texts are equal bits."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tolist()
    return tuple(map(plain, value)) if isinstance(value, tuple) else (type(value).__name__, value)


KINDS = {each.__name__: each for each in (eris, dps, coded, gadget, mlbroker)}


def main() -> None:
    steps, *chosen = sys.argv[1:]
    farkas.kernels.STEPS_INTERPRETED = float(steps)  # type: ignore[assignment]
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        entered.add(frame.f_code)

    sys.setprofile(note)
    for kind in chosen or KINDS:
        for values in KINDS[kind]():
            print(kind, plain(values))
    sys.setprofile(None)
    owned = [k for k in every_kernel() if not chosen or set(chosen) & set(k.__module__.split("."))]
    print([k.__qualname__ for k in owned if k.function.__code__ not in entered])


if __name__ == "__main__":
    main()
