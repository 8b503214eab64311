"""What public functions accept as an instance and as a time limit."""

from __future__ import annotations

import contextlib
import inspect
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType, NoneType
from typing import TYPE_CHECKING, TypeAlias

from farkas.errors import (
    FarkasError,
    InvalidOption,
    require_progress,
    require_seed,
    require_type,
)
from farkas.instances import Instance, read
from farkas.messages import shown

if TYPE_CHECKING:
    from farkas.instances.traces import ImportedInstance

#: An instance, the path of its file, the name of a shipped one, or what was imported.
InstanceOrName: TypeAlias = "Instance | str | os.PathLike[str] | ImportedInstance"
#: Whole numbers beyond it are no doubles, which clocks are compared with.
LONGEST = sys.float_info.max

AGAIN = 1.0  #: Seconds until the alarm rings again: the first is lost where exceptions are ignored.


def as_instance(given: InstanceOrName) -> Instance:
    """Return the instance that is given or named; see `farkas.api.load.other_instance`."""
    if isinstance(given, Instance):
        return given
    if isinstance(given, str | os.PathLike) and os.path.lexists(given):
        with contextlib.suppress(FarkasError):  # it is read again below, and what it is, is told
            return read(given)
    from farkas.api.load import other_instance  # here: files are mostly instances

    return other_instance(given)


def refuse_unknown(function: Callable[..., object], unknown: Iterable[str]) -> None:
    """Raise `InvalidOption` about names that a function does not know, with the nearest it does."""
    for name in unknown:
        known = inspect.signature(function).parameters
        raise InvalidOption.near(f"unknown option {name!r} of {function.__name__}", name, known)


class Overlong(BaseException):
    """The time is up; no ordinary exception, which would be taken for a failure of a solver."""


def require_limit(seconds: float | None) -> None:
    """Raise `InvalidOption` unless this is None or seconds above 0 that can be kept here."""
    if seconds is None:
        return
    _require_seconds(seconds, "time_limit", threading.TIMEOUT_MAX)
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        raise InvalidOption("a time limit needs the main thread of Linux or macOS; leave it out")


def require_search_limit(seconds: float | None, what: str = "time_limit") -> None:
    """Raise `InvalidOption` unless work that asks the clock can be held to this, or it is None.

    The message calls it ``what``, as who gave it does.
    """
    if seconds is not None:
        _require_seconds(seconds, what)


SECONDS = 60.0  #: CPU seconds of a search that is given neither seconds nor evaluations.


def search_seconds(
    seconds: float | None, evaluations: int | None, seed: int, progress: object
) -> float:
    """CPU seconds of a search for a worst case; raises `InvalidOption` where it cannot be held."""
    require_type(evaluations, (int, NoneType), "evaluations")
    require_seed(seed)
    require_progress(progress)
    if evaluations is not None and (isinstance(evaluations, bool) or evaluations < 1):
        raise InvalidOption(f"evaluations = {evaluations}; give at least 1")
    require_search_limit(seconds, "seconds")
    if seconds is not None:
        return seconds
    return SECONDS if evaluations is None else math.inf


def _require_seconds(seconds: float, what: str, most: float = math.inf) -> None:
    require_type(seconds, (int, float), what)
    if not 0 < seconds <= most or LONGEST < seconds < math.inf:
        raise InvalidOption(f"{what} = {shown(seconds)}; give seconds above 0")


@contextlib.contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `Overlong` in what is done inside when ``seconds`` have passed; None never does.

    As Ctrl-C, it ends Python and the solvers that ask Python whether to go on, other foreign code
    when it returns.
    """
    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise Overlong
