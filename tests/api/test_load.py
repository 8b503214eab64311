"""Whatever file farkas writes is loaded as what it is."""

from __future__ import annotations

import signal
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import farkas
from farkas.adversary.catalogue import find_statement
from farkas.adversary.gap import Gap
from farkas.api.inputs import as_instance
from farkas.api.limits import Overlong, limited, require_limit
from farkas.api.load import (
    imported_instance,
    is_table,
    mistaken,
    no_store,
    other_instance,
    role_of,
)
from farkas.certificates import Certificate
from farkas.cli import call
from farkas.errors import FarkasError, FileProblem, InvalidInstance, InvalidOption
from farkas.instances import Instance, library, write
from farkas.instances.traces import import_trace
from farkas.solvers import solve
from tests.generators.forms import small


def test_instances_runs_certificates_and_statements_come_back(tmp_path: Path) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    wanted = {
        "instance": (farkas.load("mlbroker/tiny"), Instance),
        "run": (run, type(run)),
        "certificate": (solution.certificate, Certificate),
    }
    for name, (what, kind) in wanted.items():
        path = tmp_path / f"{name}.json"
        farkas.save(what, path)
        found = farkas.load(path)
        assert isinstance(found, kind)
        assert found == what
        assert farkas.load(str(path)) == what
    # a run comes back without the instance that it was made on, and is proved with it
    loaded = farkas.load(tmp_path / "run.json")
    assert loaded.made_on is None
    assert loaded.verify("mlbroker/tiny").ratio == run.ratio
    assert isinstance(farkas.load(find_statement("mlbroker.local").path), Gap)


def test_a_damaged_instance_or_run_keeps_its_own_complaint(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"farkas": 1, "kind": "mlbroker"}')
    with pytest.raises(InvalidInstance, match=r"bad\.json"):
        farkas.load(path)
    path.write_text('{"algorithm": "x"}')
    with pytest.raises(FileProblem, match="is no run file"):
        farkas.load(path)


Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of every role."""
    folder = tmp_path_factory.mktemp("files")
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    found = {
        "instance": folder / "my.json",
        "run": folder / "run.json",
        "certificate": folder / "bound.json",
        "model": folder / "rng.mps",
        "vipr": folder / "bound.vipr",
        "table": folder / "ugly.csv",
        "sweep": folder / "sweep.toml",
        "store": folder / "sweep.sqlite",
        "comparison": folder / "table.json",
        "statement": Path(str(find_statement("mlbroker.local").path)),
    }
    farkas.save(farkas.load("mlbroker/tiny"), found["instance"])
    farkas.save(farkas.run("mlbroker/tiny", "mlbroker.local"), found["run"])
    for role in ("certificate", "model", "vipr"):
        farkas.save(solution, found[role])
    farkas.save(farkas.compare("eris/tiny", ["eris.eris"]), found["comparison"])
    found["table"].write_text("id,came\na,1\nb,2\n")
    found["sweep"].write_text('name = "x"\n')
    with sqlite3.connect(found["store"]) as store:
        store.execute("create table x (y)")
    return found


def test_every_role_is_told_by_the_file(files: dict[str, Path]) -> None:
    assert {role: role_of(path)[0] for role, path in files.items()} == {r: r for r in files}
    for role, path in files.items():
        assert path.name in role_of(path)[1], role


def test_files_of_nothing_known_have_no_role(tmp_path: Path) -> None:
    for content in (b"", b"[1]", b"{", b'{"a": 1}', b"prose\n", b"\x00\x01", b'{"a":' * 200):
        path = tmp_path / "odd"
        path.write_bytes(content)
        assert role_of(path) == ("", "")
        error = FileProblem("as it was")
        assert mistaken(path, error, "instance") is error
    assert role_of(tmp_path / "none.mps") == role_of(tmp_path) == ("", "")


def test_the_error_of_a_file_of_the_wanted_role_stays(files: dict[str, Path]) -> None:
    error = FileProblem("as it was")
    for role, path in files.items():
        assert mistaken(path, error, role) is error
        told = str(mistaken(path, error, "nothing"))
        assert told == f"{path} is {role_of(path)[1]}"


@pytest.mark.parametrize("role", ["run", "model", "store"])
def test_every_verb_of_instances_says_what_a_file_is(
    files: dict[str, Path], role: str, capsys: Capture
) -> None:
    path = str(files[role])
    commands: list[list[str]] = [["run", path, "-a", "mlbroker.local"], ["compare", path],
                                 ["evaluate", path]]  # fmt: skip
    for words in commands:
        assert call(words) == 2
        assert f"{path} is {role_of(path)[1]}" in capsys.readouterr().err
    with pytest.raises(FileProblem, match=r" is a"):
        farkas.run(path, "mlbroker.local")


def test_checks_say_what_a_file_is(files: dict[str, Path], capsys: Capture) -> None:
    bound, model = str(files["certificate"]), str(files["model"])
    for words, named in (
        (["check", str(files["instance"])], "instance"),
        (["check", str(files["table"])], "table"),
        (["check", bound, "--instance", model], "model"),
        (["check", str(files["vipr"]), "--model", model], "vipr"),
    ):
        assert call(words) == 2, words
        assert capsys.readouterr().err.startswith(f"farkas: {files[named]} is a"), words
    with pytest.raises(FarkasError, match=r"farkas\.check as model="):
        farkas.check(farkas.load(bound), model)


def test_what_was_imported_is_taken_as_an_instance(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("id,at,n,len [min]\na,0,2,3600\nb,60,1,3600\n")
    roles = {"job_id": "id", "submit": "at", "gpus": "n", "duration": "len [min]"}
    imported = import_trace("csv", path, "gadget", map=roles, servers=2, slots=3)
    held = imported.instance
    assert imported_instance(imported) is other_instance(imported) is held
    assert (imported.kind, imported.sha256) == ("gadget", held.sha256)
    assert imported_instance(held) is None
    run = farkas.run(imported, "gadget.fifo")
    assert run == farkas.run(held, "gadget.fifo")
    assert farkas.check(run, imported).ratio == run.ratio
    entries = farkas.compare(imported, ["gadget.fifo"]).entries
    assert entries[0].value == run.value
    assert farkas.evaluate(imported, "gadget.gvne_lp") == farkas.evaluate(held, "gadget.gvne_lp")
    solved = farkas.solve(imported, "gadget.gvne_lp").answer.objective
    assert solved == farkas.solve(held, "gadget.gvne_lp").answer.objective
    farkas.save(imported, tmp_path / "made.json")
    assert farkas.load(tmp_path / "made.json") == held
    warning = '"len [min]" names min but is read in s; duration_unit=min reads it so'
    line = f"<imported gadget instance csv-gadget-0: 2 jobs imported; warning: {warning}>"
    assert repr(imported) == line
    table = imported._repr_html_()
    assert "<td>60 min</td>" in table
    assert "names min but is read in s" in table


def test_anything_else_is_no_instance() -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    assert isinstance(run.instance, str)  # its name, which is no instance
    for given in (run, 3, None):
        with pytest.raises(InvalidOption, match="instance cannot be"):
            other_instance(given)  # type: ignore[arg-type]
    assert other_instance("mlbroker/tiny") == library.load("mlbroker/tiny")


@pytest.mark.parametrize(("text", "table"), [
    (b"a;b\n1;2\n", True),
    (b"a;b\tc\n1;2\t3\n", True),  # one of each in both lines
    (b"a;b\n1;2;3\n", False),
    (b"a\0,b\n1,2\n", False),
    (b"a,b\n1,2\0\n", True),
    (b"prose, and\nmore\n", False),
    (b"a,b\n1,2\n3\n", True),
    (b'"x, y",b\r\n1,2\r\n', True),
    (b"a\tb\n1\t2\n", True),
    (b"a,b\n", False),
    (b"a\n1\n", False),
    (b"a,b\n1,2,3\n", False),
])  # fmt: skip
def test_a_table_is_told_by_its_first_two_lines(text: bytes, table: bool) -> None:
    assert is_table(text) is table


def test_fields_and_suffixes_tell_a_role_whatever_blanks_and_capitals(tmp_path: Path) -> None:
    for name, text, role in (
        ("run.json", ' \n{"algorithm": "x"}', "run"),
        ("sweep.TOML", 'name = "x"', "sweep"),
        ("bound.VIPR", "VER 1.0", "vipr"),
        ("half.json", '{"kind": "eris"}', ""),
        ("half.json", '{"farkas": 1}', ""),
        ("whole.json", '{"farkas": 1, "kind": "eris"}', "instance"),
        ("table.json", '{"algorithms": [], "bound": null}', "comparison"),
        ("table.json", '{"algorithms": []}', ""),
        ("table.json", '{"bound": null}', ""),
    ):
        (tmp_path / name).write_text(text)
        assert role_of(tmp_path / name)[0] == role, (name, text)


def test_only_who_wants_an_instance_is_told_of_suffixes(tmp_path: Path) -> None:
    path, error = tmp_path / "model", FileProblem("x is not JSON")
    path.write_text("min: 3x;")
    assert str(mistaken(path, error, "instance")).startswith(f"{path} has no suffix and is no JSON")
    with pytest.raises(FileProblem, match=r"models end in \.mps or \.lp, also packed"):
        farkas.prove(path)
    assert mistaken(path, error, "run") is error
    other = FileProblem("no permission")
    assert mistaken(path, other, "instance") is other
    named_json = path.rename(tmp_path / "model.json")
    assert mistaken(named_json, error, "instance") is error


def test_what_is_no_store_is_told_what_it_is(files: dict[str, Path]) -> None:
    for role, path in files.items():
        told = str(no_store(path))
        instead = "" if role == "store" else f"; it is {role_of(path)[1]}"
        assert told == f"{path}: is no store of results, which farkas sweep makes{instead}"


def test_an_instance_of_a_callers_own_class_has_a_kind_and_a_hash() -> None:
    class Own:
        kind, sha256 = "own", "00"

    class Half:
        kind = "own"

    class Holding:
        instance = library.load("eris/tiny")

    own = Own()
    assert other_instance(own) is own  # type: ignore[arg-type]
    for given in (Half(), Holding()):
        with pytest.raises(InvalidOption, match="instance cannot be"):
            other_instance(given)  # type: ignore[arg-type]
    assert imported_instance(Holding()) is None


TINY = library.load("mlbroker/tiny")


def test_a_name_and_a_path_are_read(tmp_path: Path) -> None:
    assert as_instance(TINY) is TINY
    path = tmp_path / "a.json"
    write(TINY, path)
    for given in ("mlbroker/tiny", str(path), path):
        assert as_instance(given).sha256 == TINY.sha256
    with pytest.raises(FarkasError, match="did you mean mlbroker/tiny"):
        as_instance("mlbroker/tinny")


@pytest.mark.parametrize("given", [None, 3, {"kind": "mlbroker"}, b"mlbroker/tiny"])
def test_anything_else_is_refused_with_its_type(given: object) -> None:
    with pytest.raises(InvalidOption, match=f"not {type(given).__name__}"):
        as_instance(given)  # type: ignore[arg-type]


def test_what_takes_too_long_ends_and_leaves_the_alarm_as_it_was() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(Overlong), limited(0.05):
        time.sleep(30.0)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_ends_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limited(60.0):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 50.0
    with limited(None):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_that_is_lost_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkas.api.limits.AGAIN", 0.05)
    lost: list[Overlong] = []

    def forgetful() -> None:
        try:
            time.sleep(30.0)
        except Overlong as first:
            lost.append(first)
        time.sleep(30.0)

    with pytest.raises(Overlong), limited(0.05):
        forgetful()
    assert len(lost) == 1


def test_it_is_no_failure_of_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def asleep(*_: object) -> None:
        time.sleep(30.0)

    monkeypatch.setattr("farkas.solvers.highs._run", asleep)
    form = small([[1.0, 1.0]], cost=[-1.0, -2.0], row_upper=[3.5], upper=[2.0, 2.0])
    with pytest.raises(Overlong), limited(0.05):
        solve(form)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan"), "60"])
def test_seconds_are_above_zero(seconds: Any) -> None:
    require_limit(None)
    with pytest.raises(InvalidOption, match="time_limit"):
        require_limit(seconds)


def test_other_threads_have_no_alarm() -> None:
    said: list[str] = []

    def ask() -> None:
        try:
            require_limit(5.0)
        except InvalidOption as error:
            said.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert said == ["a time limit needs the main thread of Linux or macOS; leave it out"]
