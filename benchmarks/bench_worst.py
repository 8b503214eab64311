"""Worst cases found by the search and by draws alone, in the same CPU time, against floors.

``python -m benchmarks.bench_worst [--seconds S] [--seeds N] [ALGORITHM ...]``.  Every search runs
in a process of its own.  Random instances of the same box are scored in the same way for as many
CPU seconds as the search took (``--no-draws`` leaves them out), see `worst_drawn`.  A floor is
reached where all seeds reach it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from farkas.adversary.scoring import Scorer
from farkas.adversary.shape import InstanceBox
from farkas.api.worst import worst
from farkas.online.driver import algorithms
from tests.recorded.worst import worst_drawn
from tests.tools.shared import ROOT

UNBOUNDED = math.inf


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """An algorithm in a box, and the ratio that a search is to reach there in 60 CPU seconds."""

    algorithm: str
    floor: float
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    size: Mapping[str, int] = dataclasses.field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)

    @property
    def box(self) -> InstanceBox:
        """The instances."""
        kind = self.algorithm.partition(".")[0]
        return InstanceBox.drawn(kind, size=self.size, ranges=self.ranges)

    @property
    def words(self) -> str:
        """What the command line is told."""
        parts = [self.algorithm, *(f"{name}={value}" for name, value in self.options.items())]
        parts += [f"{word}={count}" for word, count in self.size.items()]
        parts += [f"{name}={low:g}..{high:g}" for name, (low, high) in self.ranges.items()]
        return " ".join(parts)


FOUR = {"servers": 4, "jobs": 4}
RATES = {"rate": (1.0, 1000.0)}
ROWS = (
    Row("eris.eris", 500, ranges={"worth": (1.0, 1000.0)}),
    Row("eris.eris", 100, {"scheduler": "printed"}, {"sites": 3}),
    Row("coded.simple_greedy", 100, ranges=RATES),
    Row("coded.iterated_greedy", 100, ranges=RATES),
    Row("coded.iterated_greedy", 1e6, ranges={"rate": (0.0, 1000.0)}),
    Row("coded.iterated_greedy", UNBOUNDED, size={"masters": 3}),
    Row("gadget.gadget", UNBOUNDED),
    Row("gadget.columns", 1),
    *(Row(f"gadget.{name}", 10, size=FOUR) for name in ("fifo", "las", "drf")),
    *(Row(f"mlbroker.{name}", 5) for name in ("mlbroker", "gr", "ir")),
    Row("mlbroker.local", 20),
    *(Row(f"mlbroker.{name}", 2) for name in ("oasis", "central")),
    *(Row(f"dps.{name}", 10) for name in ("fixed_price", "simple", "dps")),
)


def searched(number: int, seed: int, seconds: float) -> dict[str, Any]:
    """Search the box of one of `ROWS`."""
    row = ROWS[number]
    found = worst(
        row.algorithm,
        size=row.size,
        ranges=row.ranges,
        seconds=seconds,
        seed=seed,
        settings=row.options,
    )
    return {
        "ratio": found.ratio_words,
        "evaluations": found.evaluations,
        "CPU seconds": found.seconds,
        "shrunk": found.is_shrunk,
        "instance": found.gap.instance,
        "reached": found.ratio is None or found.ratio >= row.floor,
    }


def drawn(number: int, seed: int, seconds: float) -> dict[str, Any]:
    """Score random instances of the box of one of `ROWS`, for so many CPU seconds."""
    row, box = ROWS[number], ROWS[number].box
    scorer = Scorer(algorithms[row.algorithm], row.options)
    best = worst_drawn(
        box, scorer, size=row.size, ranges=row.ranges, seconds=seconds, seed=1000 * (seed + 1)
    )
    ratio = None if best is None else best.ratio
    words = "none" if best is None else "unbounded" if ratio is None else f"{float(ratio):.6g}"
    return {"draws": scorer.evaluations, "ratio of draws": words}


def apart(call: str) -> dict[str, Any]:
    """Call a function of this module in a process of its own."""
    code = f"import json, benchmarks.bench_worst as b; print(json.dumps(b.{call}))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(*words: str) -> None:
    """Measure and keep."""
    from benchmarks.measure import keep  # which has everything compiled, unlike the command

    parser = argparse.ArgumentParser(prog="bench_worst")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--no-draws", action="store_true")
    parser.add_argument("algorithms", nargs="*")
    asked = parser.parse_args(words)
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(ROWS):
        if asked.algorithms and row.algorithm not in asked.algorithms:
            continue
        for seed in range(asked.seeds):
            found = apart(f"searched({number}, {seed}, {asked.seconds})")
            if not asked.no_draws:
                found |= apart(f"drawn({number}, {seed}, {found['CPU seconds']})")
            floor = "unbounded" if row.floor == UNBOUNDED else row.floor
            rows.append({"row": row.words, "seed": seed, "floor": floor, **found})
            print(
                f"{row.words}, seed {seed}: {found['ratio']} after {found['evaluations']} in"
                f" {found['CPU seconds']:.1f} CPU s ({'reached' if found['reached'] else 'MISSED'}"
                f" {floor}), draws {found.get('ratio of draws', 'none')}"
                f" after {found.get('draws', 0)}",
                flush=True,
            )
            keep("worst" if not asked.algorithms else "worst_some", {"rows": rows})


if __name__ == "__main__":
    main(*sys.argv[1:])
