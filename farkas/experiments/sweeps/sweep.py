"""Sweep: perform every task that the store does not hold yet."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import functools
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from farkas.experiments.sweeps.store import Store
from farkas.experiments.sweeps.task import Request, Result, Status, Task, perform, plan
from farkas.instances import Instance, to_bytes
from farkas.messages import named
from farkas.online.policy import is_own
from farkas.online.run import from_builtins
from farkas.tolerances import close

#: Called with the tasks present, the tasks in all, and the newest result.
Report = Callable[[int, int, Result | None], None]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a sweep."""

    name: str = ""  #: Title of the sweep.
    store: str  #: File of the results.
    tasks: int  #: Tasks of the configuration.
    present: int  #: Of these, held by the store when the sweep began; crashed ones do not count.
    performed: dict[str, int]  #: Performed now, by status.
    not_done: dict[str, int] = {}  #: Tasks that are not done in the end, by status.
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
        held = store.present()
        wanted = [task for task in tasks if _open(held.get(task.key), retry)]
        before, interrupted = len(tasks) - len(wanted), False
        counts: collections.Counter[str] = collections.Counter()
        calls = ((request, perform, (request,)) for request in _requests(wanted, found))
        if report is not None:
            report(before, len(tasks), None)
        try:
            with contextlib.closing(others.ends(calls, config.timeout)) as ends:
                for request, end in ends:
                    result = _result(request, end)
                    store.add(result)
                    counts[result.status] += 1
                    if report is not None:
                        report(before + counts.total(), len(tasks), result)
        except KeyboardInterrupt:
            interrupted = True
        now = store.present()
    standing = collections.Counter(now.get(task.key, "missing") for task in tasks)
    return Summary(
        name=config.name,
        store=str(store_path),
        tasks=len(tasks),
        present=before,
        performed=dict(counts),
        not_done={status: count for status, count in standing.items() if status != "done"},
        interrupted=interrupted,
    )


def _open(status: Status | None, retry: bool) -> bool:
    """Whether a task is still to do: a crash says nothing of the task, so it is always redone."""
    return status in (None, "crashed") or (retry and status != "done")


def _requests(tasks: Iterable[Task], found: Mapping[str, Instance]) -> Iterator[Request]:
    """Tasks with the text of their instance; they come instance by instance."""
    for sha, own in itertools.groupby(tasks, key=lambda task: task.instance):
        text = to_bytes(found[sha]).decode()
        for task in own:
            yield Request(task.key, task, text)


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
