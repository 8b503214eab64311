"""What a policy is: the parts that the loop asks for, each with a default; how one is named.

A policy with a program states it and rounds what a solver answers; one without decides in `step`::

    class Greedy(Policy):
        def start(self, known, seed): ...
        def model(self, state, arrivals): return Subproblem(...)
        def round(self, state, arrivals, answer, rng): return state, decision

    class FirstFit(Policy):
        def start(self, known, seed): ...
        def step(self, state, arrivals): return state, decision
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from farkas.errors import (
    FarkasError,
    FileProblem,
    InvalidInstance,
    InvalidOption,
    NoAnswer,
    NotACertificate,
    PolicyProblem,
    UnknownName,
)
from farkas.files import read_bytes
from farkas.messages import named
from farkas.numbers import Rng
from farkas.online.driver import GONE, Algorithm, algorithms, environments, options_of, plain
from farkas.online.sources import own_modules, source_sha256

if TYPE_CHECKING:
    from farkas.online.driver import Outcome
    from farkas.online.run import Bound
    from farkas.solvers.subproblem import Subproblem, SubproblemAnswer


#: Folder of farkas's own files.
HOME = os.path.dirname(os.path.dirname(__file__))


class Increments(NamedTuple):
    """An inequality of a theorem, slot by slot, in exact arithmetic: left <= right."""

    theorem: str  #: For example ``"Eris Lemma 1"``.
    left: Sequence[Fraction]  #: One number a slot.
    right: Sequence[Fraction]  #: One number a slot.


@contextlib.contextmanager
def authored(policy: Policy, where: str, expected: str = "") -> Iterator[None]:
    """Turn an error of somebody else's policy into one that says so; raises `PolicyProblem`."""
    try:
        yield
    except PolicyProblem:
        raise
    except FarkasError as error:
        if not policy.foreign or not expected:
            raise
        raise PolicyProblem(f"policy {policy.name}, {where}: {error}; {expected}") from error
    except (Exception, SystemExit) as error:
        if not policy.foreign:
            raise
        if isinstance(error, NotImplementedError) and not _line_of(error):
            raise PolicyProblem(str(error)) from None
        line = _line_of(error)
        tail = line or (f"; {expected}" if expected else "")
        raise PolicyProblem(
            f"policy {policy.name}, {where}: {type(error).__name__}: {error}{tail}"
        ) from error


def _line_of(error: BaseException) -> str:
    """Say in which line of somebody else's file an error arose; empty where in none."""
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if not frame.filename.startswith(HOME)]
    if not others:
        return ""
    return f" ({os.path.basename(others[-1].filename)}, line {others[-1].lineno})"


def require_proof(
    bound: Bound, instance: Any, options: dict[str, Any], name: str, decisions: Sequence[Any]
) -> None:
    """Refuse a bound of somebody else's policy that its certificate does not prove of a run.

    Kinds of other distributions may have bounds without a certificate; those of farkas have none.
    """
    from farkas.algebra.formulation import programs
    from farkas.certificates.files import RELAXATION, check, from_json
    from farkas.instances.files import own_kinds
    from farkas.relaxations.integrality import relax

    if instance.kind not in own_kinds():
        return
    if bound.certificate is None or not bound.holds_for(instance.kind, options, name, decisions):
        raise NotACertificate("the bound has no certificate that bounds these runs")
    found: Any = from_json(msgspec.json.encode(bound.certificate), "certificate of the bound")
    form = None
    if hasattr(found, "form"):  # it is about a program
        program = found.program.removeprefix(RELAXATION)
        form = programs.build(program).form(instance)
        form = form if program == found.program else relax(form)
    proved = check(found, form, instance=instance)
    worse = proved.bound is None or (
        bound.fraction > proved.bound if proved.sense == "min" else bound.fraction < proved.bound
    )
    if worse:
        raise NotACertificate(f"the bound {bound!r} is more than its certificate proves")


def require_first_solver(policy: Policy, state: Any, arrivals: Iterable[Any]) -> None:
    """Refuse a solver that cannot take the first program, before anything is decided."""
    from farkas.solvers.subproblem import require_solver

    for arrival in arrivals:
        program = policy.model(state, arrival)
        if program is not None:
            require_solver(program, policy.solver)
            return


class Policy:
    """An online algorithm: state in, state out, and never a look at the future."""

    #: Whether it sees the whole instance: a baseline with hindsight, which cannot be fed.
    hindsight: ClassVar[bool] = False
    #: Who solves its programs; empty: the fastest that is exact.  One that lets its user choose
    #: has an option of that name.
    solver: str = ""

    @property
    def name(self) -> str:
        """Name of a policy that is not registered, in its runs."""
        return type(self).__name__

    @property
    def foreign(self) -> bool:
        """Whether it is not farkas's own, so that its errors are its author's."""
        return not type(self).__module__.startswith("farkas.")

    def prepare(self, instance: Any) -> None:
        """Have kernels compiled, if the whole run is worth it, before clocks start."""

    def decide(self, instance: Any, seed: int) -> Sequence[Any] | None:
        """Return every decision at once, in the order of the arrivals; None: step by step.

        A policy without `hindsight` decides here as its steps would.  Decisions that are kept as
        columns have a method ``plain`` that returns what a file holds.
        """
        return None

    def start(self, known: Any, seed: int) -> Any:
        """Return the state before the first arrival; ``known`` is what is known in advance."""

    def model(self, state: Any, arrivals: Any) -> Subproblem | None:
        """Return the program to solve next, with its data; None: there is none."""
        return None

    def round(
        self, state: Any, arrivals: Any, answer: SubproblemAnswer | None, rng: Rng
    ) -> tuple[Any, Any]:
        """Return the next state and the decision about ``arrivals``.

        Parameters
        ----------
        answer
            Of the program of `model`; None without a program.
        rng
            For every random draw of the rounding; seeded once a run.

        Returns
        -------
        The decision is None where the state has one more program for the same arrivals.
        """
        return self.step(state, arrivals)

    def step(self, state: Any, arrivals: Any) -> tuple[Any, Any]:
        """Return the next state and the decision, of a policy without a program."""
        raise NotImplementedError(f"{type(self).__name__} has neither step nor model and round")

    def unsolved(self, state: Any, arrivals: Any, error: NoAnswer) -> tuple[Any, Any]:
        """Return state and decision where no solver answers a program; by default the error."""
        raise error

    def dual(self, answers: Sequence[SubproblemAnswer]) -> tuple[float, float]:
        """Return value and dual value of a step's programs; by default those of the last one."""
        return answers[-1].value, answers[-1].dual

    def evaluate(self, instance: Any, decisions: Sequence[Any]) -> Outcome | None:
        """Return what decisions are worth; None: what the environment says."""
        return None

    def certify(self, instance: Any, state: Any, decisions: Sequence[Any]) -> Bound | None:
        """Prove a bound from the last state; None: by the environment's own."""
        return None

    def theorem(self, instance: Any, state: Any, decisions: Sequence[Any]) -> Increments | None:
        """Return the inequality of the paper's theorem for every slot; None without one."""
        return None

    def remarks(self, state: Any) -> list[str]:
        """Say what the last state says of the run and its decisions do not."""
        return []


#: What `_Outside` says itself.
KEPT = ("name", "foreign")


class _Outside(Policy):
    """A policy that has some of the parts and is no `Policy`."""

    name, foreign = "", True

    def __init__(self, given: Any) -> None:
        for part in (one for one in vars(Policy) if one not in KEPT and one[0] != "_"):
            if hasattr(given, part):
                setattr(self, part, getattr(given, part))
        if not hasattr(given, "step") and not hasattr(given, "round"):
            self.hindsight = True  # type: ignore[misc]
        self.name = type(given).__name__


def as_policy(given: Any) -> Policy:
    """Return a policy: an object that is one, its class, or an object with some of the parts.

    Raises
    ------
    InvalidOption
        Nothing of it decides.
    """
    made = given() if isinstance(given, type) else given
    if isinstance(made, Policy):
        return made
    if any(callable(getattr(made, part, None)) for part in ("step", "round", "decide")):
        return _Outside(made)
    raise InvalidOption(
        f"{type(made).__name__} is no name of an algorithm and no policy: it has no `step`, "
        "`round` or `decide`; derive its class from farkas.Policy"
    )


def as_algorithm(given: Any, kind: str = "") -> Algorithm:
    """Return the algorithm that a user names or hands over.

    It is a registered name, an `Algorithm`, a policy, its class, or ``file.py:Class``; without
    ``kind``, that of the instances it is to take, a policy says its own.

    Raises `UnknownName`: there is none of that name; `InvalidInstance`: it takes instances of
    another kind; `InvalidOption`: it is no policy, or says no kind; `FileProblem` or
    `PolicyProblem`: the file cannot be read, or fails when it is imported.
    """
    found: Algorithm = given
    if isinstance(given, str):
        found = _registered(given, kind) if not is_own(given) else _from_file(given, kind)
    elif not isinstance(given, Algorithm):
        found = _of_policy(given, kind)
    if kind and found.kind != kind:
        others = ", ".join(algorithms.names(f"{kind}."))
        raise InvalidInstance(
            f"{found.name} takes instances of kind {found.kind}, not {kind}; of {kind} there are "
            f"{others}"
        )
    return found


def with_solver(
    algorithm: Algorithm, options: dict[str, Any], solver: str | None
) -> dict[str, Any]:
    """Return options with a solver; raises `InvalidOption` where the algorithm solves nothing."""
    if solver is None:
        return options
    if options.get("solver", solver) != solver:
        raise InvalidOption(f"two solvers: {solver!r} and {options['solver']!r}")
    if "solver" not in algorithm.options:
        raise InvalidOption(f"{algorithm.name} solves no program; leave the solver {solver!r} out")
    return {**options, "solver": solver}


def is_own(name: str) -> bool:
    """Whether a text names a file, and a class in it."""
    return ".py:" in name or name.endswith(".py")


def _registered(name: str, kind: str) -> Algorithm:
    known = [] if "." in name or not kind else algorithms.names(f"{kind}.")
    if not known:
        return algorithms[name]
    if f"{kind}.{name}" in (*known, *GONE):
        return algorithms[f"{kind}.{name}"]
    raise UnknownName.of("algorithm", name, [*known, *(one.partition(".")[2] for one in known)])


def _from_file(text: str, kind: str) -> Algorithm:
    """Import the file under a name of its own; its folder is where it imports from, too."""
    path, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    read_bytes(path)  # refuses what cannot be read
    module_name = f"farkas_policy_{source_sha256(path)[:16]}"
    module = sys.modules.get(module_name)
    if module is None:
        module = _imported(path, module_name)
    classes = [one for one, what in vars(module).items() if _is_policy_of(what, module_name)]
    if not name:
        known = ", ".join(sorted(classes)) or "it has no policy"
        raise InvalidOption(f"{named(path)}: name its policy, as in FILE.py:CLASS; {known}")
    if name not in classes:
        raise UnknownName.of(f"policy of {named(path)}", name, classes)
    return _of_policy(vars(module)[name], kind)


#: Modules beside policies that were imported for them.
_of_policies: set[str] = set()


def _imported(path: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileProblem(f"{named(path)}: is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    folder = str(Path(path).resolve().parent)
    modules = own_modules(path).keys()
    for one in modules & _of_policies:  # as their files are today, or of another folder
        sys.modules.pop(one, None)
    before, quiet = set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True  # Python's cache misses a change within a second
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise PolicyProblem(
            f"{named(path)}: cannot be imported: {type(error).__name__}: {error}"
        ) from error
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = quiet
        _of_policies.update(modules - before)
    return module


def _is_policy_of(what: Any, module: str) -> bool:
    decides = any(callable(getattr(what, part, None)) for part in ("step", "round", "decide"))
    return isinstance(what, type) and what.__module__ == module and decides


def _of_policy(given: Any, kind: str) -> Algorithm:
    made = given if isinstance(given, type) else type(given)
    as_policy(given if not isinstance(given, type) else _made(given))  # refuses what is none
    said = getattr(given, "kind", "")
    if kind and said not in ("", kind):
        raise InvalidInstance(f"{made.__name__} is of kind {said!r}, the instance is of {kind}")
    kind = kind or said
    if not kind or environments.get(kind) is None:
        raise InvalidOption(
            f'{made.__name__} says no kind; write `kind = "gadget"`, or another one, in its class'
        )
    options: dict[str, Any] = {}
    types: dict[str, Any] = {}
    make = given
    if isinstance(given, type):
        options, types = _options(given)
    else:
        if dataclasses.is_dataclass(given):
            held = [field.name for field in dataclasses.fields(given) if field.init]
            options = {name: plain(getattr(given, name)) for name in held}
        make = functools.partial(_copy, given, options)
    name = f"{kind}.{made.__name__}"
    if name not in algorithms.own and name in algorithms:
        raise InvalidOption(f"{name} is an algorithm of farkas; give the class another name")
    algorithms.own[name] = found = Algorithm(
        name=name,
        source=_place(made),
        problem=getattr(given, "problem", ""),
        doc=inspect.getdoc(made) or made.__name__,
        make=make,
        options=options,
        types=types or dict.fromkeys(options, Any),
        source_sha256=_digest(made),
    )
    return found


def _copy(given: Any, held: dict[str, Any], **options: Any) -> Any:
    """Copy an object, with other options where asked: a run leaves the object as it was."""
    others = {name: value for name, value in options.items() if value is not held[name]}
    made = copy.deepcopy(given)
    return dataclasses.replace(made, **others) if others else made


def _made(cls: type) -> Any:
    """Make a policy with its defaults."""
    _options(cls)
    try:
        return cls()
    except Exception as error:
        raise PolicyProblem(
            f"policy {cls.__name__} cannot be made: {type(error).__name__}: {error}"
        ) from error


def _options(cls: type) -> tuple[dict[str, Any], dict[str, Any]]:
    if cls.__init__ is object.__init__:  # type: ignore[misc]
        return {}, {}
    try:
        return options_of(cls, cls.__name__)
    except ValueError as error:
        raise InvalidOption(f"{error}; or hand an object over") from None


def _place(cls: type) -> str:
    try:
        return os.path.basename(inspect.getsourcefile(cls) or "")
    except TypeError:  # of a session, not of a file
        return ""


def _digest(cls: type) -> str:
    """Hash of the sources of a class, or of what it is made of where there are none."""
    with contextlib.suppress(TypeError, OSError):
        path = inspect.getsourcefile(cls)
        if path and Path(path).stat().st_size:
            return source_sha256(path)
    code = [f.__code__.co_code for f in vars(cls).values() if hasattr(f, "__code__")]
    return hashlib.sha256(b"".join(code)).hexdigest()
