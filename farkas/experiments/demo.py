"""What ``farkas demo`` shows: per kind a certified online run and a certified offline solve."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from farkas.instances import library
from farkas.online import Bound, algorithms, certified_ratio
from farkas.verbs.programs import find_program, trace
from farkas.verbs.solve import solve_form

SHOWN: dict[str, tuple[str, str, str]] = {
    "eris": ("eris.eris", "eris.offline", "eris.schedule_lp"),
    "mlbroker": ("mlbroker.mlbroker", "mlbroker.offline[strict]", "mlbroker.relaxed[sharp,strict]"),
    "dps": ("dps.dps", "dps.offline[capped]", "dps.interval_lp[capped]"),
    "gadget": ("gadget.gadget", "gadget.offline", "gadget.offline_column_bound"),
    "coded": ("coded.iterated_greedy", "coded.assignment_lp", "coded.assignment_lp"),
}
"""Per kind: the algorithm of its paper, the program that plans with hindsight, and the relaxation
whose dual bounds that program."""


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One run or solve, with what is proved about it."""

    instance: str
    what: str
    value: float
    bound: float | None
    ratio: float | None
    seconds: float


def demo(progress: Callable[[int, int], None] | None = None) -> list[Line]:
    """Run and solve the shipped demo instance of every kind; ``progress`` as in `drive`."""
    lines: list[Line] = []
    for done, (kind, (algorithm, program, relaxation)) in enumerate(SHOWN.items()):
        instance = library.load(f"{kind}/demo")
        lines += [run_line(algorithm, instance), solve_line(program, relaxation, instance)]
        if progress is not None:
            progress(done + 1, len(SHOWN))
    return lines


def run_line(name: str, instance: Any) -> Line:
    """Run an algorithm; the ratio compares it with the bound that the run itself proves."""
    run = algorithms[name].run(instance)
    bound = None if run.certificate is None else float(run.certificate)
    seconds = run.timings["policy"] + run.timings["certify"]
    return Line(instance.name, name, run.value, bound, run.ratio, seconds)


def solve_line(name: str, relaxation: str, instance: Any) -> Line:
    """Solve a program; the ratio compares its point with the bound that the relaxation proves."""
    solution = solve_form(trace(find_program(name), instance))
    relaxed = solve_form(trace(find_program(relaxation), instance), certify=True)
    value = float(solution.form.exact_objective(solution.answer.point))
    bound = None if relaxed.bound is None else Bound.of(relaxed.bound, relaxation)
    ratio = certified_ratio(solution.form.sense, value, bound)
    proved = None if bound is None else float(bound)
    seconds = solution.answer.seconds + relaxed.answer.seconds
    return Line(instance.name, name, value, proved, ratio, seconds)
