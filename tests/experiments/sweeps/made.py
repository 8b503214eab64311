"""Configurations, requests and results that several tests of sweeps make."""

from __future__ import annotations

import textwrap
from pathlib import Path

import msgspec

from farkas.experiments.figures import Figure
from farkas.experiments.plotting import charts_of
from farkas.experiments.sweeps import Result, Task
from farkas.instances.generate import generate
from farkas.online import Run, algorithms

LOCAL = 'name = "mlbroker.local"'


def written(folder: Path, *, count: int = 6, more: str = "", algorithm: str = LOCAL) -> Path:
    path = folder / "sweep.toml"
    path.write_text(
        textwrap.dedent(f"""
        name = "test"
        {more}
        [[instances]]
        kind = "mlbroker"
        preset = "small"
        seeds = "0..{count - 1}"
        settings = {{ num_slots = 3 }}
        [[algorithms]]
        {algorithm}
        """)
    )
    return path


def number(text: str) -> float:
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


INSTANCES = [generate("mlbroker", "small", seed, num_slots=2) for seed in range(6)]


def result(name="mlbroker.one", *, at=0, seed=0, value=2.0, bound="1", ratio=2.0, **more) -> Result:
    instance = INSTANCES[at]
    task = Task(name=name, kind="mlbroker", instance=instance.sha256, seed=seed)
    output = {"sense": "min", "violations": more.pop("violations", [])}
    fields = {"status": "done", "value": value, "bound": bound, "ratio": ratio, "output": output}
    return Result(key=task.key, task=task, **{**fields, **more})


LEADING = {"mlbroker": "mlbroker.fractional", "eris": "eris.eris", "dps": "dps.simple"}


def charts(kind: str, seed: int = 0) -> tuple[Run, dict[str, Figure]]:
    """Run of a kind's leading algorithm, and its charts by title."""
    instance = generate(kind, "small", seed)
    run = algorithms[LEADING[kind]].run(instance)
    # as a store gives it back: plain data
    again = msgspec.convert(msgspec.json.decode(msgspec.json.encode(run)), Run)
    return run, {title: data for title, _, data in charts_of(again)}
