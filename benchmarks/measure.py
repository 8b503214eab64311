"""Clocks and the file that keeps results."""

from __future__ import annotations

import gc
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import farkas.compiled
from farkas.instances import Instance
from farkas.instances.generate import generate

farkas.compiled.STEPS_INTERPRETED = -1  # machine code is measured, however short the work
Drawn = TypeVar("Drawn", bound=Instance)
RESULTS = Path(__file__).resolve().parent / "results"


def drawn(of: type[Drawn], preset: str = "published", seed: int = 1, **settings: Any) -> Drawn:
    """Instance of a class by the settings of its kind."""
    found = generate(str(of.__struct_config__.tag), preset, seed, **settings)
    assert isinstance(found, of)
    return found


def fastest(work: Callable[[], Any], repeats: int = 7) -> float:
    """Shortest CPU time of several calls, seconds: what the machine needs when nobody disturbs."""
    return side_by_side({"only": work}, repeats)["only"]


def side_by_side(works: dict[str, Callable[[], Any]], repeats: int = 7) -> dict[str, float]:
    """Shortest CPU time of each, called in turn so that all see the same machine; seconds."""
    best = dict.fromkeys(works, float("inf"))
    gc.collect()
    for _ in range(repeats):
        for name, work in works.items():
            start = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - start)
    return best


def keep(name: str, results: dict[str, Any]) -> Path:
    """Write results as JSON next to the benchmarks."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    where = {"machine": platform.machine(), "python": platform.python_version()}
    path.write_text(json.dumps({**where, **results}, indent=2) + "\n")
    return path
