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
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from farkas.api.load import no_store
from farkas.errors import FileProblem
from farkas.experiments.sweeps.task import Result, Status, Task
from farkas.files import opened, require_shallow
from farkas.instances import Instance, read_bytes, to_bytes
from farkas.messages import named, one_line
from farkas.messages.refusals import parsed
from farkas.online.run import Bound, Manifest, Sense

Stamp = tuple[Status, float]  #: Status of a task and when it got it, seconds since 1970.

Claim = Literal["ours", "theirs", "present"]

PATIENCE = 60.0  #: Seconds to wait for another process to finish writing.
#: Seconds after which a claim lapses that nobody renews, as that of a sweep that was killed.
LEASE = 20.0
BEAT = 5.0  #: Seconds between two renewals.
#: Bytes that packed data may unfold into: a small blob can hold more than the memory does.
LARGEST_INFLATED = 2**29

TABLES = {
    "instances": "sha TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL",
    # a task that a sweep performs has the status `claimed`, the sweep's token in `error` and the
    # end of its lease in `finished`
    "results": (
        "key TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, instance TEXT NOT NULL,"
        " task TEXT NOT NULL, status TEXT NOT NULL, value REAL, bound TEXT, ratio REAL,"
        " seconds REAL, error TEXT NOT NULL, recheck TEXT NOT NULL, output BLOB,"
        " finished REAL NOT NULL"
    ),
}
INDEX = "CREATE INDEX IF NOT EXISTS results_by_name ON results (name)"
#: Columns of results that are found, not given.
FOUND = ("status", "value", "bound", "ratio", "seconds", "error", "recheck")


class _Output(msgspec.Struct, frozen=True):
    """What readers of a store look for in the plain data of a run; the rest may be anything."""

    sense: Sense
    violations: list[str] = []
    certificate: Bound | None = None
    manifest: Manifest | None = None


class Store:
    """Results by content address.  Any number of processes may write at the same time.

    Every result is one transaction of SQLite in write-ahead mode, so a killed process loses at most
    the tasks it was running.  ``readonly`` changes nothing, neither in the file nor beside it.

    All methods raise `FileProblem` where the file cannot be opened, is no store, is damaged, or the
    disk is full.
    """

    def __init__(self, path: str | os.PathLike[str], *, readonly: bool = False) -> None:
        self.path = Path(path)
        self._token, self._claimed, self._renewed = uuid.uuid4().hex, set[str](), 0.0
        if readonly and not os.path.exists(self.path):
            raise FileProblem(f"{named(str(path))}: no store of results; run farkas sweep first")
        if os.path.lexists(self.path):
            with opened(self.path, sys.maxsize) as file:  # a regular file, of any size
                if file.read(16) not in (b"", b"SQLite format 3\0"):  # None: SQLite would wait
                    raise no_store(self.path)
        try:
            address = f"{self.path.absolute().as_uri()}?mode={'ro' if readonly else 'rwc'}"
        except (ValueError, UnicodeEncodeError):
            raise FileProblem(f"{named(str(self.path))}: is no file name") from None
        with self._typed():
            self._db = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
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

    def _prepare(self) -> None:
        """Make the tables of a new store; refuse a file that is something else, unchanged."""
        with self._transaction():
            if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                for name, columns in TABLES.items():
                    self._db.execute(f"CREATE TABLE {name} ({columns}) STRICT")
            self._require_tables()
            self._db.execute(INDEX)
        # what is written goes into a log beside the file: waiting for the disk takes longer than
        # a small task
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")

    def _require_tables(self) -> None:
        """Refuse a file without our tables; a view of the same name could compute for ever."""
        kinds = dict(self._db.execute("SELECT name, type FROM sqlite_master").fetchall())
        for table, declared in TABLES.items():
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
        with self._typed():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._typed():
            return self._db.execute(query, values).fetchall()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is claimed and close the file."""
        if self._claimed:
            with contextlib.suppress(FileProblem), self._transaction():  # claims lapse anyway
                self._db.executemany(
                    "DELETE FROM results WHERE key = ? AND status = 'claimed' AND error = ?",
                    [(key, self._token) for key in self._claimed],
                )
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA busy_timeout=0")
            # the last one out merges the log, so that the file can be read where it is
            self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()

    def add_instances(self, found: Iterable[tuple[str, Instance]]) -> None:
        """Keep instances by hash, so that the worst ones can be written out later."""
        rows = [(sha, i.kind, i.name, zlib.compress(to_bytes(i))) for sha, i in found]
        with self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO instances VALUES (?, ?, ?, ?)", rows)

    def instance(self, sha: str) -> Instance:
        """Instance of that hash; raises `FileProblem` when it is not here."""
        where = f"{named(str(self.path))}: instance {named(sha[:12])}"
        rows = self._rows("SELECT data FROM instances WHERE sha = ?", sha)
        if not rows:
            raise FileProblem(f"{where}: is not here")
        found = read_bytes(_inflated(rows[0][0], where), source=where)
        if found.sha256 != sha:
            raise FileProblem(f"{where}: its data hash to {found.sha256[:12]}...")
        return found

    def claim(self, key: str, task: Task, seen: Stamp | None) -> Claim:
        """Claim a task for this sweep, unless another one performs it or has done so.

        ``seen`` is what `stamps` said of it when the sweep began; None when it was not there.
        """
        now = time.time()
        with self._transaction():
            rows = self._rows("SELECT status, finished, error FROM results WHERE key = ?", key)
            for status, when, owner in rows:
                if status != "claimed" and (status, when) != seen:
                    return "present"
                if status == "claimed" and owner != self._token and when > now:
                    return "theirs"
            words = msgspec.json.encode(task).decode()
            self._db.execute(
                "INSERT OR REPLACE INTO results (key, kind, name, instance, task, status, error,"
                " recheck, finished) VALUES (?, ?, ?, ?, ?, 'claimed', ?, '', ?)",
                (key, task.kind, task.name, task.instance, words, self._token, now + LEASE),
            )
        self._claimed.add(key)
        return "ours"

    def renew(self) -> None:
        """Renew all claims when it is time."""
        now = time.time()
        if self._claimed and abs(now - self._renewed) > BEAT:
            self._renewed = now
            with self._transaction():
                self._db.executemany(
                    "UPDATE results SET finished = ? WHERE key = ? AND status = 'claimed'"
                    " AND error = ?",
                    [(now + LEASE, key, self._token) for key in self._claimed],
                )

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
        self._claimed.discard(result.key)

    def stamps(self) -> dict[str, Stamp]:
        """Status of every task that was performed and when it got it, by address."""
        rows = self._rows("SELECT key, status, finished FROM results WHERE status IS NOT 'claimed'")
        return {key: (status, finished) for key, status, finished in rows}

    def present(self) -> dict[str, Status]:
        """Status of every task that was performed, by address."""
        return {key: status for key, (status, _) in self.stamps().items()}

    def results(self, *, output: bool = False) -> Iterator[Result]:
        """Yield the newest result of every task, ordered by name and address.

        An upgrade performs tasks anew.  Searches for optima, which stores of earlier versions hold,
        are left out.  With ``output`` the whole runs are read.
        """
        columns = ", ".join(("key", "task", *FOUND, "output" if output else "NULL"))
        # one by one: whoever reads slowly must keep no sweep from writing
        keys = self._rows(
            "SELECT rowid FROM (SELECT rowid, name, key, row_number() OVER"
            " (PARTITION BY task ORDER BY finished DESC, key) AS turn FROM results"
            " WHERE status IS NOT 'claimed' AND task NOT LIKE '%\"what\":\"optimum\"%')"  # as above
            " WHERE turn = 1 ORDER BY name, key"
        )
        for (key,) in keys:
            query = f"SELECT {columns} FROM results WHERE rowid = ? AND status IS NOT 'claimed'"
            for row in self._rows(query, key):
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
        rows = self._rows("SELECT output FROM results WHERE key = ?", key)
        return self._unpacked(rows[0][0], where) if rows else None

    def _unpacked(self, blob: object, where: str) -> dict[str, Any] | None:
        if blob is None:
            return None
        content = _inflated(blob, where)
        try:
            found = msgspec.json.decode(content, type=dict[str, Any])
            msgspec.convert(found, _Output)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise FileProblem(f"{where}: is damaged: {parsed(error)}") from None
        return found


def _inflated(blob: object, where: str) -> bytes:
    """Unpack the packed JSON of a cell, of limited size and depth; raises `FileProblem`."""
    if not isinstance(blob, bytes):
        raise FileProblem(f"{where}: is damaged: no data")
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(blob, LARGEST_INFLATED + 1)
    except zlib.error:
        raise FileProblem(f"{where}: cannot be decompressed") from None
    if len(raw) > LARGEST_INFLATED:
        raise FileProblem(f"{where}: unfolds into more than {LARGEST_INFLATED} bytes")
    if not stream.eof or stream.unused_data:
        raise FileProblem(f"{where}: cannot be decompressed")
    require_shallow(raw, where)
    return raw
