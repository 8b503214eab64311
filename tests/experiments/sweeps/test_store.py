"""Stores keep results whole, share tasks, and say in one line what is wrong with a file."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from farkas.cli import call
from farkas.errors import FileProblem, InvalidInstance
from farkas.experiments.sweeps import Store, Task
from farkas.experiments.sweeps.task import Request, perform
from farkas.instances import library, to_bytes
from tests.experiments.sweeps.made import INSTANCES, result

Capture = pytest.CaptureFixture[str]
TINY = library.load("mlbroker/tiny")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with runs, made and real, and with a task that failed."""
    path = tmp_path_factory.mktemp("sound") / "store.sqlite"
    with Store(path) as store:
        store.add_instances([(i.sha256, i) for i in (*INSTANCES, TINY)])
        for at in range(6):
            store.add(result("mlbroker.fractional", at=at, value=1.5 + at, ratio=1.5 + at))
        store.add(result("mlbroker.local", status="failed", error="why"))
        for name in ("mlbroker.local", "mlbroker.central"):
            task = Task(name=name, kind="mlbroker", instance=TINY.sha256)
            store.add(perform(Request(task.key, task, to_bytes(TINY).decode())))
    return path


@pytest.fixture
def copy(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "copy.sqlite"))


def changed(path: Path, *statements: str, **values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement, values)


def read_twice(path: Path, capsys: Capture) -> list[tuple[int, str]]:
    """Exit codes and complaints of the commands that read a store."""
    out = path.parent / "report.html"
    ends = []
    for words in (
        ["sweep", str(path), "--ratios"],
        ["sweep", str(path), "--report", str(out)],
    ):
        code = call(words)
        ends.append((code, capsys.readouterr().err))
    return ends


def ends_well(path: Path, capsys: Capture) -> set[int]:
    ends = read_twice(path, capsys)
    for code, complaint in ends:
        assert code in (0, 1, 2), complaint
        assert all(line.startswith("farkas: ") for line in complaint.splitlines())
        assert (code == 0) == (complaint == "")
    return {code for code, _ in ends}


def test_a_store_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="farkas sweep first"):
        Store(tmp_path / "none.sqlite", readonly=True)
    assert call(["sweep", str(tmp_path / "none.sqlite"), "--ratios"]) == 2


def test_a_sound_store_is_read(copy: Path, capsys: Capture) -> None:
    # six made results claim a bound without a certificate: proving them again is refused
    ratios, report = read_twice(copy, capsys)
    assert ratios == report
    assert (ratios[0], ratios[1].count("rejected")) == (1, 6)


COLUMNS = ["key", "kind", "name", "instance", "task", "status", "value", "bound", "ratio",
           "seconds", "error", "recheck", "output", "finished"]  # fmt: skip


def test_a_certified_ratio_below_1_is_damage(copy: Path, capsys: Capture) -> None:
    changed(copy, "UPDATE results SET ratio = 0.5 WHERE name = 'mlbroker.local'")
    assert call(["sweep", str(copy), "--trust", "--ratios"]) == 2
    assert "a certified ratio is below 1" in capsys.readouterr().err


def packed(content: bytes) -> bytes:
    return zlib.compress(content)


OUTPUTS: dict[str, bytes] = {
    "empty": b"",
    "not packed": b"{}",
    "cut": packed(b"{}")[:-1],
    "no JSON": packed(b"{"),
    "no object": packed(b"[]"),
    "no sense": packed(b"{}"),
    "other sense": packed(b'{"sense": "both"}'),
    "deep": packed(b'{"sense": "min", "x": ' + b"[" * 10**6),
    "bad certificate": packed(b'{"sense": "min", "certificate": {"exact": 1}}'),
    "endless bound": packed(
        b'{"sense": "min", "certificate": {"exact": "1e999999999", "method": ""}}'
    ),
    "bad manifest": packed(b'{"sense": "min", "manifest": {}}'),
    "bad letters": packed(b'{"sense": "min", "x": "\xff"}'),
    "long number": packed(b'{"sense": "min", "x": ' + b"9" * 10**5 + b"}"),
    "bomb": packed(bytes(10**6)),
}


@pytest.mark.parametrize("what", OUTPUTS)
def test_no_run_of_a_store_ends_in_an_internal_error(
    what: str, copy: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("farkas.experiments.sweeps.store.LARGEST_INFLATED", 10**6 - 1)
    changed(copy, "UPDATE results SET output = :blob", blob=OUTPUTS[what])
    assert 0 not in read_twice(copy, capsys)[0][:1], "the certificates are gone"
    ends_well(copy, capsys)


@pytest.mark.ids(7)
@pytest.mark.parametrize("what", OUTPUTS)
def test_no_instance_of_a_store_ends_in_an_internal_error(
    what: str, copy: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("farkas.experiments.sweeps.store.LARGEST_INFLATED", 10**6 - 1)
    changed(copy, "UPDATE instances SET data = :blob", blob=OUTPUTS[what])
    ends_well(copy, capsys)
    with Store(copy, readonly=True) as store, pytest.raises((FileProblem, InvalidInstance)):
        store.instance(TINY.sha256)


def test_an_instance_in_the_place_of_another_is_refused(copy: Path) -> None:
    changed(copy, "UPDATE instances SET data = :blob", blob=packed(to_bytes(INSTANCES[0])))
    with Store(copy, readonly=True) as store:
        assert store.instance(INSTANCES[0].sha256) == INSTANCES[0]
        with pytest.raises(FileProblem, match="hash to"):
            store.instance(TINY.sha256)


@pytest.mark.ids(5)
@pytest.mark.parametrize(
    "change",
    [
        {"decisions": [1, None, "x"]},
        {"costs": [{"a": None}, {"b": 1e308}]},
        {"costs": [{}] * 3, "kind": "eris"},
        {"kind": "nobody", "algorithm": "x\ny"},
        {"numbers": {"\u202e": 1e308}, "options": {"a": [[]]}},
        {"violations": ["a\nb"]},
    ],
)
def test_no_decision_of_a_run_ends_in_an_internal_error(
    change: dict[str, object], copy: Path, capsys: Capture
) -> None:
    with Store(copy, readonly=True) as store:
        (run,) = [r for r in store.results(output=True)
                  if r.task.name == "mlbroker.central" and r.output]  # fmt: skip
    blob = packed(msgspec.json.encode({**(run.output or {}), **change}))
    changed(copy, "UPDATE results SET output = :blob WHERE key = :key", blob=blob, key=run.key)
    ends_well(copy, capsys)


FOREIGN: dict[str, Callable[[Path], object]] = {
    "foreign": lambda path: changed(path, "CREATE TABLE music (name TEXT)"),
    "no tables": lambda path: changed(path, "PRAGMA user_version=1"),
    "view": lambda path: changed(
        path,
        "CREATE TABLE instances (sha, kind, name, data)",
        "CREATE VIEW results AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        f"SELECT {', '.join(f'x AS {name}' for name in COLUMNS)} FROM n",
    ),
    "text": lambda path: path.write_text("no database"),
    "empty": lambda path: path.write_bytes(b""),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path),
    "device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_no_store_is_refused_and_stays_as_it_is(
    what: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "file.sqlite"
    FOREIGN[what](path)
    before = path.read_bytes() if path.is_file() else None
    assert ends_well(path, capsys) == {2}
    if what not in ("empty", "no tables"):  # a sweep makes a store of what is empty
        with pytest.raises(FileProblem):
            Store(path)
    assert before is None or path.read_bytes() == before
    assert os.listdir(tmp_path) == ["file.sqlite"]


def test_reading_changes_nothing_in_the_folder(copy: Path) -> None:
    before = copy.read_bytes(), sorted(os.listdir(copy.parent))
    assert call(["sweep", str(copy), "--trust", "--ratios"]) == 0
    assert (copy.read_bytes(), sorted(os.listdir(copy.parent))) == before


def test_a_store_on_a_read_only_disk_is_read(copy: Path) -> None:
    copy.chmod(0o444)
    copy.parent.chmod(0o555)
    try:
        with Store(copy, readonly=True) as store:
            assert len(list(store.results(output=True))) == 9
            with pytest.raises(FileProblem, match="readonly"):
                store.add(result())
    finally:
        copy.parent.chmod(0o755)
    assert os.listdir(copy.parent) == ["copy.sqlite"]


def test_a_name_with_signs_of_addresses_is_that_file(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "a?mode=memory#b%41 c.sqlite"
    shutil.copy(sound, path)
    with Store(path, readonly=True) as store:
        assert len(store.present()) == 9
    with Store(path) as store:
        store.add(result(seed=5))
    assert os.listdir(tmp_path) == [path.name]


def test_a_full_disk_is_one_line_and_nothing_is_half_written(copy: Path) -> None:
    with Store(copy) as store:
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count={pages}")
        large = {"sense": "min", "x": [random.Random(k).random() for k in range(10**4)]}
        with pytest.raises(FileProblem, match="full"):
            store.add(result(seed=7, output=large))
        with pytest.raises(FileProblem, match="full"):
            store.add_instances(
                (f"{k:064}", msgspec.structs.replace(TINY, name=f"{k}" * 9)) for k in range(10**3)
            )
        assert len(store.present()) == 9
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT count(*) FROM instances").fetchone() == (7,)


def test_a_result_that_is_done_stays(copy: Path) -> None:
    with Store(copy) as store:
        store.add(result("mlbroker.fractional", at=0, value=9.0, ratio=9.0))
        store.add(result("mlbroker.local", status="done", error=""))
        found = {r.task.name: r for r in store.results() if r.task.instance == INSTANCES[0].sha256}
    assert found["mlbroker.fractional"].value == 1.5
    assert (found["mlbroker.local"].status, found["mlbroker.local"].error) == ("done", "")


def test_words_of_errors_are_kept_on_one_line(copy: Path) -> None:
    with Store(copy) as store:
        store.add(result(seed=3, status="failed", error="a\nb\x1b[2K\udcff" + " c" * 10**5))
        (error,) = [r.error for r in store.results() if r.error and r.error != "why"]
    assert error.startswith(r"a b\x1b[2K\udcff")
    assert len(error) == 4000


ONE = result(seed=9)


def claim(store: Store, seen: tuple[str, float] | None = None) -> str:
    return store.claim(ONE.key, ONE.task, seen)  # type: ignore[arg-type]


def test_a_task_belongs_to_the_sweep_that_claimed_it_until_it_closes(copy: Path) -> None:
    with Store(copy) as other:
        with Store(copy) as store:
            assert [claim(store), claim(store), claim(other)] == ["ours", "ours", "theirs"]
            assert ONE.key not in store.present()
            assert len(list(store.results())) == 9
        assert claim(other) == "ours"
    with Store(copy) as store:
        assert len(store.present()) == store._rows("SELECT count(*) FROM results")[0][0] == 9


def test_a_result_ends_the_claim_and_is_present_for_others(copy: Path) -> None:
    with Store(copy) as other, Store(copy) as store:
        assert claim(store) == "ours"
        store.add(msgspec.structs.replace(ONE, status="crashed"))
        assert claim(other) == "present"
        seen = other.stamps()[ONE.key]
        assert seen[0] == "crashed"
        assert [claim(other, seen), claim(store, seen)] == ["ours", "theirs"]


def test_a_claim_that_nobody_renews_lapses(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, other = Store(copy), Store(copy)
    now = time.time()

    def at(seconds: float) -> None:
        monkeypatch.setattr("time.time", lambda: now + seconds)

    assert claim(store) == "ours"
    for moment in (15.0, 30.0, 45.0):
        at(moment)
        store.renew()
        assert claim(other) == "theirs"
    store._db.close()  # killed: nothing is given back
    at(64.0)
    assert claim(other) == "theirs"
    at(66.0)
    assert claim(other) == "ours"
    other.close()


@pytest.mark.parametrize("readonly", [True, False])
def test_sqlite_never_opens_what_does_not_begin_as_a_store(readonly, tmp_path, monkeypatch):
    def asked(*words: object, **options: object) -> None:
        raise AssertionError("SQLite waits for files of the system that hold nothing yet")

    other = tmp_path / "other.sqlite"
    other.write_bytes(b"SQLite format 2\0" + bytes(100))
    monkeypatch.setattr("sqlite3.connect", asked)
    with pytest.raises(FileProblem, match="is no store of results"):
        Store(other, readonly=readonly)


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "new.sqlite").write_bytes(b"")
    with Store(tmp_path / "new.sqlite") as store:
        assert store.present() == {}
