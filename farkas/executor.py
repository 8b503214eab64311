"""Calls that do not need each other, spread over workers, with the answers of a plain loop.

Any executor of `concurrent.futures` may hand them out: threads of this process, or that of a dask
client.  Each thread makes its calls in a child process of its own, so that a crash, a kill or an
overlong call ends that process and nothing else.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import fcntl
import functools
import itertools
import math
import os
import pickle
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, Protocol, Self, TypeVar

from farkas.errors import InvalidOption, SolverUnavailable
from farkas.extras import needed
from farkas.kernels import Kernel
from farkas.messages import named, one_line

#: Processes that one machine is asked for; more of them are reached by a scheduler.
MOST_WORKERS = 1024
LOOK = 0.05  #: Seconds between two looks at whether what is waited for is wanted still.
PATIENCE = 10.0  #: Seconds in which a scheduler has to answer.
PIECES = 16  #: Messages for each worker: more of them even out what was estimated wrong.
LEAST_STEPS = 1e7  #: Steps of a kernel below which asking others takes longer than doing it.

#: What a child starts with; modules of the current folder are not found (``-P``).
START = (
    "import sys; sys.path += [root for root in sys.argv[2:] if root not in sys.path];"
    " from farkas.executor import main; main()"
)
ROOT = str(Path(__file__).resolve().parents[1])

inside = False  #: Whether this process is a child, which starts no others.

About = TypeVar("About")
Task = TypeVar("Task", contravariant=True)
Answer = TypeVar("Answer", covariant=True)


def nothing() -> None:
    """Have nothing against going on."""


class CallEnd(NamedTuple):
    """What became of a call: its answer, or why there is none, and its wall time.

    ``raised``: the call raised an exception; ``crashed``: its process died; ``overlong``: it was
    killed when the time was over.
    """

    status: Literal["done", "raised", "crashed", "overlong"]
    answer: Any = None
    error: str = ""
    seconds: float = 0.0


class Child:
    """A process that makes calls one after the other, started when first needed.

    It starts apart from the current folder, whose modules it never sees.  One thread calls; any
    other may `kill` at any moment.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held while a process starts, so that `kill` misses none
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._errors: IO[bytes] | None = None

    def call(self, timeout: float, function: Callable[..., Any], *arguments: Any) -> CallEnd:
        """Make a call there, for ``timeout`` seconds; never raises for what the call does."""
        begin, late = time.monotonic(), threading.Event()
        process, pipe = self._started()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(min(timeout, threading.TIMEOUT_MAX), stop)
        timer.start()
        try:
            pipe.send((function, arguments))
            status, answer, error = pipe.recv()
        except (EOFError, OSError):
            status, answer, error = "crashed", None, self._last_words(process)
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            process.wait()
            if status == "crashed":
                status, error = "overlong", f"stopped after {timeout:g} s"
        return CallEnd(status, answer, error, time.monotonic() - begin)

    def kill(self) -> None:
        """Kill the process: its call is lost, and the next one starts another."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    def close(self) -> None:
        """Kill the process, when no thread calls any more."""
        self.kill()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        for file in (self._pipe, self._errors):
            if file is not None:
                file.close()
        self._process = self._pipe = self._errors = None

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # of a thread that ends with the interpreter
            self.close()

    def _started(self) -> tuple[subprocess.Popen[bytes], Connection]:
        process, pipe = self._process, self._pipe
        if process is not None and pipe is not None and process.poll() is None:
            return process, pipe
        self.close()
        with self._lock:
            ours, theirs = socket.socketpair()
            with theirs:
                self._pipe = pipe = Connection(ours.detach())
                self._errors = tempfile.TemporaryFile()  # noqa: SIM115
                self._process = process = subprocess.Popen(
                    [sys.executable, "-P", "-c", START, str(theirs.fileno()), ROOT],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    env=_environment(),
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl-C reaches us, who decide
                )
        return process, pipe

    def _last_words(self, process: subprocess.Popen[bytes]) -> str:
        code, lines = process.wait(), list[str]()
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
        how = f"ended by signal {-code}" if code < 0 else f"ended with status {code}"
        return f"{how}: {lines[-1]}" if lines else how


def _environment() -> dict[str, str]:
    """Our own, without the empty and relative parts of PYTHONPATH: they mean the current folder."""
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = os.pathsep.join(part for part in parts if os.path.isabs(part))
    # one thread each: parallelism comes from the number of children
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONSAFEPATH": "1"}
    return {**os.environ, **one, "PYTHONPATH": kept}


def main() -> None:
    """Make calls until the parent ends."""
    global inside
    inside = True
    _end_with_parent()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    pipe = Connection(int(sys.argv[1]))
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            function, arguments = pipe.recv()
            try:
                end = ("done", function(*arguments), "")
            except (Exception, SystemExit) as error:
                end = ("raised", None, one_line(f"{type(error).__name__}: {error}"))
            pipe.send(end)


def _end_with_parent() -> None:
    """End with the parent, even within a call: the pipe from it closes then, and SIGIO ends this.

    A thread that waits for it would not do, since some solvers let no other thread run.
    """
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:
        os._exit(1)  # it was gone before


_own = threading.local()


def in_child(timeout: float, function: Callable[..., Any], *arguments: Any) -> CallEnd:
    """Make a call in the child of this thread, see `Child.call`."""
    if not hasattr(_own, "child"):
        _own.child = Child()
    child: Child = _own.child
    return child.call(timeout, function, *arguments)


class Workers(concurrent.futures.ThreadPoolExecutor):
    """Up to `MOST_WORKERS` threads, each with a child process of its own for `in_child`."""

    def __init__(self, count: int) -> None:
        """Begin ``count`` of them; raises `InvalidOption`."""
        if not 1 <= count <= MOST_WORKERS:
            raise InvalidOption(f"workers = {count}; give at least 1 and at most {MOST_WORKERS}")
        self.children: dict[threading.Thread, Child] = {}
        super().__init__(count, initializer=self._begin)

    def _begin(self) -> None:
        self.children[threading.current_thread()] = _own.child = Child()

    def kill(self) -> None:
        """Kill all processes: their calls are lost."""
        for child in list(self.children.values()):
            child.kill()

    def stop(self) -> None:
        """Kill all processes for good."""
        self.shutdown(wait=False, cancel_futures=True)
        for thread, child in list(self.children.items()):
            while thread.is_alive():
                child.kill()
                thread.join(LOOK)
            child.close()


class SpreadWork(Protocol[Task, Answer]):
    """A class that is made once in each process, with what all tasks share, and called for each.

    What it answers depends on the task and on what is shared, and on nothing else.
    """

    def __init__(self, shared: Any, /) -> None:
        """Prepare for tasks."""

    @property
    def kernels(self) -> tuple[Kernel[..., Any], ...]:
        """Kernels that are compiled before anybody is asked, so that workers load them."""

    def __call__(self, task: Task, /) -> Answer:
        """Perform one."""


class Executor:
    """Makes calls here, or lets others make them; answers are the same.

    A ``pool`` hands them out, ``width`` tells how many at once, and ``close`` is called in the end;
    without a pool they are made in this process.
    """

    def __init__(
        self,
        pool: concurrent.futures.Executor | None = None,
        width: Callable[[], int] = lambda: os.cpu_count() or 1,
        close: Callable[[], object] = nothing,
    ) -> None:
        self._pool, self._width, self._close = pool, width, close
        self._shared: tuple[Any, bytes] = (None, b"")
        self.remarks: list[str] = []  #: What did not go as planned, in words.
        #: Seconds after which others need not go on, where nobody can stop them.
        self.seconds: Callable[[], float] = lambda: math.inf

    @classmethod
    def of(cls, workers: int | None = None, scheduler: str = "") -> Self:
        """Make one as the options of a command say; a child starts no others.

        ``workers``: child processes on this machine, >= 1; None for this process.  ``scheduler``:
        address of a dask scheduler to use instead.  Raises `InvalidOption`: for less than one
        worker, or an address without a port.  Raises `MissingExtra`: dask.distributed is not
        installed.  Raises `SolverUnavailable`: the scheduler does not answer.
        """
        if scheduler and not inside:
            client: Any = _dask_client(scheduler)
            threads = lambda: max(1, sum(client.nthreads().values()))  # noqa: E731
            return cls(client.get_executor(pure=False), threads, client.close)
        if workers is None or inside:
            return cls()
        children = Workers(workers)
        return cls(children, lambda: workers, children.stop)

    @property
    def elsewhere(self) -> bool:
        """Whether others make the calls."""
        return self._pool is not None

    @property
    def width(self) -> int:
        """How many are made at once."""
        return 1 if self._pool is None else self._width()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def ends(
        self,
        calls: Iterable[tuple[About, Callable[..., Any], tuple[Any, ...]]],
        timeout: float,
        check: Callable[[], None] = nothing,
    ) -> Generator[tuple[About, CallEnd], None, None]:
        """Let others make calls; yield what became of each as it ends.

        Who leaves early cancels what waits and kills what is under way, where that can be done:
        other executors than `Workers` go on until the time of a call is over.  Raises
        `SolverUnavailable` where the executor takes no calls any more.

        ``calls``: what is said about each, a function and its arguments; taken when there is room.
        ``timeout``: seconds for each.  ``check``: called again and again; raises what ends the
        work.
        """
        assert self._pool is not None
        waiting, most = iter(calls), 2 * self.width
        under_way: dict[concurrent.futures.Future[CallEnd], About] = {}
        try:
            while True:
                for about, function, arguments in itertools.islice(waiting, most - len(under_way)):
                    try:
                        future = self._pool.submit(in_child, timeout, function, *arguments)
                    except RuntimeError as error:
                        raise SolverUnavailable(f"the executor takes no calls: {error}") from None
                    under_way[future] = about
                if not under_way:
                    return
                first = concurrent.futures.FIRST_COMPLETED
                ended, _ = concurrent.futures.wait(under_way, LOOK, first)
                check()
                for future in ended:
                    yield under_way.pop(future), _end_of(future)
        finally:
            left = {future for future in under_way if not future.cancel()}
            while left and isinstance(self._pool, Workers):
                self._pool.kill()  # again: a thread may have been about to start one
                left = concurrent.futures.wait(left, LOOK).not_done

    def each(
        self,
        work: SpreadWork[Task, Answer],
        shared: Any,
        tasks: Sequence[Task],
        steps: Sequence[float],
        check: Callable[[], None] = nothing,
    ) -> Iterator[Answer]:
        """Yield the answers to tasks, in their order.

        What is done here is done when the answer is asked for, and what others do before the
        first.  What a worker failed to do is done here, and raises its error here.

        ``work``: as it is called here; workers make their own of its class.  ``shared``: what they
        make it with.  ``steps``: of a kernel, that each task takes at a guess; the longest come
        first.  ``check``: called again and again; raises what ends the work.
        """
        found: dict[int, Answer] = {}
        if self._pool is not None and sum(steps) >= LEAST_STEPS:
            for kernel in work.kernels:
                kernel.prepare(math.inf)
            pieces = self._pieces(type(work), shared, tasks, steps)
            with contextlib.closing(self.ends(pieces, self.seconds(), check)) as ends:
                for numbers, end in ends:
                    if end.status == "done":
                        found.update(zip(numbers, end.answer, strict=True))
                    elif end.status == "crashed" and not self.remarks:
                        self.remarks.append(f"a worker {end.error}; its tasks were performed here")
                    check()
        for number, task in enumerate(tasks):
            if number in found:
                yield found.pop(number)
            else:
                check()
                yield work(task)

    def _pieces(
        self,
        work: type[SpreadWork[Task, Answer]],
        shared: Any,
        tasks: Sequence[Task],
        steps: Sequence[float],
    ) -> Iterator[tuple[list[int], Callable[..., Any], tuple[Any, ...]]]:
        """Tasks in pieces of about the same length, each with the numbers of its tasks."""
        if self._shared[0] is not shared or not self._shared[1]:
            self._shared = shared, pickle.dumps(shared, pickle.HIGHEST_PROTOCOL)
        longest = sorted(range(len(tasks)), key=lambda number: -steps[number])
        pieces = min(len(tasks), PIECES * self.width)
        for first in range(pieces):
            piece = longest[first::pieces]
            yield piece, _in_turn, (work, self._shared[1], [tasks[k] for k in piece])


def _end_of(future: concurrent.futures.Future[CallEnd]) -> CallEnd:
    try:
        return future.result()
    except concurrent.futures.CancelledError:
        return CallEnd("crashed", error="was forgotten by its scheduler")
    except Exception as error:  # of the executor, or of whoever cannot pickle a call
        return CallEnd("crashed", error=one_line(f"failed with {type(error).__name__}: {error}"))


@functools.lru_cache(maxsize=1)
def _opened(shared: bytes) -> Any:
    return pickle.loads(shared)


@functools.lru_cache(maxsize=4)
def _made(work: type[SpreadWork[Any, Any]], shared: bytes) -> SpreadWork[Any, Any]:
    return work(_opened(shared))


def _in_turn(work: type[SpreadWork[Any, Any]], shared: bytes, tasks: Sequence[Any]) -> list[Any]:
    """Perform several tasks."""
    return [_made(work, shared)(task) for task in tasks]


def _dask_client(address: str) -> Any:
    client = needed("distributed").Client
    if ":" not in address.rpartition("//")[2] and not address.startswith("inproc:"):
        raise InvalidOption(f"scheduler {named(address)} has no port; write tcp://host:8786")
    try:
        return client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SolverUnavailable(f"no dask scheduler answers at {address}: {error}") from None
