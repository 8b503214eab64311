"""A child process that performs tasks one after the other.

It starts apart from the current folder, whose modules it never sees.  Tasks and answers are
preceded by their length.  A crash, a kill or an overlong task ends the child and nothing else.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, Any

import msgspec

from farkas import isolated
from farkas.errors import FarkasError
from farkas.executor.asked import AskedTask, Shared, TaskEnd

LONGEST_WAIT = 3600.0
"""Seconds that the system is asked to wait at once; it refuses numbers of weeks."""
PIECE = 1 << 20
"""Bytes that are read or written at once."""
HEADER = 8
"""Bytes of a length."""

inside = False
"""Whether this process is such a child, which starts no others."""


class ChildEnded(Exception):
    """The child was ended for good by another thread."""


class _OutOfSeconds(Exception):
    """The time of a task is over."""


class Child:
    """Parent's handle of one child process, started when first needed.

    One thread asks; any other may `end` or `kill` the child at any moment.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held while a process starts, so that none outlives `end`
        self._ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._held = ""  # key of what the process has been given to share

    def ask(self, asked: AskedTask, timeout: float) -> TaskEnd:
        """Let the child perform a task; never raises for what the task does.

        Parameters
        ----------
        timeout
            Seconds after which the child is killed and the task is overlong.

        Raises
        ------
        ChildEnded
            The child was ended for good.
        OSError
            The system starts no process.
        """
        begin = time.monotonic()
        self._start()
        shared = asked.shared
        if shared is not None and shared.key == self._held:
            asked = msgspec.structs.replace(asked, shared=Shared(shared.key, b""))
        try:
            self._write(msgspec.msgpack.encode(asked), begin + timeout)
            answer = self._read(begin + timeout)
        except _OutOfSeconds:
            self.stop()
            error = f"stopped after {timeout:g} s"
            return TaskEnd("overlong", error=error, seconds=time.monotonic() - begin)
        except (BrokenPipeError, EOFError):
            error = self._last_words()
            return TaskEnd("crashed", error=error, seconds=time.monotonic() - begin)
        if shared is not None:
            self._held = shared.key
        found = msgspec.msgpack.decode(answer, type=TaskEnd)
        return msgspec.structs.replace(found, seconds=time.monotonic() - begin)

    def end(self) -> None:
        """Kill the process, and let none start again; whoever asks sees it die."""
        with self._lock:
            self._ended = True
        self.kill()

    def kill(self) -> None:
        """Kill the process; whoever asks sees it die, and the next task starts another."""
        with self._lock:
            process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def stop(self) -> None:
        """Kill the process, from the thread that asks; the next task starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            self._process = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        self._held = ""

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.stop()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        # one thread a task: parallelism comes from the number of children
        environment = {
            **isolated.environment(),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        with self._lock:
            if self._ended:
                raise ChildEnded
            self._process = subprocess.Popen(
                isolated.command("farkas.executor.child"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                bufsize=0,
                start_new_session=True,  # Ctrl-C reaches the parent, who decides
            )
        return self._process

    def _write(self, content: bytes, until: float) -> None:
        """Hand over a frame; a child that does not read is not waited for beyond the time."""
        assert self._process is not None
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        os.set_blocking(pipe, False)
        left = memoryview(len(content).to_bytes(HEADER, "big") + content)
        while len(left):
            _wait(pipe, selectors.EVENT_WRITE, until)
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(pipe, left[:PIECE]) :]

    def _read(self, until: float) -> bytes:
        """Take the child's next frame."""
        size = int.from_bytes(self._read_exactly(HEADER, until), "big")
        return self._read_exactly(size, until)

    def _read_exactly(self, size: int, until: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        parts = bytearray()
        while len(parts) < size:
            _wait(pipe, selectors.EVENT_READ, until)
            part = os.read(pipe, min(PIECE, size - len(parts)))
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)

    def _last_words(self) -> str:
        code = self._process.wait() if self._process is not None else None
        how = f"ended with status {code}"
        if code is not None and code < 0:
            how = f"ended by signal {-code}"
        words = ""
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            words = f": {lines[-1]}" if lines else ""
        self.stop()
        return how + words


def _wait(pipe: int, event: int, until: float) -> None:
    """Wait until a pipe is ready; `_OutOfSeconds` when the time is over first."""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, event)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise _OutOfSeconds
            if selector.select(min(left, LONGEST_WAIT)):
                return


class _Bench:
    """What a child has at hand: what it was given to share, and works made with it."""

    def __init__(self) -> None:
        self._key, self._shared = "", None
        self._works: dict[str, Callable[[Any], Any]] = {}

    def perform(self, asked: AskedTask) -> TaskEnd:
        """Perform a task; every exception is an answer, too."""
        try:
            answer = self._work(asked)(pickle.loads(asked.task))
            return TaskEnd("done", pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))
        except (Exception, SystemExit) as error:
            return TaskEnd("raised", pickle.dumps(portable(error)))

    def _work(self, asked: AskedTask) -> Callable[[Any], Any]:
        key = asked.shared.key if asked.shared is not None else ""
        if key != self._key:
            self._works.clear()
            self._shared = pickle.loads(asked.shared.data) if asked.shared is not None else None
            self._key = key
        if asked.work not in self._works:
            module, _, name = asked.work.partition(":")
            made = getattr(importlib.import_module(module), name)
            self._works[asked.work] = made(self._shared)
        return self._works[asked.work]


def portable(error: BaseException) -> BaseException:
    """Return the error, or one of the nearest type that is the same after pickling."""
    try:
        again = pickle.loads(pickle.dumps(error))
        if type(again) is type(error) and str(again) == str(error):
            return error
    except Exception:
        pass  # of whatever its constructor makes of arguments it does not know
    kinds = (kind for kind in type(error).__mro__ if kind.__module__ == FarkasError.__module__)
    for kind in kinds:
        with contextlib.suppress(Exception):
            nearest: BaseException = kind(str(error))
            if str(nearest) == str(error):
                return nearest
    return RuntimeError(f"{type(error).__name__}: {error}")


def main() -> None:
    """Answer tasks until the input ends, which is also what a killed parent looks like."""
    global inside
    inside = True
    # whatever a task prints must not reach the protocol
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    bench = _Bench()
    while header := sys.stdin.buffer.read(HEADER):
        content = sys.stdin.buffer.read(int.from_bytes(header, "big"))
        end = bench.perform(msgspec.msgpack.decode(content, type=AskedTask))
        answer = msgspec.msgpack.encode(end)
        answers.write(len(answer).to_bytes(HEADER, "big"))
        answers.write(answer)
        answers.flush()
