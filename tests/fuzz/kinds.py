"""Certificates that kinds write: their numbers changed, and held against known optima.

Any prices prove something, so that most changes are accepted; what they then prove must not lie
beyond what a point of the program reaches exactly (`tests.fuzz.truth`), found beforehand.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import itertools
import json
import random
import zlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

import farkas
from farkas.certificates import check, from_json
from farkas.certificates.coded import MasterPrices, Payments
from farkas.certificates.encoding import unpack
from farkas.certificates.eris import PricedAuction
from farkas.certificates.priced_tree import Knapsack, PricedTree, Split
from farkas.decomposition.cases import CaseTree
from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.master import Master, Pool
from farkas.errors import FarkasError
from farkas.exact.node_bounds import Deadline
from farkas.instances import Instance
from farkas.offline.coded import WorkerPrices
from farkas.offline.methods import SearchState
from farkas.offline.mlbroker import slots
from farkas.online.gadget.columns import SlotPlans
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.relaxations.dps.pricing import ServerPricing
from farkas.relaxations.eris.spans import Spans
from farkas.relaxations.eris.welfare_bound import aggregated_prices
from tests.fuzz import truth
from tests.fuzz.attack import (
    HoleError,
    Outcome,
    any_double,
    beyond,
    change,
    doubled_key,
    number,
    packed,
    verdict,
)
from tests.tools.rings import slot_certificate


@dataclasses.dataclass(frozen=True)
class Target:
    """One kind's certificates on one instance."""

    instance: str  #: Name of a shipped instance, or of a drawn one.
    make: Callable[[Instance], dict[str, Any]]  #: Writes an honest certificate, plain data.
    arrays: tuple[tuple[str, ...], ...] = ()  #: Places of packed doubles in the record.
    lists: tuple[str, ...] = ()  #: Keys of lists of numbers.


def of_run(algorithm: str) -> Callable[[Instance], dict[str, Any]]:
    def make(instance: Instance) -> dict[str, Any]:
        run = farkas.run(instance, algorithm)
        return json.loads(msgspec.json.encode(run.certificate.certificate))

    return make


def of_slot(cluster: Any) -> dict[str, Any]:
    return plain(slot_certificate(cluster))


def of_last(cluster: Any) -> dict[str, Any]:
    """Bound of a horizon of one slot, with a job that is decided."""
    problem = SlotPlans(cluster)
    master = Master(problem, Pool(problem))
    *_, last = price_rows(problem, master, gap=0.0, left=lambda: 60.0)
    tree = CaseTree(problem, master, last)
    tree.expand(lambda: 0.0, 4, 0.0, lambda: 60.0)
    return plain(problem.certificate(tree.tree()))


def of_chance(instance: Any) -> dict[str, Any]:
    """Bound on P1 for every plan, also where those that dedicate workers have a better one."""
    return plain(MasterPrices.of(instance, "coded.chance", shared_optimum(instance).prices))


def of_payments(instance: Any) -> dict[str, Any]:
    """Bound on P1 by what masters must pay for workers."""
    # a worker that nobody may ask costs nothing, or it would be money that is never spent
    prices = np.where(instance.allowed.any(axis=0), 10.0, 0.0)
    search = WorkerPrices(instance, Deadline())
    low = float(instance.shifts.min())
    time = search.latest(prices.astype(np.int64), low, 1e3 * low)
    paid = Payments(time=time, cells=search.cells)
    return plain(MasterPrices.of(instance, "coded.chance", prices, payments=paid))


def of_optimum(instance: Any) -> dict[str, Any]:
    """Bound on whole placements, that of slots by themselves even where another one is better."""
    state = SearchState("min", Deadline(), Fraction(0))
    found = [candidate.bound for candidate in slots(instance, state) if candidate.bound is not None]
    return json.loads(msgspec.json.encode(found[-1].certificate))


def of_splits(instance: Any) -> dict[str, Any]:
    """Cases of the two jobs that are worth most; every slot is a knapsack of the scarcest resource.

    So is its transfer.  Who completes pays a tenth of its worth.
    """
    able = [(-job.utility[0], i) for i, job in enumerate(instance.jobs) if any(job.data)]
    tree: list[Split | None] = [None]
    for worth, job in sorted(able)[:2]:
        tree = [Split(job, -worth), *tree, None]
    asked = (instance.worker_demand + instance.server_demand).sum(axis=0)
    k = int((asked / np.maximum(instance.capacity.sum(axis=0), 1e-300)).argmax())
    program, knapsacks = PricedAuction(instance), []
    for limit, slot in itertools.product((0, k + 1), range(instance.slots)):
        jobs = [i for i, job in enumerate(instance.jobs) if job.arrival <= slot and any(job.data)]
        worth = {i: instance.jobs[i].utility[slot - instance.jobs[i].arrival] for i in jobs}
        jobs = [i for i in jobs if worth[i] > 0]
        knapsacks.append(
            Knapsack(
                rows=Spans(program).rows_of(limit, 0, slot), unit=1.0, owners=tuple(jobs),
                values=tuple(worth[i] for i in jobs),
                amounts=tuple(0.1 * instance.jobs[i].utility[0] for i in jobs),
            )
        )  # fmt: skip
    prices = aggregated_prices(instance)
    fine = np.concatenate([prices.transfer, prices.resource.ravel()])
    many = tree.count(None)
    return plain(PricedTree.of(program, fine, tree=tree, same=[0] * many, knapsacks=knapsacks))


def of_servers(instance: Any) -> dict[str, Any]:
    """Bound by prices of classes of servers, with a few jobs decided."""
    problem = ServerPricing(instance)
    master = Master(problem, Pool(problem))
    *_, last = price_rows(problem, master, gap=0.0, left=lambda: 60.0)
    tree = CaseTree(problem, master, last)
    tree.expand(lambda: 0.0, 4, 0.0, lambda: 60.0)
    return plain(problem.certificate(tree.tree()))


def plain(certificate: Any) -> dict[str, Any]:
    return json.loads(msgspec.json.encode(certificate))


def shown(kind: str, *names: str) -> list[str]:
    """Shipped instances by name, and as many again that are drawn."""
    return [f"{kind}/{name}" for name in names] + [f"{kind}/drawn {seed}" for seed in DRAWS[kind]]


DRAWS = {"eris": range(2, 6), "mlbroker": range(4), "dps": range(4), "gadget": range(4),
         "coded": range(2, 4)}  # fmt: skip
"""Seeds of the drawn instances of each kind."""

TARGETS = {
    "priced_tree": [
        Target(name, of_run("eris.eris"), (("prices",),))
        for name in shown("eris", "tiny", "integrality_gap")
    ]
    + [
        Target(name, of_run("dps.dps"), (("prices",),))
        for name in shown("dps", "tiny", "unattained")
    ]
    + [
        Target(name, of_splits, (("prices",),), ("tree", "knapsacks"))
        for name in shown("eris", "tiny", "integrality_gap")
    ]
    + [
        Target(name, of_servers, (("prices",),), ("tree",))
        for name in shown("dps", "tiny", "aggregate_gap")
    ]
    + [
        Target(name, of_optimum, (("prices",),), ("layout",))
        for name in shown("mlbroker", "tiny", "return_trip")
    ]
    + [
        Target(name, of_run("gadget.fifo"), (("prices",),), ("layout",))
        for name in shown("gadget", "tiny", "late_sigmoid")
    ]
    + [
        Target(name, of_slot, (("prices",),), ("layout", "tree"))
        for name in shown("gadget", "tiny", "half_server")
    ]
    + [
        Target(name, of_last, (("prices",),), ("layout", "tree"))
        for name in ("gadget/shared_link", "gadget/worker_bound_trap", "gadget/two_triangles")
    ],
    "mlbroker_run": [
        Target(name, of_run("mlbroker.fractional[tight]"), (("guide",),))
        for name in shown("mlbroker", "tiny", "return_trip")
    ],
    "coded_prices": [
        Target(name, how, (("prices",),))
        for how, names in (
            (of_run("coded.expected"), shown("coded", "tiny", "forbidden_pairs")),
            (of_chance, shown("coded", "tiny", "forbidden_pairs")),
            (of_payments, shown("coded", "tiny", "forbidden_pairs")),
            (of_run("coded.brute_force"), ("coded/dominant", "coded/greedy_trap")),
            (of_run("coded.chance_search"), ("coded/tiny",)),
        )
        for name in names
    ],
}
"""What is attacked, by the tag of the certificate."""

VARIANTS = [(relax, how) for relax in ("tight", "printed") for how in ("printed", "strict")]
"""Relaxations of mlBroker that a guide can be for."""


@functools.cache
def honest(tag: str, k: int) -> tuple[Instance, bytes]:
    target = TARGETS[tag][k]
    instance = truth.load(target.instance)
    return instance, json.dumps(target.make(instance)).encode()


def attack(tag: str) -> Callable[[random.Random], Outcome]:
    """The attack on all certificates of a tag."""
    return functools.partial(kind, tag)


def changed(rng: random.Random, tag: str, k: int) -> tuple[Instance, dict[str, Any]]:
    """An instance, and a certificate about it with changed numbers."""
    target = TARGETS[tag][k]
    instance, text = honest(tag, k)
    tree = json.loads(text)
    for path in target.arrays:
        if rng.random() < 0.6:
            _change_array(rng, tree, path)
    for key in target.lists:
        if rng.random() < 0.6:
            _change_numbers(rng, tree[key])
    if "semantics" in tree and rng.random() < 0.5:
        tree["relax"], tree["semantics"] = rng.choice(VARIANTS)
        tree["program"] = f"mlbroker.relaxed[{tree['relax']},{tree['semantics']}]"
    return instance, tree


def kind(tag: str, rng: random.Random) -> Outcome:
    """Change the numbers of a certificate, claim what they prove or more, and compare."""
    k = rng.randrange(len(TARGETS[tag]))
    target = TARGETS[tag][k]
    instance, tree = changed(rng, tag, k)
    if rng.random() < 0.2:
        for _ in range(rng.choice([1, 1, 2, 5])):
            change(rng, tree)
    exceeds = _claim(rng, tree, instance)
    content = json.dumps(tree).encode("utf-8", "replace")
    if rng.random() < 0.02:
        content, exceeds = doubled_key(rng, tree), True
    found = verdict(lambda: check(from_json(content), instance=instance), content)
    if found is None:
        return "refused"
    if exceeds:
        raise HoleError(f"more is accepted than is derived\n{content!r}")
    hold(found, target.instance, content)
    return "accepted"


def _change_numbers(rng: random.Random, place: Any) -> None:
    """Replace some of the numbers in nested lists, integers by integers."""
    for key in list(place) if isinstance(place, dict) else range(len(place)):
        value = place[key]
        if isinstance(value, dict | list):
            _change_numbers(rng, value)
        elif key != "positions" and rng.random() < 0.5:
            new = abs(number(rng))
            place[key] = min(int(new), 2**62 - 1) if isinstance(value, int) else new


def _change_array(rng: random.Random, tree: dict[str, Any], path: tuple[str, ...]) -> None:
    place = tree
    for key in path[:-1]:
        place = place.get(key) or {}
    if path[-1] not in place:
        return
    values = _unpacked(place[path[-1]])
    if not values:
        return
    draw = rng.random()
    if draw < 0.2:
        values = [abs(number(rng)) if rng.random() < 0.9 else any_double(rng) for _ in values]
    elif draw < 0.3:
        factor = abs(number(rng))
        values = [value * factor for value in values]
    elif draw < 0.35:
        rng.shuffle(values)
    elif draw < 0.38:
        values = values[:-1]
    elif draw < 0.6:
        first, last = sorted(rng.randrange(len(values) + 1) for _ in range(2))
        values[first:last] = [number(rng)] * (last - first)
    else:
        for _ in range(rng.choice([1, 1, 2, 3])):
            at = rng.randrange(len(values))
            values[at] = rng.choice([any_double(rng), -values[at], values[at] * (1 + 2.0**-52)])
    place[path[-1]] = packed(values)


def _unpacked(text: str) -> list[float]:
    raw = zlib.decompress(base64.b64decode(text))
    return unpack(text, (len(raw) // 8,), "array").tolist()


def _claim(rng: random.Random, tree: dict[str, Any], instance: Instance) -> bool:
    """Claim what the numbers prove, or more; tell whether it is more."""
    draw = rng.random()
    if draw < 0.1:
        return False
    try:
        certificate = from_json(json.dumps(tree).encode("utf-8", "replace"))
        proved = verdict(lambda: certificate.prove_bound(instance), json.dumps(tree))
    except FarkasError:
        return False
    if proved is None:
        return False
    if draw < 0.7:
        tree["bound"] = str(proved)
        return False
    tree["bound"] = str(beyond(rng, proved, certificate.stance()[1]))
    return True


def hold(proof: Any, instance: str, content: bytes) -> None:
    """Compare what was proved with what is reached."""
    if " in slot " in proof.program:
        return
    best = truth.reached(instance, proof.program)
    if proof.infeasible:
        raise HoleError(f"the program has a point of value {best}\n{content!r}")
    if proof.sense == "min":
        beyond_it = proof.bound > best
        impossible = proof.value is not None and proof.value < proof.bound
    else:
        beyond_it = proof.bound < best
        impossible = proof.value is not None and proof.value > proof.bound
    if beyond_it or impossible:
        raise HoleError(f"{proof.statement} A point reaches {float(best)!r}.\n{content!r}")
