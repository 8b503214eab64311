"""What ``farkas demo`` shows: per kind a certified online run and a certified offline solve."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from farkas.experiments.solving import find_program, solve_form, trace
from farkas.instances import library
from farkas.online import Bound, algorithms, certified_ratio

SHOWN: dict[str, tuple[str, str]] = {
    "mlbroker": ("mlbroker.mlbroker", "mlbroker.offline[strict]"),
}
"""Per kind the algorithm that its paper is about, and the program that plans with hindsight."""


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
    for kind, (algorithm, program) in SHOWN.items():
        instance = library.load(f"{kind}/demo")
        for show, name in ((run_line, algorithm), (solve_line, program)):
            lines.append(show(name, instance))
            if progress is not None:
                progress(len(lines), 2 * len(SHOWN))
    return lines


def run_line(name: str, instance: Any) -> Line:
    """Run an algorithm; the ratio compares it with the bound that the run itself proves."""
    run = algorithms[name].run(instance)
    bound = None if run.certificate is None else float(run.certificate)
    seconds = run.timings["policy"] + run.timings["certify"]
    return Line(instance.name, name, run.value, bound, run.ratio, seconds)


def solve_line(name: str, instance: Any) -> Line:
    """Solve a program; the ratio compares its point with the proved bound on the optimum."""
    solution = solve_form(trace(find_program(name), instance), certify=True)
    value = float(solution.form.exact_objective(solution.answer.point))
    bound = None if solution.bound is None else Bound.of(solution.bound, "linear relaxation")
    ratio = certified_ratio(solution.form.sense, value, bound)
    proved = None if bound is None else float(bound)
    return Line(instance.name, name, value, proved, ratio, solution.answer.seconds)
