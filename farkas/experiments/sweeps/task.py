"""Tasks of a sweep, addressed by everything that decides the result: planned and performed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import math
import time
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

import farkas
from farkas.errors import FarkasError, InvalidOption
from farkas.experiments.sweeps.config import MOST_TASKS, Config, instances, product, seeds
from farkas.instances import Instance, read_bytes
from farkas.messages import one_line
from farkas.online import Algorithm
from farkas.online.driver import SOLVER_PACKAGES
from farkas.online.policy import as_algorithm, is_own

Status = Literal["done", "failed", "crashed", "overlong"]
Key = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One run of an algorithm on one instance."""

    name: str  #: Algorithm.
    kind: str  #: Kind of the instance.
    instance: str  #: SHA-256 of the instance.
    seed: int = 0  #: Seed of the run.
    options: dict[str, Any] = {}  #: Options of the algorithm.

    @property
    def key(self) -> str:
        """SHA-256 of the task and the versions of everything that computes it."""
        names = ("name", "instance", "seed", "options")
        content = {name: getattr(self, name) for name in names} | {"versions": dict(versions())}
        content["what"] = "run"  # as in stores that hold searches for optima beside runs
        if is_own(self.name):  # what a policy of a file decides depends on the file
            content["source"] = as_algorithm(self.name, self.kind).source_sha256
        return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


class Request(msgspec.Struct, frozen=True):
    """A task with the JSON text of its instance."""

    key: str
    task: Task
    instance: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one task."""

    #: key, task: content address, and the task itself.
    key: Key
    task: Task
    #: ``done``; ``failed`` with a typed error; ``crashed`` when the process died; ``overlong``.
    status: Status
    value: float | None = None  #: Value of the run.
    bound: str = ""  #: Proved bound, a rational number as text; empty when nothing was proved.
    ratio: float | None = None  #: Certified ratio, >= 1.
    seconds: float = 0.0  #: Wall time of the task.
    error: str = ""  #: Why it is not done.
    #: What is said of its certificate: ``"rejected: ..."``, ``"bound proved again"`` when the value
    #: is its own word, or nothing.
    recheck: str = ""
    output: dict[str, Any] | None = None  #: The whole run as plain data.


@functools.cache
def versions() -> Mapping[str, str]:
    """Versions that a result depends on."""
    found = {"farkas": farkas.__version__}
    for package in sorted((*SOLVER_PACKAGES, "numpy")):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return MappingProxyType(found)


def plan(config: Config, folder: Path) -> tuple[list[Task], dict[str, Instance]]:
    """All tasks of a sweep, without duplicates, and the instances they need by hash.

    Relative paths of the configuration start at ``folder``.  Raises `UnknownName` or
    `InvalidOption`: an algorithm or option does not exist, or there is nothing to run.
    """
    found = {instance.sha256: instance for instance in instances(config, folder)}
    tasks: dict[str, Task] = {}
    for sha, instance in found.items():
        for task in _runs(config, instance, sha):
            tasks.setdefault(task.key, task)
            if len(tasks) > MOST_TASKS:
                raise InvalidOption(f"more than {MOST_TASKS} tasks; make several sweeps of them")
    if not tasks:
        kinds = ", ".join(sorted({instance.kind for instance in found.values()})) or "none"
        raise InvalidOption(f"nothing to run: no algorithm is for instances of {kinds}")
    return list(tasks.values()), found


def _runs(config: Config, instance: Instance, sha: str) -> list[Task]:
    common: dict[str, Any] = {"kind": instance.kind, "instance": sha}
    made = []
    for entry in config.algorithms:
        algorithm = _algorithm(entry.name, instance.kind)
        if algorithm.kind != instance.kind:
            continue
        for options, seed in itertools.product(product(entry.options), seeds(entry.seeds)):
            settled = msgspec.to_builtins(algorithm.settle(options))
            made.append(Task(name=entry.name, seed=seed, options=settled, **common))
    return made


def perform(request: Request) -> Result:
    """Perform a task; every exception becomes a result with status ``failed``."""
    begin = time.monotonic()
    task = request.task
    try:
        instance = read_bytes(request.instance.encode(), source=f"instance {task.instance[:12]}")
        found = _run(task, instance)
    except FarkasError as error:
        found = {"status": "failed", "error": str(error)}
    except (Exception, SystemExit) as error:  # a sweep outlives whatever one task does
        found = {"status": "failed", "error": one_line(f"{type(error).__name__}: {error}")}
    seconds = time.monotonic() - begin
    return Result(key=request.key, task=task, seconds=seconds, **{"status": "done", **found})


def _run(task: Task, instance: Instance) -> dict[str, Any]:
    """Run an algorithm, and collect what the store keeps of that."""
    run = _algorithm(task.name, task.kind).run(instance, task.seed, **task.options)
    return {
        "value": run.value if math.isfinite(run.value) else None,
        "bound": run.certificate.exact if run.certificate is not None else "",
        "ratio": run.ratio,
        "output": msgspec.to_builtins(run),
    }


def _algorithm(name: str, kind: str) -> Algorithm:
    """Return what an entry names: of instances of ``kind`` where it is a class in a file."""
    return as_algorithm(name, kind if is_own(name) else "")
