"""Programs by name, and their linear forms on instances."""

from typing import Any

from farkas.algebra import programs
from farkas.algebra.formulation import Formulation
from farkas.forms import LinearForm


def find_program(name: str, **variant: str) -> Formulation:
    """Program of any floor by name, for example ``mlbroker.relaxed[tight,strict]``.

    Raises
    ------
    UnknownName, InvalidOption
        When there is no such program, or it has no such variant.
    """
    return programs.build(name, **variant)


def trace(program: Formulation, instance: Any) -> LinearForm:
    """Linear form of ``program`` on ``instance``.

    Raises
    ------
    UnsupportedForm
        When the program is not linear.
    """
    return program.form(instance)


def origin(program: Formulation, instance: Any, *, embed: bool) -> dict[str, Any]:
    """Where a form comes from, for its certificate; ``embed`` puts the form into the file."""
    return {
        "kind": program.kind,
        "options": dict(program.variant),
        "instance": instance.sha256,
        "embed": embed,
    }
