"""Performers: child processes of this machine, or the workers of a dask scheduler."""

from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import uuid
from collections.abc import Callable, Generator, Iterable
from typing import Any, Protocol, TypeVar

import msgspec

from farkas.errors import InvalidOption, SolverUnavailable
from farkas.executor.asked import AskedTask, Shared, TaskEnd
from farkas.executor.child import Child
from farkas.extras import needed
from farkas.words import named

MOST_WORKERS = 1024
"""Processes that one machine is asked for; more of them are reached by a scheduler."""

LOOK = 0.05
"""Seconds between two looks at whether what is waited for is wanted still."""

About = TypeVar("About")


def nothing() -> None:
    """Have nothing against going on."""


class Performer(Protocol):
    """Performs tasks in any order; yields what became of each as it ends."""

    @property
    def width(self) -> int:
        """How many tasks are performed at once."""

    def perform(
        self,
        tasks: Iterable[tuple[About, AskedTask]],
        timeout: float,
        check: Callable[[], None] = nothing,
    ) -> Generator[tuple[About, TaskEnd], None, None]:
        """Yield one end a task, with what was said about it.

        Parameters
        ----------
        tasks
            The next is taken when somebody is free for it.
        timeout
            Seconds for each task.
        check
            Called again and again; raises what ends the work, and with it tasks under way.
        """

    def stop(self) -> None:
        """Stop what runs, for good."""


class Children:
    """A number of child processes, each driven by one thread while there are tasks.

    Parameters
    ----------
    workers
        Number of child processes, >= 1 and at most `MOST_WORKERS`.
    """

    def __init__(self, workers: int) -> None:
        if not 1 <= workers <= MOST_WORKERS:
            raise InvalidOption(f"workers = {workers}; give at least 1 and at most {MOST_WORKERS}")
        self.children = [Child() for _ in range(workers)]
        self._threads: list[threading.Thread] = []

    @property
    def width(self) -> int:
        """Number of children."""
        return len(self.children)

    def perform(
        self,
        tasks: Iterable[tuple[About, AskedTask]],
        timeout: float,
        check: Callable[[], None] = nothing,
    ) -> Generator[tuple[About, TaskEnd], None, None]:
        """Yield ends as they come; who leaves early kills what is under way."""
        waiting = iter(tasks)
        lock, over = threading.Lock(), threading.Event()
        ends: queue.SimpleQueue[tuple[About, TaskEnd] | BaseException | None] = queue.SimpleQueue()

        def work(child: Child) -> None:
            try:
                while not over.is_set():
                    with lock:
                        found = next(waiting, None)
                    if found is None:
                        break
                    about, asked = found
                    ends.put((about, child.ask(asked, timeout)))
            except BaseException as error:  # reported by the consumer, who knows what to do
                ends.put(error)
            finally:
                ends.put(None)

        self._threads = [
            threading.Thread(target=work, args=(child,), daemon=True) for child in self.children
        ]
        running = len(self.children)
        try:
            for thread in self._threads:
                thread.start()
            while running:
                end = _next(ends, check)
                if end is None:
                    running -= 1
                elif isinstance(end, BaseException):
                    raise end
                else:
                    yield end
        finally:
            over.set()
            # no thread may be left that still asks, or starts, the child of the next tasks
            for thread, child in zip(self._threads, self.children, strict=True):
                while running and thread.is_alive():
                    child.kill()
                    thread.join(LOOK)

    def stop(self) -> None:
        """Kill the children; tasks under way are lost, finished ones are not."""
        for child in self.children:
            child.end()
        for thread in self._threads:
            if thread.is_alive():  # Ctrl-C may come before all are started
                thread.join()
        for child in self.children:
            child.stop()


def _next(ends: queue.SimpleQueue[Any], check: Callable[[], None]) -> Any:
    while True:
        with contextlib.suppress(queue.Empty):
            return ends.get(timeout=LOOK)
        check()


_children = threading.local()


def perform_remotely(asked: AskedTask, shared: Shared | None, timeout: float) -> TaskEnd:
    """Perform a task on a dask worker, in a child of the worker's thread.

    A child per thread keeps the worker alive when a task crashes or has to be killed.
    """
    if not hasattr(_children, "child"):
        _children.child = Child()
    child: Child = _children.child
    return child.ask(msgspec.structs.replace(asked, shared=shared), timeout)


class Dask:
    """Workers of a running dask scheduler.

    Parameters
    ----------
    address
        Address of the scheduler, for example ``tcp://host:8786``.

    Raises
    ------
    InvalidOption
        The address has no port.
    MissingExtra
        When dask.distributed is not installed.
    SolverUnavailable
        When the scheduler does not answer.
    """

    def __init__(self, address: str, *, patience: float = 10.0) -> None:
        client = needed("distributed").Client
        if ":" not in address.rpartition("//")[2] and not address.startswith("inproc:"):
            raise InvalidOption(f"scheduler {named(address)} has no port; write tcp://host:8786")
        try:
            self._client = client(address, timeout=patience, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise SolverUnavailable(f"no dask scheduler answers at {address}: {error}") from None
        self._held: tuple[str, Any] = ("", None)  # what all dask workers have been given to share
        self._names = (f"farkas-{uuid.uuid4().hex}-{number}" for number in itertools.count())

    @property
    def width(self) -> int:
        """Threads of all dask workers that are there now, at least 1."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def perform(
        self,
        tasks: Iterable[tuple[About, AskedTask]],
        timeout: float,
        check: Callable[[], None] = nothing,
    ) -> Generator[tuple[About, TaskEnd], None, None]:
        """Yield ends as they come; at most a few tasks per worker thread are under way.

        Who leaves early cancels what waits; what runs goes on until it ends or its time is over.
        """
        waiting = iter(tasks)
        under_way: dict[Any, About] = {}
        ends: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def submit(number: int) -> None:
            for about, asked in itertools.islice(waiting, number):
                future = self._submit(asked, timeout)
                under_way[future] = about
                future.add_done_callback(ends.put)

        try:
            submit(max(2, 2 * self.width))
            while under_way:
                future = _next(ends, check)
                yield under_way.pop(future), _end(future)
                submit(1)
        finally:
            if under_way:
                self._client.cancel(list(under_way))

    def stop(self) -> None:
        """Forget the tasks under way and disconnect."""
        self._client.close()

    def _submit(self, asked: AskedTask, timeout: float) -> Any:
        shared = asked.shared
        if shared is not None and shared.key != self._held[0]:
            self._held = shared.key, self._scattered(shared)
        given = None if shared is None else self._held[1]
        alone = msgspec.structs.replace(asked, shared=None)
        key = next(self._names)
        return self._client.submit(perform_remotely, alone, given, timeout, key=key, pure=False)

    def _scattered(self, shared: Shared) -> Any:
        try:
            return self._client.scatter(shared, broadcast=True, hash=False)
        except TimeoutError:
            raise SolverUnavailable("the dask scheduler has no workers") from None


def _end(future: Any) -> TaskEnd:
    if future.status == "finished":
        found = future.result()
        return (
            found if isinstance(found, TaskEnd) else TaskEnd("crashed", error="unreadable answer")
        )
    if future.status == "cancelled":
        return TaskEnd("crashed", error="the scheduler has forgotten it")
    error = future.exception()
    return TaskEnd("crashed", error=f"{type(error).__name__}: {error}")
