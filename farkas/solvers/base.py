"""What every backend promises, and the single door through which forms reach solvers."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib.metadata
import importlib.util
import math
import time
from collections.abc import Callable
from typing import Protocol, TypeVar, Unpack

import numpy as np

from farkas.errors import (
    FarkasError,
    InvalidOption,
    SolverUnavailable,
    UnknownName,
    UnsupportedForm,
)
from farkas.forms import LinearForm
from farkas.forms.feasibility import refuse_impossible_sides
from farkas.forms.matrices import rows_of_dense
from farkas.forms.scale import Units
from farkas.messages import named, one_line
from farkas.numbers import Floats
from farkas.registry import Registry
from farkas.solvers.answer import Answer, Conclusion, Reason, handed, returned
from farkas.solvers.audit import audited, settled_by_inspection, well_formed
from farkas.solvers.options import OptionNames, Options, Raw


class Ability(enum.Flag):
    """What a backend can do."""

    LINEAR = enum.auto()  #: Continuous columns.
    INTEGER = enum.auto()  #: Integer columns.
    DUALS = enum.auto()  #: Row duals of linear programs.
    RAYS = enum.auto()  #: Multipliers that should prove infeasibility.
    #: Exponential-cone programs, through :func:`farkas.solvers.convex.solve_problem`.
    CONIC = enum.auto()
    WARM = enum.auto()  #: Sessions that start from the previous basis.


class Backend(Protocol):
    """One solver.  ``run`` may raise anything; :func:`solve` turns it into an answer."""

    name: str
    package: str
    bringer: str  #: What to install for the package.
    abilities: Ability
    detail: str = ""  #: What `availability` says of one that is installed.

    def availability(self) -> Availability:
        """Standing here; cheap, and without importing the solver where possible."""
        if not installed(self.package):
            return missing(self.bringer)
        return Availability(Access.FULL, self.detail)

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve a form that has columns and whose bounds do not cross.

        Raises `UndecidedRay` when the solver only knows that the form is unbounded or infeasible.
        """
        ...

    def names(self) -> tuple[str, ...]:
        """Names behind this one, for a bridge: what may stand after the colon."""
        return ()

    def version(self) -> str:
        """Version of what solves, empty when absent or unknown."""
        return version_of(self.package)

    def footprint(self, form: LinearForm) -> tuple[int, int]:
        """Rows and columns that the form takes inside the solver, against licence limits."""
        return form.num_rows, form.num_columns


class UndecidedRay(Exception):
    """A solver found a ray of the objective but not whether any point is feasible."""


BRIDGES = ("pyomo", "cvxpy")
#: Share of a time limit at which a solver behind a bridge may have stopped because of it.
NEARLY = 0.9

backends: Registry[Backend] = Registry("solver", "farkas.solvers")

B = TypeVar("B", bound=Backend)


def backend(name: str) -> Callable[[type[B]], type[B]]:
    """Register a backend class under ``name``."""

    def register(cls: type[B]) -> type[B]:
        cls.name = name
        backends.add(name, cls())
        return cls

    return register


def find(solver: str) -> Backend:
    """Backend by name; ``pyomo:NAME`` and ``cvxpy:NAME`` reach the solvers behind the bridges.

    Names are taken in any case; one that only bridges know, as ``cbc``, takes one of these.

    Raises `UnknownName`: Naming the nearest known solver.
    """
    head, colon, tail = solver.partition(":")
    head = head.lower()
    if not colon and head not in backends:
        return _behind_bridges(solver)
    chosen = backends[head]
    bridge = getattr(chosen, "bridge", None)
    if colon and bridge is None:
        raise UnknownName(f"unknown solver {solver!r}: {head} takes no name after the colon")
    if bridge is None:
        return chosen
    found: Backend = bridge(tail)
    return found


def _behind_bridges(solver: str) -> Backend:
    """Backend of a solver that bridges know: of the first that can use it, else of the first."""
    known = ((bridge, name) for bridge in BRIDGES for name in backends[bridge].names())
    routes = [find(f"{a}:{name}") for a, name in known if name.lower() == solver.lower()]
    if not routes:
        raise UnknownName.of("solver", solver, backends.names())
    return next((route for route in routes if route.availability()), routes[0])


def availability(solver: str) -> Availability:
    """Whether ``solver`` is missing, unlicensed, limited or full on this machine."""
    return find(solver).availability()


@dataclasses.dataclass(frozen=True, slots=True)
class Status:
    """One line of ``farkas show solvers``."""

    name: str
    availability: Availability
    version: str
    abilities: tuple[str, ...]


def status(*, bridged: bool = False) -> list[Status]:
    """Every registered backend with standing, version and abilities, by name.

    ``bridged``: Also every solver behind a bridge, after the bridge; that imports Pyomo and CVXPY.
    """
    found = []
    for name in backends:
        behind = backends[name].names() if bridged else ()
        found += [_status(name, backends[name])]
        found += [_status(each, find(each)) for each in (f"{name}:{tail}" for tail in behind)]
    return found


def _status(name: str, engine: Backend) -> Status:
    abilities = tuple(str(ability.name).lower() for ability in engine.abilities)
    return Status(name, engine.availability(), engine.version(), abilities)


def solve(
    form: LinearForm,
    solver: str = "highs",
    *,
    start: Floats | None = None,
    **options: Unpack[OptionNames],
) -> Answer:
    """Hand a form to a solver and return what it claims.

    The point is checked against the form before the claim is passed on: an answer whose point
    violates the form comes back with reason ``numerical`` and no claim, and a point found at a
    limit is returned only when it is feasible.

    ``solver``: name of a backend, ``pyomo:NAME`` or ``cvxpy:NAME``.  ``start``: shape (columns,), a
    point from which an integer program may start; a hint, ignored by solvers that take none.
    ``**options``: see :class:`Options`.  Ctrl-C stops the solver and gives reason
    ``interrupted``; a failure inside the solver gives ``error`` with its words in ``message``.

    Raises `UnknownName` or `InvalidOption`: no such solver or option; `SolverUnavailable`: it is
    missing, unlicensed, or its licence too small for the form; `UnsupportedForm`: it lacks an
    ability, or the form holds NaN or misplaced infinities.
    """
    engine = find(solver)
    chosen = Options.parse(options)
    refuse(engine, form, solver)
    check_start(form, start)
    known = settled_by_inspection(form)
    if known is not None:
        return dataclasses.replace(known, solver=solver)
    answer = guarded(engine, form, chosen, start, solver)
    if answer.reason is Reason.ERROR:
        refuse_options(engine, chosen)
    return answer


def refuse_options(engine: Backend, options: Options) -> None:
    """Refuse an option of the solver's own with which it fails on one column, and not without.

    Behind a bridge an unknown option is a failure like any other.
    """
    for own in options.solver_options:
        without, with_it = (_on_one_column(engine, given) for given in ((), (own,)))
        if with_it.reason is Reason.ERROR is not without.reason:
            raise InvalidOption(
                f"{engine.name} refuses its option {named(own[0])}: {with_it.message}"
            )


def _on_one_column(engine: Backend, own: tuple[tuple[str, Raw], ...]) -> Answer:
    one = np.ones(1)
    form = LinearForm(
        name="one column", sense="min", cost=one, offset=0.0, matrix=rows_of_dense([one]),
        row_lower=one, row_upper=2 * one, lower=0 * one, upper=3 * one, integer=np.zeros(1, bool),
    )  # fmt: skip
    try:
        return engine.run(form, Options(solver_options=own), None)
    except Exception as failure:
        return failed(failure, engine.name)


def guarded(
    engine: Backend,
    form: LinearForm,
    options: Options,
    start: Floats | None,
    solver: str,
    units: Units | None = None,
) -> Answer:
    """Run a backend in units, the form's own ones if left out.

    Exceptions become answers, points are checked.
    """
    begin = time.perf_counter()
    given, start, units = handed(form, start, units or form.units)
    try:
        try:
            answer = engine.run(given, options, start)
        except UndecidedRay:
            answer = _with_feasibility_known(engine, given, options)
        answer = returned(well_formed(given, answer), form, units)
        seconds = time.perf_counter() - begin
        answer = dataclasses.replace(answer, solver=engine.name, seconds=seconds)
    except FarkasError:
        raise
    except (Exception, SystemExit) as failure:
        return failed(failure, solver, time.perf_counter() - begin)
    return audited(form, answer)


def _with_feasibility_known(engine: Backend, form: LinearForm, options: Options) -> Answer:
    """Solve without cost: a feasible form was unbounded, every other answer stands."""
    asked = form.replace(cost=np.zeros(form.num_columns))
    try:
        said = well_formed(asked, engine.run(asked, options, None))
        # the bound on costs of 0 is noise
        answer = audited(asked, dataclasses.replace(said, bound=math.nan))
    except Exception as failure:
        return failed(failure, engine.name)
    if answer.claim is Conclusion.OPTIMAL:
        return Answer(reason=Reason.FINISHED, claim=Conclusion.UNBOUNDED)
    if answer.claim is Conclusion.INFEASIBLE:
        return answer
    return Answer(reason=answer.reason, message=answer.message)


def limited(reason: Reason, seconds: float, options: Options) -> Reason:
    """Return a time limit for any reason but an end, where the time has nearly passed."""
    late = seconds >= NEARLY * options.time_limit
    return Reason.TIME_LIMIT if late and reason is not Reason.FINISHED else reason


def failed(failure: BaseException, solver: str, seconds: float = math.nan) -> Answer:
    """Answer for a solver that raised."""
    words = one_line(str(failure)) or type(failure).__name__
    return Answer(reason=Reason.ERROR, solver=solver, seconds=seconds, message=words)


def refuse(engine: Backend, form: LinearForm, solver: str) -> None:
    """Refuse what the backend cannot take, before anything is handed over."""
    standing = engine.availability()
    if standing.standing is not Access.FULL:
        _refuse_licence(standing, engine.footprint(form), form.name, solver)
    if Ability.INTEGER not in engine.abilities and form.is_mip:
        raise UnsupportedForm(
            f"{solver} takes no integer columns and {form.name} has {int(form.integer.sum())}; "
            "use another solver or relax the form"
        )
    if Ability.LINEAR not in engine.abilities and not form.integer.all():
        raise UnsupportedForm(
            f"{solver} takes whole columns only and {form.name} has "
            f"{int((~form.integer).sum())} continuous; use another solver"
        )
    refuse_numbers(form)


def _refuse_licence(standing: Availability, size: tuple[int, int], form: str, solver: str) -> None:
    rows, columns = size
    if not standing:
        raise SolverUnavailable(f"solver {solver} is {standing}")
    for count, most, what in (
        (rows, standing.most_rows, "rows"),
        (columns, standing.most_columns, "columns"),
    ):
        if most is not None and count > most:
            raise SolverUnavailable(
                f"{solver} is limited to {most} {what} by its licence and {form} has {count}; "
                "use another solver or a full licence"
            )


def refuse_numbers(form: LinearForm) -> None:
    """Refuse numbers that make no program; raises `UnsupportedForm`, which names the first."""
    for what, values in (("cost", form.cost), ("matrix value", form.matrix.values)):
        # a finite sum has finite terms; the slower look comes only after an infinite one
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
        if not (math.isfinite(total) or np.isfinite(values).all()):
            place = int(np.flatnonzero(~np.isfinite(values))[0])
            whose = f" of {form.column_name(place)}" if what == "cost" else ""
            raise UnsupportedForm(f"{form.name}: {what}[{place}]{whose} must be finite")
    if not math.isfinite(form.offset):
        raise UnsupportedForm(f"{form.name}: the objective's constant is {form.offset}")
    refuse_impossible_sides(form, "no number does")


def finite_side(value: float) -> float | None:
    """Return a side or end as packages take it that write None for infinity."""
    return float(value) if math.isfinite(value) else None


def check_start(form: LinearForm, start: Floats | None) -> None:
    """Refuse a start of the wrong shape or with NaN."""
    if start is None:
        return
    if start.shape != (form.num_columns,) or not np.isfinite(start).all():
        raise InvalidOption(
            f"start has shape {start.shape}: needs {form.num_columns} finite values, one a column"
        )


class Access(enum.StrEnum):
    """Whether a solver can be used here."""

    MISSING = "missing"
    UNLICENSED = "unlicensed"
    LIMITED = "limited"
    FULL = "full"


@dataclasses.dataclass(frozen=True, slots=True)
class Availability:
    """Standing of a solver on this machine; truthy when it solves something."""

    standing: Access  #: Missing, unlicensed, limited or full.
    detail: str = ""  #: What is missing or limited, and what to do.
    #: most_rows, most_columns: largest form a limited licence accepts; None without a limit.
    most_rows: int | None = None
    most_columns: int | None = None

    def __bool__(self) -> bool:
        return self.standing in (Access.LIMITED, Access.FULL)

    def __str__(self) -> str:
        return f"{self.standing}: {self.detail}" if self.detail else str(self.standing)


@functools.cache
def installed(package: str) -> bool:
    """Whether ``package`` can be imported, without importing it."""
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def missing(what: str) -> Availability:
    """Availability of a solver whose package is absent; ``what`` brings it."""
    return Availability(Access.MISSING, f"pip install {what!r} to use it")


def version_of(package: str) -> str:
    """Version of an installed distribution, empty when absent."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
