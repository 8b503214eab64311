"""Configurations, requests and results that several tests of sweeps make."""

from __future__ import annotations

import textwrap
from pathlib import Path

from farkas.experiments.sweeps import Result, Task
from farkas.instances.generate import generate

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
