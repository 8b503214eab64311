"""Clocks, and figures with their floors: printed, kept as JSON, compared with those kept before."""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import farkas.kernels
from farkas.instances import Instance
from farkas.instances.generate import generate

farkas.kernels.STEPS_INTERPRETED = -1  # machine code is measured, however short the work
Drawn = TypeVar("Drawn", bound=Instance)
RESULTS = Path(__file__).resolve().parent / "results"
WORSE = 1.2  #: Share of what was kept from which on a figure is told as worse.


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


def of_process(*words: str) -> float:
    """CPU seconds of a process that performs a command, start-up included."""
    call = "import sys; from farkas.cli import call; call(sys.argv[1:])"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", call, *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def machine() -> str:
    """Processor, cores and Python, as the name of a folder."""
    cores = os.cpu_count()
    return re.sub(r"[^A-Za-z0-9.]+", "-", f"{_processor()} {cores} cores python {_python()}")


def _processor() -> str:
    try:
        said = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        said = None
    return said[1].strip() if said else platform.processor() or platform.machine()


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])


@dataclasses.dataclass(frozen=True)
class Figure:
    """A number measured: smaller is better, unless it has a floor to reach from below."""

    #: value, unit: the number; "s" are CPU seconds, "x" a ratio.
    value: float
    unit: str = "s"
    #: most, least: floor: no more than that, or no less.
    most: float | None = None
    least: float | None = None

    @property
    def met(self) -> bool:
        """Whether it is within its floor."""
        over = self.most is not None and self.value > self.most
        return not over and (self.least is None or self.value >= self.least)

    def worsened(self, before: Figure) -> float:
        """How many times as bad as before."""
        old, new = before.value, self.value
        if self.least is not None:  # larger is better
            old, new = new, old
        return new / old if old > 0 else 1.0

    def __str__(self) -> str:
        floors = [
            f"{word} {floor:g}"
            for word, floor in (("at most", self.most), ("at least", self.least))
            if floor is not None
        ]
        floor = f"   floor: {floors[0]}{'' if self.met else ', MISSED'}" if floors else ""
        return f"{self.value:10.4g} {self.unit}{floor}"


class Figures:
    """Figures of one benchmark.

    Parameters
    ----------
    name
        Of the benchmark; its figures are kept in a file of that name, one folder a machine.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.figures: dict[str, Figure] = {}

    def add(
        self,
        what: str,
        value: float,
        unit: str = "s",
        *,
        most: float | None = None,
        least: float | None = None,
    ) -> float:
        """Print and remember a figure; returns its value."""
        figure = self.figures[what] = Figure(value, unit, most, least)
        print(f"  {what:58} {figure}", flush=True)
        return value

    def keep(self) -> Path:
        """Say what got worse since the file was written, and write it anew."""
        path = RESULTS / machine() / f"{self.name}.json"
        for line in self.worse(read(path)):
            print(f"  worse: {line}", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        plain = {what: dataclasses.asdict(figure) for what, figure in self.figures.items()}
        path.write_text(json.dumps(plain, indent=1) + "\n")
        return path

    def worse(self, before: dict[str, Figure]) -> list[str]:
        """Figures that are more than `WORSE` times as bad as they were, in words."""
        found = []
        for what, figure in self.figures.items():
            times = figure.worsened(before[what]) if what in before else 1.0
            if times > WORSE:
                was = f"was {before[what].value:.4g}"
                found.append(f"{what}: {figure.value:.4g} {figure.unit}, {was} ({times:.2f} times)")
        return found


def read(path: Path) -> dict[str, Figure]:
    """Figures of a file; none where there is no file."""
    if not path.is_file():
        return {}
    return {what: Figure(**fields) for what, fields in json.loads(path.read_text()).items()}


def keep(name: str, results: dict[str, Any]) -> Path:
    """Write further results as JSON next to the figures of this machine."""
    path = RESULTS / machine() / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
    return path
