"""Ctrl-C and logs while foreign code runs."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any


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
def log_to_stderr(wanted: bool) -> Iterator[None]:
    """Send what foreign code writes to stdout to stderr when a log is wanted.

    stdout belongs to results.  Without a log nothing is redirected: for solvers that are silent
    when told so.
    """
    with _redirected(2) if wanted else contextlib.nullcontext():
        yield


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
