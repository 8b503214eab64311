"""Solvers in a process of their own: a crash ends that process and nothing else.

A folder holds what is asked and what is answered, words in JSON and arrays as numpy packs them.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from farkas import isolated
from farkas.numbers import Array
from farkas.solvers.interrupt import CtrlC

Words: TypeAlias = dict[str, Any]
Arrays: TypeAlias = dict[str, Array]

GRACE = 30.0
"""Seconds beyond a time limit after which the process is killed: it has to start, read and write,
and few solvers look at the clock all the time."""
FAREWELL = 5.0
"""Seconds in which a solver may say what it has found when Ctrl-C is pressed."""
_POLL = 0.1


def ask(
    module: str,
    words: Mapping[str, Any],
    arrays: Mapping[str, Array],
    *,
    time_limit: float,
    log: bool,
) -> tuple[Words, Arrays, str]:
    """Start a process, hand it the question, wait.

    Parameters
    ----------
    module
        Its ``main`` calls :func:`answer_with`.
    time_limit
        Seconds that the solver was told; :data:`GRACE` after them the process is killed.
    log
        Whether what it prints goes to our stderr.

    Returns
    -------
    The answer, and how it ended: ``"done"``, ``"interrupted"`` by Ctrl-C, or ``"overlong"``; the
    answer may be empty then.

    Raises
    ------
    RuntimeError
        The process died; with its last words.
    """
    with (
        tempfile.TemporaryDirectory(prefix="farkas-") as name,
        tempfile.TemporaryFile() as errors,
        CtrlC() as key,
    ):
        folder = Path(name)
        _write(folder, "asked", words, arrays)
        process = subprocess.Popen(
            isolated.command(module, name),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=None if log else errors,
            env=isolated.environment(),
            start_new_session=True,  # Ctrl-C reaches us, who decide
        )
        try:
            how = _awaited(process, key, time.monotonic() + time_limit + GRACE)
        finally:
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()
        if process.returncode == 0:
            return *_read(folder, "answer"), how
        if how != "done":
            return {}, {}, how
        raise RuntimeError(_last_words(process.returncode, errors))


def _awaited(process: subprocess.Popen[bytes], key: CtrlC, until: float) -> str:
    asked_to_stop = math.inf
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_POLL)
            return "interrupted" if key.pressed else "done"
        now = time.monotonic()
        if key.pressed and asked_to_stop == math.inf:
            process.send_signal(signal.SIGINT)
            asked_to_stop = now
        if now > asked_to_stop + FAREWELL:
            return "interrupted"
        if now > until:
            return "overlong"


def _last_words(code: int, errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    how = f"by signal {-code}" if code < 0 else f"with status {code}"
    return f"its process ended {how}" + (f": {lines[-1]}" if lines else "")


def answer_with(solve: Callable[[Words, Arrays], tuple[Words, Arrays]]) -> None:
    """Answer the question in the folder that is named by the first argument of this process."""
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _follow()
    folder = Path(sys.argv[1])
    _write(folder, "answer", *solve(*_read(folder, "asked")))


def _follow() -> None:
    """End with the process that asked: the pipe from it closes then, and SIGIO ends this one.

    A thread that waits for it would not do, since some solvers let no other thread run.
    """
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:
        os._exit(1)  # it was gone before


def _write(folder: Path, name: str, words: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    (folder / f"{name}.json").write_text(json.dumps(words))
    packed: dict[str, Any] = dict(arrays)
    np.savez(folder / f"{name}.npz", **packed)


def _read(folder: Path, name: str) -> tuple[Words, Arrays]:
    with np.load(folder / f"{name}.npz", allow_pickle=False) as packed:
        return json.loads((folder / f"{name}.json").read_text()), dict(packed)
