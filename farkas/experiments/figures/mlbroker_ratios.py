"""Figures 5 to 14 of mlBroker: ratios and costs in simulations with the published ranges.

What the paper leaves open (image sizes, arrivals, shares of sites, seeds) is drawn as the generator
says; prices of a day are charged for a slot.  Ratios are measured against proved bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.certificates.ratio import ratio_words
from farkas.experiments.figures.exhibit import (
    About,
    Agreement,
    Figure,
    Numbers,
    Paper,
    PlotAxis,
    Preset,
    Printed,
    Series,
    Statement,
    by_name,
    listed,
    mean_lines,
)
from farkas.experiments.figures.writing import measurement
from farkas.instances.generate.mlbroker import Published
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import PlacedWorkers
from farkas.numbers import Floats
from farkas.online.mlbroker.environment import PlacedSlot, by_pair, tight_bound
from farkas.online.run import Run, ratio_to
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.solvers import solve
from farkas.tolerances import ROUNDING

MLBROKER: Paper[Brokerage] = Paper("mlbroker", "mlBroker")
OURS = "mlbroker[tight]"  #: What is drawn: the repair, not the paper's printed (10).
#: What captions say of it.
APART = "mlbroker[tight] is our repair; the printed (10) is not drawn"
RANGES = Published()


@MLBROKER.figure(
    5,
    "Ratio of the fractional algorithm to the relaxed optimum",
    Agreement.REPRODUCED,
    "in the printed relaxation and in the tight one",
)
def fractional_ratio(preset: Preset, seed: int) -> Figure:
    """Cost of A_fractional over P_f, printed (9) and tight, for growing R and several ε."""
    sites = [5, 10, 15, 20] if preset.full else [3, 5]
    epsilons = (0.01, 0.1, 1.0) if preset.full else (0.1, 1.0)
    slots = 50 if preset.full else 4

    def ratios(count: int, one: int) -> dict[str, float]:
        return {
            f"{relax}, ε = {epsilon:g}": fractional_over_relaxed(
                one, {"num_sites": count, "num_slots": slots, "epsilon": epsilon}, relax
            )
            for relax, epsilon in itertools.product(("printed", "tight"), epsilons)
        }

    series = mean_lines(sites, preset.seeds(seed), ratios)
    every = np.array([line.y for line in series])
    spread = np.ptp(every)
    return Figure(
        x=PlotAxis("data centres"),
        y=PlotAxis("cost / P_f"),
        series=series,
        published=[Printed("below 1.25 (Fig. 5)", 1.25)],
        findings=[
            Statement("below 1.25", every.max() < 1.25, _most(every.max()), "value"),
            Statement("R and ε have little impact", spread < 0.1, f"spread {spread:.4f}"),
        ],
        caption=f"{slots} slots, 10 jobs a slot",
    )


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
    return solve(Relaxed().form(MLBROKER.draw(seed, **settings))).require_optimal().objective


@MLBROKER.figure(
    6,
    "Ratio of rounded to fractional cost",
    Agreement.TREND,
    "values were read off no table, and depend on the relaxation (tight here)",
)
def rounding_ratio(preset: Preset, seed: int) -> Figure:
    """Cost of mlBroker's integer decisions over the fractional cost, tight, means over seeds."""
    volumes = [100.0, 300.0, 500.0, 700.0] if preset.full else [100.0, 700.0]
    capacities = (16.0, 41.0, 66.0) if preset.full else (16.0, 66.0)
    size: dict[str, Any] = {"num_slots": 8} if preset.full else {"num_slots": 4, "num_sites": 5}

    def ratios(volume: float, one: int) -> dict[str, float]:
        found = {}
        for capacity in capacities:
            settings = size | {"data_volume": volume, "worker_capacity": [capacity] * 2}
            (found[f"P = {capacity:g} GB"],) = rounded_over_fractional(one, settings, ["A_round"])
        return found

    series = mean_lines(volumes, preset.seeds(seed), ratios)
    falls = all(line.y[-1] / line.y[0] < 1 for line in series)
    rises = all(low <= high for low, high in zip(series[0].y, series[-1].y, strict=True))
    ends = ", ".join(f"{line.name}: {line.y[0]:.3f} to {line.y[-1]:.3f}" for line in series)
    return Figure(
        x=PlotAxis("data per job and slot", "GB"),
        y=PlotAxis("rounded / fractional cost"),
        series=series,
        findings=[
            Statement("falls with the data", falls, ends),
            Statement("rises with the capacity of a worker", rises),
        ],
        caption=APART,
    )


ROUNDINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "A_round": (OURS, {}),
    "Round2 alone": (OURS, {"combine": "round2"}),
    "IR with repair": ("ir[tight]", {}),
    "GR": ("gr[tight]", {}),
}


@measurement
def rounded_over_fractional(
    seed: int, settings: dict[str, Any], roundings: Sequence[str]
) -> list[float]:
    """Cost of decisions rounded by some of `ROUNDINGS` over the fractional cost, tight."""
    drawn = MLBROKER.draw(seed, **settings)
    base = MLBROKER.run("fractional[tight]", drawn, seed).value
    return [rounded(name, drawn, seed).value / base for name in roundings]


def rounded(rounding: str, drawn: Brokerage, seed: int) -> Run:
    """Run one of `ROUNDINGS`."""
    name, options = ROUNDINGS[rounding]
    return MLBROKER.run(name, drawn, seed, **options)


@MLBROKER.figure(
    7,
    "Roundings compared",
    Agreement.NOT_REPRODUCED,
    "Algorithm 2 takes the maximum over K + 1 roundings, which buys surplus workers; the paper "
    "does not say what becomes of jobs that independent rounding leaves short",
)
def roundings(preset: Preset, seed: int) -> Figure:
    """Cost of rounded decisions over the fractional cost, tight, for growing R."""
    sites, slots = ([5, 10, 15, 20], 8) if preset.full else ([3, 5], 4)
    names = list(ROUNDINGS)

    def ratios(count: int, one: int) -> dict[str, float]:
        settings = {"num_sites": count, "num_slots": slots}
        return dict(zip(names, rounded_over_fractional(one, settings, names), strict=True))

    series = mean_lines(sites, preset.seeds(seed), ratios)
    ours, alone, independent, greedy = (np.array(line.y) for line in series)
    cheapest = alone <= np.minimum(np.minimum(ours, independent), greedy)
    at = int(np.argmin(cheapest))  # the first where it is not
    return Figure(
        x=PlotAxis("data centres"),
        y=PlotAxis("rounded / fractional cost"),
        series=series,
        findings=[
            _cheaper("IR", ours, independent),
            _cheaper("GR", ours, greedy),
            Statement(
                "Round2 alone is cheapest for every R",
                bool(cheapest.all()),
                f"R = {sites[at]}: "
                + listed(dict(zip(names, (line.y[at] for line in series), strict=True)), ".3f"),
                "ours",
            ),
        ],
        caption=f"{slots} slots, 10 jobs a slot; {APART}",
    )


def _cheaper(rival: str, ours: Floats, others: Floats) -> Statement:
    """Whether A_round costs no more than another rounding for any R."""
    over = ours / others - 1
    note = f"{over.min():+.1%} to {over.max():+.1%}"
    return Statement(f"A_round is cheaper than {rival}", bool((ours <= others).all()), note)


@measurement
def certified_ratios(seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """Certified ratios of mlBroker with both roundings, against the tight bound."""
    drawn = MLBROKER.draw(seed, **settings)
    bound = tight_bound(drawn)
    return {
        name: ratio_to(rounded(name, drawn, seed), drawn, bound) or np.nan
        for name in ("A_round", "Round2 alone")
    }


def certified_lines(
    setting: str, values: Sequence[float], size: dict[str, Any], seeds: range
) -> list[Series]:
    """Lines of `certified_ratios` over a setting; figures share those of equal instances."""

    def ratios(value: float, one: int) -> dict[str, float]:
        return certified_ratios(one, beyond_published(size | {setting: value}))

    return mean_lines(values, seeds, ratios)


def beyond_published(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that differ from the published ones: the same for the same instances.

    >>> beyond_published({"num_slots": 50, "jobs_per_slot": 20})
    {'jobs_per_slot': 20}
    """
    return {name: value for name, value in settings.items() if value != getattr(RANGES, name)}


@MLBROKER.figure(
    9,
    "Ratio of mlBroker for growing horizons",
    Agreement.NOT_REPRODUCED,
    "the denominator is a proved bound on (8), since (8) itself cannot be solved at this size",
)
def ratio_by_slots(preset: Preset, seed: int) -> Figure:
    """Cost of mlBroker over the proved tight bound for growing T."""
    slots = [50, 60, 70, 80, 90, 100] if preset.full else [4, 8]
    size: dict[str, Any] = {} if preset.full else {"num_sites": 5}
    series = certified_lines("num_slots", slots, size, preset.seeds(seed))
    rise = _rise(series)
    trend = Statement("rises slightly with T", 0 < rise < 0.1, f"{rise:+.3f}")
    return ratio_figure(PlotAxis("slots"), series, trend)


@MLBROKER.figure(
    10,
    "Ratio of mlBroker for growing numbers of jobs",
    Agreement.REPRODUCED,
    "against a proved bound on (8)",
)
def ratio_by_jobs(preset: Preset, seed: int) -> Figure:
    """Cost of mlBroker over the proved tight bound for growing numbers of jobs a slot."""
    jobs = [10, 20, 30, 40, 50] if preset.full else [3, 6]
    size: dict[str, Any] = {} if preset.full else {"num_sites": 5, "num_slots": 4}
    series = certified_lines("jobs_per_slot", jobs, size, preset.seeds(seed))
    rise = _rise(series)
    trend = Statement("remains stable", abs(rise) < 0.1, f"{rise:+.3f}")
    return ratio_figure(PlotAxis("jobs a slot"), series, trend, Printed("at most 3 (Fig. 10)", 3.0))


def _rise(series: Sequence[Series]) -> float:
    """How much the first line ends above its begin."""
    return float(series[0].y[-1] - series[0].y[0])


def ratio_figure(
    x: PlotAxis, series: Sequence[Series], trend: Statement, *published: Printed
) -> Figure:
    """Lines of ratios to a proved bound, the first with the paper's rounding."""
    most = float(np.max(series[0].y))  # no number where a point is not proved
    about: About = "value" if published else "ours"
    return Figure(
        x=x,
        y=PlotAxis("cost / proved bound"),
        series=series,
        published=published,
        findings=[trend, Statement("at most 3", most <= 3, _most(most), about)],
        caption=APART,
    )


COMPARED = (OURS, "local", "central", "oasis")
PARTS = ("transfer", "resource", "deploy", "sync")
GIGABYTES = PlotAxis("data per job and slot", "GB")
BOUND = "proved bound (Opt)"


def size_of(preset: Preset) -> dict[str, Any]:
    """Return settings that make a broker small enough for its preset."""
    return {"num_slots": 8} if preset.full else {"num_slots": 3, "num_sites": 4}


def usage_of(instance: Brokerage, run: Run) -> Floats:
    """Units that a run uses, shape (slots, sites, resources)."""
    decisions = [
        PlacedSlot(
            np.array(one["jobs"], np.int64),
            np.array(one["workers"], np.int64),
            np.array(one["server"], np.int64),
        )
        for one in run.decisions
    ]
    return PlacedWorkers.of(instance, *by_pair(instance, decisions)).usage()


@measurement
def costs_at(seed: int, settings: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Total cost and its parts by algorithm, and the proved tight bound as a total, USD."""
    drawn = MLBROKER.draw(seed, **settings)
    found = {}
    for name in COMPARED:
        options: dict[str, Any] = {"gap": 1e-4} if name == "oasis" else {}
        run = MLBROKER.run(name, drawn, seed, **options)
        parts = {part: float(sum(slot[part] for slot in run.costs)) for part in PARTS}
        found[name] = {"total": run.value, **parts}
    return found | {BOUND: {"total": float(tight_bound(drawn))}}


def by_volume(preset: Preset, seed: int, part: str) -> list[Series]:
    """Lines of one part of the cost for growing data; Figs. 8 and 11 to 14 share the runs."""
    volumes = [100.0, 300.0, 500.0, 700.0] if preset.full else [100.0, 700.0]

    def measure(volume: float, one: int) -> dict[str, float]:
        found = costs_at(one, size_of(preset) | {"data_volume": volume})
        return {name: parts[part] for name, parts in found.items() if part in parts}

    return mean_lines(volumes, preset.seeds(seed), measure)


@MLBROKER.figure(
    8,
    "Total cost for growing data",
    Agreement.NOT_REPRODUCED,
    "moving 500 GB costs about 7.5 USD while GPU prices differ by a factor of 8 between sites; for "
    "Local to win, transfer prices have to be comparable with differences of resource prices",
)
def total_cost(preset: Preset, seed: int) -> Figure:
    """Total cost by algorithm, every re-entry paid, and the proved tight bound ("Opt")."""
    series = by_volume(preset, seed, "total")
    totals = {name: np.array(values) for name, values in by_name(series).items() if name != BOUND}
    ours = totals[OURS]
    over = {name: totals[name][-1] / ours[-1] for name in COMPARED[1:]}
    return Figure(
        x=GIGABYTES,
        y=PlotAxis("cost", "USD"),
        series=series,
        findings=[
            Statement(
                "mlBroker is cheapest",
                all((ours <= values).all() for values in totals.values()),
                f"at the largest size, over mlBroker's cost: {listed(over, '.3f')}",
            ),
            Statement("Central wins for small data", totals["central"][0] < totals["local"][0]),
            Statement("Local wins for large data", totals["local"][-1] < totals["central"][-1]),
        ],
        caption=f"OASiS solved to a gap of 1e-4; {APART}",
    )


@measurement
def local_over_central(seed: int, settings: dict[str, Any]) -> float:
    """Cost of Local over that of Central."""
    drawn = MLBROKER.draw(seed, **settings)
    local, central = (MLBROKER.run(name, drawn, seed).value for name in ("local", "central"))
    return local / central


@MLBROKER.figure(
    "8b",
    "Where Local begins to win",
    Agreement.TREND,
    "it does once moving data is dear enough, far above the published transfer prices",
    source="mlBroker Fig. 8, its statement on Local and Central",
)
def crossover(preset: Preset, seed: int) -> Figure:
    """Cost of Local over Central when transfer prices are multiplied."""
    factors = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]

    def ratio(factor: float, one: int) -> dict[str, float]:
        # Traffic of Local would grow with the same prices; its servers are kept beside the workers.
        settings = {"transfer_scale": factor, "sync_volume": [0.0, 0.0]}
        return {"Local / Central": local_over_central(one, size_of(preset) | settings)}

    series = mean_lines(factors, preset.seeds(seed), ratio)
    first = wins_from(factors, series[0].y)
    where = (
        "not at 1000 times" if first is None else f"from {first:g} times the published prices on"
    )
    return Figure(
        x=PlotAxis("multiple of the published transfer prices", log=True),
        y=PlotAxis("cost of Local / Central"),
        series=[*series, Series("equal", x=factors, y=[1.0] * len(factors))],
        findings=[Statement("Local wins for dear transfer", first is not None, where)],
        caption="500 GB per job and slot, no traffic between workers and servers",
    )


def wins_from(factors: Sequence[float], ratios: Numbers) -> float | None:
    """Return the factor from which on all ratios are below 1, if there is one.

    >>> wins_from([1, 3, 10, 30], [0.9, 1.2, 0.8, 0.7])
    10
    """
    lost = [place for place, ratio in enumerate(ratios) if not ratio < 1]
    first = lost[-1] + 1 if lost else 0
    return factors[first] if first < len(factors) else None


def _part(number: int, part: str, label: str, agreement: Agreement, reason: str) -> None:
    """Register the figure of one part of the cost."""

    def build(preset: Preset, seed: int) -> Figure:
        series = by_volume(preset, seed, part)
        return Figure(
            x=GIGABYTES,
            y=PlotAxis(label, "USD"),
            series=series,
            findings=_statements(part, by_name(series)),
            caption=f"the runs of Fig. 8; {APART}",
        )

    build.__doc__ = f"{label} by algorithm for growing data, from the runs of Fig. 8."
    MLBROKER.figure(number, f"{label} for growing data", agreement, reason)(build)


def _statements(part: str, costs: dict[str, Any]) -> list[Statement]:
    last = {name: values[-1] for name, values in costs.items()}
    note = listed(last, ".1f")
    if part == "transfer":
        most = max(map(max, costs.values()))
        risen = {name: values[-1] - values[0] for name, values in costs.items()}
        steep = min(risen.pop("central"), risen.pop("oasis"))
        return [
            Statement(
                "grows with the data, Central and OASiS most", steep > max(0, *risen.values()), note
            ),
            Statement("Local moves nothing", max(costs["local"]) <= ROUNDING * most),
        ]
    if part == "resource":
        least = min(last.values())
        return [
            Statement("OASiS pays least", last["oasis"] <= 1.001 * least, note),
            Statement(
                "Central pays less than mlBroker for small data",
                costs["central"][0] < costs[OURS][0],
            ),
            Statement(
                "mlBroker pays less than Local and Central for large data",
                last[OURS] < min(last["local"], last["central"]),
            ),
        ]
    if part == "deploy":
        swings = {name: max(v) / min(v) for name, v in costs.items() if min(v) > 0}
        words = f"largest over smallest: {listed(swings, '.2f')}"
        return [Statement("stays stable", all(v <= 1.5 for v in swings.values()), words)]
    below = last[OURS] <= min(last["local"], last["oasis"])
    return [Statement("mlBroker below Local and OASiS", below, note)]


_part(11, "transfer", "Transfer cost", Agreement.TREND, "values were not printed")
_part(
    12,
    "resource",
    "Resource cost",
    Agreement.NOT_REPRODUCED,
    "with the published ranges moving everything to the cheapest site is worth it",
)
_part(
    13,
    "deploy",
    "Deployment cost",
    Agreement.TREND,
    "up to a factor of 1.5; mlBroker's rounding spreads few workers over more sites",
)
_part(
    14,
    "sync",
    "Synchronisation cost",
    Agreement.NOT_REPRODUCED,
    "OASiS keeps workers beside their server and pays next to nothing",
)
