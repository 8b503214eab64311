"""Stores of sweeps, damaged byte by byte or rewritten: a typed error, or nothing false.

A result that is proved again must be within what its instance allows; all others may be anything
that ends in one line.
"""

from __future__ import annotations

import functools
import json
import random
import sqlite3
import zlib
from contextlib import closing
from fractions import Fraction
from typing import Any
from unittest import mock

from farkas.algebra import Program
from farkas.experiments.sweeps import Store, Task
from farkas.experiments.sweeps.sweep import prove_again
from farkas.experiments.sweeps.task import Request, perform
from farkas.instances import to_bytes
from tests.fuzz import truth
from tests.fuzz.attack import HoleError, Outcome, change, folder, number, verdict
from tests.fuzz.rebuilt import kept_form

TASKS = [
    ("eris/tiny", "eris.eris"),
    ("mlbroker/drawn 1", "mlbroker.fractional"),
    ("dps/drawn 0", "dps.dps"),
    ("gadget/tiny", "gadget.fifo"),
    ("coded/forbidden_pairs", "coded.simple_greedy"),
]
"""Instances and what runs on them; stores hold two of these."""

COLUMNS = ["key", "name", "instance", "task", "status", "value", "bound", "ratio", "recheck"]


@functools.cache
def sound(k: int) -> bytes:
    """A store with two results."""
    path = folder() / "sound.sqlite"
    path.unlink(missing_ok=True)
    with Store(path) as store:
        for at in (k, (k + 1) % len(TASKS)):
            about, name = TASKS[at]
            instance = truth.load(about)
            store.add_instances([(instance.sha256, instance)])
            task = Task(name=name, kind=instance.kind, instance=instance.sha256)
            done = perform(Request(task.key, task, to_bytes(instance).decode()))
            if done.status != "done":
                raise HoleError(f"{name} on {about}: {done.error}")
            store.add(done)
    return path.read_bytes()


@functools.cache
def names() -> dict[str, str]:
    """Instances by hash."""
    return {truth.load(about).sha256: about for about, _ in TASKS}


def store(rng: random.Random) -> Outcome:
    """Damage a store, or write others of its numbers; prove what it holds again."""
    content = bytearray(sound(rng.randrange(len(TASKS))))
    path = folder() / "damaged.sqlite"
    if rng.random() < 0.4:
        damage(rng, content)
        path.write_bytes(content)
    else:
        path.write_bytes(content)
        for _ in range(rng.choice([0, 1, 1, 2])):
            rewrite(rng, path)
    kept = path.read_bytes()
    found = verdict(lambda: _read(path), kept)
    if not found:
        return "refused"
    for result, words in found:
        if "\n" in words or "\x1b" in words:
            raise HoleError(f"the words are no line: {words!r}\n{kept!r}")
        if words == "proved again":
            _hold(result, kept)
    proved = any(not words.startswith("rejected") for _, words in found)
    return "accepted" if proved else "refused"


def _read(path: Any) -> list[tuple[Any, str]]:
    with Store(path, readonly=True) as opened, mock.patch.object(Program, "form", kept_form):
        return list(prove_again(opened))


def damage(rng: random.Random, content: bytearray) -> None:
    """Change bytes, a page, the head or the end."""
    match rng.randrange(5):
        case 0:
            for _ in range(rng.choice([1, 10, 100, 1000])):
                content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        case 1:
            del content[rng.randrange(len(content)) :]
        case 2:
            start = 4096 * rng.randrange(len(content) // 4096)
            content[start : start + 4096] = rng.randbytes(4096)
        case 3:
            start = rng.randrange(len(content))
            content[start : start + 200] = bytes(len(content[start : start + 200]))
        case 4:  # the head and the schema, where the most depends on a byte
            content[rng.randrange(100) + rng.choice([0, 0, 3000, 3900])] = rng.randrange(256)


def rewrite(rng: random.Random, path: Any) -> None:
    """Change a column, exchange two results, or change what a result holds, and pack it again."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA ignore_check_constraints=ON")
        rows = database.execute("SELECT rowid, output, value FROM results").fetchall()
        row, blob, value = rng.choice(rows)
        draw = rng.random()
        try:
            if draw < 0.4:
                others = [None, "", "x", 9e999, -1, 2, b"\0", "1/3", number(rng)]
                close = [value * (1 - 2.0**-50), value * (1 + 2.0**-50)] if value else []
                _set(database, rng.choice(COLUMNS), rng.choice([*others, *close]), row)
            elif draw < 0.5:
                database.execute(
                    "UPDATE results SET output = ? WHERE rowid = ?", (blob, rows[0][0])
                )
            elif draw < 0.6:
                database.execute("UPDATE instances SET data = (SELECT data FROM instances LIMIT 1)")
            elif blob is not None:
                tree = json.loads(zlib.decompress(blob))
                for _ in range(rng.choice([1, 1, 2])):
                    part = rng.choice(["decisions", "certificate", ""])
                    change(rng, tree[part] if part and tree.get(part) else tree)
                if rng.random() < 0.5 and isinstance(tree.get("value"), float):
                    for column in ("value", "ratio"):
                        _set(database, column, tree.get(column), row)
                packed = zlib.compress(json.dumps(tree).encode("utf-8", "replace"))
                _set(database, "output", packed, row)
        except (sqlite3.Error, OverflowError):
            return  # the table holds no such value


def _set(database: sqlite3.Connection, column: str, value: Any, row: int) -> None:
    database.execute(f"UPDATE results SET {column} = ? WHERE rowid = ?", (value, row))


def _hold(result: Any, kept: bytes) -> None:
    """What was proved of a result, against what its instance allows."""
    about = names()[result.task.instance]
    output = result.output or {}
    certificate = (output.get("certificate") or {}).get("certificate") or {}
    best = truth.reached(about, certificate["program"])
    bound, sense = Fraction(result.bound), output.get("sense")
    if sense not in ("min", "max"):
        raise HoleError(f"proved again without a sense\n{kept!r}")
    if (bound > best) if sense == "min" else (bound < best):
        raise HoleError(f"{about}: {float(bound)!r} bounds {float(best)!r}\n{kept!r}")
