"""Runs of the broker with the published ranges, which several figures show."""

from __future__ import annotations

from typing import Any

from farkas.experiments.figures.exhibit import Paper
from farkas.instances.generate import generate
from farkas.instances.mlbroker import Brokerage
from farkas.online import Run, algorithms

MLBROKER = Paper("mlbroker", "mlBroker")


def broker(seed: int, **settings: Any) -> Brokerage:
    """Draw a broker with the published ranges."""
    drawn = generate("mlbroker", "published", seed, **settings)
    assert isinstance(drawn, Brokerage)
    return drawn


def play(name: str, instance: Brokerage, seed: int, **options: Any) -> Run:
    """Run an algorithm."""
    return algorithms[f"mlbroker.{name}"].run(instance, seed, **options)
