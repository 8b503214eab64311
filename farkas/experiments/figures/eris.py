"""Figures of Eris: the testbed (3 to 7), and the simulator (8 to 11, and the headline gains).

What the paper leaves open is drawn as the generator says; above all the processing rate P of a
worker, which is not published and on which every gain depends (table3 sweeps it).  Eris runs
with the repaired scheduler, whose schedules can all run; "printed" figures of welfare would count
schedules that cannot.  Ratios are measured against proved bounds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.certificates.ratio import ratio_words
from farkas.experiments.figures.exhibit import (
    FEW,
    SHARES,
    Agreement,
    Figure,
    Numbers,
    Paper,
    PlotAxis,
    Preset,
    Printed,
    Series,
    Statement,
    Table,
    by_name,
    half_width,
    listed,
    mean_lines,
    mean_series,
)
from farkas.experiments.figures.writing import measurement
from farkas.instances.eris import Auction
from farkas.online import Run

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
#: Sizes of the reduced simulator.
SMALL = {"sites": 12, "slots": 40, "transfer_budget": 8000.0, "num_jobs": 20}


def simulated(full: bool, seed: int, settings: dict[str, Any]) -> Auction:
    """Auction of the published simulator, or a small one of its kind."""
    return ERIS.draw(seed, **({} if full else SMALL) | settings)


def play(label: str, auction: Auction) -> Run:
    """Run one of `ALGORITHMS`."""
    name, options = ALGORITHMS[label]
    return ERIS.run(name, auction, **options)


@measurement
def simulated_run(full: bool, seed: int, settings: dict[str, Any], label: str) -> dict[str, float]:
    """Welfare and revenue of one of `ALGORITHMS` in the simulator, and a proved bound."""
    run = play(label, simulated(full, seed, settings))
    return {"welfare": run.value, "revenue": run.numbers["revenue"], "bound": bound_of(run)}


def bound_of(run: Run) -> float:
    """Return the proved bound on every welfare."""
    assert run.certificate is not None
    return float(run.certificate)


@measurement
def testbed_runs(seed: int) -> dict[str, Any]:
    """Proved bound on the testbed, and what every one of `ALGORITHMS` reaches there."""
    auction, found, bound = ERIS.draw(seed, "testbed"), {}, math.inf
    for label in ALGORITHMS:
        run = play(label, auction)
        bound = bound_of(run)
        found[label] = {
            "welfare": run.value,
            "ratio": math.nan if run.ratio is None else run.ratio,
            "accepted": run.numbers["accepted"],
            "rejected": auction.num_jobs - run.numbers["accepted"],
            "use": {
                name: [slot[f"use of {name}"] for slot in run.costs]
                for name in (*auction.resource_names, "transfer")
            },
        }
    return {"bound": bound, "runs": found}


BOUND = "proved bound on the optimum"
FULL = 0.999  #: Share of a capacity from which on it counts as used up.
SIZE = "R = 9, T = 50, I = 10; one worker per chunk and slot"


def testbeds(preset: Preset, seed: int) -> list[dict[str, Any]]:
    """Runs on the published testbed, one entry an instance."""
    return [testbed_runs(one) for one in preset.seeds(seed)]


def by_algorithm(found: list[dict[str, Any]], number: str) -> np.ndarray:
    """Numbers of runs, shape (instances, algorithms)."""
    return np.array([[one["runs"][label][number] for label in ALGORITHMS] for one in found])


@ERIS.figure(
    3,
    "Social welfare on the testbed",
    Agreement.NOT_REPRODUCED,
    "prices (6) begin at 0, so that worthless late completions are booked; P is not published",
)
def testbed_welfare(preset: Preset, seed: int) -> Figure:
    """Welfare of Eris and the baselines, and a proved bound on the optimum."""
    found = testbeds(preset, seed)
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
    4, "Accepted and rejected jobs", Agreement.NOT_REPRODUCED, "counts were read off no table"
)
def accepted_jobs(preset: Preset, seed: int) -> Figure:
    """Jobs completed and not completed on the testbed."""
    found = testbeds(preset, seed)
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
def testbed_ratio(preset: Preset, seed: int) -> Figure:
    """Proved bound over welfare, one value per instance: upper bounds on the true ratio."""
    ratios = by_algorithm(testbeds(preset, seed), "ratio")
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
    7, "Resource utilisation in every slot", Agreement.NOT_REPRODUCED, "no values are printed"
)
def utilisation_by_slot(preset: Preset, seed: int) -> Figure:
    """Use of the three resources and of the transfer budget by Eris on the testbed."""
    found = testbeds(preset, seed)
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
def welfare_by_sites(preset: Preset, seed: int) -> Figure:
    """Welfare for growing R."""
    sites = [25, 50, 75, 100] if preset.full else [6, 12]

    def measure(count: float, one: int) -> dict[str, float]:
        return welfare(preset, one, {"sites": int(count)})

    series = mean_lines(sites, preset.seeds(seed), measure)
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
def welfare_by_jobs(preset: Preset, seed: int) -> Figure:
    """Welfare for growing I, and a proved bound on the optimum."""
    jobs = [50, 100, 150] if preset.full else [10, 30]

    def measure(count: float, one: int) -> dict[str, float]:
        settings = default(preset) | {"num_jobs": int(count)}
        bound = simulated_run(preset.full, one, settings, PAPER)["bound"]
        return {**welfare(preset, one, settings), BOUND: bound}

    series = mean_lines(jobs, preset.seeds(seed), measure)
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


@ERIS.figure(10, "Revenue against sites and jobs", Agreement.TREND, "no values are printed")
def revenue_by_size(preset: Preset, seed: int) -> Figure:
    """Revenue of Eris for growing R and for growing I, each relative to its published default."""
    factors = [0.5, 1.0, 1.5, 2.0] if preset.full else [0.5, 1.0, 1.5]
    sizes = default(preset)

    def measure(factor: float, one: int) -> dict[str, float]:
        settings = ({**sizes, size: round(factor * sizes[size])} for size in sizes)
        runs = (simulated_run(preset.full, one, chosen, PAPER) for chosen in settings)
        return dict(zip(("sites", "jobs"), (run["revenue"] for run in runs), strict=True))

    series = mean_lines(factors, preset.seeds(seed), measure)
    by_sites, by_jobs = series
    return Figure(
        x=PlotAxis("share of R = {sites} or I = {num_jobs}".format(**sizes)),
        y=PlotAxis("revenue"),
        series=series,
        findings=[_trend("falls with R", by_sites.y, -1.0), _trend("rises with I", by_jobs.y, 1.0)],
        caption="prices (6)" if preset.full else "prices (6), small simulator",
    )


@ERIS.figure(11, "Welfare against the price base", Agreement.TREND, "no values are printed")
def welfare_by_base(preset: Preset, seed: int) -> Figure:
    """Welfare for growing γ_d = γ_k."""
    bases = [10.0, 100.0, 1000.0, 10000.0] if preset.full else [10.0, 1000.0]

    def measure(base: float, one: int) -> dict[str, float]:
        return welfare(preset, one, {"price_base": base}, [PAPER, FLOOR])

    series = mean_lines(bases, preset.seeds(seed), measure)
    falls = _trend("falls with γ", by_name(series)[PAPER], -1.0)
    return welfare_figure(preset, PlotAxis("γ", log=True), series, "I = 100", falls)


#: Published gains of Eris, up to so many percent.
HEADLINE = {"Tiresias": 44.0, "AntMan": 50.0, "Liquid": 20.0}


@ERIS.table(
    3,
    "Gains over the baselines by calibration",
    Agreement.NOT_REPRODUCED,
    "the gains depend on the rate P, which is not published: m workers process a chunk in a slot",
    source="Eris section VI, headline gains",
)
def calibration(preset: Preset, seed: int) -> Table:
    """Mean welfare of Eris over that of each baseline, in percent, for several m and loads."""
    loads = [50, 100] if preset.full else [10, 25]
    rates = [(1, 1), (2, 2), (3, 3), (1, 3)] if preset.full else [(1, 1), (1, 3)]
    rows: list[list[str | float]] = []
    for low, high in rates:
        for jobs in loads:
            settings = {"num_jobs": jobs, "workers_per_chunk": [low, high]}
            every = [welfare(preset, one, settings) for one in preset.seeds(seed)]
            m = f"{low}" if low == high else f"{low} to {high}"
            for eris in (PAPER, FLOOR):
                gains = (_gain(every, eris, rival) for rival in RIVALS)
                rows.append([eris, m, float(jobs), *itertools.chain(*gains)])
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
