"""Worst cases found by the search and by draws alone, in the same CPU time, against floors.

``python -m benchmarks.bench_worst [--seconds S] [--seeds N] [ALGORITHM ...]``.  Every search runs
in a process of its own.  Draws are those of the kind's generator with other seeds, clipped to the
box of the search, and scored in the same way for as many CPU seconds as the search took.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import math
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from farkas.adversary.box import DRAWS, InstanceBox, entries
from farkas.adversary.scoring import Scorer
from farkas.adversary.shape import copied
from farkas.online.driver import algorithms
from farkas.verbs.worst import worst
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
        return InstanceBox.drawn(kind, size=self.size, ranges=self.ranges, algorithm=self.algorithm)

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
    Row("gadget.gadget", UNBOUNDED, {"slots": "lp_rs_mde", "fill": False}),
    Row("gadget.gadget", 1),
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
    """Score draws of the generator, clipped to the box of one of `ROWS`, for so many seconds."""
    row, end, best, count = ROWS[number], time.process_time() + seconds, -math.inf, 0
    kind, box = row.algorithm.partition(".")[0], row.box
    scorer = Scorer(algorithms[row.algorithm], row.options)
    for batch in itertools.count(1):
        others = InstanceBox.drawn(
            kind, size=row.size, ranges=row.ranges, algorithm=row.algorithm,
            seed=(1000 * seed + batch) * DRAWS,
        )  # fmt: skip
        for start in others.starts:
            data = copied(start)
            for family, holder, key in entries(data):
                holder[key] = box.ranges[family].clipped(holder[key])
            instance = box.built(data)
            if instance is None:
                continue
            scored, count = scorer.score(instance, best), count + 1
            best = max(best, -math.inf if scored is None else scored.height)
            if best == math.inf or time.process_time() >= end:
                ratio = "unbounded" if best == math.inf else f"{math.exp(best):.6g}"
                return {"draws": count, "ratio of draws": ratio}
    raise AssertionError("draws never end")


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
    parser.add_argument("algorithms", nargs="*")
    asked = parser.parse_args(words)
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(ROWS):
        if asked.algorithms and row.algorithm not in asked.algorithms:
            continue
        for seed in range(asked.seeds):
            found = apart(f"searched({number}, {seed}, {asked.seconds})")
            found |= apart(f"drawn({number}, {seed}, {found['CPU seconds']})")
            floor = "unbounded" if row.floor == UNBOUNDED else row.floor
            rows.append({"row": row.words, "seed": seed, "floor": floor, **found})
            print(
                f"{row.words}, seed {seed}: {found['ratio']} after {found['evaluations']} in"
                f" {found['CPU seconds']:.1f} CPU s ({'reached' if found['reached'] else 'MISSED'}"
                f" {floor}), draws {found['ratio of draws']} after {found['draws']}",
                flush=True,
            )
            keep("worst" if not asked.algorithms else "worst_some", {"rows": rows})


if __name__ == "__main__":
    main(*sys.argv[1:])
