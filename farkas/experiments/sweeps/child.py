"""A child process that performs tasks one after the other.

It starts apart from the current folder, whose modules it never sees.  Requests and responses are
one line of JSON each.  A crash, a kill or an overlong task ends the child and nothing else.
"""

import contextlib
import os
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO

import msgspec

from farkas import isolated
from farkas.experiments.sweeps.store import Result
from farkas.experiments.sweeps.task import Request

LONGEST_WAIT = 3600.0
"""Seconds that the system is asked to wait at once; it refuses numbers of weeks."""


class ChildEnded(Exception):
    """The child was ended for good by another thread."""


class Child:
    """Parent's handle of one child process, started when first needed.

    One thread performs; any other may `end` the child at any moment.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held while a process starts, so that none outlives `end`
        self._ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def perform(self, request: Request, timeout: float) -> Result:
        """Let the child perform ``request``; never raises for what the task does.

        Parameters
        ----------
        timeout
            Seconds after which the child is killed and the task recorded as overlong.

        Raises
        ------
        ChildEnded
            The child was ended for good.
        """
        begin = time.monotonic()
        try:
            process = self._start()
            assert process.stdin is not None
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            process.stdin.flush()
            line = self._line(begin + timeout)
        except BrokenPipeError:
            line = b""
        seconds = time.monotonic() - begin
        if line is None:
            self.stop()
            error = f"stopped after {timeout:g} s"
            return Result.ended(request, "overlong", error, seconds)
        if not line.endswith(b"\n"):
            return Result.ended(request, "crashed", self._last_words(), seconds)
        return msgspec.json.decode(line, type=Result)

    def end(self) -> None:
        """Kill the process, and let none start again; whoever performs a task sees it die."""
        with self._lock:
            self._ended = True
            process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def stop(self) -> None:
        """Kill the process, from the thread that performs; the next task starts another."""
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
                isolated.command("farkas.experiments.sweeps.child"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                start_new_session=True,  # Ctrl-C reaches the parent, who decides
            )
        return self._process

    def _line(self, until: float) -> bytes | None:
        """One line of the child; None when time ran out, without a newline when it died."""
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        parts: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while True:
                left = until - time.monotonic()
                if left <= 0:
                    return None
                if not selector.select(min(left, LONGEST_WAIT)):
                    continue
                part = os.read(pipe, 1 << 20)
                parts.append(part)
                if not part or part.endswith(b"\n"):
                    return b"".join(parts)

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


def main() -> None:
    """Answer requests until the input ends, which is also what a killed parent looks like."""
    from farkas.experiments.sweeps.perform import perform

    # whatever a task prints must not reach the protocol
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin.buffer:
        request = msgspec.json.decode(line, type=Request)
        answers.write(msgspec.json.encode(perform(request)) + b"\n")
        answers.flush()
