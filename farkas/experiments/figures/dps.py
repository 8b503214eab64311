"""Figures 2 to 7 of DPS: published sizes, demands and prices from our generator.

The paper's jobs come from an unpublished extraction of a Google trace, and its figures explore
for about 1120 slots, which its formula contradicts (claim dps.explored_share).  So exploration is
capped at the share 0.112 of the jobs of a type; everything else is as printed.  BFP is the best
fixed price in hindsight, found by coordinates: a lower bound on the best one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.experiments.figures.figure import Axis, Figure, Finding, Published, Series
from farkas.experiments.figures.registry import Preset, Progress, Standing, figure
from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.numbers import Floats
from farkas.online import algorithms

if TYPE_CHECKING:
    from farkas.online.dps.simulation import Simulation

EXPLORED = 0.112
SHOWN = ("dps", "simple", "top", "random")
NAMES = {"dps": "DPS", "simple": "simple", "top": "TOP (reconstructed)", "random": "Random"}
PRINTED = {"bfp_coord": 1.25, "simple": 1.15, "top": 1.22, "random": 2.38}
"""Profit of DPS over that of each rival, Fig. 3."""
REDUCED = {"num_jobs": 1200, "horizon": 1200, "num_servers": 20, "num_worker_types": 4,
           "num_ps_types": 3, "epochs_median": 1500.0}  # fmt: skip
HONEST = (
    "with i.i.d. jobs no online price can be expected to beat the best one in hindsight; it can "
    "where demand and prices move"
)


def market(
    preset: Preset, seed: int, knobs: dict[str, Any] | None = None, **changes: Any
) -> Market:
    """Draw a market of the published size, or a smaller one."""
    sizes = {} if preset == "full" else dict(REDUCED)
    drawn = generate("dps", "published", seed, **{**sizes, **changes})
    assert isinstance(drawn, Market)
    return drawn.replace(dps={"explore_cap": EXPLORED, **(knobs or {})})


def play(name: str, instance: Market, seed: int = 0, **options: Any) -> Simulation:
    """Run a seller."""
    done: Simulation = algorithms[f"dps.{name}"].policy(**options).simulate(instance, seed)
    return done


def cumulated(done: Simulation) -> Floats:
    """Profit up to every slot, shape (horizon,)."""
    return np.cumsum(done.profit_by_slot())


def seeds_of(preset: Preset, seed: int) -> range:
    """Five markets, or two."""
    return range(seed, seed + (5 if preset == "full" else 2))


def regret_lines(
    preset: Preset,
    seed: int,
    progress: Progress,
    lines: Sequence[tuple[str, Callable[[int], Market], str]],
) -> list[Series]:
    """Mean regret against BFP by slot with its range over seeds.

    Parameters
    ----------
    lines
        Name, market for a seed, and seller.
    """
    seeds, done, made = seeds_of(preset, seed), 0, []
    best: dict[str, Floats] = {}
    for name, draw, seller in lines:
        regrets = []
        for one in seeds:
            instance = draw(one)
            key = instance.replace(dps=None).sha256
            if key not in best:
                best[key] = cumulated(play("bfp_coord", instance))
            regrets.append(best[key] - cumulated(play(seller, instance, one)))
            done += 1
            progress(done, len(lines) * len(seeds))
        every = np.array(regrets)
        shown = np.unique(np.linspace(0, every.shape[1] - 1, 101).astype(int))
        made.append(
            Series(
                name, shown, every.mean(axis=0)[shown], every.min(axis=0)[shown],
                every.max(axis=0)[shown],
            )
        )  # fmt: skip
    return made


def final(series: Series) -> float:
    """Last value of a line."""
    return float(series.y[-1])


@figure(
    "dps",
    2,
    title="Regret against the best fixed price",
    source="DPS Fig. 2",
    standing=Standing.NOT_REPRODUCED,
    reason=f"the regret rises to the last slot and never becomes negative; {HONEST}",
)
def regret(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Profit of BFP less that of each seller, up to each slot; mean and range over seeds."""
    series = regret_lines(
        preset, seed, progress, [(NAMES[n], lambda s: market(preset, s), n) for n in SHOWN]
    )
    ours = series[0]
    return Figure(
        x=Axis("slot"),
        y=Axis("regret", "payments"),
        series=series,
        published=[Published("regret of DPS from slot 3140 on: below 0 (Fig. 2)", 0.0)],
        findings=[
            Finding(
                "the regret of DPS ends below 0", final(ours) < 0, f"ends at {final(ours):.0f}"
            ),
            Finding(
                "DPS has the least regret in the end",
                final(ours) <= min(map(final, series)),
                ", ".join(f"{s.name} {final(s):.0f}" for s in series),
            ),
        ],
        caption=f"{len(seeds_of(preset, seed))} markets; ranges over them",
    )


@figure(
    "dps",
    3,
    title="Profit against that of rivals",
    source="DPS Fig. 3",
    standing=Standing.NOT_REPRODUCED,
    reason=(
        f"DPS earns about half of BFP instead of 125 %, and less than DPS without exploration; "
        f"{HONEST}"
    ),
)
def profit(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Profit of DPS over that of each rival, for i.i.d. jobs and for moving demand and prices."""
    rivals, seeds = list(PRINTED), seeds_of(preset, seed)
    settings: dict[str, dict[str, Any]] = {
        "i.i.d. jobs": {},
        "moving demand and prices": {"diurnal": 0.8, "drift": 1.0},
    }
    series = []
    for number, (name, changes) in enumerate(settings.items()):
        ratios = []
        for place, one in enumerate(seeds):
            instance = market(preset, one, **changes)
            ours = play("dps", instance).profit
            ratios.append([ours / play(rival, instance, one).profit for rival in rivals])
            progress(number * len(seeds) + place + 1, len(settings) * len(seeds))
        every = np.array(ratios)
        series.append(
            Series(name, rivals, every.mean(axis=0), every.min(axis=0), every.max(axis=0), "bar")
        )
    means = dict(zip(rivals, series[0].y, strict=True))
    return Figure(
        x=Axis("rival"),
        y=Axis("profit of DPS / profit of rival"),
        series=series,
        published=[Published("Fig. 3", list(PRINTED.values()), rivals)],
        findings=[
            Finding(f"DPS earns more than {rival}", ratio > 1.0, f"ratio {ratio:.2f}")
            for rival, ratio in means.items()
        ],
        caption=f"{len(seeds)} markets; ranges over them",
    )


@figure(
    "dps",
    4,
    title="Regret for several numbers of jobs",
    source="DPS Fig. 4",
    standing=Standing.NOT_REPRODUCED,
    reason="the regret does not fall later on, for any number of jobs",
)
def regret_by_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Regret by slot, number of jobs times 0.1, 1, 5 and 10."""
    factors = (0.1, 1.0, 5.0, 10.0) if preset == "full" else (0.5, 1.0, 2.0)
    base = 10_000 if preset == "full" else int(REDUCED["num_jobs"])

    def drawing(factor: float) -> Callable[[int], Market]:
        return lambda s: market(preset, s, num_jobs=int(factor * base))

    lines = [(f"N × {factor:g}", drawing(factor), "dps") for factor in factors]
    series = regret_lines(preset, seed, progress, lines)
    return _falling(series, "the regret falls later on, sooner for more jobs", preset, seed)


@figure(
    "dps",
    5,
    title="Regret for several grid steps",
    source="DPS Fig. 5",
    standing=Standing.NOT_REPRODUCED,
    reason=(
        "coarser grids than the published one earn more: 2.6 offers for each price cannot teach it"
    ),
)
def regret_by_step(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Regret by slot, grid step times 0.5, 1, 2 and 10."""
    factors = (0.5, 1.0, 2.0, 10.0)

    def drawing(factor: float) -> Callable[[int], Market]:
        return lambda s: market(preset, s, {"delta_scale": factor})

    lines = [(f"δ × {factor:g}", drawing(factor), "dps") for factor in factors]
    series = regret_lines(preset, seed, progress, lines)
    ends = {line.name: final(line) for line in series}
    return Figure(
        x=Axis("slot"),
        y=Axis("regret", "payments"),
        series=series,
        published=[Published("regret of the published δ ends below 0 (Fig. 5)", 0.0)],
        findings=[
            Finding(
                "the published step has the least regret",
                ends["δ × 1"] <= min(ends.values()),
                ", ".join(f"{name} {value:.0f}" for name, value in ends.items()),
            )
        ],
        caption=f"{len(seeds_of(preset, seed))} markets; ranges over them",
    )


@figure(
    "dps",
    6,
    title="Regret for several lengths of exploration",
    source="DPS Fig. 6",
    standing=Standing.NOT_REPRODUCED,
    reason=(
        "less exploration is better to the end: it teaches runtimes only, which never influence "
        "a price at this scale"
    ),
)
def regret_by_exploration(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Regret by slot, share of explored jobs 0, 0.056, 0.112 and 0.224."""
    shares = (0.0, EXPLORED / 2, EXPLORED, 2 * EXPLORED)

    def drawing(share: float) -> Callable[[int], Market]:
        return lambda s: market(preset, s, {"explore_cap": share})

    lines = [(f"θ = {share:g}", drawing(share), "dps") for share in shares]
    series = regret_lines(preset, seed, progress, lines)
    ends = [final(line) for line in series]
    return Figure(
        x=Axis("slot"),
        y=Axis("regret", "payments"),
        series=series,
        published=[Published("regret of the published θ ends below 0 (Fig. 6)", 0.0)],
        findings=[
            Finding(
                "little exploration is better early and worse in the end",
                ends[0] > ends[2],
                ", ".join(f"{s.name} {e:.0f}" for s, e in zip(series, ends, strict=True)),
            )
        ],
        caption=f"{len(seeds_of(preset, seed))} markets; ranges over them",
    )


@figure(
    "dps",
    7,
    title="Runtime of placements",
    source="DPS Fig. 7",
    standing=Standing.TREND,
    reason=(
        "jobs placed by Algorithm 2 run shorter than randomly placed ones, by a few per cent; "
        "profit is not always higher"
    ),
)
def placements(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Total runtime of the jobs served, against their number, for three placement rules."""
    instance = market(preset, seed)
    runs = {
        "Algorithm 2": play("dps", instance, seed),
        "best fit": play("dps", instance, seed, placement="best_fit"),
        "random": play("dps_random_placement", instance, seed),
    }
    series, means, profits = [], {}, {}
    for done, (name, run) in enumerate(runs.items()):
        served = np.flatnonzero(run.served)
        total = np.cumsum(run.runtime[served])
        shown = np.unique(np.linspace(0, max(0, len(served) - 1), 101).astype(int))
        shown = shown[: len(served)]
        series.append(Series(name, shown + 1, total[shown]))
        means[name], profits[name] = float(run.runtime[served].mean()), run.profit
        progress(done + 1, len(runs))
    return Figure(
        x=Axis("jobs served"),
        y=Axis("total runtime", "slots"),
        series=series,
        findings=[
            Finding(
                "Algorithm 2 has shorter runtimes than random placement",
                means["Algorithm 2"] < means["random"],
                ", ".join(f"{name} {value:.1f} slots a job" for name, value in means.items()),
            ),
            Finding(
                "Algorithm 2 has the higher profit",
                profits["Algorithm 2"] > profits["random"],
                ", ".join(f"{name} {value:.0f}" for name, value in profits.items()),
            ),
        ],
        caption="one market, prices by DPS",
    )


def _falling(series: list[Series], statement: str, preset: Preset, seed: int) -> Figure:
    falls = [max(s.y) > 1.05 * final(s) for s in series]
    return Figure(
        x=Axis("slot"),
        y=Axis("regret", "payments"),
        series=series,
        published=[Published("regret ends below 0 (Fig. 4)", 0.0)],
        findings=[
            Finding(
                statement,
                all(falls),
                ", ".join(f"{s.name} ends at {final(s):.0f} of {max(s.y):.0f}" for s in series),
            )
        ],
        caption=f"{len(seeds_of(preset, seed))} markets; ranges over them",
    )
