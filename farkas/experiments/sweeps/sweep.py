"""Sweep: perform every task that the store does not hold yet."""

from __future__ import annotations

import collections
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from farkas.experiments.sweeps.config import read_config
from farkas.experiments.sweeps.schedule import Children, Dask, Scheduler
from farkas.experiments.sweeps.store import Result, Store
from farkas.experiments.sweeps.task import Request, Task, plan
from farkas.instances import Instance, to_bytes

Report = Callable[[int, int, Result | None], None]
"""Called with the tasks present, the tasks in all, and the newest result."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a sweep.

    Parameters
    ----------
    store
        File of the results.
    tasks
        Tasks of the configuration.
    present
        Of these, done before the sweep began.
    performed
        Performed now, by status.
    rejected
        Certificates that could not be proved again.
    interrupted
        Whether the sweep was stopped before its end.
    """

    store: str
    tasks: int
    present: int
    performed: dict[str, int]
    rejected: int = msgspec.field(name="rejected_certificates")
    interrupted: bool = False


def sweep(
    path: str | os.PathLike[str],
    *,
    workers: int | None = None,
    scheduler: str = "",
    retry: bool = False,
    report: Report | None = None,
) -> Summary:
    """Perform the sweep of a configuration file; what the store holds is not done again.

    Parameters
    ----------
    path
        TOML file, see :class:`~farkas.experiments.sweeps.config.Config`.
    workers
        Child processes on this machine; the number of processors if left out.
    scheduler
        Address of a dask scheduler to use instead of child processes.
    retry
        Whether failed, crashed and overlong tasks are tried again.
    report
        Called at the start and after every task.

    Raises
    ------
    FileProblem, InvalidOption, UnknownName
        From the configuration, before anything is performed.
    """
    config = read_config(path)
    folder = Path(path).resolve().parent
    tasks, found = plan(config, folder)
    store_path = folder / (config.store or f"{Path(path).stem}.sqlite")
    performer: Scheduler = (
        Dask(scheduler) if scheduler else Children(workers or os.cpu_count() or 1)
    )
    with Store(store_path) as store:
        store.add_instances(found.items())
        held = store.present()
        wanted = [t for t in tasks if _open(held.get(t.key), retry)]
        counts: collections.Counter[str] = collections.Counter()
        rejected, interrupted = 0, False
        before = len(tasks) - len(wanted)
        if report is not None:
            report(before, len(tasks), None)
        try:
            for result in performer.perform(_requests(wanted, found), config.timeout):
                store.add(result)
                counts[result.status] += 1
                rejected += result.recheck.startswith("rejected")
                if report is not None:
                    report(before + counts.total(), len(tasks), result)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            performer.stop()
    return Summary(
        store=str(store_path),
        tasks=len(tasks),
        present=before,
        performed=dict(counts),
        rejected=rejected,
        interrupted=interrupted,
    )


def _open(status: str | None, retry: bool) -> bool:
    return status is None or (retry and status != "done")


def _requests(tasks: list[Task], found: dict[str, Instance]) -> Iterator[Request]:
    texts: dict[str, str] = {}
    for task in tasks:
        if task.instance not in texts:
            texts.clear()  # tasks come instance by instance
            texts[task.instance] = to_bytes(found[task.instance]).decode()
        yield Request(task.key, task, texts[task.instance])
