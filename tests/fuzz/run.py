"""One case of an attack, by name, seed and number."""

from __future__ import annotations

import random

from tests.fuzz.attack import Attack, HoleError
from tests.fuzz.kinds import TARGETS, attack
from tests.fuzz.linear import linear
from tests.fuzz.vipr import vipr

ATTACKS: dict[str, Attack] = {"linear": linear, "vipr": vipr} | {
    tag: attack(tag) for tag in TARGETS
}
"""By the tag of the certificates; ``linear`` makes those of infeasibility too."""


def run(name: str, seed: int, number: int) -> str:
    """``accepted``, ``refused``, or what is wrong."""
    try:
        return ATTACKS[name](random.Random(f"{name}/{seed}/{number}"))
    except HoleError as hole:
        return str(hole)
