"""One case of an attack, by name, seed and number, and many in several processes.

Processes that are spawned import this module: what stands in ``__main__`` they would not find, and
wait for each other.
"""

from __future__ import annotations

import collections
import multiprocessing
import random
from collections.abc import Iterator

from tests.fuzz.attack import Attack, HoleError
from tests.fuzz.kinds import TARGETS, attack
from tests.fuzz.linear import linear
from tests.fuzz.rebuilt import alone, instance
from tests.fuzz.rebuilt import run as whole_run
from tests.fuzz.store import store
from tests.fuzz.trees import tree, unbounded
from tests.fuzz.vipr import vipr

OTHERS: dict[str, Attack] = {
    "linear": linear,
    "vipr": vipr,
    "run": whole_run,
    "instance": instance,
    "alone": alone,
    "store": store,
}
"""``linear`` makes certificates of infeasibility too, ``instance`` such about rebuilt programs."""

MODELS: dict[str, Attack] = {"tree": tree, "unbounded": unbounded}
"""Certificates of models of their own, by tag."""

ATTACKS: dict[str, Attack] = OTHERS | MODELS | {tag: attack(tag) for tag in TARGETS}
"""By name, or the tag of the certificates."""


ROUND = 100
"""Cases of each attack that a process makes before it reports."""

SchedulerState = collections.Counter[tuple[str, str]]
"""Cases by attack and outcome."""

Round = tuple[list[str], int, int, int]
"""Attacks, seed, first case and the one after the last."""


def run(name: str, seed: int, number: int) -> str:
    """``accepted``, ``refused``, or what is wrong."""
    try:
        return ATTACKS[name](random.Random(f"{name}/{seed}/{number}"))
    except HoleError as hole:
        return str(hole)


def results(rounds: list[Round], jobs: int) -> Iterator[tuple[SchedulerState, list[str]]]:
    """Make the rounds, in so many processes."""
    if jobs == 1:
        yield from map(one_round, rounds)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(one_round, rounds)
        pool.close()
        pool.join()


def one_round(task: Round) -> tuple[SchedulerState, list[str]]:
    """Outcomes of some cases of each attack, and how to find the holes again."""
    names, seed, first, last = task
    seen: SchedulerState = collections.Counter()
    holes = []
    for number in range(first, last):
        for name in names:
            outcome = run(name, seed, number)
            known = outcome in ("accepted", "refused")
            seen[name, outcome if known else "hole"] += 1
            if not known:
                holes.append(f"--only {name} --seed {seed} --first {number}\n{outcome}\n")
    return seen, holes
