"""Solvers in a process of their own: a crash ends that process and nothing else."""

from __future__ import annotations

import contextlib
import importlib
import math
import signal
import subprocess
import time
from collections.abc import Mapping
from typing import Any, TypeAlias

from farkas.executor import Child
from farkas.numbers import Array
from farkas.solvers.interrupt import CtrlC

Words: TypeAlias = dict[str, Any]
Arrays: TypeAlias = dict[str, Array]

#: Seconds beyond a time limit after which the process is killed: it has to start, read and write,
#: and few solvers look at the clock all the time.
GRACE = 30.0
FAREWELL = 5.0  #: Seconds in which a solver may say what it has found when Ctrl-C is pressed.


def ask(
    module: str,
    words: Mapping[str, Any],
    arrays: Mapping[str, Array],
    *,
    time_limit: float,
    log: bool,
) -> tuple[Words, Arrays, str]:
    """Let ``answered(words, arrays)`` of a module answer in a new process.

    Parameters
    ----------
    time_limit
        Seconds that the solver was told; `GRACE` after them the process is killed.
    log
        Whether what it prints goes to our stderr.

    Returns
    -------
    The answer, and how it ended: ``"done"``, ``"interrupted"`` by Ctrl-C, or ``"overlong"``; the
    answer may be empty then.

    Raises
    ------
    RuntimeError
        The process died or found a fault; with its last words.
    """
    told = math.inf
    with CtrlC() as key, contextlib.closing(Child(log=log)) as child:

        def tell(process: subprocess.Popen[bytes]) -> None:
            nonlocal told
            now = time.monotonic()
            if key.pressed and told == math.inf:
                told = now
                process.send_signal(signal.SIGINT)
            if now > told + FAREWELL:
                process.kill()

        end = child.call(
            time_limit + GRACE, _answer, module, dict(words), dict(arrays), meanwhile=tell
        )
    how = "interrupted" if key.pressed else "overlong" if end.status == "overlong" else "done"
    if end.status == "done":
        return *end.answer, how
    if how == "done":
        raise RuntimeError(f"its process {'raised ' * (end.status == 'raised')}{end.error}")
    return {}, {}, how


def _answer(module: str, words: Words, arrays: Arrays) -> tuple[Words, Arrays]:
    """Import the solver's library in the child only."""
    found: tuple[Words, Arrays] = importlib.import_module(module).answered(words, arrays)
    return found
