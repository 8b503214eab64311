"""One case of an attack, by name, seed and number."""

from __future__ import annotations

import random

from tests.fuzz.attack import Attack, HoleError
from tests.fuzz.kinds import TARGETS, attack
from tests.fuzz.linear import linear
from tests.fuzz.rebuilt import alone, instance
from tests.fuzz.rebuilt import run as whole_run
from tests.fuzz.store import store
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

ATTACKS: dict[str, Attack] = OTHERS | {tag: attack(tag) for tag in TARGETS}
"""By name, or the tag of the certificates."""


def run(name: str, seed: int, number: int) -> str:
    """``accepted``, ``refused``, or what is wrong."""
    try:
        return ATTACKS[name](random.Random(f"{name}/{seed}/{number}"))
    except HoleError as hole:
        return str(hole)
