"""Figures 8 and 11 to 14 of mlBroker: costs and their parts for growing data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.exhibit import (
    Agreement,
    Figure,
    Numbers,
    PlotAxis,
    Preset,
    Series,
    Statement,
    by_name,
    listed,
    mean_lines,
)
from farkas.experiments.figures.mlbroker_ratios import BOUND, LINES, MLBROKER, about, ran
from farkas.experiments.figures.writing import measurement
from farkas.online.mlbroker.environment import tight_bound
from farkas.tolerances import ROUNDING

RIVALS = ("local", "central", "oasis")
PARTS = ("transfer", "resource", "deploy", "sync")
GIGABYTES = PlotAxis("data per job and slot", "GB")
VOLUMES = [100.0, 300.0, 500.0, 700.0]


def size_of(preset: Preset) -> dict[str, Any]:
    """Return settings that make a broker small enough for its preset."""
    return {"num_slots": 8} if preset.full else {"num_slots": 3, "num_sites": 4}


@measurement
def costs_at(seed: int, settings: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Total cost and its parts by algorithm, USD; of `BOUND` the proved tight bound as a total."""
    drawn = MLBROKER.draw(seed, **settings)
    found, ours = {}, {line: f"mlbroker{variant}" for line, (_, variant) in LINES.items()}
    for name in names:
        if name == BOUND:
            found[name] = {"total": float(tight_bound(drawn))}
            continue
        options: dict[str, Any] = {"gap": 1e-4} if name == "oasis" else {}
        run = MLBROKER.run(ours.get(name, name), drawn, seed, **options)
        parts = {part: float(sum(slot[part] for slot in run.costs)) for part in PARTS}
        found[name] = {"total": run.value, **parts}
    return found


def by_volume(preset: Preset, seed: int, part: str) -> list[Series]:
    """Lines of one part of the cost for growing data; Figs. 8 and 11 to 14 share the runs."""
    volumes = VOLUMES if preset.full else [VOLUMES[0], VOLUMES[-1]]

    def measure(volume: float, one: int) -> dict[str, float]:
        settings = size_of(preset) | {"data_volume": volume}
        found = costs_at(one, settings, [*LINES, *RIVALS, BOUND])
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
    totals, findings = by_name(series), []
    for line in LINES:
        over = {name: totals[name][-1] / totals[line][-1] for name in RIVALS}
        cheapest = all((np.array(totals[line]) <= totals[name]).all() for name in RIVALS)
        note = f"at the largest size, over mlBroker's cost: {listed(over, '.3f')}"
        findings += about(line, Statement("mlBroker is cheapest", cheapest, note))
    local, central = totals["local"], totals["central"]
    return Figure(
        x=GIGABYTES,
        y=PlotAxis("cost", "USD"),
        series=series,
        findings=[
            *findings,
            Statement("Central wins for small data", central[0] < local[0]),
            Statement("Local wins for large data", local[-1] < central[-1]),
        ],
        caption=said(preset, seed),
    )


def said(preset: Preset, seed: int) -> str:
    """Say what was run for Figs. 8 and 11 to 14."""
    volumes = {"data_volume": VOLUMES, **size_of(preset)}
    return ran(preset, seed, volumes, "; every re-entry paid, OASiS to a gap of 1e-4")


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
        found = costs_at(one, size_of(preset) | settings, ["local", "central"])
        return {"Local / Central": found["local"]["total"] / found["central"]["total"]}

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
        series, findings = by_volume(preset, seed, part), []
        values = by_name(series)
        for line in LINES:
            costs = {name: values[name] for name in (line, *RIVALS)}
            findings += about(line, *_statements(part, costs, line))
        caption = f"the runs of Fig. 8: {said(preset, seed)}"
        return Figure(
            x=GIGABYTES,
            y=PlotAxis(label, "USD"),
            series=series,
            findings=findings,
            caption=caption,
        )

    build.__doc__ = f"{label} by algorithm for growing data, from the runs of Fig. 8."
    MLBROKER.figure(number, f"{label} for growing data", agreement, reason)(build)


def _statements(part: str, costs: Mapping[str, Any], ours: str) -> list[Statement]:
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
                costs["central"][0] < costs[ours][0],
            ),
            Statement(
                "mlBroker pays less than Local and Central for large data",
                last[ours] < min(last["local"], last["central"]),
            ),
        ]
    if part == "deploy":
        swings = {name: max(v) / min(v) for name, v in costs.items() if min(v) > 0}
        words = f"largest over smallest: {listed(swings, '.2f')}"
        return [Statement("stays stable", all(v <= 1.5 for v in swings.values()), words)]
    below = last[ours] <= min(last["local"], last["oasis"])
    return [Statement("mlBroker below Local and OASiS", below, note)]


NOT, TREND = Agreement.NOT_REPRODUCED, Agreement.TREND
CHEAPEST = "with the published ranges moving everything to the cheapest site is worth it"
SPREAD = "up to a factor of 1.5; mlBroker's rounding spreads few workers over more sites"
BESIDE = "OASiS keeps workers beside their server and pays next to nothing"
_part(11, "transfer", "Transfer cost", TREND, "values were not printed")
_part(12, "resource", "Resource cost", NOT, CHEAPEST)
_part(13, "deploy", "Deployment cost", TREND, SPREAD)
_part(14, "sync", "Synchronisation cost", NOT, BESIDE)
