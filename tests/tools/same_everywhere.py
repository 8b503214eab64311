"""What is the same on every machine, printed as JSON: hashes, and what runs decide and earn.

``python -m tests.tools.same_everywhere`` draws every preset, runs every importer and every
algorithm, and certifies a relaxation of every kind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from farkas.algebra import programs
from farkas.api.solve import solve_form
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.base import Instance
from farkas.instances.generate import generate, generators, presets
from farkas.instances.traces import import_trace
from farkas.online import algorithms, demos
from farkas.online.run import Run
from tests.instances.traces.made import GRAPHML, NODES, PHILLY, PODS, PRICES, TWIN

SETTINGS: dict[str, dict[str, Any]] = {
    "coded": {"law": "ends"},
    "gadget": {"arrivals": "poisson"},
    "mlbroker": {"share_concentration": 0.3},
}
"""Changes to the small preset that draw what no preset draws."""
FILES = {
    "philly.csv": PHILLY, "prices.csv": PRICES, "pods.csv": PODS, "twin.json": json.dumps(TWIN),
    "openb_node_list_gpu_node.csv": NODES, "net.graphml": GRAPHML,
    "events.csv": "".join(
        f"{minute}000000,,{job},0,,{event},u,{job % 2},9,,,,\n"
        for job in (1, 2, 3) for minute, event in ((600 + job, 0), (660 + job, 1), (4000 * job, 4))
    ),
    "sacct.txt": "JobID|Submit|Elapsed|AllocTRES|Account\n"
    "1|2026-01-05T08:00:00|01:30:00|cpu=8,gres/gpu=2|a\n"
    "2|2026-01-05T09:00:00|00:30:00|cpu=8,gres/gpu=4|b\n",
}  # fmt: skip
JOBS = {
    "submit": "timestamp", "duration": "duration", "gpus": "num_gpus", "group": "cluster",
}  # fmt: skip
SPEEDS = {"master": "instance", "worker": "region", "rate": "on_demand_usd_per_hour"}
IMPORTS: dict[str, tuple[str, dict[str, Any]]] = {
    "alibaba:dps": ("pods.csv", {}),
    "csv:coded": ("prices.csv", {"map": SPEEDS}),
    "csv:dps": ("philly.csv", {"map": JOBS, "submit_unit": "date"}),
    "csv:eris": ("philly.csv", {"map": JOBS, "submit_unit": "date"}),
    "csv:gadget": ("philly.csv", {"map": JOBS, "submit_unit": "date"}),
    "csv:mlbroker": (
        "philly.csv",
        {"map": JOBS, "submit_unit": "date", "prices": "prices.csv", "instance": "g4.big"},
    ),
    "gavel:coded": ("twin.json", {"masters": 2}),
    "google:dps": ("events.csv", {}),
    "google:eris": ("events.csv", {}),
    "google:gadget": ("events.csv", {}),
    "google:mlbroker": ("events.csv", {"prices": "prices.csv", "instance": "g4.big"}),
    "philly:dps": ("philly.csv", {}),
    "philly:eris": ("philly.csv", {"sites": 2}),
    "philly:gadget": ("philly.csv", {"network": "net.graphml"}),
    "philly:mlbroker": ("philly.csv", {"prices": "prices.csv", "instance": "g4.big"}),
    "slurm:dps": ("sacct.txt", {}),
    "slurm:eris": ("sacct.txt", {}),
    "slurm:gadget": ("sacct.txt", {}),
    "slurm:mlbroker": ("sacct.txt", {"prices": "prices.csv", "instance": "g4.big"}),
}
"""File and options of every importer."""
FURTHER = {
    "dps": ["tiny"],
    "eris": ["tiny", "two_moves"],
    "gadget": ["tiny"],
}
"""Instances beside the demo, where some algorithm refuses the demo or earns nothing on it."""
BY_MACHINE = {"coded.sca"}
"""Algorithms, with their variants, whose steps are answers of Clarabel, which calls the C library's
exponential."""


def short(data: bytes) -> str:
    """First digits of a hash."""
    return hashlib.sha256(data).hexdigest()[:12]


def drawn() -> Iterator[tuple[str, Instance]]:
    """Every preset and importer, and further settings."""
    for kind in generators():
        for preset in presets(kind):
            yield f"{kind} {preset} 0", generate(kind, preset, 0)
        changes = SETTINGS.get(kind, {})
        for name, value in changes.items():
            yield f"{kind} small 1 {name}={value}", generate(kind, "small", 1, **{name: value})
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text)
        for name, (path, options) in IMPORTS.items():
            source, kind = name.split(":")
            yield f"import {name} 0", import_trace(source, path, kind, 0, **options).instance


def content(run: Run) -> Any:
    """What a run decided, earned and proved, without times; rational numbers as numbers."""
    apart = ("timings", "manifest", "value_exact", "certificate")
    plain = {f: getattr(run, f) for f in run.__struct_fields__ if f not in apart}
    bound = None if run.certificate is None else float(Fraction(run.certificate.exact))
    found = json.loads(msgspec.json.encode({**plain, "bound": bound}))
    for step in found["steps"]:
        step.pop("seconds", None)
        rational = step.keys() & {"bound_so_far", "left", "right"}
        step.update((field, float(Fraction(step[field]))) for field in rational)
    return found


def by_machine(name: str) -> bool:
    """Whether an algorithm, or what it is a variant of, is in `BY_MACHINE`."""
    return name.partition("[")[0] in BY_MACHINE


def ran() -> Iterator[tuple[str, Any]]:
    """Every algorithm on the instances that it can run on."""
    for name in algorithms.names():
        kind = name.partition(".")[0]
        for instance in ["demo", *FURTHER.get(kind, [])]:
            if not by_machine(name):
                with contextlib.suppress(NotApplicable):
                    run = algorithms[name].run(library.load(f"{kind}/{instance}"), 3)
                    yield f"{name} {instance}", content(run)


def certified() -> Iterator[tuple[str, bytes]]:
    """Point, multipliers and proved bound of a relaxation of every kind."""
    for kind in demos.names():
        name = demos[kind].relaxation or demos[kind].program
        program = programs.build(name).form(library.load(f"{kind}/demo"))
        found = solve_form(program, certify=True)
        answer = found.answer
        yield name, repr([answer.point.tolist(), answer.row_duals.tolist(), found.bound]).encode()


def features() -> list[str]:
    """What numpy chooses its code by, as far as this processor has it."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def machine() -> str:
    """Bits of a product by BLAS and of the C library's exponential: they may differ."""
    numbers = np.random.default_rng(0).random((37, 37))
    return short(b"".join(x.tobytes() for x in (numbers @ numbers, np.exp(numbers))))


def instances() -> dict[str, str]:
    """Hashes of instances by name."""
    return {name: instance.sha256[:12] for name, instance in drawn()}


def everything() -> dict[str, dict[str, Any]]:
    """Instances and programs by their hashes, runs by their content."""
    return {
        "instances": instances(),
        "runs": dict(ran()),
        "programs": {name: short(data) for name, data in certified()},
    }


if __name__ == "__main__":
    json.dump({"features": features(), "machine": machine(), **everything()}, sys.stdout)
