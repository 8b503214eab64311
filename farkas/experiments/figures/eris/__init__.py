"""Figures of Eris: the testbed, the simulator, and the auctions and runs that both show.

What the paper leaves open is drawn as the generator says; above all the processing rate P of a
worker, which is not published and on which every gain depends (table3 sweeps it).  Eris runs
with the repaired scheduler, whose schedules can all run; "printed" figures of welfare would count
schedules that cannot.  Ratios are measured against proved bounds.
"""

from typing import Any

from farkas.certificates import check
from farkas.experiments.figures.exhibit import Paper
from farkas.experiments.figures.measuring import measurement
from farkas.instances.eris import Auction
from farkas.online import Run
from farkas.online.replayed import ratio_to
from farkas.relaxations.eris.welfare_bound import certify_welfare

ERIS: Paper[Auction] = Paper("eris", "Eris")
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "Eris, prices (6)": ("eris", {}),
    "Eris, price floor 1/2": ("eris", {"price_floor": 0.5}),
    "Tiresias": ("tiresias", {}),
    "AntMan": ("antman", {}),
    "Liquid": ("liquid", {}),
}
PAPER, FLOOR = "Eris, prices (6)", "Eris, price floor 1/2"
RIVALS = ("Tiresias", "AntMan", "Liquid")
SMALL = {"sites": 12, "slots": 40, "transfer_budget": 8000.0, "num_jobs": 20}
"""Sizes of the reduced simulator."""


def simulated(full: bool, seed: int, settings: dict[str, Any]) -> Auction:
    """Auction of the published simulator, or a small one of its kind."""
    return ERIS.draw(seed, **({} if full else SMALL) | settings)


def play(label: str, auction: Auction, **options: Any) -> Run:
    """Run one of `ALGORITHMS`; everything is free in its bound unless ``effort`` says otherwise."""
    name, fixed = ALGORITHMS[label]
    return ERIS.run(name, auction, **{"effort": "free", **fixed, **options})


@measurement
def simulated_run(full: bool, seed: int, settings: dict[str, Any], label: str) -> dict[str, float]:
    """Welfare and revenue of one of `ALGORITHMS` in the simulator."""
    run = play(label, simulated(full, seed, settings))
    return {"welfare": run.value, "revenue": run.numbers["revenue"]}


@measurement
def simulated_bound(full: bool, seed: int, settings: dict[str, Any]) -> float:
    """Proved bound on every welfare in the simulator."""
    auction = simulated(full, seed, settings)
    certificate, _ = certify_welfare(auction, "subgradient")
    bound = check(certificate, instance=auction).bound
    assert bound is not None
    return float(bound)


@measurement
def testbed_runs(seed: int) -> dict[str, Any]:
    """Proved bound on the testbed, and what every one of `ALGORITHMS` reaches there."""
    auction = ERIS.draw(seed, "testbed")
    proved = play(FLOOR, auction, effort="subgradient").certificate
    assert proved is not None
    found = {}
    for label in ALGORITHMS:
        run = play(label, auction)
        ratio = ratio_to(run, auction, proved)
        found[label] = {
            "welfare": run.value,
            "ratio": float("nan") if ratio is None else ratio,
            "accepted": run.numbers["accepted"],
            "rejected": auction.num_jobs - run.numbers["accepted"],
            "use": {
                name: [slot[f"use of {name}"] for slot in run.costs]
                for name in (*auction.resource_names, "transfer")
            },
        }
    return {"bound": proved.double("max"), "runs": found}
