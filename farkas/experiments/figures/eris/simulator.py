"""Figures 8 to 11 of Eris, and its headline gains: the simulator.

Conventions as in `farkas.experiments.figures.eris`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from farkas.experiments.figures.eris import (
    ALGORITHMS,
    ERIS,
    FLOOR,
    PAPER,
    RIVALS,
    play,
    simulated,
)
from farkas.experiments.figures.exhibit import Agreement, Preset, Progress
from farkas.experiments.figures.figure import Figure, Numbers, PlotAxis, Series, Statement, Table
from farkas.experiments.figures.lines import by_name, mean_lines
from farkas.online import Run


def over_settings(
    preset: Preset,
    seed: int,
    progress: Progress,
    values: Sequence[float],
    settings: Callable[[float], dict[str, Any]],
    labels: Sequence[str] = tuple(ALGORITHMS),
    number: Callable[[Run], float] = lambda run: run.value,
) -> list[Series]:
    """Mean welfare, or another ``number``, over seeds for every value of a setting, by label."""
    seeds = range(seed, seed + (3 if preset == "full" else 1))

    def measure(value: float, one: int) -> dict[str, float]:
        auction = simulated(preset, one, **settings(value))
        return {label: number(play(label, auction)) for label in labels}

    return mean_lines(values, seeds, measure, progress)


def welfare_figure(
    preset: Preset, x: PlotAxis, series: Sequence[Series], full: str, *statements: Statement
) -> Figure:
    """Lines of welfare; ``full`` is what the published simulator holds fixed."""
    size = f"{full}, three seeds" if preset == "full" else "small simulator, one seed"
    return Figure(x=x, y=PlotAxis("welfare"), series=series, findings=statements, caption=size)


def _trend(statement: str, values: Numbers, sign: float) -> Statement:
    """Whether the last value is on the said side of the first."""
    rise = values[-1] - values[0]
    return Statement(statement, sign * rise > 0, f"{values[0]:.0f} to {values[-1]:.0f}")


@ERIS.figure(
    8,
    "Welfare against the number of sites",
    Agreement.TREND,
    "welfare rises with R, not steadily; no values are printed",
)
def welfare_by_sites(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing R, means over seeds."""
    sites = [25, 50, 75, 100] if preset == "full" else [6, 12]
    series = over_settings(preset, seed, progress, sites, lambda r: {"sites": int(r)})
    found = by_name(series)
    return welfare_figure(
        preset,
        PlotAxis("sites"),
        series,
        "I = 100",
        _trend("rises with R", found[PAPER], 1.0),
        _trend("rises with R at price floor 1", found[FLOOR], 1.0),
    )


@ERIS.figure(
    9,
    "Welfare against the number of jobs",
    Agreement.TREND,
    "the fall with I is there with prices (6), and its cause: prices begin at 0, so worthless late "
    "completions fill the slots; with price floor 1 welfare rises with I",
)
def welfare_by_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing I, means over seeds."""
    jobs = [50, 100, 150] if preset == "full" else [10, 30]
    series = over_settings(preset, seed, progress, jobs, lambda i: {"num_jobs": int(i)})
    found = by_name(series)
    return welfare_figure(
        preset,
        PlotAxis("jobs"),
        series,
        "R = 50",
        _trend("falls with I", found[PAPER], -1.0),
        _trend("rises with I at price floor 1", found[FLOOR], 1.0),
    )


@ERIS.figure(
    10,
    "Revenue against sites and jobs",
    Agreement.TREND,
    "revenue falls with R and rises with I, not steadily; no values are printed",
)
def revenue_by_size(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Revenue of Eris for growing R and for growing I, each relative to its published default."""
    full = preset == "full"
    factors = [0.5, 1.0, 1.5, 2.0] if full else [0.5, 1.0, 1.5]
    defaults = {"sites": 50, "num_jobs": 100} if full else {"sites": 12, "num_jobs": 20}

    def revenue(setting: str, name: str, turn: int) -> Series:
        (line,) = over_settings(
            preset,
            seed,
            lambda done, total: progress(turn * total + done, 2 * total),
            factors,
            lambda factor: {setting: round(factor * defaults[setting])},
            [PAPER],
            lambda run: run.numbers["revenue"],
        )
        return Series(name, factors, line.y)

    by_sites, by_jobs = revenue("sites", "sites", 0), revenue("num_jobs", "jobs", 1)
    return Figure(
        x=PlotAxis("share of R = {sites} or I = {num_jobs}".format(**defaults)),
        y=PlotAxis("revenue"),
        series=[by_sites, by_jobs],
        findings=[_trend("falls with R", by_sites.y, -1.0), _trend("rises with I", by_jobs.y, 1.0)],
        caption="prices (6), three seeds" if full else "prices (6), small simulator, one seed",
    )


@ERIS.figure(
    11,
    "Welfare against the price base",
    Agreement.TREND,
    "falls with γ under prices (6); with a price floor γ makes hardly a difference",
)
def welfare_by_base(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing γ_d = γ_k, means over seeds."""
    bases = [10.0, 100.0, 1000.0, 10000.0] if preset == "full" else [10.0, 1000.0]
    series = over_settings(
        preset, seed, progress, bases, lambda base: {"price_base": base}, [PAPER, FLOOR]
    )
    falls = _trend("falls with γ", by_name(series)[PAPER], -1.0)
    return welfare_figure(preset, PlotAxis("γ", log=True), series, "I = 100", falls)


HEADLINE = {"Tiresias": 44.0, "AntMan": 50.0, "Liquid": 20.0}
"""Published gains of Eris, up to so many percent."""


@ERIS.table(
    3,
    "Gains over the baselines by calibration",
    Agreement.NOT_REPRODUCED,
    "the gains depend on the rate P, which is not published: m workers process a chunk in a slot; "
    "with 50 jobs they are far above the print, with 100 those over AntMan and Liquid change sign "
    "with m",
    source="Eris section VI, headline gains",
)
def calibration(preset: Preset, seed: int, progress: Progress) -> Table:
    """Welfare of Eris over each baseline, in percent, for several m and numbers of jobs."""
    full = preset == "full"
    loads = [50, 100] if full else [10, 25]
    rates = [(1, 1), (2, 2), (3, 3), (1, 3)] if full else [(1, 1), (1, 3)]
    rows: list[list[str | float]] = []
    for done, (low, high) in enumerate(rates):
        for jobs in loads:
            auction = simulated(preset, seed, num_jobs=jobs, workers_per_chunk=[low, high])
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
            PlotAxis("prices"),
            PlotAxis("workers per chunk, m"),
            PlotAxis("jobs"),
            *(PlotAxis(f"gain over {rival}", "%") for rival in RIVALS),
        ],
        rows=rows,
        published=[["Eris, prices (6)", None, None, *HEADLINE.values()]],
        findings=[
            Statement(
                "Eris with prices (6) beats Liquid under every calibration",
                2 * len(beats) == len(rows),
                f"in {len(beats)} of {len(rows) // 2}",
            )
        ],
        caption="one instance a line; gains over a baseline that serves nothing are infinite",
    )
