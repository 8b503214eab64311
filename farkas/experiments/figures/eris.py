"""Figures 3 to 11 of Eris: testbed and simulator.

What the paper leaves open is drawn as the generator says; above all the processing rate P of a
worker, which is not published and on which every gain depends (`calibration` sweeps it).  Eris runs
with the repaired scheduler, whose schedules can all run; "printed" figures of welfare would count
schedules that cannot.  Ratios are measured against proved bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.figure import Axis, Figure, Finding, Published, Series, Table
from farkas.experiments.figures.registry import (
    Preset,
    Progress,
    Standing,
    figure,
    not_modelled,
    table,
)
from farkas.instances.base import Floats
from farkas.instances.eris import Auction
from farkas.instances.generate import generate
from farkas.online import Run, algorithms

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


def play(label: str, auction: Auction, **options: Any) -> Run:
    """Run one of `ALGORITHMS`; everything is free in its bound unless ``effort`` says otherwise."""
    name, fixed = ALGORITHMS[label]
    return algorithms[name].run(auction, **{"effort": "free", **fixed, **options})


def testbed(preset: Preset, seed: int) -> list[Auction]:
    """Auctions of the published testbed, several seeds."""
    count = 5 if preset == "full" else 2
    return [draw("testbed", seed + extra) for extra in range(count)]


def simulator(preset: Preset, seed: int, **settings: Any) -> Auction:
    """Auction of the published simulator, or a small one of its kind."""
    if preset == "full":
        return draw("published", seed, **settings)
    return draw("published", seed, **{**SMALL, "num_jobs": 20, **settings})


def mean(values: Sequence[Floats] | Floats) -> Floats:
    """Mean over the seeds, shape (...,) of shape (seeds, ...)."""
    average: Floats = np.mean(np.asarray(values, dtype=float), axis=0)
    return average


@figure(
    "eris",
    3,
    title="Social welfare on the testbed",
    source="Eris Fig. 3",
    standing=Standing.NOT_REPRODUCED,
    reason=(
        "with prices (6) Eris books worthless late completions and falls far behind the bound; "
        "a price floor restores it; P is not published"
    ),
)
def testbed_welfare(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare of Eris and the baselines, and a proved bound on the optimum; means over seeds."""
    welfare, bounds = _testbed_runs(preset, seed, progress)
    names = [*ALGORITHMS, "proved bound on the optimum"]
    heights = [*welfare.mean(axis=0), bounds.mean()]
    best = max(heights[names.index(rival)] for rival in RIVALS)
    return Figure(
        x=Axis("algorithm"),
        y=Axis("welfare"),
        series=[Series("welfare", names, heights, chart="bar")],
        findings=[
            Finding("Eris is above every baseline", heights[0] > best, f"{heights[0]:.0f}, {best:.0f}"),
            Finding("so it is with price floor 1", heights[1] > best, f"{heights[1]:.0f}"),
        ],
        caption=f"{len(bounds)} instances of R = 9, T = 50, I = 10; one worker per chunk and slot",
    )


def _testbed_runs(preset: Preset, seed: int, progress: Progress) -> tuple[Floats, Floats]:
    """Welfare, shape (seeds, algorithms), and proved bounds, shape (seeds,)."""
    auctions = testbed(preset, seed)
    welfare, bounds = [], []
    for done, auction in enumerate(auctions):
        runs = [play(label, auction) for label in ALGORITHMS]
        proved = play(FLOOR, auction, effort="subgradient").certificate
        assert proved is not None
        welfare.append([run.value for run in runs])
        bounds.append(float(proved))
        progress(done + 1, len(auctions))
    return np.array(welfare), np.array(bounds)


@figure(
    "eris",
    4,
    title="Accepted and rejected jobs",
    source="Eris Fig. 4",
    standing=Standing.TREND,
    reason="Eris accepts most jobs, and more than Tiresias; counts were read off no table",
)
def accepted_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Jobs completed and not completed on the testbed, means over seeds."""
    auctions = testbed(preset, seed)
    served = {}
    for done, label in enumerate(ALGORITHMS):
        served[label] = np.mean([play(label, a).numbers["accepted"] for a in auctions])
        progress(done + 1, len(ALGORITHMS))
    accepted = np.array(list(served.values()))
    jobs = auctions[0].num_jobs
    return Figure(
        x=Axis("algorithm"),
        y=Axis("jobs"),
        series=[
            Series("accepted", list(served), accepted, chart="bar"),
            Series("rejected or unfinished", list(served), jobs - accepted, chart="bar"),
        ],
        findings=[
            Finding(
                "Eris accepts more than every baseline",
                served[PAPER] > max(served[rival] for rival in RIVALS),
                ", ".join(f"{label} {count:.1f}" for label, count in served.items()),
            )
        ],
        caption=f"{len(auctions)} instances of the testbed; unfinished jobs of baselines count as rejected",
    )


@figure(
    "eris",
    5,
    title="Performance ratio on the testbed",
    source="Eris Fig. 5",
    standing=Standing.NOT_REPRODUCED,
    reason=(
        "below 1.5 with a price floor, far above it with prices (6); the published optimum came from "
        "a toolbox, ours is a proved bound"
    ),
)
def testbed_ratio(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Proved bound over welfare, one value per instance: upper bounds on the true ratio."""
    welfare, bounds = _testbed_runs(preset, seed, progress)
    with np.errstate(divide="ignore"):
        ratios = np.where(welfare > 0, bounds[:, None] / np.where(welfare > 0, welfare, 1.0), np.nan)
    labels = list(ALGORITHMS)
    seeds = np.arange(seed, seed + len(bounds))
    floor = ratios[:, labels.index(FLOOR)]
    return Figure(
        x=Axis("seed"),
        y=Axis("bound / welfare", log=True),
        series=[
            Series(label, seeds, ratios[:, at], chart="scatter") for at, label in enumerate(labels)
        ],
        published=[Published("below 1.5 (Fig. 5)", 1.5)],
        findings=[
            Finding("Eris is below 1.5", np.nanmax(ratios[:, 0]) < 1.5, f"up to {np.nanmax(ratios[:, 0]):.2f}"),
            Finding("with price floor 1 it is", np.nanmax(floor) < 1.5, f"up to {np.nanmax(floor):.2f}"),
        ],
        caption="every ratio is proved: the welfare is that of checked schedules",
    )


not_modelled(
    "eris",
    6,
    title="Training accuracy",
    source="Eris Fig. 6",
    reason="needs training of the networks; an instance holds chunks, not gradients",
)


@figure(
    "eris",
    7,
    title="Resource utilisation in every slot",
    source="Eris Fig. 7",
    standing=Standing.TREND,
    reason="GPUs reach full use in some slots, CPU and memory stay below; no values are printed",
)
def utilisation_by_slot(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Share of the testbed's capacity in use during a run of Eris."""
    auction = draw("testbed", seed)
    run = play(PAPER, auction)
    progress(1, 1)
    slots = np.arange(auction.slots)
    shares = {
        name: np.array([slot[f"use of {name}"] for slot in run.costs])
        for name in (*auction.resource_names, "transfer")
    }
    return Figure(
        x=Axis("slot"),
        y=Axis("share of capacity"),
        series=[Series(name, slots, share, chart="step") for name, share in shares.items()],
        findings=[
            Finding("GPU use reaches 100 % at times", shares["gpu"].max() >= 0.999, f"{shares['gpu'].max():.2f}"),
            Finding(
                "CPU and memory stay below",
                max(shares["cpu"].max(), shares["ram"].max()) < 1.0,
                f"{shares['cpu'].max():.2f}, {shares['ram'].max():.2f}",
            ),
        ],
        caption="one instance of the testbed",
    )


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
    found = sweep(preset, seed, progress, sites, lambda r: {"sites": int(r)}, list(ALGORITHMS), welfare)
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
        "the fall with I is there with prices (6), and its cause: prices begin at 0, so worthless late "
        "completions fill the slots; with price floor 1 welfare rises with I"
    ),
)
def welfare_by_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare for growing I, means over seeds."""
    jobs = [50, 100, 150] if preset == "full" else [10, 30]
    found = sweep(preset, seed, progress, jobs, lambda i: {"num_jobs": int(i)}, list(ALGORITHMS), welfare)
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
    reason="revenue rises with I and falls with R from R = 50 on; no values are printed",
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
    reason="no steady fall with γ in general; the effect is small beside that of the price floor",
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
        "the gains depend on the rate P, which is not published: m workers process a chunk in a slot; "
        "over Tiresias and AntMan they are far above the print, over Liquid they change sign with the load"
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
                gains = [100 * (value[eris] / value[rival] - 1) if value[rival] else float("inf") for rival in RIVALS]
                rows.append([eris, f"{low}" if low == high else f"{low} to {high}", float(jobs), *gains])
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
        caption="one instance for each line; gains over a baseline that serves nothing are infinite",
    )
