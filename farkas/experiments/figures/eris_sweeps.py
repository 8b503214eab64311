"""Figures 8 to 11 of Eris, and its headline gains: the simulator.

Conventions as in `farkas.experiments.figures.eris`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.eris import (
    ALGORITHMS,
    FLOOR,
    PAPER,
    RIVALS,
    mean,
    play,
    simulator,
)
from farkas.experiments.figures.figure import Axis, Figure, Finding, Series, Table
from farkas.experiments.figures.registry import Preset, Progress, Standing, figure, table
from farkas.numbers import Floats
from farkas.online import Run


def sweep(
    preset: Preset,
    seed: int,
    progress: Progress,
    values: Sequence[float],
    settings: Callable[[float], dict[str, Any]],
    labels: Sequence[str],
    number: Callable[[Run], float],
) -> dict[str, Floats]:
    """Mean of ``number`` over seeds for every value of a setting, by label."""
    seeds = range(seed, seed + (3 if preset == "full" else 1))
    found: dict[str, list[Floats]] = {label: [] for label in labels}
    for done, value in enumerate(values):
        auctions = [simulator(preset, one, **settings(value)) for one in seeds]
        for label in labels:
            found[label].append(mean(np.array([number(play(label, a)) for a in auctions])))
        progress(done + 1, len(values))
    return {label: np.array(means) for label, means in found.items()}


def welfare(run: Run) -> float:
    """Sum of worths."""
    return run.value


def revenue(run: Run) -> float:
    """Sum of payments."""
    return run.numbers["revenue"]


def _lines(x: Sequence[float], found: dict[str, Floats]) -> list[Series]:
    return [Series(label, list(x), values) for label, values in found.items()]


def _trend(statement: str, values: Floats, sign: float) -> Finding:
    """Whether the last value is on the said side of the first."""
    rise = float(values[-1] - values[0])
    return Finding(statement, sign * rise > 0, f"{values[0]:.0f} to {values[-1]:.0f}")


@figure(
    "eris",
    8,
    title="Welfare against the number of sites",
    source="Eris Fig. 8",
    standing=Standing.TREND,
    reason="welfare rises with R, not steadily; no values are printed",
)
def welfare_by_sites(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing R, means over seeds."""
    sites = [25, 50, 75, 100] if preset == "full" else [6, 12]
    found = sweep(
        preset, seed, progress, sites, lambda r: {"sites": int(r)}, list(ALGORITHMS), welfare
    )
    return Figure(
        x=Axis("sites"),
        y=Axis("welfare"),
        series=_lines(sites, found),
        findings=[
            _trend("rises with R", found[PAPER], 1.0),
            _trend("rises with R at price floor 1", found[FLOOR], 1.0),
        ],
        caption="I = 100, three seeds" if preset == "full" else "small simulator, one seed",
    )


@figure(
    "eris",
    9,
    title="Welfare against the number of jobs",
    source="Eris Fig. 9",
    standing=Standing.TREND,
    reason=(
        "the fall with I is there with prices (6), and its cause: prices begin at 0, so worthless "
        "late completions fill the slots; with price floor 1 welfare rises with I"
    ),
)
def welfare_by_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing I, means over seeds."""
    jobs = [50, 100, 150] if preset == "full" else [10, 30]
    found = sweep(
        preset, seed, progress, jobs, lambda i: {"num_jobs": int(i)}, list(ALGORITHMS), welfare
    )
    return Figure(
        x=Axis("jobs"),
        y=Axis("welfare"),
        series=_lines(jobs, found),
        findings=[
            _trend("falls with I", found[PAPER], -1.0),
            _trend("rises with I at price floor 1", found[FLOOR], 1.0),
        ],
        caption="R = 50, three seeds" if preset == "full" else "small simulator, one seed",
    )


@figure(
    "eris",
    10,
    title="Revenue against sites and jobs",
    source="Eris Fig. 10",
    standing=Standing.TREND,
    reason="revenue falls with R and rises with I, not steadily; no values are printed",
)
def revenue_by_size(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Revenue of Eris for growing R and for growing I, each relative to its published default."""
    full = preset == "full"
    factors = [0.5, 1.0, 1.5, 2.0] if full else [0.5, 1.0, 1.5]
    sites, jobs = (50, 100) if full else (12, 20)

    def silent(done: int, total: int) -> None:
        progress(done, 2 * total)

    by_sites = sweep(
        preset, seed, silent, factors, lambda f: {"sites": round(f * sites)}, [PAPER], revenue
    )[PAPER]
    by_jobs = sweep(
        preset, seed, silent, factors, lambda f: {"num_jobs": round(f * jobs)}, [PAPER], revenue
    )[PAPER]
    progress(2 * len(factors), 2 * len(factors))
    return Figure(
        x=Axis(f"share of R = {sites} or I = {jobs}"),
        y=Axis("revenue"),
        series=[Series("sites", factors, by_sites), Series("jobs", factors, by_jobs)],
        findings=[_trend("falls with R", by_sites, -1.0), _trend("rises with I", by_jobs, 1.0)],
        caption="prices (6), three seeds" if full else "prices (6), small simulator, one seed",
    )


@figure(
    "eris",
    11,
    title="Welfare against the price base",
    source="Eris Fig. 11",
    standing=Standing.TREND,
    reason="falls with γ under prices (6); with a price floor γ makes hardly a difference",
)
def welfare_by_base(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing γ_d = γ_k, means over seeds."""
    bases = [10.0, 100.0, 1000.0, 10000.0] if preset == "full" else [10.0, 1000.0]
    found = sweep(
        preset, seed, progress, bases, lambda b: {"price_base": b}, [PAPER, FLOOR], welfare
    )
    return Figure(
        x=Axis("γ", log=True),
        y=Axis("welfare"),
        series=_lines(bases, found),
        findings=[_trend("falls with γ", found[PAPER], -1.0)],
        caption="I = 100, three seeds" if preset == "full" else "small simulator, one seed",
    )


HEADLINE = {"Tiresias": 44.0, "AntMan": 50.0, "Liquid": 20.0}
"""Published gains of Eris, up to so many percent."""


@table(
    "eris",
    3,
    title="Gains over the baselines by calibration",
    source="Eris section VI, headline gains",
    standing=Standing.NOT_REPRODUCED,
    reason=(
        "the gains depend on the rate P, which is not published: m workers process a chunk in a "
        "slot; with 50 jobs they are far above the print, with 100 those over AntMan and Liquid "
        "change sign with m"
    ),
)
def calibration(preset: Preset, seed: int, progress: Progress) -> Table:
    """Welfare of Eris over each baseline, in percent, for several m and numbers of jobs."""
    full = preset == "full"
    loads = [50, 100] if full else [10, 25]
    rates = [(1, 1), (2, 2), (3, 3), (1, 3)] if full else [(1, 1), (1, 3)]
    rows: list[list[str | float]] = []
    for done, (low, high) in enumerate(rates):
        for jobs in loads:
            auction = simulator(preset, seed, num_jobs=jobs, workers_per_chunk=[low, high])
            value = {label: play(label, auction).value for label in ALGORITHMS}
            for eris in (PAPER, FLOOR):
                gains = [
                    100 * (value[eris] / value[rival] - 1) if value[rival] else float("inf")
                    for rival in RIVALS
                ]
                rows.append(
                    [eris, f"{low}" if low == high else f"{low} to {high}", float(jobs), *gains]
                )
        progress(done + 1, len(rates))
    beats = [row for row in rows if row[0] == PAPER and float(row[5]) > 0]
    return Table(
        columns=[
            Axis("prices"),
            Axis("workers per chunk, m"),
            Axis("jobs"),
            *(Axis(f"gain over {rival}", "%") for rival in RIVALS),
        ],
        rows=rows,
        published=[["Eris, prices (6)", None, None, *HEADLINE.values()]],
        findings=[
            Finding(
                "Eris with prices (6) beats Liquid under every calibration",
                2 * len(beats) == len(rows),
                f"in {len(beats)} of {len(rows) // 2}",
            )
        ],
        caption="one instance a line; gains over a baseline that serves nothing are infinite",
    )
