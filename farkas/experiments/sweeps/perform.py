"""Perform one task in this process."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import msgspec

from farkas.errors import FarkasError, NoAnswer
from farkas.experiments.sweeps.task import Request, Result, Task
from farkas.instances import Instance, read_bytes
from farkas.refusals import one_line

if TYPE_CHECKING:
    from farkas.online.run import Run


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
    from farkas.online import algorithms

    return _found(task, algorithms[task.name].run(instance, task.seed, **task.options), instance)


def _optimum(task: Task, instance: Instance) -> dict[str, Any]:
    from farkas.offline import ladders
    from farkas.verbs.optimum import optimum

    problem = ladders[task.name].problem or None
    return _found(task, optimum(instance, problem=problem, **task.options).run, instance)


def _found(task: Task, run: Run, instance: Instance) -> dict[str, Any]:
    """Collect what the store keeps of a run."""
    found: dict[str, Any] = {
        "value": run.value if math.isfinite(run.value) else None,
        "bound": run.certificate.exact if run.certificate is not None else "",
        "ratio": run.ratio,
        "output": msgspec.to_builtins(run),
    }
    if task.recheck and run.certificate is not None and run.certificate.certificate is not None:
        from farkas.online.run import from_builtins
        from farkas.verbs.verdicts import run_verdict

        found["recheck"] = run_verdict(from_builtins(found["output"]), instance)
    return found


def _solve(task: Task, instance: Instance) -> dict[str, Any]:
    from farkas.certificates.points import exact_value
    from farkas.certificates.ratio import ratio_at_most
    from farkas.certificates.writing import to_json
    from farkas.online.run import Bound
    from farkas.verbs.programs import find_program, origin, trace
    from farkas.verbs.solve import solve_form
    from farkas.verbs.verdicts import solve_verdict, value_of

    program = find_program(task.name)
    form = trace(program, instance)
    about = origin(program, instance, embed=False)
    solution = solve_form(form, certify=True, about=about, **task.options)
    if solution.report is None or not solution.report:
        raise NoAnswer(f"{form.name}: no feasible point, {solution.report or 'none given'}")
    # what the point is worth, not what the solver says it is worth
    value = exact_value(form, solution.answer.point)
    found: dict[str, Any] = {"value": float(value), "output": solution.to_builtins()}
    if solution.bound is None or solution.certificate is None:
        return found
    plain = msgspec.json.decode(to_json(solution.certificate))
    # a certificate may hold another point, moved so that it keeps all rows: the value is of that
    proof = solution.certificate.prove(solution.form, instance)
    held = value_of(proof, relax=bool(task.options.get("relax")))
    if held is not None:
        value, found["value"] = held, float(held)
    bound = Bound.of(solution.bound, f"multipliers of {solution.answer.solver}", plain)
    found["output"]["certificate"] = msgspec.to_builtins(bound)
    ratio = ratio_at_most(form.sense, value, solution.bound, exact=False)
    found |= {"bound": bound.exact, "ratio": ratio}
    if task.recheck:
        found["recheck"] = solve_verdict(task.solved(found), instance)
    return found


_WORK = {"run": _run, "solve": _solve, "optimum": _optimum}
