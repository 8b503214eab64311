"""What ``farkas demo`` shows: per kind a certified online run and a certified offline solve."""

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from farkas.algebra import programs
from farkas.api.run import measure
from farkas.api.solve import solve_form
from farkas.certificates.doubles import double
from farkas.certificates.points import exact_value
from farkas.certificates.ratio import ratio_at_most, ratio_words
from farkas.errors import NotApplicable
from farkas.forms import Sense
from farkas.instances import kinds, library
from farkas.online import algorithms, demos
from farkas.tolerances import OPTIMAL


@dataclasses.dataclass(frozen=True, slots=True)
class DemoLine:
    """One run or solve, with what is proved about it: bound and ratio on their proved side."""

    instance: str
    what: str
    sense: Sense
    value: float
    bound: float | None
    ratio: float | None
    seconds: float
    measure: str = ""  #: What value and bound are, with their unit.
    is_replayed: bool = True  #: Whether the value is proved, and not the word of its kind alone.
    among: str = ""  #: Which decisions alone the bound is about; empty for all.

    @property
    def is_optimal(self) -> bool:
        """Whether roundings alone part value and bound, which are one number in six digits."""
        return self.ratio is not None and self.ratio <= 1 + OPTIMAL


def proved(lines: Sequence[DemoLine]) -> str:
    """Say what the lines prove, read off their numbers, and what to type next."""
    ratios = [line for line in lines if line.ratio is not None]
    if not ratios:
        return "Nothing is proved of these lines."
    worst = max(ratios, key=lambda line: line.ratio or 0.0)
    count = f"all {len(lines)}" if len(ratios) == len(lines) else f"{len(ratios)} of {len(lines)}"
    believed = sum(not line.is_replayed for line in ratios)
    words = f"  The value of {believed} is the word of its kind, which has no replay." * bool(
        believed
    )
    words += "".join(
        f"  The bound of {a.what} is about {a.among} alone." for a in ratios if a.among
    )
    if any(line.is_optimal for line in ratios):
        words += f"  Where it says optimal, they differ by a share of {OPTIMAL:g} at most."
    return (
        f"Proved for {count} lines in exact arithmetic, trusting no solver: no plan, not even"
        " one that knows the future, is better than the value by more than the factor under"
        f" certified ratio (the largest is {ratio_words(worst.ratio or 0.0)}: {worst.what} on"
        f" {worst.instance}).{words}  Next: farkas compare {worst.instance}"
    )


def demo(progress: Callable[[int, int], None] | None = None) -> list[DemoLine]:
    """Run and solve the shipped demo instance of every kind; ``progress`` as in `drive`."""
    shipped = [f"{kind}/demo" for kind in kinds() if f"{kind}/demo" in library.names(kind)]
    lines: list[DemoLine] = []
    for done, name in enumerate(shipped):
        lines += demo_lines(library.load(name))
        if progress is not None:
            progress(done + 1, len(shipped))
    return lines


def demo_lines(instance: Any) -> list[DemoLine]:
    """Show on ``instance`` what its kind declares, or else every algorithm that applies."""
    if instance.kind not in demos:
        lines = []
        for name in algorithms.names(f"{instance.kind}."):
            with contextlib.suppress(NotApplicable):  # it needs data that the instance lacks
                lines.append(run_line(name, instance))
        return lines
    shown = demos[instance.kind]
    lines = [run_line(shown.algorithm, instance)]
    if shown.program:
        lines.append(
            solve_line(shown.program, shown.relaxation or shown.program, instance, shown.measure)
        )
    return lines


def run_line(name: str, instance: Any) -> DemoLine:
    """Run an algorithm; the ratio compares it with the bound that the run itself proves."""
    run = algorithms[name].run(instance)
    bound = None if run.certificate is None else run.certificate.double(run.sense)
    seconds = run.timings["policy"] + run.timings["certify"]
    return DemoLine(
        f"{instance.kind}/{instance.name}", name, run.sense, run.value, bound, run.ratio, seconds,
        measure(instance), is_replayed=run.value_exact is not None,
        among="" if run.certificate is None else run.certificate.among,
    )  # fmt: skip


def solve_line(name: str, relaxation: str, instance: Any, what: str = "") -> DemoLine:
    """Solve a program; the ratio compares its point with the bound that the relaxation proves.

    Its values are ``what``, by default what runs are worth.
    """
    solution = solve_form(programs.build(name).form(instance))
    relaxed = solve_form(programs.build(relaxation).form(instance), certify=True)
    value, sense = exact_value(solution.form, solution.answer.point), solution.form.sense
    bound = ratio = None
    if relaxed.bound is not None:
        bound = double(relaxed.bound, up=sense == "max")
        ratio = ratio_at_most(sense, value, relaxed.bound, exact=False)
    seconds = solution.answer.seconds + relaxed.answer.seconds
    return DemoLine(
        f"{instance.kind}/{instance.name}", name, sense, float(value), bound, ratio, seconds,
        what or measure(instance),
    )  # fmt: skip
