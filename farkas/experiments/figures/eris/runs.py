"""Auctions and runs that several figures of Eris show.

What the paper leaves open is drawn as the generator says; above all the processing rate P of a
worker, which is not published and on which every gain depends (table3 sweeps it).  Eris runs
with the repaired scheduler, whose schedules can all run; "printed" figures of welfare would count
schedules that cannot.  Ratios are measured against proved bounds.
"""

from __future__ import annotations

from typing import Any

from farkas.experiments.figures.exhibit import Paper, Preset
from farkas.instances.eris import Auction
from farkas.instances.generate import generate
from farkas.online import Run, algorithms

ERIS = Paper("eris", "Eris")
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "Eris, prices (6)": ("eris.eris", {}),
    "Eris, price floor 1": ("eris.eris", {"price_floor": 1.0}),
    "Tiresias": ("eris.tiresias", {}),
    "AntMan": ("eris.antman", {}),
    "Liquid": ("eris.liquid", {}),
}
PAPER, FLOOR = "Eris, prices (6)", "Eris, price floor 1"
RIVALS = ("Tiresias", "AntMan", "Liquid")
SMALL: dict[str, Any] = {
    "sites": 12,
    "slots": 40,
    "transfer_budget": 8000.0,
}
"""Sizes of the reduced simulator."""


def draw(preset: str, seed: int, **settings: Any) -> Auction:
    """Draw an auction with the published settings."""
    drawn = generate("eris", preset, seed, **settings)
    assert isinstance(drawn, Auction)
    return drawn


def simulator(preset: Preset, seed: int, **settings: Any) -> Auction:
    """Auction of the published simulator, or a small one of its kind."""
    if preset == "full":
        return draw("published", seed, **settings)
    return draw("published", seed, **{**SMALL, "num_jobs": 20, **settings})


def play(label: str, auction: Auction, **options: Any) -> Run:
    """Run one of `ALGORITHMS`; everything is free in its bound unless ``effort`` says otherwise."""
    name, fixed = ALGORITHMS[label]
    return algorithms[name].run(auction, **{"effort": "free", **fixed, **options})
