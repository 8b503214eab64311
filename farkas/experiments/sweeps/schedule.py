"""Who performs the tasks: child processes of this machine, or the workers of a dask scheduler."""

import itertools
import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from farkas.errors import InvalidOption, SolverUnavailable
from farkas.experiments.sweeps.child import Child
from farkas.experiments.sweeps.store import Result
from farkas.experiments.sweeps.task import Request


class Scheduler(Protocol):
    """Performs requests in any order and yields results as they end."""

    def perform(self, requests: Iterable[Request], timeout: float) -> Iterator[Result]:
        """Yield one result a request."""

    def stop(self) -> None:
        """Stop what runs."""


class Children:
    """A number of child processes, each driven by one thread.

    Parameters
    ----------
    workers
        Number of child processes, >= 1.
    """

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise InvalidOption(f"workers = {workers}; give at least 1")
        self.children = [Child() for _ in range(workers)]
        self._stopping = threading.Event()

    def perform(self, requests: Iterable[Request], timeout: float) -> Iterator[Result]:
        """Yield results as they end; the next request is taken when a child is free."""
        waiting = iter(requests)
        lock = threading.Lock()
        results: queue.SimpleQueue[Result | BaseException | None] = queue.SimpleQueue()

        def work(child: Child) -> None:
            try:
                while not self._stopping.is_set():
                    with lock:
                        request = next(waiting, None)
                    if request is None:
                        break
                    results.put(child.perform(request, timeout))
            except BaseException as error:  # reported by the consumer, who knows what to do
                results.put(error)
            finally:
                child.stop()
                results.put(None)

        for child in self.children:
            threading.Thread(target=work, args=(child,), daemon=True).start()
        running = len(self.children)
        while running:
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            elif not self._stopping.is_set():
                yield result

    def stop(self) -> None:
        """Kill the children; tasks under way are lost, finished ones are not."""
        self._stopping.set()
        for child in self.children:
            child.end()


_children = threading.local()


def perform_remotely(request: Request, timeout: float) -> Result:
    """Perform a request on a dask worker, in a child of the worker's thread.

    A child per thread keeps the worker alive when a task crashes or has to be killed.
    """
    if not hasattr(_children, "child"):
        _children.child = Child()
    child: Child = _children.child
    return child.perform(request, timeout)


class Dask:
    """Workers of a running dask scheduler.

    Parameters
    ----------
    address
        Address of the scheduler, for example ``tcp://host:8786``.

    Raises
    ------
    SolverUnavailable
        When dask.distributed is not installed or the scheduler does not answer.
    """

    def __init__(self, address: str, *, patience: float = 10.0) -> None:
        try:
            from distributed import Client
        except ImportError:
            message = "--scheduler needs dask.distributed; install farkas[sweep]"
            raise SolverUnavailable(message) from None
        try:
            self._client = Client(address, timeout=patience, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise SolverUnavailable(f"no dask scheduler answers at {address}: {error}") from None

    def perform(self, requests: Iterable[Request], timeout: float) -> Iterator[Result]:
        """Yield results as they end; at most a few requests per worker thread are under way."""
        from distributed import as_completed

        waiting = iter(requests)
        first = list(itertools.islice(waiting, max(2, 2 * self._threads())))
        asked: dict[str, Request] = {}
        submitted = [self._submit(r, timeout, asked) for r in first]
        futures = as_completed(submitted, loop=self._client.loop)
        for future in futures:
            yield self._result(future, asked.pop(future.key))
            for request in itertools.islice(waiting, 1):
                futures.add(self._submit(request, timeout, asked))

    def stop(self) -> None:
        """Forget the tasks under way and disconnect."""
        self._client.close()

    def _threads(self) -> int:
        return sum(self._client.nthreads().values())

    def _submit(self, request: Request, timeout: float, asked: dict[str, Request]) -> Any:
        key = f"farkas-{request.key}"
        asked[key] = request
        return self._client.submit(perform_remotely, request, timeout, key=key, pure=False)

    def _result(self, future: Any, request: Request) -> Result:
        if future.status == "finished":
            found = future.result()
            if isinstance(found, Result):
                return found
            return Result.ended(request, "crashed", "unreadable answer")
        error = future.exception()
        return Result.ended(request, "crashed", f"{type(error).__name__}: {error}")
