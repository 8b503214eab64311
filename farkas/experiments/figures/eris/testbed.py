"""Figures 3 to 7 of Eris: the testbed.

Conventions as in `farkas.experiments.figures.eris`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from farkas.certificates.ratio import ratio_words
from farkas.experiments.figures.eris import ALGORITHMS, ERIS, FLOOR, PAPER, RIVALS, testbed_runs
from farkas.experiments.figures.exhibit import Agreement, Preset
from farkas.experiments.figures.figure import (
    SHARES,
    Figure,
    PlotAxis,
    Printed,
    Progress,
    Series,
    Statement,
    listed,
    mean_series,
)

BOUND = "proved bound on the optimum"
FULL = 0.999
"""Share of a capacity from which on it counts as used up."""
SIZE = "R = 9, T = 50, I = 10; one worker per chunk and slot"


def testbeds(preset: Preset, seed: int, progress: Progress) -> list[dict[str, Any]]:
    """Runs on the published testbed, one entry an instance."""
    found = []
    for done, one in enumerate(preset.seeds(seed)):
        found.append(testbed_runs(one))
        progress(done + 1, preset.instances)
    return found


def by_algorithm(found: list[dict[str, Any]], number: str) -> np.ndarray:
    """Numbers of runs, shape (instances, algorithms)."""
    return np.array([[one["runs"][label][number] for label in ALGORITHMS] for one in found])


@ERIS.figure(
    3,
    "Social welfare on the testbed",
    Agreement.NOT_REPRODUCED,
    "prices (6) begin at 0, so that worthless late completions are booked; P is not published",
)
def testbed_welfare(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare of Eris and the baselines, and a proved bound on the optimum."""
    found = testbeds(preset, seed, progress)
    bounds = np.array([one["bound"] for one in found])
    every = np.column_stack([by_algorithm(found, "welfare"), bounds])
    bars = mean_series("welfare", [*ALGORITHMS, BOUND], every, "bar")
    means = dict(zip(bars.x, bars.y, strict=True))
    best = max(means[rival] for rival in RIVALS)
    ours, floor = means[PAPER], means[FLOOR]
    return Figure(
        x=PlotAxis("algorithm"),
        y=PlotAxis("welfare"),
        series=[bars],
        findings=[
            Statement(
                "Eris is above every baseline", ours > best, f"{ours:.0f} against {best:.0f}"
            ),
            Statement(
                "so it is with price floor 1/2",
                floor > best,
                f"{floor:.0f} against {best:.0f}",
                "ours",
            ),
        ],
        caption=SIZE,
    )


@ERIS.figure(
    4,
    "Accepted and rejected jobs",
    Agreement.NOT_REPRODUCED,
    "counts were read off no table",
)
def accepted_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Jobs completed and not completed on the testbed."""
    found = testbeds(preset, seed, progress)
    accepted = mean_series("accepted", list(ALGORITHMS), by_algorithm(found, "accepted"), "bar")
    rejected = mean_series(
        "rejected or unfinished", list(ALGORITHMS), by_algorithm(found, "rejected"), "bar"
    )
    served = {str(name): float(y) for name, y in zip(accepted.x, accepted.y, strict=True)}
    most = max(served[rival] for rival in RIVALS)
    return Figure(
        x=PlotAxis("algorithm"),
        y=PlotAxis("jobs"),
        series=[accepted, rejected],
        findings=[
            Statement(
                "Eris accepts more than every baseline", served[PAPER] > most, listed(served, ".1f")
            )
        ],
        caption=f"{SIZE}; unfinished jobs count as rejected",
    )


@ERIS.figure(
    5,
    "Performance ratio on the testbed",
    Agreement.NOT_REPRODUCED,
    "the published optimum came from a toolbox, ours is a proved bound; P is not published",
)
def testbed_ratio(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Proved bound over welfare, one value per instance: upper bounds on the true ratio."""
    ratios = by_algorithm(testbeds(preset, seed, progress), "ratio")
    seeds = list(preset.seeds(seed))
    lines = dict(zip(ALGORITHMS, ratios.T, strict=True))
    # a run that earns nothing has no ratio, and is below no number
    ours, floor = (np.nan_to_num(lines[label], nan=np.inf).max() for label in (PAPER, FLOOR))
    return Figure(
        x=PlotAxis("seed"),
        y=PlotAxis("bound / welfare", log=True),
        series=[Series(label, seeds, values, chart="scatter") for label, values in lines.items()],
        published=[Printed("below 1.5 (Fig. 5)", 1.5)],
        findings=[
            Statement("Eris is below 1.5", ours < 1.5, f"up to {ratio_words(ours)}", "value"),
            Statement(
                "with price floor 1/2 it is", floor < 1.5, f"up to {ratio_words(floor)}", "ours"
            ),
        ],
        caption=f"{SIZE}; every ratio is proved: the welfare is that of checked schedules",
    )


ERIS.not_modelled(
    "figure6",
    "Training accuracy",
    "needs training of the networks; an instance holds chunks, not gradients",
)


@ERIS.figure(
    7,
    "Resource utilisation in every slot",
    Agreement.NOT_REPRODUCED,
    "no values are printed",
)
def utilisation_by_slot(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Use of the three resources and of the transfer budget by Eris on the testbed."""
    found = testbeds(preset, seed, progress)
    uses = [one["runs"][PAPER]["use"] for one in found]
    every = {name: np.array([use[name] for use in uses]) for name in uses[0]}
    gpu, cpu, ram = (every[name].max() for name in ("gpu", "cpu", "ram"))
    slots = np.arange(every["gpu"].shape[1])
    return Figure(
        x=PlotAxis("slot"),
        y=PlotAxis("share of capacity"),
        series=[mean_series(name, slots, shares, "step", SHARES) for name, shares in every.items()],
        findings=[
            Statement("GPU use reaches 100 % at times", gpu >= FULL, f"{gpu:.2f}"),
            Statement(
                "CPU and memory stay below",
                max(cpu, ram) < FULL,
                f"CPU {cpu:.2f}, memory {ram:.2f}",
            ),
        ],
        caption=f"{SIZE}; the findings are about the largest use in any slot of any instance",
    )
