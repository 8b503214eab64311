"""Figures 5 to 14 of mlBroker: ratios and costs in simulations with the published ranges.

What the paper leaves open (image sizes, arrivals, shares of sites, seeds) is drawn as the generator
says; prices of a day are charged for a slot.  Ratios are measured against proved bounds.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.certificates.ratio import ratio_words
from farkas.experiments.figures.exhibit import (
    About,
    Agreement,
    Figure,
    Paper,
    PaperValue,
    PlotAxis,
    Preset,
    Series,
    Statement,
    by_name,
    mean_lines,
)
from farkas.experiments.figures.writing import measurement
from farkas.instances.generate.mlbroker import Published
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import SlotProblem
from farkas.numbers import Floats
from farkas.online.mlbroker.environment import tight_bound
from farkas.online.run import Run, ratio_to
from farkas.relaxations.mlbroker.regularized import RegularizedSlot
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve

MLBROKER: Paper[Brokerage] = Paper("mlbroker", "mlBroker")
AS_PRINTED, REPAIRED = "as printed", "repaired"
#: Lines of an algorithm in figures: relaxation and variant; Algorithm 1 solves the printed (10).
LINES = {AS_PRINTED: ("printed", ""), REPAIRED: ("tight", "[tight]")}
BOUND = "proved bound"
RANGES = Published()
SIZES = {"num_slots": "slots", "num_sites": "data centres", "jobs_per_slot": "jobs a slot",
         "data_volume": "GB a job and slot", "worker_capacity": "GB a worker"}  # fmt: skip
LEFT_OUT = "The paper leaves out numbers of jobs and seeds, arrivals, images, the solver of (10)"


def about(line: str, *found: Statement) -> list[Statement]:
    """Statements on a line; those on the printed one alone count for the verdict."""
    if line == AS_PRINTED:
        return list(found)
    return [
        dataclasses.replace(one, statement=f"{one.statement}, {line}", about="ours")
        for one in found
    ]


def ran(
    preset: Preset,
    seed: int,
    settings: Mapping[str, Any],
    note: str = "",
    algorithm: str = "mlbroker",
) -> str:
    """Say what was run of each line, by which solver, and its sizes against the published ones.

    ``settings`` holds a list where points differ; jobs are counted at its first entry.
    """
    words, first = [], {name: np.ravel(value)[0] for name, value in settings.items()}
    for field, unit in SIZES.items():
        published = np.ravel(getattr(RANGES, field))
        values = np.ravel(settings.get(field, published))
        inside = values.min() <= published.min() and published.max() <= values.max()
        apart = "" if inside else f" (published {_ends(published)})"
        words.append(f"{_ends(values)} {unit}{apart}")
    first.pop("worker_capacity", None)  # no number of jobs depends on it
    drawn = [MLBROKER.draw(one, **first) for one in preset.seeds(seed)]
    words += [
        f"{_ends([one.num_jobs for one in drawn])} jobs at the first point",
        f"seeds {_ends(preset.seeds(seed))}",
    ]
    return f"{solved(drawn[0], algorithm)}. Run: {', '.join(words)}{note}. {LEFT_OUT}"


def _ends(values: Sequence[float] | Floats) -> str:
    """Least and greatest of values."""
    return " to ".join(f"{end:g}" for end in sorted({min(values), max(values)}))


def solved(drawn: Brokerage, algorithm: str = "mlbroker") -> str:
    """Say which program and which solver is behind each line, and M of an instance."""
    found, problem = [], SlotProblem.of(drawn, "printed")
    for line, (relax, variant) in LINES.items():
        program = RegularizedSlot(relax=relax).asked(problem)
        name = program.formulation.full_name
        found.append(f"{line}: mlbroker.{algorithm}{variant}, {name} by {program.fastest}")
    return f"{'; '.join(found)}; M = {drawn.valid_big_m('printed'):.4g} USD, the smallest valid one"


@MLBROKER.figure(
    5,
    "Ratio of the fractional algorithm to the relaxed optimum",
    Agreement.REPRODUCED,
    "of few slots, in the printed relaxation and in the tight one",
)
def fractional_ratio(preset: Preset, seed: int) -> Figure:
    """Cost of A_fractional over P_f, printed (9) and tight, for growing R and several ε."""
    sites, slots = ([5, 10, 15, 20], 8) if preset.full else ([3, 5], 4)
    epsilons = (0.01, 0.1, 1.0) if preset.full else (0.1, 1.0)

    def ratios(count: int, one: int) -> dict[str, float]:
        size = {"num_sites": count, "num_slots": slots}
        return {
            f"{line}, ε = {epsilon:g}": fractional_over_relaxed(
                one, size | {"epsilon": epsilon}, relax
            )
            for (line, (relax, _)), epsilon in itertools.product(LINES.items(), epsilons)
        }

    series = mean_lines(sites, preset.seeds(seed), ratios)
    return Figure(
        x=PlotAxis("data centres"),
        y=PlotAxis("cost / P_f"),
        series=series,
        published=[PaperValue("below 1.25 (Fig. 5)", 1.25)],
        findings=fractional_findings(series),
        caption=ran(preset, seed, {"num_slots": slots, "num_sites": sites}, algorithm="fractional"),
    )


def fractional_findings(series: Sequence[Series]) -> list[Statement]:
    """Whether the ratios of each of `LINES` stay below 1.25, and differ little."""
    findings = []
    for line in LINES:
        every = np.array([one.y for one in series if one.name.startswith(line)])
        spread = np.ptp(every)
        findings += about(
            line,
            Statement("below 1.25", every.max() < 1.25, _most(every.max()), "value"),
            Statement("R and ε have little impact", spread < 0.1, f"spread {spread:.4f}"),
        )
    return findings


def _most(ratio: float) -> str:
    return f"at most {ratio_words(ratio)}"


@measurement
def fractional_over_relaxed(seed: int, settings: dict[str, Any], relax: str) -> float:
    """Cost of A_fractional over P_f, the paper's denominator: printed, or the tight bound."""
    drawn = MLBROKER.draw(seed, **settings)
    run = MLBROKER.run("fractional", drawn, seed, relax=relax)
    if relax == "tight":
        return ratio_to(run, drawn, tight_bound(drawn)) or np.nan
    same_for_all = {name: value for name, value in settings.items() if name != "epsilon"}
    return run.value / relaxed_optimum(seed, same_for_all)


@measurement
def relaxed_optimum(seed: int, settings: dict[str, Any]) -> float:
    """Optimum of (9), which does not depend on ε; USD."""
    return solve(Relaxation().form(MLBROKER.draw(seed, **settings))).require_optimal().objective


@MLBROKER.figure(
    6,
    "Ratio of rounded to fractional cost",
    Agreement.NOT_REPRODUCED,
    "with one M fractions cost next to nothing, and the ratio is 150 to 260 for all data",
)
def rounding_ratio(preset: Preset, seed: int) -> Figure:
    """Cost of mlBroker's integer decisions over the fractional cost, means over seeds."""
    volumes = [100.0, 300.0, 500.0, 700.0] if preset.full else [100.0, 700.0]
    capacities = (16.0, 41.0, 66.0) if preset.full else (16.0, 66.0)
    size: dict[str, Any] = {"num_slots": 8} if preset.full else {"num_slots": 4, "num_sites": 5}

    def ratios(volume: float, one: int) -> dict[str, float]:
        found = {}
        for capacity in capacities:
            settings = size | {"data_volume": volume, "worker_capacity": [capacity] * 2}
            for name, ratio in rounded_over_fractional(one, settings, ["A_round"]).items():
                found[f"P = {capacity:g} GB, {name.removeprefix('A_round, ')}"] = ratio
        return found

    series = mean_lines(volumes, preset.seeds(seed), ratios)
    values, findings = by_name(series), []
    for line in LINES:
        drawn = [values[f"P = {capacity:g} GB, {line}"] for capacity in capacities]
        ends = [
            f"P = {p:g} GB: {y[0]:.3f} to {y[-1]:.3f}"
            for p, y in zip(capacities, drawn, strict=True)
        ]
        rises = all(low <= high for low, high in zip(drawn[0], drawn[-1], strict=True))
        falls = Statement("falls with the data", all(y[-1] < y[0] for y in drawn), ", ".join(ends))
        findings += about(line, falls, Statement("rises with the capacity of a worker", rises))
    swept = size | {"data_volume": volumes, "worker_capacity": list(capacities)}
    return Figure(
        x=PlotAxis("data per job and slot", "GB"),
        y=PlotAxis("rounded / fractional cost", log=True),
        series=series,
        findings=findings,
        caption=ran(preset, seed, swept),
    )


ROUNDINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "A_round": ("mlbroker", {}),
    "Round2 alone": ("mlbroker", {"combine": "round2"}),
    "IR with repair": ("ir", {}),
    "GR": ("gr", {}),
}


@measurement
def rounded_over_fractional(
    seed: int, settings: dict[str, Any], roundings: Sequence[str]
) -> dict[str, float]:
    """Cost by some of `ROUNDINGS`, and the proved bound, over the fractional cost of each line."""
    drawn, found = MLBROKER.draw(seed, **settings), {}
    for line, (_, variant) in LINES.items():
        base = MLBROKER.run(f"fractional{variant}", drawn, seed).value
        for name in roundings:
            found[f"{name}, {line}"] = rounded(name, line, drawn, seed).value / base
        found[f"{BOUND}, {line}"] = float(tight_bound(drawn)) / base
    return found


def rounded(rounding: str, line: str, drawn: Brokerage, seed: int) -> Run:
    """Run one of `ROUNDINGS`."""
    name, options = ROUNDINGS[rounding]
    return MLBROKER.run(name + LINES[line][1], drawn, seed, **options)


@MLBROKER.figure(
    7,
    "Roundings compared",
    Agreement.NOT_REPRODUCED,
    "Algorithm 2 takes the maximum over K + 1 roundings, which buys surplus workers; the paper "
    "does not say what becomes of jobs that independent rounding leaves short",
)
def roundings(preset: Preset, seed: int) -> Figure:
    """Cost of rounded decisions over the fractional cost for growing R."""
    sites, slots = ([5, 10, 15, 20], 8) if preset.full else ([3, 5], 4)
    names = list(ROUNDINGS)

    def ratios(count: int, one: int) -> dict[str, float]:
        return rounded_over_fractional(one, {"num_sites": count, "num_slots": slots}, names)

    series = mean_lines(sites, preset.seeds(seed), ratios)
    values, findings = by_name(series), []
    for line in LINES:
        ours, _, independent, greedy = (np.array(values[f"{name}, {line}"]) for name in names)
        findings += about(line, _cheaper("IR", ours, independent), _cheaper("GR", ours, greedy))
    return Figure(
        x=PlotAxis("data centres"),
        y=PlotAxis("rounded / fractional cost", log=True),
        series=series,
        findings=findings,
        caption=ran(preset, seed, {"num_slots": slots, "num_sites": sites}),
    )


def _cheaper(rival: str, ours: Floats, others: Floats) -> Statement:
    """Whether A_round costs no more than another rounding for any R."""
    over = ours / others - 1
    note = f"{over.min():+.1%} to {over.max():+.1%}"
    return Statement(f"A_round is cheaper than {rival}", bool((ours <= others).all()), note)


@measurement
def certified_ratio(seed: int, settings: dict[str, Any], line: str) -> float:
    """Certified ratio of mlBroker against the tight bound."""
    drawn = MLBROKER.draw(seed, **settings)
    return ratio_to(rounded("A_round", line, drawn, seed), drawn, tight_bound(drawn)) or np.nan


@MLBROKER.figure(
    9,
    "Ratio of mlBroker for growing horizons",
    Agreement.TREND,
    "near 4 as printed, against a proved bound on (8), which cannot be solved at this size",
)
def ratio_by_slots(preset: Preset, seed: int) -> Figure:
    """Cost of mlBroker over the proved tight bound for growing T."""
    slots = [50, 60, 70, 80, 90, 100] if preset.full else [4, 8]
    size: dict[str, Any] = {} if preset.full else {"num_sites": 5}
    rises, ends = ("rises slightly with T", 0.0, 0.1), [slots[0], slots[-1]]
    settings = size | {"num_slots": slots}
    return ratio_figure(preset, seed, settings, ends, PlotAxis("slots"), rises)


@MLBROKER.figure(
    10,
    "Ratio of mlBroker for growing numbers of jobs",
    Agreement.NOT_REPRODUCED,
    "with one M workers are almost free in (10), so that printed fractions rent far too many; the "
    "repair stays below 3",
)
def ratio_by_jobs(preset: Preset, seed: int) -> Figure:
    """Cost of mlBroker over the proved tight bound for growing numbers of jobs a slot."""
    jobs = [10, 20, 30, 40, 50] if preset.full else [3, 6]
    size = {"num_slots": 8} if preset.full else {"num_sites": 5, "num_slots": 4}
    stable, most = ("remains stable", -0.1, 0.1), [PaperValue("at most 3 (Fig. 10)", 3.0)]
    settings = size | {"jobs_per_slot": jobs}
    return ratio_figure(preset, seed, settings, jobs, PlotAxis("jobs a slot"), stable, most)


def ratio_figure(
    preset: Preset,
    seed: int,
    settings: Mapping[str, Any],
    fewer: Sequence[int],
    x: PlotAxis,
    trend: tuple[str, float, float],
    published: Sequence[PaperValue] = (),
) -> Figure:
    """Certified ratios of both lines over the last of the settings; the proved bound is at 1.

    The printed (10) takes seconds a slot: its line has ``fewer`` points, and the first seed alone.
    """
    *_, setting = settings
    values = settings[setting]

    def lines(name: str, points: Sequence[int], seeds: Sequence[int]) -> list[Series]:
        def measure(value: int, one: int) -> dict[str, float]:
            return {name: certified_ratio(one, {**settings, setting: value}, name)}

        return mean_lines(points, seeds, measure)

    series = lines(AS_PRINTED, fewer, [seed]) + lines(REPAIRED, values, preset.seeds(seed))
    points = ", ".join(map(str, fewer))
    note = f"; {AS_PRINTED} seed {seed} alone, at {points} {SIZES[setting]}"
    return Figure(
        x=x,
        y=PlotAxis("cost / proved bound"),
        series=[*series, Series(BOUND, x=values, y=[1.0] * len(values))],
        published=published,
        findings=ratio_findings(series, trend, "value" if published else "ours"),
        caption=ran(preset, seed, settings, note),
    )


def ratio_findings(
    series: Sequence[Series], trend: tuple[str, float, float], limit: About
) -> list[Statement]:
    """Whether each line rises within the limits of a trend, and stays below 3."""
    findings = []
    for line in series:
        rise = float(line.y[-1] - line.y[0])
        most = float(np.max(line.y))  # no number where a point is not proved
        findings += about(
            line.name,
            Statement(trend[0], trend[1] < rise < trend[2], f"{rise:+.3f}"),
            Statement("at most 3", most <= 3, _most(most), limit),
        )
    return findings
