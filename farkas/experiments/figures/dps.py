"""Figures 2 to 7 of DPS: published sizes, demands and prices from our generator.

The text of the figures explores for 1120 slots, which the formula contradicts (claim
dps.explored_share): exploration is capped at 0.112 of the jobs of a type, all else is as printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.experiments.figures.exhibit import (
    Agreement,
    Figure,
    Paper,
    PaperValue,
    PlotAxis,
    Preset,
    Series,
    Statement,
    Table,
    listed,
    mean_series,
    shown,
)
from farkas.experiments.figures.writing import measurement
from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.online import algorithms

if TYPE_CHECKING:
    from farkas.online.dps.environment import Sales

DPS: Paper[Market] = Paper("dps", "DPS")
EXPLORED = 0.112
NAMES = {"dps": "DPS", "simple": "simple", "top": "TOP (reconstructed)", "random": "Random"}
#: Profit of DPS over that of each algorithm of Fig. 3.
PRINTED = {"DPS": 1.0, "BFP": 1.25, NAMES["simple"]: 1.15, NAMES["top"]: 1.22, "Random": 2.38}
REDUCED = {"num_jobs": 1200, "horizon": 1200, "num_servers": 20, "num_worker_types": 4,
           "num_ps_types": 3, "epochs_median": 1500.0}  # fmt: skip
HONEST = "with i.i.d. jobs no online price can be expected to beat the best one in hindsight"
CAPPED = f"θ is {EXPLORED}: slot 1120 of 10,000 in the text, where the formula explores all"

#: Name of a line, seller, changes of the market.
Line = tuple[str, str, dict[str, Any]]
#: Fig. 3; the paper has no bars after BFP.
BARS: list[Line] = [
    *((name, seller, {}) for seller, name in NAMES.items()),
    ("BFP", "bfp_coord", {}),
    ("DPS, θ of the formula", "dps", {"knobs": {"explore_cap": 1.0}}),
    ("DPS by pairs (repaired)", "dps_pairs", {}),
]


def market(full: bool, seed: int, knobs: dict[str, Any] | None = None, **changes: Any) -> Market:
    """Draw a market of the published size, or a smaller one."""
    sizes = {} if full else dict(REDUCED)
    drawn = DPS.draw(seed, **{**sizes, **changes})
    return drawn.replace(dps={"explore_cap": EXPLORED, **(knobs or {})})


def described(preset: Preset, seed: int, explored: str = CAPPED, jobs: str = "") -> str:
    """Caption: algorithm, sizes run against sizes published, and what the paper leaves out."""
    one = market(preset.full, seed)
    return (
        f"DPS is Algorithms 1 and 2, {explored}; BFP is the best fixed price that a search by "
        f"coordinates finds.  Run against published: {one.num_servers} servers (50), "
        f"{jobs or f'{one.num_jobs:,}'} jobs (about 10,000), {one.horizon:,} slots (10,000), "
        f"{one.num_worker_types} and {one.num_ps_types} types (15 and 10), "
        f"{preset.instances} seeds (not said).  Left out: demands, runtimes, budgets, the cap of θ"
    )


def play(name: str, instance: Market, seed: int = 0, **options: Any) -> Sales:
    """Run a seller."""
    done: Sales = algorithms[f"dps.{name}"].policy(**options).simulate(instance, seed)
    return done


def cumulated(done: Sales, horizon: int) -> Floats:
    """Profit up to every slot, shape (horizon,)."""
    return np.cumsum(done.profit_by_slot(horizon))


@measurement
def profits(full: bool, seed: int, changes: dict[str, Any], seller: str) -> list[float]:
    """Profit of a seller up to `shown` slots of a market."""
    instance = market(full, seed, **changes)
    return list(cumulated(play(seller, instance, seed), instance.horizon)[shown(instance.horizon)])


def regret_lines(preset: Preset, seed: int, lines: Sequence[Line]) -> list[Series]:
    """Mean regret against BFP by slot."""
    made = []
    for name, seller, changes in lines:
        fixed = {key: value for key, value in changes.items() if key != "knobs"}
        regrets = []
        for one in preset.seeds(seed):
            best = np.array(profits(preset.full, one, fixed, "bfp_coord"))
            regrets.append(best - profits(preset.full, one, changes, seller))
        made.append(mean_series(name, shown(market(preset.full, seed).horizon), regrets))
    return made


def regret_figure(
    series: Sequence[Series], printed: str, caption: str, *statements: Statement
) -> Figure:
    """Lines of regret, with the printed end below 0."""
    return Figure(
        x=PlotAxis("slot"),
        y=PlotAxis("regret", "payments"),
        series=series,
        published=[PaperValue(printed, 0.0)],
        findings=statements,
        caption=caption,
    )


def final(series: Sequence[Series]) -> dict[str, float]:
    """Last value of every line."""
    return {line.name: float(line.y[-1]) for line in series}


@DPS.figure(2, "Regret against the best fixed price", Agreement.NOT_REPRODUCED, HONEST)
def regret(preset: Preset, seed: int) -> Figure:
    """Profit of BFP less that of each seller, up to each slot; mean over seeds."""
    sellers: list[Line] = [(name, seller, {}) for seller, name in NAMES.items()]
    series = regret_lines(preset, seed, sellers)
    ends = final(series)
    ours = ends["DPS"]
    return regret_figure(
        series,
        "regret of DPS from slot 3140 on: below 0 (Fig. 2)",
        described(preset, seed),
        Statement("the regret of DPS ends below 0", ours < 0, f"ends at {ours:.0f}"),
        Statement(
            "DPS has the least regret in the end", ours <= min(ends.values()), listed(ends, ".0f")
        ),
    )


@DPS.figure(3, "Profit of each algorithm", Agreement.NOT_REPRODUCED, HONEST)
def profit(preset: Preset, seed: int) -> Figure:
    """Profit at the end, one bar an algorithm; the print is scaled to the profit of DPS."""
    every = [
        [profits(preset.full, one, changes, seller)[-1] for _, seller, changes in BARS]
        for one in preset.seeds(seed)
    ]
    bars = mean_series("this run", [name for name, _, _ in BARS], every, "bar")
    means = dict(zip(bars.x, bars.y, strict=True))
    scaled = [means["DPS"] / times for times in PRINTED.values()]
    return Figure(
        x=PlotAxis("algorithm"),
        y=PlotAxis("profit", "payments"),
        series=[bars],
        published=[PaperValue("Fig. 3, scaled to DPS", scaled, list(PRINTED))],
        findings=ahead(means),
        caption=described(preset, seed),
    )


def ahead(means: Mapping[str, float]) -> list[Statement]:
    """Hold mean profits by the names of `PRINTED` against Fig. 3."""
    findings = []
    for name, times in list(PRINTED.items())[1:]:
        ours, other = means["DPS"], means[name]
        note = _ratio(ours, other, 2)
        holds = ours >= times * other
        findings += [
            Statement(f"DPS earns more than {name}", ours > other, note),
            Statement(f"DPS earns at least {times:.0%} of {name}", holds, note, "value"),
        ]
    return findings


def _ratio(ours: float, other: float, digits: int) -> str:
    """Profits as a ratio in words; ``inf`` where the other earns nothing."""
    return f"ratio {ours / other if other else np.inf:.{digits}f}"


@DPS.figure(4, "Regret for several numbers of jobs", Agreement.NOT_REPRODUCED, HONEST)
def regret_by_jobs(preset: Preset, seed: int) -> Figure:
    """Regret by slot, number of jobs times 0.1, 1, 5 and 10; 0.5, 1 and 2 of the reduced preset."""
    factors = (0.1, 1.0, 5.0, 10.0) if preset.full else (0.5, 1.0, 2.0)
    base = 10_000 if preset.full else int(REDUCED["num_jobs"])
    lines: list[Line] = [(f"N × {f:g}", "dps", {"num_jobs": int(f * base)}) for f in factors]
    series = regret_lines(preset, seed, lines)
    words = described(preset, seed, jobs=", ".join(f"{int(f * base):,}" for f in factors))
    return regret_figure(series, "regret ends below 0 (Fig. 4)", words, falls_sooner(series))


def falls_sooner(series: Sequence[Series]) -> Statement:
    """Whether regrets fall from a peak, which comes no later from line to line."""
    peaks = [int(np.argmax(line.y)) for line in series]
    falls = all(line.y[at] > 1.05 * line.y[-1] for line, at in zip(series, peaks, strict=True))
    slots = [float(line.x[at]) for line, at in zip(series, peaks, strict=True)]
    note = (
        f"{line.name} ends at {line.y[-1]:.0f} of {line.y[at]:.0f} in slot {line.x[at]}"
        for line, at in zip(series, peaks, strict=True)
    )
    return Statement(
        "the regret falls later on, sooner for more jobs",
        falls and slots == sorted(slots, reverse=True),
        ", ".join(note),
    )


@DPS.figure(
    5,
    "Regret for several grid steps",
    Agreement.NOT_REPRODUCED,
    "the published grid has 2.6 offers for each price, which cannot teach it",
)
def regret_by_step(preset: Preset, seed: int) -> Figure:
    """Regret by slot, grid step times 0.5, 1, 2 and 10."""
    lines: list[Line] = [
        (f"δ × {factor:g}", "dps", {"knobs": {"delta_scale": factor}})
        for factor in (0.5, 1.0, 2.0, 10.0)
    ]
    series = regret_lines(preset, seed, lines)
    ends = final(series)
    least = ends["δ × 1"] <= min(ends.values())
    return regret_figure(
        series,
        "regret of the published δ ends below 0 (Fig. 5)",
        described(preset, seed),
        Statement("the published step has the least regret", least, listed(ends, ".0f")),
    )


@DPS.figure(
    6,
    "Regret for several lengths of exploration",
    Agreement.NOT_REPRODUCED,
    "exploration teaches runtimes only, which never influence a price at this scale",
)
def regret_by_exploration(preset: Preset, seed: int) -> Figure:
    """Regret by slot, share of explored jobs 0, 0.056, 0.112 and 0.224."""
    lines: list[Line] = [
        (f"θ = {share:g}", "dps", {"knobs": {"explore_cap": share}})
        for share in (0.0, EXPLORED / 2, EXPLORED, 2 * EXPLORED)
    ]
    series = regret_lines(preset, seed, lines)
    words = described(preset, seed, "θ is the share of the jobs that exploration may take")
    said = "regret of the published θ ends below 0 (Fig. 6)"
    return regret_figure(series, said, words, better_early(series[0], series[2]))


def better_early(none: Series, published: Series) -> Statement:
    """Whether no exploration has less regret after a tenth of the slots, and more in the end."""
    tenth = len(none.y) // 10
    early = none.y[tenth] < published.y[tenth]
    words = "; ".join(
        f"{line.name}: {line.y[tenth]:.0f} after a tenth, {line.y[-1]:.0f} in the end"
        for line in (none, published)
    )
    return Statement(
        "little exploration is better early and worse in the end",
        early and none.y[-1] > published.y[-1],
        words,
    )


@DPS.figure(7, "Runtime of placements", Agreement.TREND, "no values are printed")
def placements(preset: Preset, seed: int) -> Figure:
    """Total runtime of the jobs served, against their number, for three placement rules."""
    found = [placed(preset.full, one) for one in preset.seeds(seed)]
    # as far as every rule of every market served jobs
    common = min(len(run["runtimes"]) for runs in found for run in runs.values())
    places = shown(common)
    series, means, earned = [], {}, {}
    for name in PLACEMENTS:
        runtimes = [np.cumsum(runs[name]["runtimes"][:common])[places] for runs in found]
        series.append(mean_series(name, places + 1, runtimes))
        means[name] = float(np.mean([np.mean(runs[name]["runtimes"]) for runs in found]))
        earned[name] = float(np.mean([runs[name]["profit"] for runs in found]))
    return Figure(
        x=PlotAxis("jobs served"),
        y=PlotAxis("total runtime", "slots"),
        series=series,
        findings=[
            Statement(
                "Algorithm 2 has shorter runtimes than random placement",
                means["Algorithm 2"] < means["random"],
                ", ".join(f"{name} {value:.1f} slots a job" for name, value in means.items()),
            ),
            Statement(
                "Algorithm 2 has the higher profit",
                earned["Algorithm 2"] > earned["random"],
                listed(earned, ".0f"),
            ),
        ],
        caption=f"{described(preset, seed)}; lines end where one rule has served its last job",
    )


PLACEMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Algorithm 2": ("dps", {}),
    "best fit": ("dps", {"placement": "best_fit"}),
    "random": ("dps_random_placement", {}),
}


@measurement
def placed(full: bool, seed: int) -> dict[str, Any]:
    """Profit, and runtimes of the jobs served in their order, by placement rule."""
    instance = market(full, seed)
    found = {}
    for name, (seller, options) in PLACEMENTS.items():
        run = play(seller, instance, seed, **options)
        found[name] = {"profit": run.profit, "runtimes": list(run.runtime[run.served])}
    return found


@DPS.figure("7b", "Profit over time", Agreement.NOT_REPRODUCED, HONEST, "DPS Fig. 7")
def profit_over_time(preset: Preset, seed: int) -> Figure:
    """Payments up to each slot under DPS, DPS-RS and BFP."""
    sellers = {"DPS": "dps", "DPS-RS": "dps_random_placement", "BFP": "bfp_coord"}
    horizon = market(True, seed).horizon if preset.full else int(REDUCED["horizon"])
    series = []
    for name, seller in sellers.items():
        earned = [profits(preset.full, one, {}, seller) for one in preset.seeds(seed)]
        series.append(mean_series(name, shown(horizon), earned))
    ends = final(series)
    return Figure(
        x=PlotAxis("slot"),
        y=PlotAxis("profit", "payments"),
        series=series,
        findings=[
            Statement("DPS ends above BFP", ends["DPS"] > ends["BFP"], listed(ends, ".0f")),
            Statement("DPS ends above DPS-RS", ends["DPS"] > ends["DPS-RS"], listed(ends, ".0f")),
        ],
        caption=described(preset, seed),
    )


#: Laws of budgets: ranges of the base price of a unit, and deviations of the lognormal noise.
PRICES = ((0.1, 0.8), (0.02, 0.2), (0.5, 1.0))
SPREADS = (0.0, 0.25, 0.5, 1.0, 2.0)


@DPS.table(
    1,
    "Published statements by law of budgets",
    Agreement.NOT_REPRODUCED,
    "budgets are not published, and under none of these laws all statements hold",
    source="DPS section V",
)
def statements_by_budget(preset: Preset, seed: int) -> Table:
    """Under which laws of budgets each statement on Figs. 2, 3 and 7 holds."""
    found = {
        (low, high): [
            _holding(preset, seed, {"budget_spread": spread, "price": [low, high]})
            for spread in SPREADS
        ]
        for low, high in PRICES
    }
    held = [sum(one.holds for one in said) for laws in found.values() for said in laws]
    rows, findings = [], []
    for number, statement in enumerate(found[PRICES[0]][0]):
        same = [[said[number] for said in laws] for laws in found.values()]
        notes = [one.note.removeprefix("ratio ") for law in same for one in law]
        ends = f"{min(notes, key=float)} to {max(notes, key=float)}"
        cells = [*map(_where, same), ends]
        rows.append([statement.statement, *cells])
        some = any(one.holds for law in same for one in law)
        findings.append(Statement(statement.statement, some, "; ".join(cells), statement.about))
    listing = ", ".join(f"{spread:g}" for spread in SPREADS)
    note = f"at most {max(held)} of {len(rows)}"
    return Table(
        columns=[
            PlotAxis("statement"),
            *(PlotAxis(f"σ for prices {low:g} to {high:g}") for low, high in PRICES),
            PlotAxis("found"),
        ],
        rows=rows,
        findings=[*findings, Statement("one law satisfies all", max(held) == len(rows), note)],
        caption=f"{described(preset, seed)}.  Budgets are a price of each type times the demand "
        f"times lognormal noise of deviation σ; cells say for which of σ = {listing} a statement "
        "holds; found are regrets or ratios of profits, the least and the greatest under any law",
    )


def _where(said: Sequence[Statement]) -> str:
    """For which of `SPREADS` a statement holds."""
    held = [f"{spread:g}" for spread, one in zip(SPREADS, said, strict=True) if one.holds]
    return ", ".join(held) or "none"


def _holding(preset: Preset, seed: int, changes: dict[str, Any]) -> list[Statement]:
    """Hold the sellers of the evaluation under one law of budgets against the text."""
    sellers = {**NAMES, "bfp_coord": "BFP", "dps_random_placement": "DPS-RS"}
    earned = {
        name: np.mean([profits(preset.full, o, changes, key) for o in preset.seeds(seed)], axis=0)
        for key, name in sellers.items()
    }
    means = {name: float(line[-1]) for name, line in earned.items()}
    ours, placed_at_random = means["DPS"], means["DPS-RS"]
    regret = earned["BFP"] - earned["DPS"]
    zero = regret[round(0.314 * (len(regret) - 1)) :].max()
    return [
        Statement("regret is at most 0 from slot 3140 on", zero <= 0, f"{zero:.0f}"),
        *ahead(means),
        Statement(
            "DPS earns more than DPS-RS",
            ours > placed_at_random,
            _ratio(ours, placed_at_random, 3),
        ),
    ]
