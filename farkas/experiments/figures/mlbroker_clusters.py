"""Figures 15 to 17 and Tables 3 to 5 of mlBroker: three clusters of one instance type.

The paper ran real clusters.  Here a stand-in is simulated: three sites, ten slots of an hour, 20
jobs of 3 to 8 slots drawn from Table 3, one resource (instances at 3.06 USD an hour), one instance
a worker and one a server.  Unpublished, hence chosen: ImageNet has 138 GB, a slot brings 20 to
100 %; a worker trains 16 to 66 GB an hour; traffic is proportional to the model, 82.8 GB for the
largest; images have 2 to 15 GB; discounts of 20 to 30 % count from 8 to 16 instances on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.experiments.figures.exhibit import (
    FEW,
    About,
    Agreement,
    Figure,
    PaperValue,
    PlotAxis,
    Preset,
    Statement,
    Table,
    half_width,
    mean_series,
)
from farkas.experiments.figures.mlbroker_ratios import LINES, MLBROKER, REPAIRED, solved
from farkas.experiments.figures.writing import measurement
from farkas.instances.mlbroker import Brokerage
from farkas.instances.variates import dirichlet
from farkas.portable_functions import uniform

#: Parameters in millions and batch size; Table 3.
MODELS = {
    "AlexNet": (61.1, 128),
    "VGG-16": (138.0, 64),
    "VGG-19": (143.0, 64),
    "Inception-V3": (27.0, 128),
    "ResNet-152": (60.2, 128),
}

RATE = "paid share of the list price"
MEANS = "means over instances, ± half of the 95 % t interval"
PRICE = 3.06
IMAGENET = 138.0
LARGEST_SYNC = 82.8

#: Cost 1 to 4 and overall cost, USD; Table 4.
COSTS = {
    "mlbroker": (2.8, 1018.3, 14.5, 34.5, 1070.1),
    "local": (0.0, 1253.8, 13.2, 119.1, 1386.1),
    "central": (3.9, 1083.5, 12.4, 0.0, 1099.8),
    "oasis": (3.2, 1129.3, 17.8, 50.7, 1201.0),
}

#: Running time in hours, discount rate, resource cost in USD; Table 5.
RESOURCES = {
    "mlbroker": (392.2, 0.85, 1018.3),
    "local": (417.7, 0.98, 1253.8),
    "central": (388.6, 0.91, 1083.5),
    "oasis": (396.7, 0.93, 1129.3),
}


#: Algorithms by the names of rows; those that are printed, and the repair.
RUN = {**{name: name for name in COSTS}, f"mlbroker, {REPAIRED}": f"mlbroker{LINES[REPAIRED][1]}"}


def clusters(seed: int) -> Brokerage:
    """Draw the stand-in."""
    rng = np.random.default_rng(seed)
    sites, slots = 3, 10
    names = list(MODELS)
    jobs: list[dict[str, Any]] = []
    for index in range(20):
        name = names[rng.integers(len(names))]
        arrival = int(rng.integers(slots))
        departure = min(arrival + int(rng.integers(3, 9)), slots) - 1
        window = departure - arrival + 1
        volume = (
            IMAGENET * uniform(rng, 0.2, 1.0, (window, 1)) * dirichlet(rng, 1.0, (window, sites))
        )
        jobs.append(
            {
                "name": f"{name} {index}",
                "arrival": arrival,
                "departure": departure,
                "worker_capacity": uniform(rng, 16, 66),
                "worker_demand": [1.0],
                "server_demand": [1.0],
                "sync_volume": LARGEST_SYNC * MODELS[name][0] / 143.0,
                "deploy_cost": uniform(rng, 0.05, 0.1) * uniform(rng, 2, 15),
                "data": volume,
            }
        )
    return Brokerage.build(
        name=f"clusters-{seed}",
        seed=seed,
        num_sites=sites,
        num_slots=slots,
        num_resources=1,
        transfer_price=0.02 * (1 - np.eye(sites)),
        base_price=np.full((sites, 1), PRICE),
        discount_price=PRICE * uniform(rng, 0.7, 0.8, (sites, 1)),
        discount_threshold=uniform(rng, 8, 16, (sites, 1)),
        epsilon=0.1,
        jobs=jobs,
    )


def measured(preset: Preset, seed: int) -> dict[str, np.ndarray]:
    """Cost 1 to 4, total, instance-hours and discount rate by algorithm; (instances, 7) each."""
    seeds = preset.seeds(seed)
    return {name: np.array([in_clusters(name, one) for one in seeds]) for name in RUN}


@measurement
def in_clusters(name: str, seed: int) -> list[float]:
    """Cost 1 to 4, total, instance-hours and discount rate of an algorithm in the stand-in."""
    instance = clusters(seed)
    run = MLBROKER.run(RUN[name], instance, seed)
    parts = [sum(s[part] for s in run.costs) for part in ("transfer", "resource", "deploy", "sync")]
    hours = float(sum(np.sum(one["workers"]) + len(one["server"]) for one in run.decisions))
    return [*parts, run.value, hours, parts[1] / (PRICE * hours)]


@MLBROKER.table(
    3,
    "Jobs of the cluster experiment",
    Agreement.REPRODUCED,
    "an input, taken over; the last column is ours",
)
def models(preset: Preset, seed: int) -> Table:
    """Models with the traffic that the stand-in gives them."""
    rows = [
        (n, p, "ImageNet-12", b, round(LARGEST_SYNC * p / 143.0, 1)) for n, (p, b) in MODELS.items()
    ]
    return Table(
        columns=[
            PlotAxis("model"),
            PlotAxis("parameters", "million"),
            PlotAxis("dataset"),
            PlotAxis("batch"),
            PlotAxis("traffic a worker and slot", "GB"),
        ],
        rows=rows,
        published=[(*row[:4], None) for row in rows],
        findings=[Statement("an input, taken over as printed", True, about="value")],
    )


@MLBROKER.table(
    4,
    "Costs on three clusters",
    Agreement.NOT_REPRODUCED,
    "the paper measured real clusters, the stand-in counts",
)
def parts_of_the_cost(preset: Preset, seed: int) -> Table:
    """Parts of the cost by algorithm in the stand-in, means over instances, every re-entry paid."""
    found = measured(preset, seed)
    heads = ["transfer (Cost 1)", "resource (Cost 2)", "deployment (Cost 3)", "traffic (Cost 4)"]
    saving = 1 - COSTS["mlbroker"][4] / COSTS["central"][4]
    sums = all(abs(sum(row[:4]) - row[4]) <= 0.11 for row in COSTS.values())
    mean = {name: values.mean(axis=0) for name, values in found.items()}
    printed = {name: mean[name] for name in COSTS}
    ours = {name: float(values[4]) for name, values in printed.items()}
    ours_saves = 1 - ours["mlbroker"] / ours["central"]
    return Table(
        columns=[
            PlotAxis("algorithm"),
            *(PlotAxis(h, "USD") for h in heads),
            PlotAxis("overall", "USD"),
            PlotAxis("±", "USD"),
        ],
        rows=[
            (name, *(round(float(v), 1) for v in mean[name][:5]), _half(found[name][:, 4]))
            for name in RUN
        ],
        published=[(name, *row, None) for name, row in COSTS.items()],
        findings=[
            Statement("mlBroker is cheapest", min(ours, key=lambda n: ours[n]) == "mlbroker"),
            Statement("the resource cost is the largest part", _always(np.argmax, printed, 1)),
            Statement("the transfer cost is the smallest part", _always(np.argmin, printed, 0)),
            saves("mlBroker saves 20 to 50 % over Central", ours_saves, "shape"),
            Statement("printed parts add up to the printed total", sums, about="ours"),
            saves("printed saving over Central is 20 to 50 %", saving, "ours"),
        ],
        caption=f"published values below ours; {MEANS}; {solved(clusters(seed))}",
    )


def saves(statement: str, share: float, about: About) -> Statement:
    """Whether a saving is one of 20 to 50 %, as the text says."""
    return Statement(statement, 0.2 <= share <= 0.5, f"{share:.1%}", about)


def _half(values: np.ndarray) -> float | None:
    return round(float(half_width(values[:, None])[0]), 1) if len(values) >= FEW else None


def _always(which: Callable[..., Any], found: dict[str, np.ndarray], part: int) -> bool:
    """Whether a part of the cost is the largest, or the smallest, of every algorithm."""
    return all(int(which(values[:4])) == part for values in found.values())


@MLBROKER.table(
    5,
    "Parts of the resource cost on three clusters",
    Agreement.NOT_REPRODUCED,
    "hours are counted, not measured",
)
def resource_parts(preset: Preset, seed: int) -> Table:
    """Instance-hours, share of the list price that was paid, and resource cost in the stand-in."""
    found = measured(preset, seed)
    mean = {name: values.mean(axis=0) for name, values in found.items()}
    # A rate printed as 0.85 lies between 0.845 and 0.855.
    consistent = all(
        abs(t * rate * PRICE - cost) <= 0.0055 * t * PRICE for t, rate, cost in RESOURCES.values()
    )
    rounded = {name: (round(v[5], 1), round(v[6], 3), round(v[1], 1)) for name, v in mean.items()}
    rows = [
        (name, *map(float, values), _half(found[name][:, 1])) for name, values in rounded.items()
    ]
    least = [min(COSTS, key=lambda name: rounded[name][at]) for at in range(3)]
    return Table(
        columns=[
            PlotAxis("algorithm"),
            PlotAxis("instance-hours", "h"),
            PlotAxis(RATE),
            PlotAxis("resource cost", "USD"),
            PlotAxis("±", "USD"),
        ],
        rows=rows,
        published=[(name, *row, None) for name, row in RESOURCES.items()],
        findings=[
            Statement(
                "printed time x rate x 3.06 = printed cost",
                consistent,
                "to the printed digits",
                "ours",
            ),
            Statement("Central runs shortest", least[0] == "central"),
            Statement("mlBroker gets the largest discount", least[1] == "mlbroker"),
            Statement("mlBroker has the smallest resource cost", least[2] == "mlbroker"),
        ],
        caption=f"published values below ours; {MEANS}; {solved(clusters(seed))}",
    )


def _bars(
    number: int,
    title: str,
    axis: PlotAxis,
    column: int,
    published: dict[str, float],
    agreement: Agreement,
    reason: str,
) -> None:
    """Register a bar chart of one column of `measured`."""

    def build(preset: Preset, seed: int) -> Figure:
        found = measured(preset, seed)
        every = np.column_stack([found[name][:, column] for name in RUN])
        bars = mean_series("stand-in", list(RUN), every, "bar")
        values = dict(zip(RUN, bars.y, strict=True))
        least = min(published, key=lambda name: published[name])
        ours = min(COSTS, key=lambda name: values[name])
        return Figure(
            x=PlotAxis("algorithm"),
            y=axis,
            series=[bars],
            published=[PaperValue(f"Fig. {number}", list(published.values()), list(published))],
            findings=[Statement(f"{least} is least, as printed", ours == least, f"least: {ours}")],
            caption=f"the instances of Table 4; {solved(clusters(seed))}",
        )

    build.__doc__ = f"{title} by algorithm in the stand-in of Tables 3 to 5."
    MLBROKER.figure(number, title, agreement, reason)(build)


NOT, TREND = Agreement.NOT_REPRODUCED, Agreement.TREND
COST, TIME, PAID = PlotAxis("cost", "USD"), PlotAxis("instance-hours", "h"), PlotAxis(RATE)
REAL = "measured on real clusters, counted in the stand-in"
RENTED = "times were measured, rented hours are counted; waiting for traffic is not modelled"
SILENT = "discounts and thresholds of the experiment were not published"
TOTALS, HOURS, RATES = (
    {name: row[at] for name, row in printed.items()}
    for printed, at in ((COSTS, 4), (RESOURCES, 0), (RESOURCES, 1))
)
_bars(15, "Overall cost on three clusters", COST, 4, TOTALS, NOT, REAL)
_bars(16, "Running time on three clusters", TIME, 5, HOURS, TREND, RENTED)
_bars(17, "Discount rate on three clusters", PAID, 6, RATES, NOT, SILENT)
