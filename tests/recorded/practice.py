"""Policies on public traces in ``docs/ledger/practice.json``: what the pages advise from.

The tables are not shipped; they are read from ``../shared/data`` beside the checkout.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import farkas
from farkas.online.run import ratio_to
from tests.tools.shared import ROOT, SHARED

PATH = ROOT / "docs" / "ledger" / "practice.json"
DATA = SHARED / "data"

Entry = dict[str, Any]
Rules = Mapping[str, tuple[str, dict[str, Any]]]

STARTS = [{"start": f"2017-{day} 08:00"} for day in ("10-10", "10-25", "11-15")]
SETTINGS: dict[str, dict[str, Any]] = {
    "mlbroker": {"slots": 12, "jobs": 10, "sites": 4},
    "eris": {"slots": 48, "jobs": 100, "sites": 6, "scale": 0.05},
    "gadget": {"slots": 12, "jobs": 80, "servers": 8},
    "coded": {},
    "dps": {"slots": 2016},
}
"""How every window of a kind is imported, beside where it begins (or the seed)."""

RULES: dict[str, Rules] = {
    "mlbroker": {
        "mlbroker": ("mlbroker", {}),
        "mlbroker, combine=round2": ("mlbroker", {"combine": "round2"}),
        "ir": ("ir", {}),
        "gr": ("gr", {}),
        "central": ("central", {}),
        "oasis": ("oasis", {}),
        "local": ("local", {}),
    },
    "eris": {
        "eris": ("eris", {}),
        "eris, price_floor=0.5": ("eris", {"price_floor": 0.5}),
        "tiresias": ("tiresias", {}),
        "antman": ("antman", {}),
        "liquid": ("liquid", {}),
    },
    "gadget": {
        "columns": ("columns", {}),
        "gadget, rounds=1000": ("gadget", {"rounds": 1000}),
        **{name: (name, {}) for name in ("las", "drf", "fifo")},
    },
    "coded": {
        name: (name, {})
        for name in ("iterated_greedy", "expected", "simple_greedy", "uniform", "uncoded")
    },
    "dps": {
        "dps": ("dps", {}),
        "dps, explore_cap=0.112": ("dps", {}),
        "dps_pairs": ("dps_pairs", {}),
        "simple": ("simple", {}),
        "top": ("top", {}),
        "random": ("random", {}),
    },
}
"""The paper's own algorithm first."""

IN_TIME: Rules = {"chance_search": ("chance_search", {})}
"""Of kind coded, for the time by which all masters have their rows with the wanted probability."""

CHANGES: dict[str, dict[str, Any]] = {"dps, explore_cap=0.112": {"dps": {"explore_cap": 0.112}}}
"""What a rule changes in the instance itself."""


def path_of(kind: str) -> Path:
    """Table that the instances of a kind are imported from."""
    if kind == "coded":
        return DATA / "gavel" / "simulation_throughputs.json"
    return DATA / "philly" / "philly.csv"


def windows(kind: str) -> list[dict[str, Any]]:
    """Options of the windows of a kind."""
    return [{"seed": seed} for seed in range(3)] if kind == "coded" else STARTS


def kept() -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = json.loads(PATH.read_text())
    return found


def measured(kind: str, window: dict[str, Any]) -> Entry:
    """Value and certified ratio of every rule on one window, against the best of their bounds."""
    trace = "gavel" if kind == "coded" else "philly"
    more = {"prices": str(DATA / "prices" / "gpu_prices.csv")} if kind == "mlbroker" else {}
    imported = farkas.import_trace(trace, path_of(kind), kind, **SETTINGS[kind], **window, **more)
    instance = imported.instance
    runs = {
        rule: farkas.run(instance.replace(**CHANGES.get(rule, {})), f"{kind}.{name}", **options)
        for rule, (name, options) in RULES[kind].items()
    }
    sense = next(iter(runs.values())).sense
    bounds = [run.certificate for run in runs.values() if run.certificate is not None]
    best = (max if sense == "min" else min)(bounds, key=lambda bound: bound.fraction)
    # plans that dedicate workers have a bound of their own, markets the same for all
    if kind in ("coded", "dps"):
        best = None
    rows = []
    for rule, run in runs.items():
        ratio = run.ratio if best is None else ratio_to(run, instance, best)
        value = None if run.violations or not math.isfinite(run.value) else run.value
        rows.append({"rule": rule, "value": value, "ratio": ratio})
        if kind == "coded":
            rows[-1]["finish"] = run.numbers["recoverable_together"]
    entry = {"window": window, "jobs": imported.kept, "sense": sense, "rules": rows}
    if kind == "coded":
        entry["in_time"] = [
            {"rule": rule, "value": run.value, "ratio": run.ratio}
            for rule, (name, options) in IN_TIME.items()
            for run in [farkas.run(instance, f"coded.{name}", **options)]
        ]
    return entry


def renew() -> str:
    """Measure and write everything; says so."""
    found = {kind: [measured(kind, window) for window in windows(kind)] for kind in SETTINGS}
    PATH.write_text(json.dumps(found, indent=1) + "\n")
    return f"practice: {PATH.relative_to(ROOT)} written"


def differences(before: Entry, now: Entry) -> Iterator[str]:
    """Rules whose numbers are not the kept ones; floats differ from CPU to CPU."""
    rows = [entry["rules"] + entry.get("in_time", []) for entry in (before, now)]
    for said, found in zip(*rows, strict=True):
        for part in ("value", "ratio", "finish"):
            pair = said.get(part), found.get(part)
            same = pair == (None, None)
            if None not in pair:
                same = math.isclose(*pair, rel_tol=1e-4)
            if said["rule"] != found["rule"] or not same:
                yield f"{found['rule']}: {part} {pair[0]} -> {pair[1]}"
