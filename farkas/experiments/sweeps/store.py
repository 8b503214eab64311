"""Where results of sweeps live: one SQLite file that survives a kill at any moment.

What stands in the file is believed no more than any other file: sizes, depths, types and hashes are
checked when it is read, and whatever SQLite finds wrong is one clear error.
"""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal

import msgspec

from farkas.errors import FileProblem
from farkas.experiments.sweeps.owner import Owner
from farkas.experiments.sweeps.schema import FOUND, INDEX, LATER, TABLES
from farkas.experiments.sweeps.task import Request, Task
from farkas.experiments.sweeps.unpacking import inflated, packed
from farkas.instances import Instance, read_bytes, to_bytes
from farkas.online.run import Bound, Manifest, Sense
from farkas.reading import opened, require_shallow
from farkas.refusals import one_line, parsed
from farkas.verbs.mistaken import no_store
from farkas.words import named

Status = Literal["done", "failed", "crashed", "overlong"]
Stamp = tuple[Status, float]
"""Status of a task and when it got it, seconds since 1970."""

Reserved = Literal["ours", "theirs", "present"]
Key = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

PATIENCE = 60.0
"""Seconds to wait for another process to finish writing."""

GRACE = 60.0
"""Seconds beyond its time limit that a task of a sweep out of sight counts as under way."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one task.

    Parameters
    ----------
    key, task
        Content address, and the task itself.
    status
        ``done``; ``failed`` with a typed error; ``crashed`` when the process died; ``overlong``.
    value
        Value of the run, or objective of the point, which the certificate holds.
    bound
        Proved bound, a rational number as text; empty when nothing was proved.
    ratio
        Certified ratio, >= 1.
    seconds
        Wall time of the task.
    error
        Why it is not done.
    recheck
        ``"proved again"``; ``"bound proved again"`` when the value is its own word; ``"rejected:
        ..."``; or empty when it was not in the sample, or there is nothing to prove.
    output
        The whole run (or answer) as plain data.
    """

    key: Key
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


class _Output(msgspec.Struct, frozen=True):
    """What readers of a store look for in the plain data of a run; the rest may be anything."""

    sense: Sense
    violations: list[str] = []
    certificate: Bound | None = None
    manifest: Manifest | None = None


class Store:
    """Results by content address.  Any number of processes may write at the same time.

    Every result is one transaction of SQLite in write-ahead mode, so a killed process loses at
    most the tasks it was running.

    Parameters
    ----------
    path
        The file; made when absent, unless it is only read.
    readonly
        Change nothing, neither in the file nor beside it; the folder may be read-only, too.

    Raises
    ------
    FileProblem
        The file cannot be opened or is no store.  The same for every method below when the file
        is damaged or the disk full.
    """

    def __init__(self, path: str | os.PathLike[str], *, readonly: bool = False) -> None:
        self.path = Path(path)
        self.owner = Owner.here()
        self._readonly = readonly
        self._lock = threading.RLock()  # scheduler threads ask for tasks
        if readonly and not os.path.exists(self.path):
            raise FileProblem(f"{named(str(path))}: no store of results; run farkas sweep first")
        if os.path.lexists(self.path):
            with opened(self.path, sys.maxsize) as file:  # a regular file, of any size
                if file.read(16) not in (b"", b"SQLite format 3\0"):  # None: SQLite would wait
                    raise no_store(self.path)
        with self._typed():
            self._db = sqlite3.connect(
                self._address(),
                uri=True,
                timeout=PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            with self._typed():
                self._db.execute("PRAGMA trusted_schema=OFF")
                if readonly:
                    self._require_tables()
                else:
                    self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _address(self) -> str:
        """URI of the file, which says how it is opened."""
        try:
            uri = self.path.absolute().as_uri()
        except (ValueError, UnicodeEncodeError):
            raise FileProblem(f"{named(str(self.path))}: is no file name") from None
        if not self._readonly:
            return f"{uri}?mode=rwc"
        log = f"{self.path}-wal"
        merged = not os.path.exists(log) or os.path.getsize(log) == 0
        # reading a write-ahead log takes files beside it; without a log nothing is missed
        still = merged and not os.access(self.path.parent, os.W_OK)
        return f"{uri}?mode=ro{'&immutable=1' if still else ''}"

    def _prepare(self) -> None:
        """Make the tables of a new store; refuse a file that is something else, unchanged."""
        with self._transaction():
            if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                for name, columns in TABLES.items():
                    self._db.execute(f"CREATE TABLE {name} ({columns}) STRICT")
            self._require_tables()
            for name in LATER:
                self._db.execute(f"CREATE TABLE IF NOT EXISTS {name} ({TABLES[name]}) STRICT")
            self._require_tables(later=True)
            self._db.execute(INDEX)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")

    def _require_tables(self, *, later: bool = False) -> None:
        """Refuse a file without our tables; a view of the same name could compute for ever."""
        kinds = dict(self._db.execute("SELECT name, type FROM sqlite_master").fetchall())
        for table, declared in TABLES.items():
            if table in LATER and not later:
                continue
            wanted = [part.split()[0] for part in declared.split(",")]
            found = [row[1] for row in self._db.execute(f"PRAGMA table_info({table})")]
            if kinds.get(table) != "table" or found != wanted:
                raise no_store(self.path)

    @contextlib.contextmanager
    def _typed(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:  # damage is no text
            if "not a database" in str(error):
                raise no_store(self.path) from None
            raise FileProblem(f"{named(str(self.path))}: store of results: {error}") from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing."""
        with self._lock, self._typed():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

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
        """Give back what is reserved and close the file."""
        with self._lock:
            if not self._readonly:
                # best effort: reservations lapse by themselves, and others may be at work
                with contextlib.suppress(FileProblem), self._transaction():
                    self._db.execute(
                        "DELETE FROM reservations WHERE token = ?", (self.owner.token,)
                    )
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("PRAGMA busy_timeout=0")
                    # the last one out merges the log, so that the file can be read where it is
                    self._db.execute("PRAGMA journal_mode=DELETE")
            self._db.close()

    def entitle(self, title: str) -> None:
        """Keep the title of the sweep that is performed now."""
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO titles VALUES (?, ?)", (title, time.time()))

    def title(self) -> str:
        """Title of the latest sweep, or the file's name where none is kept."""
        with self._lock, self._typed():
            there = self._db.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'titles' AND type = 'table'"
            ).fetchone()
            row = (
                there
                and self._db.execute(
                    "SELECT title FROM titles ORDER BY given DESC, title LIMIT 1"
                ).fetchone()
            )
        return str(row[0]) if row and row[0] else self.path.stem

    def add_instances(self, found: Iterable[tuple[str, Instance]]) -> None:
        """Keep instances by hash, so that the worst ones can be written out later."""
        rows = [(sha, i.kind, i.name, zlib.compress(to_bytes(i))) for sha, i in found]
        with self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO instances VALUES (?, ?, ?, ?)", rows)

    def instance(self, sha: str) -> Instance:
        """Instance of that hash; raises `FileProblem` when it is not here."""
        where = f"{named(str(self.path))}: instance {named(sha[:12])}"
        with self._lock, self._typed():
            row = self._db.execute("SELECT data FROM instances WHERE sha = ?", (sha,)).fetchone()
        if row is None:
            raise FileProblem(f"{where}: is not here")
        data = inflated(packed(row[0], where), where)
        require_shallow(data, where)
        found = read_bytes(data, source=where)
        if found.sha256 != sha:
            raise FileProblem(f"{where}: its data hash to {found.sha256[:12]}...")
        return found

    def reserve(self, key: str, seen: Stamp | None, seconds: float) -> Reserved:
        """Keep a task for this sweep, unless another one has it or has done it.

        Parameters
        ----------
        key
            Address of the task.
        seen
            What `stamps` said of the task when the sweep began; None when it was not there.
        seconds
            After which the task is stopped at the latest.
        """
        now = time.time()
        with self._transaction():
            row = self._db.execute("SELECT status, finished FROM results WHERE key = ?", (key,))
            if row.fetchone() != seen:
                return "present"
            other = self._db.execute("SELECT owner, until FROM reservations WHERE key = ?", (key,))
            if self._held(other.fetchone()):
                return "theirs"
            ours = (key, self.owner.token, msgspec.json.encode(self.owner).decode())
            self._db.execute(
                "INSERT OR REPLACE INTO reservations VALUES (?, ?, ?, ?)",
                (*ours, now + seconds + GRACE),
            )
        return "ours"

    def _held(self, row: tuple[str, float] | None) -> bool:
        """Whether a reservation is that of another sweep that may be at work."""
        if row is None:
            return False
        try:
            other = msgspec.json.decode(row[0], type=Owner)
        except (msgspec.DecodeError, ValueError):
            return False
        return other.token != self.owner.token and not other.gone(row[1])

    def add(self, result: Result) -> None:
        """Write one result; a result of the same address replaces an unsuccessful one only."""
        output = None
        if result.output is not None:
            output = zlib.compress(msgspec.json.encode(result.output))
        task = result.task
        row = (
            result.key, task.kind, task.name, task.instance, msgspec.json.encode(task).decode(),
            result.status, result.value, result.bound, result.ratio, result.seconds,
            one_line(result.error), one_line(result.recheck), output, time.time(),
        )  # fmt: skip
        marks = ", ".join("?" * len(row))
        renewed = ", ".join(f"{name} = excluded.{name}" for name in (*FOUND, "output", "finished"))
        with self._transaction():
            self._db.execute(
                f"INSERT INTO results VALUES ({marks}) ON CONFLICT (key) DO UPDATE SET "
                f"{renewed} WHERE results.status != 'done'",
                row,
            )
            self._db.execute(
                "DELETE FROM reservations WHERE key = ? AND token = ?",
                (result.key, self.owner.token),
            )

    def stamps(self) -> dict[str, Stamp]:
        """Status of every task here and when it got it, by address."""
        with self._lock, self._typed():
            rows = self._db.execute("SELECT key, status, finished FROM results").fetchall()
        return {key: (status, finished) for key, status, finished in rows}

    def present(self) -> dict[str, Status]:
        """Status of every task here, by address."""
        return {key: status for key, (status, _) in self.stamps().items()}

    def results(self, *, output: bool = False) -> Iterator[Result]:
        """Yield all results, ordered by name and address; with the whole runs when ``output``."""
        columns = ", ".join(("key", "task", *FOUND, "output" if output else "NULL"))
        with self._typed():
            rows = self._db.execute(f"SELECT {columns} FROM results ORDER BY name, key")
        while True:
            with self._typed():
                row = rows.fetchone()
            if row is None:
                return
            yield self._result(row)

    def _result(self, row: tuple[Any, ...]) -> Result:
        key, task, *rest, blob = row
        where = f"{named(str(self.path))}: result {named(str(key)[:12])}"
        try:
            content = str(task).encode()
            require_shallow(content, where)
            found = {
                "key": key,
                "task": msgspec.json.decode(content),
                "output": self._unpacked(blob, where),
                **dict(zip(FOUND, rest, strict=True)),
            }
            result = msgspec.convert(found, Result)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise FileProblem(f"{where}: is damaged: {parsed(error)}") from None
        for number in (result.value, result.ratio, result.seconds):
            if number is not None and not math.isfinite(number):
                raise FileProblem(f"{where}: is damaged: a number is not finite")
        if result.ratio is not None and result.ratio < 1:
            raise FileProblem(f"{where}: is damaged: a certified ratio is below 1")
        return result

    def output(self, key: str) -> dict[str, Any] | None:
        """Return the whole run of one result as plain data."""
        where = f"{named(str(self.path))}: result {named(key[:12])}"
        with self._lock, self._typed():
            row = self._db.execute("SELECT output FROM results WHERE key = ?", (key,)).fetchone()
        return self._unpacked(row[0], where) if row else None

    def _unpacked(self, blob: bytes | None, where: str) -> dict[str, Any] | None:
        if blob is None:
            return None
        content = inflated(packed(blob, where), where)
        require_shallow(content, where)
        try:
            found = msgspec.json.decode(content, type=dict[str, Any])
            msgspec.convert(found, _Output)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise FileProblem(f"{where}: is damaged: {parsed(error)}") from None
        return found
