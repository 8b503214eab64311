"""Figures of Eris: the testbed, the simulator, and the auctions and runs that both show.

What the paper leaves open is drawn as the generator says; above all the processing rate P of a
worker, which is not published and on which every gain depends (table3 sweeps it).  Eris runs
with the repaired scheduler, whose schedules can all run; "printed" figures of welfare would count
schedules that cannot.  Ratios are measured against proved bounds.
"""

from typing import Any

from farkas.experiments.figures.exhibit import Paper, Preset
from farkas.instances.eris import Auction
from farkas.online import Run

ERIS: Paper[Auction] = Paper("eris", "Eris")
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "Eris, prices (6)": ("eris", {}),
    "Eris, price floor 1": ("eris", {"price_floor": 1.0}),
    "Tiresias": ("tiresias", {}),
    "AntMan": ("antman", {}),
    "Liquid": ("liquid", {}),
}
PAPER, FLOOR = "Eris, prices (6)", "Eris, price floor 1"
RIVALS = ("Tiresias", "AntMan", "Liquid")
SMALL = {"sites": 12, "slots": 40, "transfer_budget": 8000.0, "num_jobs": 20}
"""Sizes of the reduced simulator."""


def simulated(preset: Preset, seed: int, **settings: Any) -> Auction:
    """Auction of the published simulator, or a small one of its kind."""
    return ERIS.draw(seed, **({} if preset == "full" else SMALL) | settings)


def play(label: str, auction: Auction, **options: Any) -> Run:
    """Run one of `ALGORITHMS`; everything is free in its bound unless ``effort`` says otherwise."""
    name, fixed = ALGORITHMS[label]
    return ERIS.run(name, auction, **{"effort": "free", **fixed, **options})
