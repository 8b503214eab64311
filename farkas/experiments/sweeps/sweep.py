"""Sweep: perform every task that the store does not hold yet."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import functools
import math
import os
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from farkas.api.check_run import run_verdict
from farkas.certificates.encoding import rational
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_at_most
from farkas.errors import FarkasError
from farkas.executor import CallEnd, Executor
from farkas.experiments.sweeps.config import read_config
from farkas.experiments.sweeps.store import Stamp, Store
from farkas.experiments.sweeps.task import Request, Result, Status, Task, perform, plan
from farkas.instances import Instance, to_bytes
from farkas.messages import named
from farkas.online.policy import is_own
from farkas.online.run import from_builtins
from farkas.tolerances import close

PAUSE = 0.2  #: Seconds between two looks at tasks that other sweeps have claimed.

#: Called with the tasks present, the tasks in all, and the newest result.
Report = Callable[[int, int, Result | None], None]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a sweep."""

    name: str = ""  #: Title of the sweep.
    store: str  #: File of the results.
    tasks: int  #: Tasks of the configuration.
    present: int  #: Of these, held by the store when the sweep began; crashed ones do not count.
    performed: dict[str, int]  #: Performed now, by status.
    shared: int = 0  #: Performed by other sweeps on the same store meanwhile.
    #: Tasks that are not done in the end, by status, whoever performed them.
    not_done: dict[str, int] = {}
    interrupted: bool = False  #: Whether the sweep was stopped before its end.


def sweep(
    path: str | os.PathLike[str],
    *,
    workers: int | None = None,
    scheduler: str = "",
    executor: concurrent.futures.Executor | None = None,
    retry: bool = False,
    report: Report | None = None,
) -> Summary:
    """Perform the sweep of a configuration file; what the store holds is not done again.

    Sweeps on one store at the same time share its tasks, and each waits for the others' last ones.
    ``workers`` are child processes on this machine, by default one a processor; ``scheduler`` is
    the address of a dask scheduler, ``executor`` any other, which is not shut down.  ``retry``
    tries failed and overlong tasks again, as crashed ones always are; ``report`` is called at the
    start and after every task.

    Raises `FileProblem`, `InvalidOption` or `UnknownName` before anything is performed.
    """
    config = read_config(path)
    folder = Path(path).resolve().parent
    tasks, found = plan(config, folder)
    store_path = folder / (config.store or f"{Path(path).stem}.sqlite")
    number = workers or os.cpu_count() or 1
    if executor is None:
        others = Executor.of(None if scheduler else number, scheduler)
    else:
        others = Executor(executor, lambda: number)
    with others, Store(store_path) as store:
        store.add_instances(found.items())
        held = store.stamps()
        wanted = [t for t in tasks if _open(held.get(t.key), retry)]
        before = len(tasks) - len(wanted)
        work = _Work(store, found, held, config.timeout)
        interrupted = False
        if report is not None:
            report(before, len(tasks), None)
        try:
            with contextlib.closing(work.performed(others, wanted)) as performed:
                for result in performed:
                    if report is not None:
                        report(before + work.shared + work.counts.total(), len(tasks), result)
        except KeyboardInterrupt:
            interrupted = True
        now = store.present()
    ends = collections.Counter(now.get(task.key, "missing") for task in tasks)
    return Summary(
        name=config.name,
        store=str(store_path),
        tasks=len(tasks),
        present=before,
        shared=work.shared,
        performed=dict(work.counts),
        not_done={status: count for status, count in ends.items() if status != "done"},
        interrupted=interrupted,
    )


def _open(stamp: Stamp | None, retry: bool) -> bool:
    """Whether a task is still to do: a crash says nothing of the task, so it is always redone."""
    return stamp is None or stamp[0] == "crashed" or (retry and stamp[0] != "done")


class _Work:
    """What is left to do, task by task, beside other sweeps that work on the same store.

    ``found`` are instances by hash, ``held`` is what the store held when the sweep began.
    """

    def __init__(
        self, store: Store, found: dict[str, Instance], held: dict[str, Stamp], timeout: float
    ) -> None:
        self.store, self.found, self.held, self.timeout = store, found, held, timeout
        self.counts: collections.Counter[str] = collections.Counter()
        self.shared = 0  # tasks that another sweep has performed meanwhile
        self._theirs: list[Task] = []

    def performed(self, executor: Executor, tasks: list[Task]) -> Generator[Result, None, None]:
        """Yield what is performed and stored, until nobody has any of the tasks left to do."""
        while tasks:
            self._theirs, before = [], self.counts.total()
            calls = ((request, perform, (request,)) for request in self._requests(tasks))
            with contextlib.closing(executor.ends(calls, self.timeout, self.store.renew)) as ends:
                for request, end in ends:
                    result = _result(request, end)
                    self.store.add(result)
                    self.counts[result.status] += 1
                    yield result
            tasks = self._theirs
            if tasks and self.counts.total() == before:
                time.sleep(PAUSE)  # another sweep has all that is left, or is gone soon

    def _requests(self, tasks: list[Task]) -> Iterator[Request]:
        """Tasks that could be claimed, each when somebody is free for it."""
        texts: dict[str, str] = {}
        for task in tasks:
            key = task.key
            whose = self.store.claim(key, task, self.held.get(key))
            if whose == "theirs":
                self._theirs.append(task)
            elif whose == "present":
                self.shared += 1
            else:
                if task.instance not in texts:
                    texts.clear()  # tasks come instance by instance
                    texts[task.instance] = to_bytes(self.found[task.instance]).decode()
                yield Request(key, task, texts[task.instance])


def _result(request: Request, end: CallEnd) -> Result:
    if end.status == "done":
        found: Result = end.answer
        return found
    status: Status = "overlong" if end.status == "overlong" else "crashed"
    about: Any = {"error": end.error, "seconds": end.seconds}
    return Result(key=request.key, task=request.task, status=status, **about)


BELIEVED = "the store's word"  #: What is said of a result that nobody tried to prove.


def rechecked(store: Store, *, prove: bool) -> dict[str, str]:
    """Say of every result that claims a bound, by address, what `prove_again` says; or `BELIEVED`.

    What a sweep adds meanwhile is missing: nobody has proved anything of it.
    """
    if prove:
        return {result.key: words for result, words in prove_again(store)}
    return {result.key: BELIEVED for result in store.results() if claims_bound(result)}


def prove_again(store: Store) -> Iterator[tuple[Result, str]]:
    """Yield every result that claims a bound, with ``"proved again"`` or the objection.

    Runs are proved as by `farkas.check`; where nothing replays them, it is ``"bound proved
    again"``.  Objections begin with ``"rejected"``.
    """
    instance = functools.cache(store.instance)
    for result in store.results(output=True):
        if claims_bound(result):
            try:
                yield (
                    result,
                    _objection(result) or _verdict(result, instance(result.task.instance)),
                )
            except FarkasError as error:
                yield result, f"rejected: {error}"


def claims_bound(result: Result) -> bool:
    """Whether there is something to prove."""
    return result.status == "done" and bool(result.bound)


def _verdict(result: Result, instance: Instance) -> str:
    """Audit a run."""
    if result.task.kind != instance.kind:
        return f"rejected: the task is of kind {named(result.task.kind)}, not {instance.kind}"
    run = from_builtins(result.output)
    task, bound = result.task, None if run.certificate is None else run.certificate.exact
    value = run.value if math.isfinite(run.value) else None
    name = task.name
    if is_own(name):  # a class in a file runs under the name of its kind
        name = f"{task.kind}.{name.rpartition(':')[2]}"
    own = (run.algorithm, run.options, run.manifest.seed, value, bound, run.ratio)
    if own != (name, task.options, task.seed, result.value, result.bound, result.ratio):
        return "rejected: the run that is kept is not the one that the store tells of"
    return run_verdict(run, instance)


def _objection(result: Result) -> str:
    """Why the ratio, or that there is none, does not follow from value and bound; empty if it does.

    That a run breaks requirements, so that it has none, is seen when it is replayed.
    """
    output = result.output or {}
    if result.value is None or (result.ratio is None and output.get("violations")):
        return ""
    bound, sense = rational(result.bound, "bound"), output.get("sense")
    if sense not in ("min", "max"):
        return "rejected: the run does not say whether it minimises"
    ratio = ratio_at_most(sense, result.value, bound, exact=False)
    if ratio is None or result.ratio is None:
        same = ratio == result.ratio
    else:
        same = close(ratio, result.ratio)
    said, proved = ("none" if x is None else rounded(x, up=True) for x in (result.ratio, ratio))
    return "" if same else f"rejected: the ratio is said to be {said}, and should be {proved}"
