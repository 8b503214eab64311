"""What public functions accept as limits of time, and what holds them."""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType, NoneType

from farkas.errors import InvalidOption, require_progress, require_seed, require_type
from farkas.messages import shown

#: Whole numbers beyond it are no doubles, which clocks are compared with.
LONGEST = sys.float_info.max

AGAIN = 1.0  #: Seconds until the alarm rings again: the first is lost where exceptions are ignored.


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
