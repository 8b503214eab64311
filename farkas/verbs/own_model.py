"""Programs that come whole: files of models, linear forms, and models of other packages."""

from __future__ import annotations

import os
from typing import Any

from farkas.errors import InvalidOption
from farkas.exact.from_doubles import rational
from farkas.exact.sources import from_object, home_of
from farkas.forms import LinearForm
from farkas.forms.model_text import is_model, read_text
from farkas.forms.rational import Numbers, RationalForm
from farkas.instances import Instance
from farkas.solvers.highs_reader import with_second_reading
from farkas.words import named


def own_model(
    what: Any, program: object = None, numbers: Numbers | None = None
) -> RationalForm | LinearForm | None:
    """Read a program that needs no instance; None for an instance, its path or its name.

    Parameters
    ----------
    what
        As :func:`farkas.prove` takes it.
    program
        What the caller named as the program, which such a model must not have.
    numbers
        ``"decimal"`` or ``"binary"``; None for decimals of files and doubles of what is in memory.

    Raises
    ------
    FileProblem, UnsupportedForm
        The model cannot be read, or is no linear or integer program.
    InvalidOption
        It is of an unknown type, or comes with a program.
    """
    if isinstance(what, str | os.PathLike):
        if isinstance(what, str) and "\n" in what:
            raise InvalidOption(
                "model: is a text; write it into an .lp or .mps file, give the path"
            )
        if not is_model(what):
            return None
        if program:
            raise InvalidOption(
                f"{named(os.fspath(what))} is a program of its own; leave out its name"
            )
        return with_second_reading(read_text(what, numbers=numbers or "decimal"))
    found: RationalForm | LinearForm
    if isinstance(what, RationalForm):
        found = what
    elif isinstance(what, LinearForm):
        if numbers == "decimal":
            raise InvalidOption("numbers = 'decimal': a linear form holds doubles, read binary")
        found = what
    elif hasattr(what, "kind") and hasattr(what, "sha256"):
        return None  # an instance, or one of a caller's own class
    else:
        found = from_object(what, numbers or "binary")
    if program:
        raise InvalidOption("program: a model in memory is a program of its own")
    return found


def is_convex(what: Any) -> bool:
    """Whether this is a ``cvxpy.Problem`` that is convex by CVXPY's rules, and not linear."""
    if home_of(what) != "from_cvxpy" or not what.variables() or not what.is_dcp():
        return False
    from farkas.exact.from_cvxpy import is_linear

    return not is_linear(what)


def as_doubles(model: RationalForm | LinearForm) -> LinearForm:
    """Return the linear form, numbers rounded to doubles."""
    return model if isinstance(model, LinearForm) else model.linear


def as_fractions(model: RationalForm | LinearForm) -> RationalForm:
    """Return the rational form; that of doubles is exact."""
    return rational(model) if isinstance(model, LinearForm) else model


def without_program(instance: Instance) -> InvalidOption:
    """Build the error that no program of an instance was named; it lists those of its kind."""
    from farkas.verbs.listing import programs

    known = ", ".join(programs(instance.kind))
    return InvalidOption(f"program: an instance of {instance.kind} has many; name one of {known}")
