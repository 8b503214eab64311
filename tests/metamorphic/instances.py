"""Small instances of every kind on which everything is measured."""

from __future__ import annotations

import functools

from farkas.instances import Instance, library
from farkas.instances.generate import generate
from tests.generators.coded import random_coded_computing
from tests.generators.dps import random_market
from tests.generators.eris import random_auction
from tests.generators.mlbroker import random_brokerage

DRAWN = {
    "coded": random_coded_computing,
    "dps": lambda seed: random_market(seed).replace(price_cap=1.0, price_grid=[0.2, 0.5, 0.8]),
    "eris": random_auction,
    "gadget": lambda seed: generate("gadget", "small", seed, num_jobs=3),
    "mlbroker": lambda seed: random_brokerage(seed, resources=2).replace(seed=seed),
}

SHIPPED = {
    "coded": ["tiny", "forbidden_pairs", "split_worker"],
    "dps": ["tiny", "fragmented", "one_server_half_open"],
    "eris": ["tiny", "two_moves", "partly_full", "dear_parameters"],
    "gadget": ["tiny", "seven_ninths", "energy", "timed_ring", "step_greedy"],
    "mlbroker": ["tiny", "quiet_slot", "return_trip"],
}
"""The first stands for its kind; the others have what it lacks."""


@functools.cache
def few(kind: str) -> list[Instance]:
    """Two instances, for every run of the tests."""
    return [library.load(f"{kind}/{SHIPPED[kind][0]}"), DRAWN[kind](1)]


@functools.cache
def many(kind: str) -> list[Instance]:
    """More instances, for the slow tests."""
    shipped = [library.load(f"{kind}/{name}") for name in SHIPPED[kind]]
    return [*shipped, *(DRAWN[kind](seed) for seed in range(1, 4))]
