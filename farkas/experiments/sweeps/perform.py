"""Perform one task in this process."""

from __future__ import annotations

import math
import time
from typing import Any

import msgspec

from farkas.errors import FarkasError, NoAnswer, NotACertificate
from farkas.experiments.sweeps.store import Result
from farkas.experiments.sweeps.task import Request, Task
from farkas.instances import Instance, read_bytes


def perform(request: Request) -> Result:
    """Perform a task; every exception becomes a result with status ``failed``."""
    begin = time.monotonic()
    task = request.task
    try:
        instance = read_bytes(request.instance.encode(), source=f"instance {task.instance[:12]}")
        work = _run if task.what == "run" else _solve
        found = work(task, instance)
    except FarkasError as error:
        found = {"status": "failed", "error": str(error)}
    except (Exception, SystemExit) as error:  # a sweep outlives whatever one task does
        found = {"status": "failed", "error": f"{type(error).__name__}: {error}"}
    seconds = time.monotonic() - begin
    return Result(key=request.key, task=task, seconds=seconds, **{"status": "done", **found})


def _run(task: Task, instance: Instance) -> dict[str, Any]:
    from farkas.online import algorithms

    run = algorithms[task.name].run(instance, task.seed, **task.options)
    found: dict[str, Any] = {
        "value": run.value if math.isfinite(run.value) else None,
        "bound": run.certificate.exact if run.certificate is not None else "",
        "ratio": run.ratio,
        "output": msgspec.to_builtins(run),
    }
    if task.recheck and run.certificate is not None and run.certificate.certificate is not None:
        found["recheck"] = _again(run.certificate.certificate, run.certificate.exact, instance)
    return found


def _again(certificate: dict[str, Any], exact: str, instance: Instance) -> str:
    """Prove a certificate again from its plain data."""
    from farkas.experiments.recheck import recheck

    try:
        recheck(certificate, exact, instance)
    except NotACertificate as error:
        return f"rejected: {error}"
    return "proved again"


def _solve(task: Task, instance: Instance) -> dict[str, Any]:
    from farkas.algebra import programs
    from farkas.experiments.solving import solve_form, trace
    from farkas.online.run import Bound, certified_ratio

    form = trace(programs.build(task.name), instance)
    solution = solve_form(form, certify=True, **task.options)
    value = solution.answer.objective
    if solution.report is None or not solution.report:
        raise NoAnswer(f"{form.name}: no feasible point, {solution.report or 'none given'}")
    found: dict[str, Any] = {"value": value, "output": solution.to_builtins()}
    if solution.bound is not None:
        bound = Bound.of(solution.bound, "multipliers")
        found |= {"bound": bound.exact, "ratio": certified_ratio(form.sense, value, bound)}
    return found
