"""Figures of the GADGET paper, at the published scale as far as it is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from farkas.experiments.figures.exhibit import (
    About,
    Agreement,
    Figure,
    Numbers,
    Paper,
    PaperValue,
    PlotAxis,
    Preset,
    Statement,
    by_name,
    mean_lines,
)
from farkas.experiments.figures.writing import measurement
from farkas.instances.gadget import Cluster
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.environment import received
from farkas.online.gadget.gadget import Gadget
from farkas.online.run import Run
from farkas.relaxations.gadget.slot_pricing import MOST_LABELS, priced_slot
from farkas.replay.base import decoded
from farkas.replay.gadget import Ring
from farkas.tolerances import ROUNDING, SOLVER_GAP

GADGET: Paper[Cluster] = Paper("gadget", "GADGET")
Rules = dict[str, tuple[str, dict[str, Any]]]
POLICIES: Rules = {
    "GADGET": ("gadget", {}),  # Algorithms 1 and 2, rounds repaired
    "columns, envelope gains": ("columns", {"gains": "envelope"}),
    "columns, printed gains": ("columns", {"gains": "printed"}),
    "FIFO": ("fifo", {}),
    "DRF": ("drf", {}),
    "LAS": ("las", {}),
}


BOUND = "proved bound"
WORKERS = ", workers a ring"
OVER = ", slots over a capacity"
SIZE: dict[str, Any] = {"num_servers": 6, "horizon": 10}  #: Of figures 5 to 7.
SLOTS: Rules = {
    "GADGET": ("gadget", {"rounding": "printed"}),
    "GADGET, repaired rounds": ("gadget", {}),
    "column slots": ("columns", {"fill": False}),
}


@GADGET.figure(
    4,
    "Total utility against the number of jobs",
    Agreement.NOT_REPRODUCED,
    "Algorithms 1 and 2 earn less than every baseline: their gains do not see what a sigmoid earns "
    "far from its bend; number of jobs and trace are not published",
)
def total_utility(preset: Preset, seed: int) -> Figure:
    """Total reward and its proved bound, sigmoid utilities, uniform arrivals.

    The published S = 50, T = 200 leave the cluster nearly idle below about 2000 jobs, so a smaller
    one (S = 6, T = 30) is shown; the full preset takes more jobs and seeds.  Beside the paper's
    algorithms stand slots by columns of rings, our own.
    """
    counts = [20, 40, 80, 120] if preset.full else [20, 40, 80]
    size = {"num_servers": 6, "horizon": 30}
    series = mean_lines(
        counts, preset.seeds(seed), lambda count, one: utilities(one, {**size, "num_jobs": count})
    )
    printed, envelope, filled, *rivals, bound = (line.y for line in series)
    others = [max(values) for values in zip(*rivals, strict=True)]
    shares = [a / b for a, b in zip(envelope, bound, strict=True)]
    return Figure(
        x=PlotAxis("jobs"),
        y=PlotAxis("total utility"),
        series=series,
        findings=[
            *_highest("GADGET", printed, others),
            *_highest("columns, envelope gains", envelope, others, "ours"),
            *_highest("columns, printed gains", filled, others, "ours"),
            Statement(
                "columns reach 95 % of the proved bound (envelope gains)",
                min(shares) >= 0.95,
                f"shares {_words(shares)}",
                "ours",
            ),
        ],
        caption=f"{described(size, counts, preset.seeds(seed), POLICIES)}; GADGET is Algorithms 1 "
        "and 2, rounds repaired; columns are our own slots",
    )


def _highest(
    who: str, values: Numbers, others: Numbers, about: About = "shape"
) -> tuple[Statement, Statement]:
    """Whether a line is above all baselines, and the more so the more jobs there are."""
    ahead = [a - b for a, b in zip(values, others, strict=True)]
    highest = all(a >= b * (1 - ROUNDING) for a, b in zip(values, others, strict=True))
    note = f"ahead by {', '.join(f'{gap:.0f}' for gap in ahead)}"
    return (
        Statement(f"{who} is highest", highest, note, about),
        Statement(f"{who}: the more so the more jobs", ahead[-1] > ahead[0], "", about),
    )


@measurement
def utilities(seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """Total reward of each of `POLICIES`, and the least of their proved bounds."""
    drawn = GADGET.draw(seed, **settings)
    runs = {name: GADGET.run(rule, drawn, **more) for name, (rule, more) in POLICIES.items()}
    bounds = (run.certificate.double("max") for run in runs.values() if run.certificate)
    return {**{name: run.value for name, run in runs.items()}, BOUND: min(filter(None, bounds))}


@measurement
def embedded(seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """Of each of `SLOTS` the share of embedded jobs, `share_over`, and the mean size of rings."""
    drawn = GADGET.draw(seed, **settings)
    found: dict[str, float] = {}
    for name, (rule, more) in SLOTS.items():
        run = GADGET.run(rule, drawn, **more)
        slots = decoded(run.decisions, list[list[Ring]])
        sizes = [ring.size for rings in slots for ring in rings]
        found[name + OVER] = share_over(run, slots)
        found[name] = embedded_share(drawn, slots)
        found[name + WORKERS] = sum(sizes) / max(1, len(sizes))
    return found


def embedded_share(one: Cluster, slots: Sequence[list[Ring]]) -> float:
    """Jobs that run over those that are active, on average over the slots where some are."""
    active = [one.active(t, z).sum() for t, z in enumerate(received(one, slots)[:-1])]
    return float(np.mean([len(rings) / n for rings, n in zip(slots, active, strict=True) if n]))


def share_over(run: Run, slots: Sequence[list[Ring]]) -> float:
    """Slots in which rings break a capacity over those that run rings."""
    over = {words.partition(":")[0] for words in run.violations if words.startswith("slot ")}
    return len(over) / max(1, sum(map(bool, slots)))


def capacities(lines: Mapping[str, Numbers]) -> tuple[Statement, str]:
    """Whether printed rounds keep capacities, and words for the caption."""
    shares = lines["GADGET" + OVER]
    note = f"broken in {_words(shares)} of the slots that run rings"
    kept = Statement("printed rounds keep all capacities", max(shares) == 0, note, "ours")
    return kept, f"capacities by printed rounds: {note}"


def described(settings: dict[str, Any], jobs: Sequence[int], seeds: range, rules: Rules) -> str:
    """Say which algorithms ran and on what, beside what the paper did."""
    one = GADGET.draw(seeds[0], **settings, num_jobs=jobs[0])
    kinds = sorted({str(msgspec.to_builtins(job.utility)["kind"]) for job in one.jobs})
    lines = [
        f"{name}: gadget.{rule} {', '.join(f'{k}={v}' for k, v in more.items())}".rstrip()
        for name, (rule, more) in rules.items()
    ]
    return (
        f"{int(one.is_server.sum())} servers (published 50), {one.horizon} slots (200), "
        f"{', '.join(map(str, jobs))} jobs (not published), {len(seeds)} instances from seed "
        f"{seeds[0]} (3 trials in Figs. 5, 6), utilities: {', '.join(kinds)} (sigmoid). "
        f"{'; '.join(lines)}; up to {Gadget.rounds} rounds (u_b is not published); linear programs "
        "by HiGHS (Gurobi for the optimum of Fig. 7). The trace's arrivals are not published"
    )


def unit_sweep(
    field: str, units: Sequence[float], preset: Preset, seed: int, jobs: int, **more: Any
) -> Figure:
    """Share of embedded jobs for every multiple of a capacity, with sigmoids, all jobs at once."""
    settings: dict[str, Any] = {**SIZE, "arrivals": "start", **more}
    seeds = preset.seeds(seed)
    lines = mean_lines(
        units, seeds, lambda unit, one: embedded(one, settings | {"num_jobs": jobs, field: unit})
    )
    found = by_name(lines)
    findings = [
        Statement(
            f"{name} rises with the units",
            found[name][-1] > found[name][0] + 0.01,
            f"{_words(found[name])}; workers a ring {_words(found[name + WORKERS])}",
            "shape" if name == "GADGET" else "ours",
        )
        for name in SLOTS
    ]
    kept, words = capacities(found)
    return Figure(
        x=PlotAxis("multiple of the published capacity", log=field == "link_scale"),
        y=PlotAxis("embedded jobs / active jobs, mean of slots"),
        series=[line for line in lines if line.name in SLOTS],
        findings=[*findings, kept],
        caption=f"{described(settings, [jobs], seeds, SLOTS)}; {words}",
    )


@GADGET.figure(
    5,
    "Embedded jobs against node resources",
    Agreement.NOT_REPRODUCED,
    "Algorithm 2 embeds the few jobs whose first gain a double shows, whatever the GPUs; units, "
    "loads and trials are not published",
)
def embedded_by_node_units(preset: Preset, seed: int) -> Figure:
    """Share of active jobs embedded, on average over slots, all GPUs multiplied."""
    return unit_sweep("server_scale", [1.0, 2.0, 3.0, 4.0], preset, seed, 40)


@GADGET.figure(
    6,
    "Embedded jobs against edge resources",
    Agreement.NOT_REPRODUCED,
    "published links never fill up; where they do, wider links let larger rings displace jobs",
)
def embedded_by_link_units(preset: Preset, seed: int) -> Figure:
    """Share of active jobs embedded, on average over slots, all links multiplied.

    Servers of one or two GPUs and rings of two to five workers, so that rings leave their servers.
    """
    units = [0.005, 0.01, 0.02, 0.05, 0.1, 1.0]
    return unit_sweep("link_scale", units, preset, seed, 20, gpus=[1, 2], max_workers=[2, 5])


@GADGET.figure(
    7,
    "Slot value over the optimum",
    Agreement.NOT_REPRODUCED,
    "printed rounds break capacities and reach the proved bound on the optimum, above the print; "
    "numbers of jobs and of rounds are not published",
)
def slot_ratio(preset: Preset, seed: int) -> Figure:
    """Gains of all slots of a run over the sum of their proved bounds, sigmoid utilities."""
    counts = [20, 30, 40, 50] if preset.full else [20, 30, 40]
    seeds = preset.seeds(seed)
    lines = mean_lines(
        counts, seeds, lambda count, one: shares_of_slots(one, {**SIZE, "num_jobs": count})
    )
    found = by_name(lines)
    rounding, repaired, columns = (found[name] for name in SLOTS)
    kept, words = capacities(found)
    return Figure(
        x=PlotAxis("jobs"),
        y=PlotAxis("value of slots over their proved bounds"),
        series=[line for line in lines if line.name in SLOTS],
        published=[
            PaperValue("0.6 (Fig. 7, lowest)", 0.6),
            PaperValue("0.8 (Fig. 7, highest)", 0.8),
        ],
        findings=[
            Statement("GADGET reaches 60 %", min(rounding) >= 0.6, _words(rounding), "value"),
            Statement("GADGET is at most 80 %", max(rounding) <= 0.8, _words(rounding), "value"),
            Statement("repaired rounds reach 60 %", min(repaired) >= 0.6, _words(repaired), "ours"),
            Statement(
                "column slots are better", min(columns) >= max(repaired), _words(columns), "ours"
            ),
            kept,
        ],
        caption=f"{described(SIZE, counts, seeds, SLOTS)}; {words}",
    )


@measurement
def shares_of_slots(seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """Gains of slots of `SLOTS` over proved bounds at their own progress, and `share_over`."""
    drawn = GADGET.draw(seed, **settings)
    found: dict[str, float] = {}
    for name, (rule, more) in SLOTS.items():
        run = GADGET.run(rule, drawn, **more)
        decisions = decoded(run.decisions, list[list[Ring]])
        found[name + OVER] = share_over(run, decisions)
        before = received(drawn, decisions)
        slots = [snapshot(drawn, t, before[t]) for t in range(drawn.horizon)]
        bounds = [priced_slot(slot, SOLVER_GAP, MOST_LABELS)[1].bound for slot in slots]
        sizes = np.diff(before, axis=0).astype(np.int64)
        gains = [slot.value(size) for slot, size in zip(slots, sizes, strict=True)]
        found[name] = sum(gains) / sum(bounds) if sum(bounds) else np.nan
    return found


def _words(values: Numbers) -> str:
    return ", ".join(f"{value:.3f}" for value in values)
