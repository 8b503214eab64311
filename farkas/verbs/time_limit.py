"""Ending what takes too long."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from farkas.errors import InvalidOption
from farkas.required import require_type

AGAIN = 1.0
"""Seconds until the alarm rings again: the first is lost where exceptions are ignored."""


class Overlong(BaseException):
    """The time is up; no ordinary exception, which would be taken for a failure of a solver."""


def require_limit(seconds: float | None) -> None:
    """Raise `InvalidOption` unless this is None or seconds above 0 that can be kept here."""
    if seconds is None:
        return
    require_type(seconds, (int, float), "time_limit")
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise InvalidOption(f"time_limit = {seconds:g}; give seconds above 0")
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        raise InvalidOption("a time limit needs the main thread of Linux or macOS; leave it out")


def require_bound_seconds(seconds: float | None) -> None:
    """Raise `InvalidOption` unless this is None or seconds above 0."""
    if seconds is None:
        return
    require_type(seconds, (int, float), "bound_seconds")
    if not seconds > 0:
        raise InvalidOption(f"bound_seconds = {seconds:g}; give seconds above 0")


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
