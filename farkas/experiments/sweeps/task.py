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
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

import farkas
from farkas.errors import FarkasError, InvalidOption, UnknownName
from farkas.experiments.sweeps.config import MOST_TASKS, Config, instances, product, seeds
from farkas.instances import Instance, read_bytes
from farkas.messages import one_line
from farkas.online import Algorithm, algorithms
from farkas.online.driver import SOLVER_PACKAGES
from farkas.online.policy import as_algorithm, is_own

if TYPE_CHECKING:
    from farkas.online.run import Run

What = Literal["run", "optimum"]
Status = Literal["done", "failed", "crashed", "overlong"]
Key = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One run of an algorithm, or search for the optimum, on one instance."""

    what: What  #: ``"run"`` or ``"optimum"``.
    name: str  #: Algorithm or search.
    kind: str  #: Kind of the instance.
    instance: str  #: SHA-256 of the instance.
    seed: int = 0  #: Seed of the run.
    #: Options of the algorithm; of a search ``time_limit``.
    options: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """SHA-256 of the task and the versions of everything that computes it."""
        names = ("what", "name", "instance", "seed", "options")
        content = {name: getattr(self, name) for name in names} | {"versions": dict(versions())}
        if is_own(self.name):  # what a policy of a file decides depends on the file
            content["source"] = as_algorithm(self.name, self.kind).source_sha256
        return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()

    @property
    def identity(self) -> tuple[str, str, str, int, bytes]:
        """What decides a task but for versions, however its options are written.

        Results of one identity, under whichever addresses, tell of one task.
        """
        options = msgspec.json.encode(self.options, order="deterministic")
        if self.what == "run":
            return self.what, self.name, self.instance, self.seed, _settled(self.name, options)
        return self.what, self.name, self.instance, 0, options


@functools.cache
def _settled(name: str, options: bytes) -> bytes:
    """Options with the defaults of an algorithm that is here and takes them; else as they are."""
    try:
        settled = algorithms[name].settle(msgspec.json.decode(options))
    except (UnknownName, InvalidOption):
        return options
    return msgspec.json.encode(msgspec.to_builtins(settled), order="deterministic")


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
        for task in [*_optima(config, instance, sha), *_runs(config, instance, sha)]:
            tasks.setdefault(task.key, task)
            if len(tasks) > MOST_TASKS:
                raise InvalidOption(f"more than {MOST_TASKS} tasks; make several sweeps of them")
    if not tasks:
        kinds = ", ".join(sorted({instance.kind for instance in found.values()})) or "none"
        raise InvalidOption(f"nothing to run: no algorithm is for instances of {kinds}")
    if config.bound_seconds and all(task.what != "optimum" for task in tasks.values()):
        raise InvalidOption("bound_seconds: nothing that is run here has a search for its optimum")
    return list(tasks.values()), found


def _runs(config: Config, instance: Instance, sha: str) -> list[Task]:
    common: dict[str, Any] = {"what": "run", "kind": instance.kind, "instance": sha}
    made = []
    for entry in config.algorithms:
        algorithm = _algorithm(entry.name, instance.kind)
        if algorithm.kind != instance.kind:
            continue
        for options, seed in itertools.product(product(entry.options), seeds(entry.seeds)):
            settled = msgspec.to_builtins(algorithm.settle(options))
            made.append(Task(name=entry.name, seed=seed, options=settled, **common))
    return made


def _optima(config: Config, instance: Instance, sha: str) -> list[Task]:
    """Plan searches for the optima of the problems that the algorithms solve."""
    from farkas.offline import searches

    if not config.bound_seconds:
        return []
    kind, options = instance.kind, {"time_limit": config.bound_seconds}
    named = (_algorithm(entry.name, kind) for entry in config.algorithms)
    problems = {algorithm.problem for algorithm in named if algorithm.kind == kind}
    return [
        Task(what="optimum", name=name, kind=kind, instance=sha, options=options)
        for name in searches.names(f"{kind}.")
        if searches[name].problem in problems
    ]


def perform(request: Request) -> Result:
    """Perform a task; every exception becomes a result with status ``failed``."""
    begin = time.monotonic()
    task = request.task
    try:
        instance = read_bytes(request.instance.encode(), source=f"instance {task.instance[:12]}")
        found = _WORK[task.what](task, instance)
    except FarkasError as error:
        found = {"status": "failed", "error": str(error)}
    except (Exception, SystemExit) as error:  # a sweep outlives whatever one task does
        found = {"status": "failed", "error": one_line(f"{type(error).__name__}: {error}")}
    seconds = time.monotonic() - begin
    return Result(key=request.key, task=task, seconds=seconds, **{"status": "done", **found})


def _run(task: Task, instance: Instance) -> dict[str, Any]:
    algorithm = _algorithm(task.name, task.kind)
    return _found(algorithm.run(instance, task.seed, **task.options))


def _algorithm(name: str, kind: str) -> Algorithm:
    """Return what an entry names: of instances of ``kind`` where it is a class in a file."""
    return as_algorithm(name, kind if is_own(name) else "")


def _optimum(task: Task, instance: Instance) -> dict[str, Any]:
    from farkas.api.optimum import optimum
    from farkas.offline import searches

    problem = searches[task.name].problem or None
    return _found(optimum(instance, problem=problem, **task.options).run)


def _found(run: Run) -> dict[str, Any]:
    """Collect what the store keeps of a run."""
    return {
        "value": run.value if math.isfinite(run.value) else None,
        "bound": run.certificate.exact if run.certificate is not None else "",
        "ratio": run.ratio,
        "output": msgspec.to_builtins(run),
    }


_WORK = {"run": _run, "optimum": _optimum}
