"""Figures of Eris: the testbed (3 to 7), and the simulator (8 to 11, and the headline gains).

What the paper leaves open is drawn as the generator says; above all the processing rate P of a
worker, which is not published and on which every statement depends (table3 sweeps it).  Eris runs
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
    SHARES,
    Agreement,
    Figure,
    Numbers,
    Paper,
    PaperValue,
    PlotAxis,
    Preset,
    Series,
    Statement,
    Table,
    by_name,
    listed,
    mean_lines,
    mean_series,
)
from farkas.experiments.figures.writing import measurement
from farkas.instances.eris import Auction
from farkas.online import Run, algorithms

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
def testbed_runs(seed: int, per_chunk: int) -> dict[str, Any]:
    """Proved bound on the testbed, and what every one of `ALGORITHMS` reaches there."""
    auction = ERIS.draw(seed, "testbed", workers_per_chunk=[per_chunk, per_chunk])
    found, bound = {}, math.inf
    for label in ALGORITHMS:
        run = play(label, auction)
        begins: dict[int, int] = {}
        for slot in run.decisions:
            for piece in slot["pieces"]:
                begins[piece["job"]] = min(piece["slot"], begins.get(piece["job"], auction.slots))
        awards = [award for slot in run.decisions for award in slot["awards"] if award["accepted"]]
        bound = bound_of(run)
        found[label] = {
            "welfare": run.value,
            "ratio": math.nan if run.ratio is None else run.ratio,
            "accepted": run.numbers["accepted"],
            "rejected": auction.num_jobs - run.numbers["accepted"],
            "spans": [one["completed"] + 1 - begins[one["job"]] for one in awards],
            "use": {
                name: [slot[f"use of {name}"] for slot in run.costs]
                for name in (*auction.resource_names, "transfer")
            },
        }
    return {"bound": bound, "runs": found}


BOUND = "proved bound on the optimum"
FULL = 0.999  #: Share of a capacity from which on it counts as used up.


def sizes(preset: Preset, seed: int, *, testbed: bool = False) -> str:
    """Say for a caption what is run, what is published, and what the paper leaves out."""
    published = (9, 50, 10) if testbed else (50, 150, 100)
    auction = ERIS.draw(seed, "testbed")
    if not testbed:
        auction = simulated(preset.full, seed, default(preset))
    per_chunk = sorted({-(-job.epochs // job.worker_rate) for job in auction.jobs})
    ours = auction.sites, auction.slots, auction.num_jobs
    run = ", ".join(f"{n} = {a} of {b}" for n, a, b in zip("RTI", ours, published, strict=True))
    seeds, scheduler = preset.seeds(seed), algorithms["eris.eris"].options["scheduler"]
    return (
        f"{run} as published; seeds {seeds[0]} to {seeds[-1]} of an unpublished number; "
        f"eris.eris[scheduler={scheduler}], others reject who would pay too much; "
        f"P is not published, here m in {per_chunk} workers a chunk"
    )


def testbeds(preset: Preset, seed: int, per_chunk: int) -> list[dict[str, Any]]:
    """Runs on the published testbed, one entry an instance."""
    return [testbed_runs(one, per_chunk) for one in preset.seeds(seed)]


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
    found = testbeds(preset, seed, 1)
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
        caption=sizes(preset, seed, testbed=True),
    )


@ERIS.figure(4, "Accepted and rejected jobs", Agreement.TREND, "counts were read off no table")
def accepted_jobs(preset: Preset, seed: int) -> Figure:
    """Jobs completed and not completed on the testbed."""
    found = testbeds(preset, seed, 1)
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
        caption=f"{sizes(preset, seed, testbed=True)}; unfinished jobs count as rejected",
    )


@ERIS.figure(
    5,
    "Performance ratio on the testbed",
    Agreement.NOT_REPRODUCED,
    "the published optimum came from a toolbox, ours is a proved bound; P is not published",
)
def testbed_ratio(preset: Preset, seed: int) -> Figure:
    """Proved bound over welfare, one value per instance: upper bounds on the true ratio."""
    ratios = by_algorithm(testbeds(preset, seed, 1), "ratio")
    seeds = list(preset.seeds(seed))
    lines = dict(zip(ALGORITHMS, ratios.T, strict=True))
    # a run that earns nothing has no ratio, and is below no number
    ours, floor = (np.nan_to_num(lines[label], nan=np.inf).max() for label in (PAPER, FLOOR))
    return Figure(
        x=PlotAxis("seed"),
        y=PlotAxis("bound / welfare", log=True),
        series=[Series(label, seeds, values, chart="scatter") for label, values in lines.items()],
        published=[PaperValue("below 1.5 (Fig. 5)", 1.5)],
        findings=[
            Statement("Eris is below 1.5", ours < 1.5, f"up to {ratio_words(ours)}", "value"),
            Statement(
                "with price floor 1/2 it is", floor < 1.5, f"up to {ratio_words(floor)}", "ours"
            ),
        ],
        caption=f"{sizes(preset, seed, testbed=True)}; every ratio is proved",
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
    found = testbeds(preset, seed, 1)
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
        caption=f"{sizes(preset, seed, testbed=True)}; findings: largest use in any slot",
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
    preset: Preset, seed: int, x: PlotAxis, series: Sequence[Series], *statements: Statement
) -> Figure:
    """Lines of welfare against ``x``, which varies one of the sizes in the caption."""
    size = f"{sizes(preset, seed)}; what varies: {x.title}"
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


def _alike(
    statement: str, found: Mapping[str, Numbers], sign: float, names: Sequence[str] = RIVALS
) -> Statement:
    """Whether every one of ``names`` ends on the said side of its begin."""
    notes = {name: f"{found[name][0]:.0f} to {found[name][-1]:.0f}" for name in names}
    holds = all(sign * (found[name][-1] - found[name][0]) > 0 for name in names)
    return Statement(statement, holds, ", ".join(map(" ".join, notes.items())))


#: Published and reduced sizes of Figs. 8 and 9.
SWEEPS = {"sites": ([25, 50, 75, 100], [6, 12]), "num_jobs": ([50, 100, 150], [10, 30])}


def _sweep(
    preset: Preset, seed: int, size: str, fixed: Settings, labels: Sequence[str] = tuple(ALGORITHMS)
) -> list[Series]:
    """Lines of welfare for growing ``size``."""

    def measure(count: float, one: int) -> dict[str, float]:
        return welfare(preset, one, fixed | {size: int(count)}, labels)

    return mean_lines(SWEEPS[size][not preset.full], preset.seeds(seed), measure)


def _scale(found: Mapping[str, Numbers], trend: str) -> list[Statement]:
    """Hold lines of welfare against the text on Figs. 8 and 9: "rises with R", "falls with I"."""
    sign = 1.0 if trend.startswith("rises") else -1.0
    ours, others = _trend(trend, found[PAPER], sign), f"that of the baselines {trend}"
    return [_ahead(found), ours, _alike(others, found, sign)]


@ERIS.figure(
    8,
    "Welfare against the number of sites",
    Agreement.NOT_REPRODUCED,
    "prices (6) begin at 0, so that worthless late completions are booked; P is not published",
)
def welfare_by_sites(preset: Preset, seed: int) -> Figure:
    """Welfare for growing R."""
    series = _sweep(preset, seed, "sites", {})
    found = by_name(series)
    return welfare_figure(
        preset,
        seed,
        PlotAxis("sites"),
        series,
        *_scale(found, "rises with R"),
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
    jobs = SWEEPS["num_jobs"][not preset.full]

    def bounds(count: float, one: int) -> dict[str, float]:
        settings = default(preset) | {"num_jobs": int(count)}
        return {BOUND: simulated_run(preset.full, one, settings, PAPER)["bound"]}

    series = _sweep(preset, seed, "num_jobs", {})
    series += mean_lines(jobs, preset.seeds(seed), bounds)
    found = by_name(series)
    at = jobs[len(jobs) // 2]
    means = {name: values[len(jobs) // 2] for name, values in found.items()}
    bound = means.pop(BOUND)
    best = max(means, key=lambda name: means[name])
    note = f"bound {bound:.0f}: {_times(bound, means[PAPER])} times {PAPER}, "
    return welfare_figure(
        preset,
        seed,
        PlotAxis("jobs"),
        series,
        *_scale(found, "falls with I"),
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


@ERIS.figure(10, "Profit against sites and jobs", Agreement.NOT_REPRODUCED, "no values are printed")
def revenue_by_size(preset: Preset, seed: int) -> Figure:
    """Profit of every algorithm for growing R and for growing I, from half the default on."""
    factors = [0.5, 1.0, 1.5, 2.0] if preset.full else [0.5, 1.0, 1.5]
    base = default(preset)

    def measure(factor: float, one: int) -> dict[str, float]:
        found = {}
        for label, size in itertools.product(ALGORITHMS, base):
            settings = {**base, size: round(factor * base[size])}
            run = simulated_run(preset.full, one, settings, label)
            found[f"{label}, {size}"] = run["revenue"]
        return found

    series = mean_lines(factors, preset.seeds(seed), measure)
    found = by_name(series)
    sites, jobs = ([f"{name}, {size}" for name in (PAPER, *RIVALS)] for size in base)
    return Figure(
        x=PlotAxis("share of R = {sites} or I = {num_jobs}".format(**base)),
        y=PlotAxis("profit"),
        series=series,
        findings=[
            _alike("all profits fall with R", found, -1.0, sites),
            _alike("all profits rise with I", found, 1.0, jobs),
        ],
        caption=f"{sizes(preset, seed)}; one size varies at a time",
    )


@ERIS.figure(11, "Welfare against the price base", Agreement.TREND, "no values are printed")
def welfare_by_base(preset: Preset, seed: int) -> Figure:
    """Welfare for growing γ_d = γ_k."""
    bases = [10.0, 100.0, 1000.0, 10000.0] if preset.full else [10.0, 1000.0]

    def measure(base: float, one: int) -> dict[str, float]:
        return welfare(preset, one, {"price_base": base}, [PAPER, FLOOR])

    series = mean_lines(bases, preset.seeds(seed), measure)
    falls = _trend("falls with γ", by_name(series)[PAPER], -1.0)
    return welfare_figure(preset, seed, PlotAxis("γ", log=True), series, falls)


#: Published gains of Eris in percent.
HEADLINE = {"Tiresias": 44.0, "AntMan": 50.0, "Liquid": 20.0}


@ERIS.table(
    3,
    "Published statements by calibration",
    Agreement.NOT_REPRODUCED,
    "P is not published, and no number of workers a chunk lets all statements hold",
    source="Eris sections I, VI-A and VI-C",
)
def statements_by_rate(preset: Preset, seed: int) -> Table:
    """Which statements hold if m workers process a chunk in a slot, all other settings as printed.

    A slot is 20 minutes, so that a job of 2 to 4 hours takes 6 to 12 slots.
    """
    few = Preset(preset.name, min(3, preset.instances))
    columns = {f"m = {m}": _holding(preset, few, seed, m) for m in (1, 2, 3)}
    rows: list[list[str | float]] = []
    for same in zip(*columns.values(), strict=True):
        rows.append([same[0].statement, *(str(s).removeprefix(f"{s.statement}: ") for s in same)])
    count = {name: sum(one.holds for one in column) for name, column in columns.items()}
    note = f"of {len(rows)}: {listed(count, 'd')}"
    return Table(
        columns=[PlotAxis("statement"), *map(PlotAxis, columns)],
        rows=rows,
        findings=[Statement("one m satisfies all", len(rows) in count.values(), note)],
        caption=f"{sizes(few, seed)}, but for m, in Figs. 8 and 9; testbed: "
        f"{preset.instances} seeds",
    )


def _holding(preset: Preset, few: Preset, seed: int, per_chunk: int) -> list[Statement]:
    """Hold runs with one number m against the text; the simulator with ``few`` instances."""
    found = testbeds(preset, seed, per_chunk)
    spans = [span for one in found for span in one["runs"][PAPER]["spans"]]
    middle = float(np.median(spans)) if spans else math.nan
    ratio = np.nan_to_num(by_algorithm(found, "ratio")[:, 0], nan=np.inf).max()
    said = [Statement("jobs take 6 to 12 slots", 6 <= middle <= 12, f"median {middle:g}")]
    for number, part in (("3", "welfare"), ("4", "accepted")):
        means = dict(zip(ALGORITHMS, by_algorithm(found, part).mean(axis=0), strict=True))
        best = max(means[rival] for rival in RIVALS)
        note = f"{means[PAPER]:.4g} against {best:.4g}"
        said.append(Statement(f"Fig. {number}: Eris has most {part}", means[PAPER] > best, note))
    said.append(Statement("Fig. 5: ratio below 1.5", ratio < 1.5, f"up to {ratio_words(ratio)}"))
    fixed = {"workers_per_chunk": [per_chunk, per_chunk]}
    for number, size, trend in (("8", "sites", "rises with R"), ("9", "num_jobs", "falls with I")):
        lines = by_name(_sweep(few, seed, size, fixed, (PAPER, *RIVALS)))
        said += [
            Statement(f"Fig. {number}: {one.statement}", one.holds, one.note)
            for one in _scale(lines, trend)
        ]
    for rival, most in HEADLINE.items():
        base, ours = (lines[name][len(lines[name]) // 2] for name in (rival, PAPER))
        gain = 100 * (ours / base - 1) if base else math.inf
        said.append(Statement(f"{most:g} % above {rival}", gain >= most, f"{gain:.0f} %"))
    return said
