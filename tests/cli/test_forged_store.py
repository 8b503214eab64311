"""A store of a sweep that says what is not so, forged in SQLite with digests and all that fit."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from farkas.cli import call
from farkas.experiments.sweeps import Store, Task
from farkas.instances.library import path as shipped

Capture = pytest.CaptureFixture[str]
Row = dict[str, Any]
"""Columns of a result, with task and output as plain data."""

TASKS = ("dps.top", "mlbroker.local", "mlbroker.optimum")
COLUMNS = (
    "key", "kind", "name", "instance", "task", "status", "value", "bound", "ratio", "recheck",
    "output",
)  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forged")
    files = [str(shipped(name)) for name in ("dps/demo", "mlbroker/tiny", "mlbroker/harmonic")]
    (folder / "sound.toml").write_text(
        f'name = "sound"\nbound_seconds = 1\n[[instances]]\nfiles = {json.dumps(files)}\n'
        '[[algorithms]]\nname = "dps.top"\n[[algorithms]]\nname = "mlbroker.local"\n'
    )
    assert call(["sweep", str(folder / "sound.toml"), "--workers", "1"]) == 0
    return folder / "sound.sqlite"


def forged(sound: Path, folder: Path, name: str, forge: Callable[[Row], None]) -> tuple[Path, str]:
    """A copy in which the first result of that name is another one, and its address."""
    copy = folder / "forged.sqlite"
    shutil.copy(sound, copy)
    columns = ", ".join(COLUMNS)
    with closing(sqlite3.connect(copy)) as store:
        found = store.execute(f"SELECT {columns} FROM results WHERE name = ?", (name,)).fetchone()
        row = dict(zip(COLUMNS, found, strict=True))
        old = row["key"]
        row["task"] = json.loads(row["task"])
        row["output"] = json.loads(zlib.decompress(row["output"]))
        forge(row)
        task = msgspec.convert(row["task"], Task)
        row |= {"key": task.key, "kind": task.kind, "name": task.name, "instance": task.instance}
        row["task"] = msgspec.json.encode(task).decode()
        row["output"] = zlib.compress(json.dumps(row["output"]).encode())
        row["recheck"] = "proved again"
        assign = ", ".join(f"{column} = ?" for column in COLUMNS)
        store.execute(
            f"UPDATE results SET {assign} WHERE key = ?", (*(row[c] for c in COLUMNS), old)
        )
        store.commit()
    return copy, row["key"]


def value(row: Row, exact: Fraction) -> None:
    """Say another value wherever it stands, with the ratio that follows."""
    bound = Fraction(row["bound"])
    least = row["output"].get("sense", "min") == "min"
    ratio = float(max(Fraction(1), exact / bound if least else bound / exact))
    row |= {"value": float(exact), "ratio": ratio}
    said = {"value": float(exact), "value_exact": str(exact), "ratio": ratio}
    row["output"] |= {key: v for key, v in said.items() if key in row["output"]}


def bound(row: Row, exact: Fraction) -> None:
    """Say another bound wherever it stands, with the ratio that follows."""

    def replace(node: Any) -> None:
        for key, item in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(item, dict | list):
                replace(item)
            elif key in ("bound", "exact") and isinstance(item, str):
                node[key] = str(exact)
            elif key == "bound" and isinstance(item, float):
                node[key] = float(exact)

    row["bound"] = str(exact)
    replace(row["output"])
    value(row, Fraction(row["value"]))


def value_is_bound(row: Row) -> None:
    value(row, Fraction(row["bound"]))


def without_decisions(row: Row) -> None:
    row["output"]["decisions"] = []
    value_is_bound(row)


def bound_is_value(row: Row) -> None:
    bound(row, Fraction(row["value"]))


def slightly_tighter(row: Row) -> None:
    gap = (Fraction(row["value"]) - Fraction(row["bound"])) / 1000
    bound(row, Fraction(row["bound"]) + gap)


def another_instance(row: Row) -> None:
    """The same decisions and proof, said of the other instance of the store."""
    row["task"]["instance"] = row["output"]["certificate"]["certificate"]["instance"] = "0" * 64


def another_kind(row: Row) -> None:
    row["task"]["kind"] = "eris"
    value_is_bound(row)


def another_algorithm(row: Row) -> None:
    row["task"]["name"] = "mlbroker.fractional"


def another_seed(row: Row) -> None:
    row["task"]["seed"] = 5


def fewer_violations(row: Row) -> None:
    """Decisions that leave a job out, with the value of what is left."""
    row["output"]["decisions"] = row["output"]["decisions"][:1]
    row["output"]["violations"] = []


def of_no_proof(row: Row) -> None:
    row["output"]["certificate"] = None
    value_is_bound(row)


def other_ratio(row: Row) -> None:
    row["ratio"] = 1.0 + (row["ratio"] - 1.0) / 2 + 1e-6


def without_ratio(row: Row) -> None:
    row["ratio"] = None
    row["output"] |= {"ratio": None} if "ratio" in row["output"] else {}


def without_value(row: Row) -> None:
    row["value"] = row["ratio"] = None


def other_sense(row: Row) -> None:
    row["output"]["sense"] = "max"


def other_byte(row: Row) -> None:
    inner = row["output"]["certificate"]["certificate"]
    place = len(inner["guide"]) // 2
    other = "A" if inner["guide"][place] != "A" else "B"
    inner["guide"] = inner["guide"][:place] + other + inner["guide"][place + 1 :]


def zero_below(row: Row) -> None:
    row["output"]["certificate"]["certificate"]["bound"] = "1/0"


FORGERIES = [
    *((n, f) for n in TASKS for f in (value_is_bound, bound_is_value, another_instance)),
    *((n, f) for n in ("dps.top", "mlbroker.local") for f in (without_decisions, of_no_proof)),
    *((n, slightly_tighter) for n in ("dps.top", "mlbroker.local")),
    *(("mlbroker.local", f) for f in (another_kind, another_algorithm, another_seed)),
    *(("mlbroker.local", f) for f in (other_ratio, other_sense, other_byte, zero_below)),
    *(("mlbroker.local", f) for f in (without_value, without_ratio)),
    ("mlbroker.local", fewer_violations),
]


def counted(capsys: Capture, *words: str) -> tuple[int, list[float], dict[str, Any]]:
    """Exit code, certified ratios in all, and the JSON of `farkas sweep --ratios`."""
    code = call(["sweep", *words, "--json", "--ratios"])
    found = json.loads(capsys.readouterr().out)
    return (
        code,
        sorted(r for i in found["ratios"] for o in i["by_instance"].values() for r in o),
        found,
    )


def test_a_sound_store_is_proved_whole(sound: Path, capsys: Capture) -> None:
    code, ratios, found = counted(capsys, str(sound))
    assert (code, found["rejected"], found["the_word_of_the_store"]) == (0, {}, 0)
    assert found["proved_again"] == found["rechecked"] == len(ratios) == 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "forge"), FORGERIES, ids=lambda part: getattr(part, "__name__", part)
)
def test_what_is_forged_enters_no_ratio_and_no_page(
    name: str, forge: Callable[[Row], None], sound: Path, tmp_path: Path, capsys: Capture
) -> None:
    store, key = forged(sound, tmp_path, name, forge)
    _, honest, _ = counted(capsys, str(sound))
    with Store(store, readonly=True) as opened:
        (result,) = [one for one in opened.results() if one.key == key]
    code, ratios, found = counted(capsys, str(store))
    assert (code, list(found["rejected"])) == (1, [key])
    assert len(ratios) == len(honest) - 1
    assert found["proved_again"] == len(honest) - 1
    for item in found["ratios"]:
        assert (item["worst"] or {}).get("key") != key
        if item["name"] == result.task.name:
            assert set(item["left_out"]) == {"certificate rejected"}
    page = tmp_path / "page.html"
    assert call(["sweep", str(store), "--report", str(page), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["certified"], said["proved_again"]) == (len(honest) - 1, len(honest) - 1)


@pytest.mark.slow
def test_what_is_not_proved_is_called_the_stores_word(
    sound: Path, tmp_path: Path, capsys: Capture
) -> None:
    store, _ = forged(sound, tmp_path, "mlbroker.local", value_is_bound)
    call(["sweep", str(store), "--trust", "--ratios"])
    said = capsys.readouterr().out
    assert said.startswith("ratios, some by the store's word\n")
    assert "the store's word, not proved: 6 (without --trust all are)\n" in said
    page = tmp_path / "page.html"
    call(["sweep", str(store), "--report", str(page), "--trust"])
    assert "the store's word, not proved: 6 (" in capsys.readouterr().out
    assert ">Ratios, not all proved<" in page.read_text()
    assert ">Certified ratios<" not in page.read_text()
    call(["sweep", str(store), "--ratios"])
    said = capsys.readouterr().out
    assert said.startswith("certified ratios\n")
    assert "the store's word" not in said


@pytest.mark.slow
def test_what_a_sweep_adds_meanwhile_is_not_taken_for_proved(
    sound: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["farkas.experiments.sweeps.sweep"]  # its function has its name
    store = tmp_path / "growing.sqlite"
    shutil.copy(sound, store)
    ordinary = module.prove_again

    def grow(*arguments: Any) -> Any:
        yield from ordinary(*arguments)
        with closing(sqlite3.connect(store)) as other:
            other.execute(
                "INSERT INTO results SELECT replace(key, substr(key, 1, 4), 'ffff'), kind, name, "
                "instance, replace(task, '\"seed\":0', '\"seed\":7'), status, value, bound, 1.0, "
                "seconds, error, recheck, output, finished FROM results"
            )
            other.commit()

    _, honest, _ = counted(capsys, str(sound))
    monkeypatch.setattr(module, "prove_again", grow)
    code, ratios, found = counted(capsys, str(store))
    assert (code, ratios, found["the_word_of_the_store"]) == (0, honest, 0)
