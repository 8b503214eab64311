"""Tasks of a sweep as tasks of `farkas.executor`, and what becomes of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

import msgspec

from farkas.executor import AskedTask, Performer, TaskEnd
from farkas.experiments.sweeps.store import Result
from farkas.experiments.sweeps.task import Request


class Performing:
    """`farkas.experiments.sweeps.perform` as a work: requests and results are JSON."""

    kernels = ()

    def __init__(self, _shared: None) -> None:
        from farkas.experiments.sweeps.perform import perform

        self._perform = perform

    def __call__(self, request: bytes) -> bytes:
        """Perform a task."""
        return msgspec.json.encode(self._perform(msgspec.json.decode(request, type=Request)))


def asked(request: Request) -> AskedTask:
    """Ask for a task to be performed."""
    return AskedTask.of(Performing, msgspec.json.encode(request))


def result(request: Request, ended: TaskEnd) -> Result:
    """Say what became of a task."""
    if ended.status == "done":
        return msgspec.json.decode(ended.value(), type=Result)
    if ended.status == "raised":
        return Result.ended(request, "crashed", "unreadable answer", ended.seconds)
    return Result.ended(request, ended.status, ended.error, ended.seconds)


def results(performer: Performer, requests: Iterable[Request], timeout: float) -> Iterator[Result]:
    """Yield one result a request, as they end."""
    tasks = ((request, asked(request)) for request in requests)
    with contextlib.closing(performer.perform(tasks, timeout)) as ends:
        for request, ended in ends:
            yield result(request, ended)
