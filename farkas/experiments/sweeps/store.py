"""Where results of sweeps live: one SQLite file that survives a kill at any moment."""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import msgspec

from farkas.errors import FileProblem
from farkas.experiments.sweeps.task import Request, Task
from farkas.instances import Instance, read_bytes, to_bytes

Status = Literal["done", "failed", "crashed", "overlong"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS instances (
    sha TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, instance TEXT NOT NULL,
    task TEXT NOT NULL, status TEXT NOT NULL, value REAL, bound TEXT, ratio REAL, seconds REAL,
    error TEXT NOT NULL, recheck TEXT NOT NULL, output BLOB, finished REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS results_by_name ON results (name);
"""


_FOUND = ("status", "value", "bound", "ratio", "seconds", "error", "recheck")
"""Columns of results that are found, not given."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one task.

    Parameters
    ----------
    key, task
        Content address, and the task itself.
    status
        ``done``; ``failed`` with a typed error; ``crashed`` when the process died; ``overlong``.
    value
        Value of the run, or objective of the re-checked point.
    bound
        Proved bound, a rational number as text; empty when nothing was proved.
    ratio
        Certified ratio, >= 1.
    seconds
        Wall time of the task.
    error
        Why it is not done.
    recheck
        ``"proved again"``, ``"rejected: ..."``, or empty when it was not in the sample.
    output
        The whole run (or answer) as plain data.
    """

    key: str
    task: Task
    status: Status
    value: float | None = None
    bound: str = ""
    ratio: float | None = None
    seconds: float = 0.0
    error: str = ""
    recheck: str = ""
    output: dict[str, Any] | None = None

    @classmethod
    def ended(cls, request: Request, status: Status, error: str, seconds: float = 0.0) -> Result:
        """Say how a task ended that gave no result."""
        return cls(key=request.key, task=request.task, status=status, error=error, seconds=seconds)


class Store:
    """Results by content address.  Any number of processes may write at the same time.

    Every result is one transaction of SQLite in write-ahead mode, so a killed process loses at
    most the tasks it was running.

    Parameters
    ----------
    path
        The file; made when absent, unless ``create`` is false.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise FileProblem(f"{path}: no store of results; run farkas sweep first")
        try:
            self._db = sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise FileProblem(f"{path}: is no store of results: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def add_instances(self, found: Iterable[tuple[str, Instance]]) -> None:
        """Keep instances by hash, so that the worst ones can be written out later."""
        rows = [(sha, i.kind, i.name, zlib.compress(to_bytes(i))) for sha, i in found]
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR IGNORE INTO instances VALUES (?, ?, ?, ?)", rows)
        self._db.execute("COMMIT")

    def instance(self, sha: str) -> Instance:
        """Instance of that hash; raises `FileProblem` when it is not here."""
        row = self._db.execute("SELECT data FROM instances WHERE sha = ?", (sha,)).fetchone()
        if row is None:
            raise FileProblem(f"{self.path}: holds no instance {sha[:12]}")
        return read_bytes(zlib.decompress(row[0]), source=f"{self.path}:{sha[:12]}")

    def add(self, result: Result) -> None:
        """Write one result; a result of the same address replaces an unsuccessful one only."""
        output = None
        if result.output is not None:
            output = zlib.compress(msgspec.json.encode(result.output))
        task = result.task
        row = (
            result.key, task.kind, task.name, task.instance, msgspec.json.encode(task).decode(),
            result.status, result.value, result.bound, result.ratio, result.seconds,
            result.error, result.recheck, output, time.time(),
        )  # fmt: skip
        marks = ", ".join("?" * len(row))
        renewed = ", ".join(f"{name} = excluded.{name}" for name in (*_FOUND, "output", "finished"))
        self._db.execute(
            f"INSERT INTO results VALUES ({marks}) ON CONFLICT (key) DO UPDATE SET "
            f"{renewed} WHERE results.status != 'done'",
            row,
        )

    def present(self) -> dict[str, Status]:
        """Status of every task here, by address."""
        return dict(self._db.execute("SELECT key, status FROM results").fetchall())

    def results(self, *, output: bool = False) -> Iterator[Result]:
        """Yield all results, ordered by name and address; with the whole runs when ``output``."""
        columns = ", ".join(("key", "task", *_FOUND, "output" if output else "NULL"))
        for key, task, *rest, blob in self._db.execute(
            f"SELECT {columns} FROM results ORDER BY name, key"
        ):
            yield Result(
                key=key,
                task=msgspec.json.decode(task, type=Task),
                output=_unpacked(blob),
                **dict(zip(_FOUND, rest, strict=True)),
            )

    def output(self, key: str) -> dict[str, Any] | None:
        """Return the whole run of one result as plain data."""
        row = self._db.execute("SELECT output FROM results WHERE key = ?", (key,)).fetchone()
        return _unpacked(row[0]) if row else None


def _unpacked(blob: bytes | None) -> dict[str, Any] | None:
    return msgspec.json.decode(zlib.decompress(blob), type=dict[str, Any]) if blob else None
