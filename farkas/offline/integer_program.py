"""Climbers of every kind: an integer program solved, and proved by branch and bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from farkas.algebra.formulation import programs
from farkas.errors import NoAnswer
from farkas.exact.from_doubles import rational
from farkas.exact.proving import prove_form
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.offline.ladder import Ascent, Climber, Rung
from farkas.online.run import Bound
from farkas.solvers import solve

#: Of the time that is left, for the solver that finds decisions; the rest proves its bound.
SOLVER_SHARE = 0.4

#: Decisions that a point of the form stands for.
Decide = Callable[[Any, LinearForm, Floats], Sequence[Any]]


def integer_program(
    name: str, decide: Decide | None, most_entries: int, share: float = 1.0
) -> Climber:
    """Solve a program, and prove it by branch and bound.

    Parameters
    ----------
    name
        Program with variant; ``run_bounds`` of the kind lists it with certificate ``tree``.
    decide
        Reads decisions off a point, rounded where columns are whole; None of a program whose points
        are no decisions, which only bounds them.
    most_entries
        Coefficients above which the program is left to other climbers.
    share
        Of the time that is left, which is all that it takes.
    """

    def climber(instance: Any, ascent: Ascent) -> Iterator[Rung]:
        program = programs.build(name)
        form = program.form(instance)
        if form.num_entries > most_entries:
            raise NoAnswer(
                f"{program.full_name} has {form.num_entries} entries, more than {most_entries}"
            )
        clock, gap = ascent.deadline.part(share), float(ascent.gap)
        seconds = clock.left * SOLVER_SHARE
        answer = solve(form, time_limit=seconds, gap=gap)
        if decide is not None and answer.has_point:
            point = np.where(form.integer, np.rint(answer.point), answer.point)
            yield Rung(f"{answer.solver} on {program.full_name}", decide(instance, form, point))
        ascent.deadline.check()
        origin = {
            "kind": program.kind, "options": dict(program.variant), "instance": instance.sha256,
        }  # fmt: skip
        found = prove_form(
            rational(form), answer=answer, time_limit=clock.left, gap=gap,
            embed=False, about=origin,
        )  # fmt: skip
        if decide is not None and found.point is not None:
            point = np.array([float(x) for x in found.point])
            yield Rung(f"branch and bound on {program.full_name}", decide(instance, form, point))
        if found.bound is not None and found.certificate is not None:
            method = f"branch and bound on {program.full_name}, {found.nodes} nodes"
            plain = msgspec.to_builtins(found.certificate)
            yield Rung(method, bound=Bound.of(found.bound, method, plain))

    return climber
