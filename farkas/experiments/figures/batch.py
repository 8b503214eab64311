"""Many figures at once: in several processes, interrupted as one likes, resumed where they stopped.

Every measurement and every file appears whole or not at all.  A figure whose files are there, made
by the same code with the same preset and seed, is left alone; of others the measurements are
(`farkas.experiments.figures.measuring`, in the folder ``.measured``).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import cast

from farkas.errors import FarkasError
from farkas.experiments.figures.exhibit import Exhibit, Preset, figures
from farkas.experiments.figures.measuring import kept_in, sources
from farkas.experiments.figures.writing import write

SUFFIXES = (".png", ".json")
"""What is written of every figure; the last one says that it is whole."""
MEASURED = ".measured"

PATIENCE = 2.0
"""Seconds that a stopped process has to put its files in order."""

Report = Callable[[str, int, int], None]
"""Called with the name of a figure, the number of its steps done and their total."""


@dataclasses.dataclass(frozen=True, slots=True)
class Drawn:
    """What became of one figure.

    Parameters
    ----------
    name
        Of the figure.
    standing
        Of this run against the print; empty where it failed.
    note
        The picture, or why there is none.
    failed
        Whether it should have been computed and was not.
    """

    name: str
    standing: str
    note: str
    failed: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Batch:
    """Where figures are written, and what of.

    Parameters
    ----------
    folder
        Has to be there.
    preset, seed
        Of every figure.
    """

    folder: Path
    preset: Preset
    seed: int

    def write_all(self, exhibits: Sequence[Exhibit], jobs: int, report: Report) -> Iterator[Drawn]:
        """Write what is not there yet; yield the outcome of each exhibit as it is known.

        Parameters
        ----------
        jobs
            Processes, >= 1; one works in this process.
        """
        missing = []
        for exhibit in exhibits:
            done = self._outcome_of_before(exhibit)
            if done is None:
                missing.append(exhibit)
            else:
                yield done
        if jobs == 1:
            for exhibit in missing:
                yield self.write_one(exhibit, lambda d, t, n=exhibit.name: report(n, d, t))  # type: ignore[misc]
        else:
            yield from self._in_processes(missing, jobs, report)

    def write_one(self, exhibit: Exhibit, progress: Callable[[int, int], None]) -> Drawn:
        """Compute one figure and write its files."""
        try:
            with kept_in(self.folder / MEASURED):
                data = exhibit.data(self.preset, self.seed, progress)
            for path in self._paths(exhibit.name):
                write(exhibit, data, str(path), self.preset, self.seed)
        except FarkasError as error:  # one figure that fails does not hide the others
            return Drawn(exhibit.name, "", str(error), failed=True)
        return self._outcome_of_before(exhibit) or Drawn(
            exhibit.name, "", "its files vanished", failed=True
        )

    def _paths(self, name: str) -> list[Path]:
        return [self.folder / f"{name}{suffix}" for suffix in SUFFIXES]

    def _outcome_of_before(self, exhibit: Exhibit) -> Drawn | None:
        """Drawn where nothing has to be computed."""
        if exhibit.build is None:
            return Drawn(exhibit.name, str(exhibit.agreement), exhibit.reason)
        paths = self._paths(exhibit.name)
        try:
            said = json.loads(paths[-1].read_text())
        except (OSError, ValueError):
            return None
        wanted = {"figure": exhibit.name, "preset": self.preset.name, "seed": self.seed,
                  "instances": self.preset.instances, "sources": sources()}  # fmt: skip
        whole = isinstance(said, dict) and all(said.get(k) == v for k, v in wanted.items())
        if not whole or not all(path.exists() for path in paths):
            return None
        return Drawn(exhibit.name, str(said["standing"]), str(paths[0]))

    def _in_processes(
        self, exhibits: Sequence[Exhibit], jobs: int, report: Report
    ) -> Iterator[Drawn]:
        waiting = [exhibit.name for exhibit in exhibits]
        running: dict[Connection, tuple[str, SpawnProcess]] = {}
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    name = _next(waiting, [busy for busy, _ in running.values()])
                    waiting.remove(name)
                    ours, process = self._start(name)
                    running[ours] = name, process
                for ready in wait(list(running)):
                    ours = cast(Connection, ready)
                    name, process = running[ours]
                    try:
                        said = ours.recv()
                    except EOFError:
                        process.join()
                        said = Drawn(name, "", _last_words(process.exitcode), failed=True)
                    if isinstance(said, Drawn):
                        process.join()
                        del running[ours]
                        ours.close()
                        yield said
                    else:
                        report(name, *said)
        finally:
            for ours, (_, process) in running.items():
                process.terminate()
                process.join(PATIENCE)
                process.kill()
                process.join()
                ours.close()

    def _start(self, name: str) -> tuple[Connection, SpawnProcess]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_child, args=(self, name, theirs), daemon=True)
        with _one_thread():
            process.start()
        theirs.close()
        return ours, process


def _next(waiting: Sequence[str], busy: Sequence[str]) -> str:
    """Name of another kind than those under way, whose runs it may share, while there is one.

    >>> _next(["eris.figure3", "eris.figure4", "dps.figure2"], ["eris.figure10"])
    'dps.figure2'
    """
    kinds = {name.partition(".")[0] for name in busy}
    return next((n for n in waiting if n.partition(".")[0] not in kinds), waiting[0])


def _last_words(code: int | None) -> str:
    how = f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"
    return f"its process ended {how}"


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes started inside compute with one thread each: there are several of them."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _child(batch: Batch, name: str, answers: Connection) -> None:
    """Write one figure; a parent that is gone ends it at the next step."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, who decides
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with contextlib.suppress(BrokenPipeError):
        outcome = batch.write_one(figures[name], lambda done, total: answers.send((done, total)))
        answers.send(outcome)
