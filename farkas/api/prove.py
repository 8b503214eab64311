"""Prove the optimum of a linear or integer program, whoever wrote it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from farkas.algebra import programs
from farkas.algebra.formulation import Formulation
from farkas.api.inputs import refuse_unknown
from farkas.api.limits import require_search_limit
from farkas.duals.dualize import DualForm
from farkas.errors import InvalidOption, UnknownName, require_progress, require_share, require_type
from farkas.exact.from_doubles import rational
from farkas.exact.node_bounds import Deadline
from farkas.exact.result import ProofResult
from farkas.exact.solver import prove_form
from farkas.exact.sources import from_object, reader_of
from farkas.files import is_model
from farkas.forms import LinearForm
from farkas.forms.model_text import read_text
from farkas.forms.rational import Numbers, RationalForm
from farkas.instances import Instance
from farkas.messages import named, shown
from farkas.solvers import backends
from farkas.solvers.highs_reader import with_second_reading

if TYPE_CHECKING:
    from farkas.exact.tree import Progress


def prove(
    model: Any,
    program: str | Formulation | None = None,
    *,
    solver: str = "highs",
    time_limit: float | None = None,
    gap: float = 0.0,
    numbers: Numbers | None = None,
    embed: bool = True,
    progress: Progress | None = None,
    **unknown: object,
) -> ProofResult:
    """Prove in exact arithmetic that a program is optimal somewhere, infeasible, or unbounded.

    Ctrl-C ends the search like a time limit: what is proved by then is returned.

    Parameters
    ----------
    model
        The path of an ``.mps`` or ``.lp`` file (also packed; ``"-"`` is standard input), an
        instance (or its path or name) together with ``program``, a
        :class:`~farkas.forms.LinearForm`, a `pyomo.ConcreteModel`, a linear `cvxpy.Problem`, a
        `highspy.Highs`, a `gurobipy.Model` or a `linopy.Model`.
    program
        Program of the instance, for example ``"mlbroker.offline"``.
    solver
        Asked first; its point and basis save work, and its claim is held against the proof.
    time_limit
        Seconds, with those of reading the model; what is proved by then is returned, with status
        ``"bound"``.
    gap
        Distance of value and bound, as a share of the value, at which an integer program counts as
        solved.
    numbers
        ``"decimal"``: 0.1 is a tenth, the default of files.  ``"binary"``: 0.1 is the double
        nearest to it, the default of models in memory and the only reading of instances.
    embed
        Put the program into the certificate, so that it can be checked without the model.
    progress
        Called now and then with nodes, bound and value.
    unknown
        Nothing: a misspelt option is told by the nearest that there is.

    Raises
    ------
    FileProblem, UnsupportedForm
        The model cannot be read, or is no linear or integer program; names the part.
    InvalidOption
        An option has an impossible value, or the model is of an unknown type.
    NoAnswer
        No way to a proof that is known leads to one.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.prove("mlbroker/tiny", "mlbroker.relaxed[tight]")
    >>> found.status, float(found.value), found.gap
    ('optimal', 16.8, 0.0)
    """
    refuse_unknown(prove, unknown)
    require_type(solver, str, "solver")
    require_type(embed, bool, "embed")
    require_share(gap, "gap")
    require_search_limit(time_limit)
    require_progress(progress)
    clock = Deadline(math.inf if time_limit is None else time_limit)
    form, about = read_form(model, program, numbers)
    return prove_form(
        form,
        solver=solver,
        time_limit=None if time_limit is None else clock.left,
        gap=gap,
        embed=embed,
        about=about,
        progress=progress,
    )


def read_form(
    model: Any,
    program: str | Formulation | None = None,
    numbers: Numbers | None = None,
) -> tuple[RationalForm, dict[str, Any]]:
    """Rational form of whatever `prove` accepts, and what a certificate says of its origin."""
    if numbers not in (None, "decimal", "binary"):
        raise InvalidOption(f"numbers = {shown(numbers, 40)}; give decimal or binary")
    own = own_model(model, program, numbers)
    return _of_instance(model, program, numbers) if own is None else (as_fractions(own), {})


def _of_instance(
    model: str | os.PathLike[str] | Instance,
    program: str | Formulation | None,
    numbers: Numbers | None,
) -> tuple[RationalForm, dict[str, Any]]:
    from farkas.api.inputs import as_instance
    from farkas.api.programs import origin

    instance = as_instance(model)
    if program is None:
        raise without_program(instance)
    if numbers == "decimal":
        raise InvalidOption("numbers = 'decimal': programs of instances are doubles, read binary")
    require_type(program, (str, Formulation), "program")
    chosen = built(program) if isinstance(program, str) else program
    return rational(chosen.form(instance)), origin(chosen, instance)


def own_model(
    what: Any, program: object = None, numbers: Numbers | None = None
) -> RationalForm | LinearForm | None:
    """Read a program that needs no instance; None for an instance, its path or its name.

    Raises `FileProblem` or `UnsupportedForm`: the model cannot be read, or is no linear or integer
    program; `InvalidOption`: it is of an unknown type, or comes with a program.  ``program`` is
    what the caller named as the program, which such a model must not have; without ``numbers``
    those of files are decimals, those in memory doubles.
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
                f"{named(os.fspath(what))} is a program of its own: leave out"
                f' {named(str(program))}; a solver is solver="highs"'
            )
        return with_second_reading(read_text(what, numbers=numbers or "decimal"))
    found: RationalForm | LinearForm
    if isinstance(what, DualForm):
        what = what.form
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
        raise InvalidOption(
            f"a model in memory has no programs to choose from: leave out {named(str(program))};"
            ' a solver is solver="highs"'
        )
    return found


def is_convex(what: Any) -> bool:
    """Whether this is a ``cvxpy.Problem`` that is convex by CVXPY's rules, and not linear."""
    if reader_of(what) != "cvxpy" or not what.variables() or not what.is_dcp():
        return False
    from farkas.exact.from_cvxpy import is_linear

    return not is_linear(what)


def as_doubles(model: RationalForm | LinearForm) -> LinearForm:
    """Return the linear form, numbers rounded to doubles."""
    return model if isinstance(model, LinearForm) else model.linear


def as_fractions(model: RationalForm | LinearForm) -> RationalForm:
    """Return the rational form; that of doubles is exact."""
    return rational(model) if isinstance(model, LinearForm) else model


def built(name: str, variant: Mapping[str, str] | None = None) -> Formulation:
    """Make the program of a name; raises `UnknownName` or `InvalidOption`."""
    try:
        return programs.build(name, **variant or {})
    except UnknownName:
        if name.lower() in backends:
            raise InvalidOption(f'program: {name} is a solver; give solver="{name}"') from None
        raise


def without_program(instance: Instance) -> InvalidOption:
    """Build the error that no program of an instance was named; it lists those of its kind."""
    known = ", ".join(programs.names(f"{instance.kind}."))
    return InvalidOption(f"program: an instance of {instance.kind} has many; name one of {known}")
