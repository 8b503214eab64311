"""Programs of rules in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.algebra.formulation import first_line

if TYPE_CHECKING:
    from farkas.algebra.rules import RuleProgram


def described(program: RuleProgram) -> str:
    """Say what each family means, with its label."""
    return "\n".join([first_line(program) or program.full_name, "", *rules_in_words(program)])


def rules_in_words(program: RuleProgram) -> list[str]:
    """Say the objective and every family, one a line."""
    goal = program.objective_rule()
    return [
        f"{program.sense} {goal.name}: {goal.doc}".rstrip(": "),
        *(f"  ({f.label}) {f.name}{_over(f.sets)}: {f.doc}" for f in program.families()),
    ]


def _over(sets: tuple[str, ...]) -> str:
    return f" for every ({', '.join(sets)})" if sets else ""
