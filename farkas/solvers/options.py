"""One set of options for all solvers."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, TypedDict, TypeGuard

import numpy as np

from farkas.errors import InvalidOption
from farkas.messages import named, one_line, shown

Raw = bool | int | float | str  #: Value of an option in the words of a solver.
#: Time limit, gap, threads and seed in the words of a solver; empty where it has none.
Words = tuple[str, str, str, str]
#: Words of the solvers that are reached in several ways.
WORDS: dict[str, Words] = {
    "highs": ("time_limit", "mip_rel_gap", "threads", "random_seed"),
    "gurobi": ("TimeLimit", "MIPGap", "Threads", "Seed"),
    "scip": ("limits/time", "limits/gap", "lp/threads", "randomization/randomseedshift"),
}


class OptionNames(TypedDict, total=False):
    """The options of :func:`solve`, for type checkers."""

    time_limit: float | None
    gap: float | None
    threads: int | None
    seed: int | None
    log: bool
    solver_options: Mapping[str, Raw] | None


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """One set of options for all solvers."""

    time_limit: float = math.inf  #: Wall seconds, >= 0; infinite by default.
    #: Relative gap of objective and bound at which an integer program counts as solved; 0 by
    #: default, unlike the 1e-4 of most solvers.
    gap: float = 0.0
    threads: int = 1  #: Number of threads; 1 by default, so that results repeat.
    seed: int = 0  #: Seed of the solver's random choices, 0 by default.
    log: bool = False  #: Whether the solver's log goes to stderr.
    #: Further options by the names that the solver gives them, taken as they are and after the
    #: others; they are about the program in units near 1, which is what a solver gets. A mapping
    #: where options are asked for, pairs in order of names here.
    solver_options: tuple[tuple[str, Raw], ...] = ()

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Options:
        """Check names and values.

        Raises `InvalidOption`: naming the option, the value and the nearest known name.
        """
        if not given:
            return _DEFAULTS
        for name, value in given.items():
            rule = _RULES.get(name)
            if rule is None:
                raise InvalidOption.near(f"unknown solver option {name!r}", name, _RULES)
            if value is not None and not rule[0](value):
                raise InvalidOption(f"solver option {name} = {shown(value)}: must be {rule[1]}")
        kept = {name: value for name, value in given.items() if value is not None}
        if "solver_options" in kept:
            kept["solver_options"] = tuple(sorted(kept["solver_options"].items()))
        return cls(**kept)

    def worded(self, words: Words, solver: str = "", needed: Sequence[str] = ()) -> dict[str, Raw]:
        """Values by the words of a solver, its own options last; a limit only where there is one.

        ``words``: what the solver calls them.  ``solver``, ``needed``: its name, and the options
        that must not be dropped when they differ from the default.  Raises `InvalidOption`: a
        needed option was given, and the solver has no word for it.
        """
        found: dict[str, Raw] = {}
        for name, word in zip(("time_limit", "gap", "threads", "seed"), words, strict=True):
            value = getattr(self, name)
            if word and value < math.inf:
                found[word] = value
            elif name in needed and value != getattr(_DEFAULTS, name):
                raise InvalidOption(f"farkas cannot pass {name} to {solver}; leave it out")
        return {**found, **dict(self.solver_options)}


@contextlib.contextmanager
def refused_by(solver: str, name: str) -> Iterator[None]:
    """Turn whatever a solver raises at an option of its own into an `InvalidOption`."""
    try:
        yield
    except Exception as failure:
        said = one_line(str(failure)) or type(failure).__name__
        problem = f"{solver} refuses its option {named(name)}: {said}"
        raise InvalidOption(problem) from None


def _is_raw(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and isinstance(each, bool | int | float | str)
        for name, each in value.items()
    )


def _is_amount(value: object) -> TypeGuard[float]:
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return False
    return bool(value >= 0)


def _is_count(least: int) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            return False
        # solvers keep their seeds and counts in 32 bits
        return least <= int(value) < 2**31

    return check


_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "time_limit": (_is_amount, "a number of seconds >= 0"),
    "gap": (lambda value: _is_amount(value) and value < math.inf, "a finite number >= 0"),
    "threads": (_is_count(1), "a whole number from 1 to 2147483647"),
    "seed": (_is_count(0), "a whole number from 0 to 2147483647"),
    "log": (lambda value: isinstance(value, bool), "True or False"),
    "solver_options": (_is_raw, "names of the solver with numbers, words, True or False"),
}
_DEFAULTS = Options()


class CtrlC:
    """Remembers Ctrl-C while a solver runs, so that the solver can be asked to stop.

    Used as a context manager.  Inside another one both remember.  A handler that somebody else
    installed stays in place.
    """

    __slots__ = ("_outer", "_previous", "pressed")

    def __init__(self) -> None:
        self.pressed = False
        self._previous: Any = None
        self._outer: CtrlC | None = None

    def __enter__(self) -> CtrlC:
        main = threading.current_thread() is threading.main_thread()
        if not main:
            return self
        present = signal.getsignal(signal.SIGINT)
        owner = getattr(present, "__self__", None)
        if isinstance(owner, CtrlC):
            self._outer = owner
        if self._outer is not None or present is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _press(self, _number: int, _frame: FrameType | None) -> None:
        self.pressed = True
        if self._outer is not None:
            self._outer._press(_number, _frame)


@contextlib.contextmanager
def off_stdout(log: bool) -> Iterator[None]:
    """Keep stdout free even of solvers that chatter when told to be silent."""
    if log:
        with _redirected(2), contextlib.redirect_stdout(sys.stderr):
            yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        with _redirected(nowhere), contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        os.close(nowhere)


@contextlib.contextmanager
def _redirected(target: int) -> Iterator[None]:
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(target, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
