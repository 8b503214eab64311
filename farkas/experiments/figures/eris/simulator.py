"""Figures 8 to 11 of Eris, and its headline gains: the simulator.

Conventions as in `farkas.experiments.figures.eris`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.eris import (
    ALGORITHMS,
    ERIS,
    FLOOR,
    PAPER,
    RIVALS,
    simulated_bound,
    simulated_run,
)
from farkas.experiments.figures.exhibit import Agreement, Preset
from farkas.experiments.figures.figure import (
    FEW,
    Figure,
    Numbers,
    PlotAxis,
    Progress,
    Series,
    Statement,
    Table,
    by_name,
    half_width,
    mean_lines,
)

BOUND = "proved bound on the optimum"
Settings = dict[str, Any]


def default(preset: Preset) -> Settings:
    """Sites and jobs that a figure leaves as they are."""
    return {"sites": 50, "num_jobs": 100} if preset.full else {"sites": 12, "num_jobs": 20}


def welfare(
    preset: Preset, seed: int, settings: Settings, labels: Sequence[str] = tuple(ALGORITHMS)
) -> dict[str, float]:
    """Welfare by label, of the default sizes with some settings changed."""
    chosen = default(preset) | settings
    return {label: simulated_run(preset.full, seed, chosen, label)["welfare"] for label in labels}


def over_settings(
    preset: Preset,
    seed: int,
    progress: Progress,
    values: Sequence[float],
    measure: Callable[[Any, int], Mapping[str, float]],
) -> list[Series]:
    """Mean lines over the seeds of the preset."""
    return mean_lines(values, preset.seeds(seed), measure, progress)


def welfare_figure(
    preset: Preset, x: PlotAxis, series: Sequence[Series], full: str, *statements: Statement
) -> Figure:
    """Lines of welfare; ``full`` is what the published simulator holds fixed."""
    size = full if preset.full else "small simulator"
    return Figure(x=x, y=PlotAxis("welfare"), series=series, findings=statements, caption=size)


def _trend(statement: str, values: Numbers, sign: float, *, ours: bool = False) -> Statement:
    """Whether the last value is on the said side of the first."""
    rise = values[-1] - values[0]
    note = f"{values[0]:.0f} to {values[-1]:.0f}"
    return Statement(statement, sign * rise > 0, note, "ours" if ours else "shape")


def _ahead(found: Mapping[str, Numbers]) -> Statement:
    """Whether Eris as printed earns more than every baseline at every setting."""
    rivals = [max(values) for values in zip(*(found[name] for name in RIVALS), strict=True)]
    pairs = list(zip(found[PAPER], rivals, strict=True))
    note = ", ".join(f"{ours:.0f} against {best:.0f}" for ours, best in pairs)
    return Statement("Eris outperforms every baseline", all(a > b for a, b in pairs), note)


def _alike(statement: str, found: Mapping[str, Numbers], sign: float) -> Statement:
    """Whether every baseline ends on the said side of its begin."""
    notes = {name: f"{found[name][0]:.0f} to {found[name][-1]:.0f}" for name in RIVALS}
    holds = all(sign * (found[name][-1] - found[name][0]) > 0 for name in RIVALS)
    return Statement(statement, holds, ", ".join(map(" ".join, notes.items())))


@ERIS.figure(
    8,
    "Welfare against the number of sites",
    Agreement.NOT_REPRODUCED,
    "prices (6) begin at 0, so that worthless late completions are booked; P is not published",
)
def welfare_by_sites(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing R."""
    sites = [25, 50, 75, 100] if preset.full else [6, 12]
    series = over_settings(
        preset, seed, progress, sites, lambda r, one: welfare(preset, one, {"sites": int(r)})
    )
    found = by_name(series)
    return welfare_figure(
        preset,
        PlotAxis("sites"),
        series,
        "I = 100",
        _ahead(found),
        _trend("rises with R", found[PAPER], 1.0),
        _alike("that of the baselines rises with R", found, 1.0),
        _trend("rises with R at price floor 1/2", found[FLOOR], 1.0, ours=True),
    )


@ERIS.figure(
    9,
    "Welfare against the number of jobs",
    Agreement.NOT_REPRODUCED,
    "prices (6) begin at 0, so that worthless late completions fill the slots of jobs to come; P "
    "is not published",
)
def welfare_by_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing I, and a proved bound on the optimum."""
    jobs = [50, 100, 150] if preset.full else [10, 30]

    def measure(count: float, one: int) -> dict[str, float]:
        settings = default(preset) | {"num_jobs": int(count)}
        bound = simulated_bound(preset.full, one, settings)
        return {**welfare(preset, one, settings), BOUND: bound}

    series = over_settings(preset, seed, progress, jobs, measure)
    found = by_name(series)
    at = jobs[len(jobs) // 2]
    means = {name: values[len(jobs) // 2] for name, values in found.items()}
    bound = means.pop(BOUND)
    best = max(means, key=lambda name: means[name])
    note = f"bound {bound:.0f}: {_times(bound, means[PAPER])} times {PAPER}, "
    return welfare_figure(
        preset,
        PlotAxis("jobs"),
        series,
        "R = 50",
        _ahead(found),
        _trend("falls with I", found[PAPER], -1.0),
        _alike("that of the baselines falls with I", found, -1.0),
        _trend("rises with I at price floor 1/2", found[FLOOR], 1.0, ours=True),
        Statement(
            f"at I = {at} prices (6) are within a factor 2 of the proved bound",
            bound <= 2 * means[PAPER],
            note + f"{_times(bound, means[best])} times the best, {best}",
            "ours",
        ),
    )


def _times(bound: float, reached: float) -> str:
    return f"{bound / reached:.1f}" if reached else "infinitely many"


@ERIS.figure(
    10,
    "Revenue against sites and jobs",
    Agreement.TREND,
    "no values are printed",
)
def revenue_by_size(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Revenue of Eris for growing R and for growing I, each relative to its published default."""
    factors = [0.5, 1.0, 1.5, 2.0] if preset.full else [0.5, 1.0, 1.5]
    sizes = default(preset)

    def measure(factor: float, one: int) -> dict[str, float]:
        settings = ({**sizes, size: round(factor * sizes[size])} for size in sizes)
        runs = (simulated_run(preset.full, one, chosen, PAPER) for chosen in settings)
        return dict(zip(("sites", "jobs"), (run["revenue"] for run in runs), strict=True))

    series = over_settings(preset, seed, progress, factors, measure)
    by_sites, by_jobs = series
    return Figure(
        x=PlotAxis("share of R = {sites} or I = {num_jobs}".format(**sizes)),
        y=PlotAxis("revenue"),
        series=series,
        findings=[_trend("falls with R", by_sites.y, -1.0), _trend("rises with I", by_jobs.y, 1.0)],
        caption="prices (6)" if preset.full else "prices (6), small simulator",
    )


@ERIS.figure(
    11,
    "Welfare against the price base",
    Agreement.TREND,
    "no values are printed",
)
def welfare_by_base(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing γ_d = γ_k."""
    bases = [10.0, 100.0, 1000.0, 10000.0] if preset.full else [10.0, 1000.0]
    series = over_settings(
        preset,
        seed,
        progress,
        bases,
        lambda base, one: welfare(preset, one, {"price_base": base}, [PAPER, FLOOR]),
    )
    falls = _trend("falls with γ", by_name(series)[PAPER], -1.0)
    return welfare_figure(preset, PlotAxis("γ", log=True), series, "I = 100", falls)


HEADLINE = {"Tiresias": 44.0, "AntMan": 50.0, "Liquid": 20.0}
"""Published gains of Eris, up to so many percent."""


@ERIS.table(
    3,
    "Gains over the baselines by calibration",
    Agreement.NOT_REPRODUCED,
    "the gains depend on the rate P, which is not published: m workers process a chunk in a slot",
    source="Eris section VI, headline gains",
)
def calibration(preset: Preset, seed: int, progress: Progress) -> Table:
    """Mean welfare of Eris over that of each baseline, in percent, for several m and loads."""
    loads = [50, 100] if preset.full else [10, 25]
    rates = [(1, 1), (2, 2), (3, 3), (1, 3)] if preset.full else [(1, 1), (1, 3)]
    rows: list[list[str | float]] = []
    for done, (low, high) in enumerate(rates):
        for jobs in loads:
            settings = {"num_jobs": jobs, "workers_per_chunk": [low, high]}
            every = [welfare(preset, one, settings) for one in preset.seeds(seed)]
            m = f"{low}" if low == high else f"{low} to {high}"
            for eris in (PAPER, FLOOR):
                gains = (_gain(every, eris, rival) for rival in RIVALS)
                rows.append([eris, m, float(jobs), *itertools.chain(*gains)])
        progress(done + 1, len(rates))
    heads = ((PlotAxis(f"gain over {rival}", "%"), PlotAxis("±", "%")) for rival in RIVALS)
    published = itertools.chain(*((gain, None) for gain in HEADLINE.values()))
    ours = [row for row in rows if row[0] == PAPER]
    return Table(
        columns=[
            PlotAxis("prices"),
            PlotAxis("workers per chunk, m"),
            PlotAxis("jobs"),
            *itertools.chain(*heads),
        ],
        rows=rows,
        published=[["Eris, prices (6)", None, None, *published]],
        findings=[_beats(ours, rival, 3 + 2 * place) for place, rival in enumerate(RIVALS)],
        caption="gains of mean welfare, with half of their 95 % t interval; over a baseline that "
        "serves nothing they are infinite",
    )


def _gain(every: Sequence[Mapping[str, float]], ours: str, rival: str) -> tuple[float, float]:
    """Percent by which mean welfare is above a rival's, and half of the interval around it.

    Instances are compared one by one; the mean of the rival counts as known.  Fewer than `FEW` of
    them have no interval.
    """
    base = float(np.mean([one[rival] for one in every]))
    if not base:
        return float("inf"), float("nan")
    more = 100 * np.array([[one[ours] - one[rival]] for one in every]) / base
    half = float(half_width(more)[0]) if len(every) >= FEW else float("nan")
    return float(more.mean()), half


def _beats(rows: Sequence[Sequence[str | float]], rival: str, place: int) -> Statement:
    gains = [float(row[place]) for row in rows]
    note = f"{min(gains):.0f} to {max(gains):.0f} %"
    words = f"Eris with prices (6) beats {rival} under every calibration"
    return Statement(words, min(gains) > 0, note)
