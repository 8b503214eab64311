"""Figures 2 to 4 of the paper on coded computation.

Rates are drawn uniformly from [1, 5] per ms and shifts are 1/rate, as published.  Plans are run
with whole loads (rounded up).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from farkas.experiments.figures.exhibit import Agreement, Paper, Preset, Progress
from farkas.experiments.figures.figure import Figure, PlotAxis, Printed, Series, Statement
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import Law
from farkas.models.coded.plans import Allocation
from farkas.numbers import Floats
from farkas.online import algorithms
from farkas.online.coded.exhaustive import least_level
from farkas.online.coded.iterated_greedy import IteratedGreedy
from farkas.online.coded.sca import iterates
from farkas.online.coded.simulate import simulate
from farkas.relaxations.coded.assignment_lp import shared_optimum
from farkas.relaxations.coded.sca import SharedPoint
from farkas.tolerances import SOLVER_GAP

CODED: Paper[CodedComputing] = Paper("coded", "Coded")
PROPOSED = ("coded.iterated_greedy", "coded.simple_greedy", "coded.expected")
MS = 1e-3


def cluster(masters: int, workers: int, seed: int) -> CodedComputing:
    """Draw an instance with the published ranges and 10,000 rows."""
    return CODED.draw(seed, num_masters=masters, num_workers=workers, rows=10_000)


def plan(name: str, data: CodedComputing, seed: int, **options: Any) -> Allocation:
    """Plan of an algorithm with whole loads."""
    made = algorithms[name].policy(**options).plan(data, seed)
    return Allocation(made.share, made.whole_loads)


def law(name: str, data: CodedComputing, seed: int) -> Law:
    """Law of an algorithm's plan."""
    made = plan(name, data, seed)
    return Law.given(data, made.share, made.loads)


@CODED.figure(
    2,
    "Distribution of the completion time, 2 masters and 20 workers",
    Agreement.REPRODUCED,
    "1.40 s and 1.38 s are met with L = 10,000 rows and the quantile read per master;"
    " with the printed L = 100,000 every time is ten times as long, and no plan can reach 1.40 s"
    " (ρ times the optimum of P3 is above 7 s)",
)
def distribution(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Exact distribution functions of the last master, and 0.98 quantiles per master over seeds."""
    seeds = range(seed, seed + (3 if preset == "reduced" else 20))
    data = cluster(2, 20, seed)
    names = ("coded.uncoded", "coded.uniform", "coded.brute_force", *PROPOSED)
    points = 25 if preset == "reduced" else 80
    grid = np.linspace(400.0, 2400.0, points)
    series = []
    for done, name in enumerate(names):
        each = law(name, data, seed)
        series.append(Series(name, x=grid * MS, y=[each.joint(t) for t in grid]))
        progress(done + 1, len(names) + len(seeds))
    late = []
    for done, one in enumerate(seeds):
        drawn = cluster(2, 20, one)
        laws = (law(name, drawn, one) for name in ("coded.iterated_greedy", "coded.expected"))
        late.append([each.quantile(0.98) * MS for each in laws])
        progress(len(names) + done + 1, len(names) + len(seeds))
    greedy, shared = np.array(late).T
    return Figure(
        x=PlotAxis("completion time", "s"),
        y=PlotAxis("probability"),
        series=series,
        published=[
            Printed("dedicated (Fig. 2)", x=[1.40], y=[0.98]),
            Printed("probabilistic (Fig. 2)", x=[1.38], y=[0.98]),
        ],
        findings=[
            _within(
                "the published 0.98 quantile 1.40 s lies in the range over seeds", 1.40, greedy
            ),
            _within("the published 1.38 s with shared workers does too", 1.38, shared),
            Statement(
                "coded is ahead of uncoded at 0.98",
                _first(series[1], 0.98) < _first(series[0], 0.98),
            ),
        ],
        caption=f"Curves: last master, L = 10,000, seed {seed}. Quantiles: latest of the masters'"
        f" own 0.98 quantiles over {len(seeds)} seeds.",
    )


def _within(words: str, published: float, values: Floats) -> Statement:
    low, high = values.min(), values.max()
    note = f"{values.mean():.3f} s in [{low:.3f}, {high:.3f}]"
    return Statement(words, low <= published <= high, note)


def _first(series: Series, level: float) -> float:
    """First x at which a distribution function reaches ``level``."""
    above = [x for x, y in zip(series.x, series.y, strict=True) if y >= level]
    return float(above[0]) if above else np.inf


@CODED.figure(
    3,
    "Mean completion times by master, 4 masters and 50 workers",
    Agreement.NOT_REPRODUCED,
    "more than 80 % below uncoded and 49 % below coded uniform are published; the stated"
    " rates give 69 % and 31 % (the ratios do not depend on L); order and balance do hold",
)
def means(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Means of simulated times of each master and of the last, averaged over seeds."""
    seeds = range(seed, seed + (2 if preset == "reduced" else 8))
    draws = 4_000 if preset == "reduced" else 100_000
    names = ("coded.uncoded", "coded.uniform", *PROPOSED)
    found: dict[str, list[Floats]] = {name: [] for name in names}
    for done, one in enumerate(seeds):
        data = cluster(4, 50, one)
        for name in names:
            sample = simulate(data, plan(name, data, one), draws, np.random.default_rng(one))
            whole = np.column_stack([sample.times, sample.last])
            found[name].append(whole.mean(axis=0) * MS)
        progress(done + 1, len(seeds))
    mean = {name: np.mean(values, axis=0) for name, values in found.items()}
    groups = [*(f"master {m}" for m in range(4)), "last"]
    best = min(mean[name][-1] for name in PROPOSED)
    worst = max(mean[name][-1] for name in PROPOSED)
    uncoded, uniform = mean["coded.uncoded"][-1], mean["coded.uniform"][-1]
    below_uncoded, below_uniform = 1 - best / uncoded, 1 - best / uniform
    return Figure(
        x=PlotAxis("master"),
        y=PlotAxis("mean completion time", "s"),
        series=[Series(name, x=groups, y=mean[name], chart="bar") for name in names],
        published=[
            Printed("80 % below uncoded (text)", y=0.2 * uncoded),
            Printed("49 % below coded uniform (text)", y=0.51 * uniform),
        ],
        findings=[
            Statement("more than 80 % below uncoded", below_uncoded > 0.8, f"{below_uncoded:.1%}"),
            Statement(
                "more than 49 % below coded uniform", below_uniform > 0.49, f"{below_uniform:.1%}"
            ),
            Statement("proposed before coded uniform before uncoded", worst < uniform < uncoded),
            Statement(
                "proposed algorithms within 3 % of each other",
                worst / best < 1.03,
                f"{worst / best - 1:.2%}",
            ),
        ],
        caption=f"L = 10,000, {len(seeds)} seeds, {draws} draws each.",
    )


@CODED.figure(
    4,
    "Convergence of successive convex approximation, 4 masters and 50 workers",
    Agreement.TREND,
    "with the split of k times expected rows it passes iterated greedy within 100 steps for"
    " small α, as published; the printed split does so only from a good start, and the linear"
    " program is there at once",
)
def convergence(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Time of every iterate over the optimum of P3, from equal shares, for several α."""
    reduced = preset == "reduced"
    data = cluster(2, 12, seed) if reduced else cluster(4, 50, seed)
    rounds = 12 if reduced else 100
    best = shared_optimum(data).time
    speed = Pairs.of(data).speed
    greedy = 1.0 / least_level(speed, IteratedGreedy().owner(speed, seed)) / best
    alphas = (1e-3, 1e-1, 0.5)
    steps = list(range(1, rounds + 1))
    series = []
    for done, alpha in enumerate(alphas):
        start = SharedPoint.uniform(data)
        times = [point.time / best for point in iterates(data, start, "product", alpha, rounds)]
        series.append(Series(f"α = {alpha:g}", x=steps, y=times))
        progress(done + 1, len(alphas))
    ends = [one.y[-1] for one in series]
    return Figure(
        x=PlotAxis("step"),
        y=PlotAxis("completion time over the optimum of P3"),
        series=[
            *series,
            Series("coded.iterated_greedy", x=[1, rounds], y=[greedy, greedy]),
            Series("coded.expected (linear program)", x=[1, rounds], y=[1.0, 1.0]),
        ],
        findings=[
            Statement(
                "below iterated greedy at the end, for some α",
                min(ends) < greedy,
                f"{min(ends):.4f} against {greedy:.4f}",
            ),
            Statement("never below the linear program", min(ends) >= 1 - SOLVER_GAP),
            Statement("large α stops early", ends[-1] > ends[0], f"{ends[-1]:.4f}"),
        ],
        caption=f"Seed {seed}, L = 10,000, {rounds} steps from k = 1/M with loads t/φ.",
    )
