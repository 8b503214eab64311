"""Policies that nobody registered: an object, its class, or ``file.py:Class``."""

from __future__ import annotations

import copy
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import os
import sys
from pathlib import Path
from typing import Any

from farkas.errors import FileProblem, InvalidInstance, InvalidOption, PolicyProblem, UnknownName
from farkas.files import read_bytes
from farkas.messages import named
from farkas.online.driver import Algorithm, algorithms, environments, options_of
from farkas.online.policy import as_policy
from farkas.online.recording import plain


def as_algorithm(given: Any, kind: str = "") -> Algorithm:
    """Return the algorithm that a user names or hands over.

    Parameters
    ----------
    given
        Name of a registered algorithm, an `Algorithm`, a policy, its class, or ``file.py:Class``.
    kind
        Kind of the instances it is to take; without one a policy says its own in ``kind``.

    Raises
    ------
    UnknownName
        There is none of that name; one that names no kind is answered with those of ``kind``.
    InvalidInstance
        It takes instances of another kind.
    InvalidOption
        It is no policy, or says no kind where none is given.
    FileProblem, PolicyProblem
        The file cannot be read, or fails when it is imported.
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
    if f"{kind}.{name}" in known:
        return algorithms[f"{kind}.{name}"]
    raise UnknownName.of("algorithm", name, [*known, *(one.partition(".")[2] for one in known)])


def _from_file(text: str, kind: str) -> Algorithm:
    """Import the file under a name of its own; its folder is where it imports from, too."""
    path, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    content = read_bytes(path)
    digest = hashlib.sha256(content).hexdigest()
    module_name = f"farkas_policy_{digest[:16]}"
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


def _imported(path: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileProblem(f"{named(path)}: is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    folder = str(Path(path).resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise PolicyProblem(
            f"{named(path)}: cannot be imported: {type(error).__name__}: {error}"
        ) from error
    finally:
        sys.path.remove(folder)
    return module


def _is_policy_of(what: Any, module: str) -> bool:
    decides = any(callable(getattr(what, part, None)) for part in ("step", "round", "decide"))
    return isinstance(what, type) and what.__module__ == module and decides


def _of_policy(given: Any, kind: str) -> Algorithm:
    made = given if isinstance(given, type) else type(given)
    as_policy(given if not isinstance(given, type) else _made(given))  # refuses what is none
    kind = kind or getattr(given, "kind", "")
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
    """Hash of the file of a class, or of what it is made of where there is none."""
    try:
        path = inspect.getsourcefile(cls)
        content = Path(path).read_bytes() if path else b""
    except (TypeError, OSError):
        content = b""
    if not content:
        code = [f.__code__.co_code for f in vars(cls).values() if hasattr(f, "__code__")]
        content = b"".join(code)
    return hashlib.sha256(content).hexdigest()
