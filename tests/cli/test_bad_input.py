"""The command line on bad input: one line, the right code, no traceback, no partial file."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances.library import path as shipped

LONG = "a" * 5000
TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


TEXT = Path(TINY).read_text()
DAMAGED = {
    "empty.json": b"",
    "words.json": b"not json",
    "half.json": TEXT[: len(TEXT) // 2].encode(),
    "list.json": b"[]",
    "null.json": b"null",
    "number.json": b"3",
    "deep.json": b"[" * 100_000,
    "binary.json": bytes(range(256)),
    "latin.json": b'{"farkas": 1, "kind": "mlbroker", "name": "\xe9"}',
    "nan.json": TEXT.replace("0.02", "NaN").encode(),
    "huge.json": TEXT.replace("0.02", "1e999").encode(),
    "kind.json": TEXT.replace('"mlbroker"', '"mlbrocker"').encode(),
    "nokind.json": b'{"farkas": 1}',
    "version.json": TEXT.replace('"farkas": 1', '"farkas": 2').encode(),
    "extra.json": TEXT.replace('"num_sites"', '"x": 1, "num_sites"').encode(),
    "twice.json": TEXT.replace('"num_sites"', '"num_sites": 2, "num_sites"').encode(),
}
NO_FILES = [
    "none.json", "folder.json", "pipe", "/dev/zero", "/dev/urandom", "tiny.json/below", "", LONG,
    "nul\0.json", "new\nline.json", "esc\x1b[31m.json", "\udcff.json",
]  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with nasty files in which every command runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # of policies in files
    for name, content in {"tiny.json": TEXT.encode(), **DAMAGED}.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "evil.lp").write_text("min\n x \x1b[2J\nend\n")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.vipr")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


def one_line(words: list[str], capsys: Capture) -> tuple[int, str]:
    """Exit code and the one line on standard error; standard output stays empty."""
    before = set(os.listdir())
    code = call(words)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("farkas: ")
    assert captured.err.count("\n") == 1
    assert captured.err.isprintable() or captured.err[:-1].isprintable()
    assert "Traceback" not in captured.err
    assert set(os.listdir()) == before  # nothing was left behind
    return code, captured.err


@pytest.mark.parametrize("json_flag", [[], ["--json"]], ids=["table", "json"])
@pytest.mark.parametrize(
    "command",
    [
        ["evaluate"],
        ["compare"],
        ["run", "-a", "mlbroker.fractional"],
        ["solve", "-p", "mlbroker.offline"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("file", [*NO_FILES, *DAMAGED], ids=lambda name: ascii(name)[1:21])
def test_a_bad_instance_file(
    file: str, command: list[str], json_flag: list[str], capsys: Capture
) -> None:
    code, _ = one_line([*command, file, *json_flag], capsys)
    assert code == 2


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["bogus"], "no command 'bogus'"),
        (["--bogus"], "--bogus"),
        (["run"], "Missing argument"),
        (["run", "tiny.json", "-a", "mlbroker.fractionel"], "did you mean mlbroker.fractional"),
        (["run", "tiny.json", "-a", "x\ny\x1b[0m"], r"x\\ny\\x1b[0m"),
        (["run", "tiny.json", "-a", "mlbroker.fractional", "--set", "relax"], "KEY=VALUE"),
        (["run", "tiny.json", "-a", "mlbroker.fractional", "--set", "relaks=tight"], "relax"),
        (["run", "tiny.json", "-a", "mlbroker.fractional", "--set", "relax=tigth"], "tigth"),
        (["run", "tiny.json", "-a", "mlbroker.fractional", "--seed", "-1"], "--seed"),
        (["generate", "mlbroker", "--seed", "one"], "expected a whole number"),
        (["run", "tiny.json", "-a", "mlbroker.fractional", "-o", "no/out.json"], "no directory"),
        (["compare", "tiny.json", "--algorithms", ","], "no algorithm"),
        (["evaluate", "tiny.json", "mlbroker.offlin[printed]"], "did you mean"),
        (["evaluate", "tiny.json", "eris.offline"], "unknown mlbroker quantity"),
        (["solve", "tiny.json", "-p", "mlbroker.ofline"], "did you mean mlbroker.offline"),
        (["solve", "tiny.json", "-p", "mlbroker.offline[strikt]"], "strikt"),
        (["solve", "tiny.json", "-p", "mlbroker.offline["], "no program name"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "--variant", "a=b"], "no option 'a'"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "-s", "higs"], "did you mean highs"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "--time-limit", "nan"], "time_limit"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "--threads", "0"], "threads"),
        (["solve", "tiny.json", "--time-limit", "1,5"], "expected a number"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "--gap", "inf"], "gap"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "--write", "x.txt"], "suffix '.txt'"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "--write", "no/x.mps"], "no directory"),
        (["generate", "mlbrocker"], "did you mean mlbroker"),
        (["generate", "mlbroker", "--preset", "smal"], "did you mean small"),
        (["generate", "mlbroker", "small"], "write a preset as --preset NAME"),
        (["generate", "mlbroker", "-o", "--json"], "is an option, where a file's name is missing"),
        (["generate", "mlbroker", "--preset", "small", "--set", "jbos=3"], "jbos"),
        (["import", "philly", "tiny.json", "--kind", "nokind"], "nokind"),
        (["import", "philly", "none.csv", "--kind", "mlbroker", "--prices", "none"], "none"),
        (["check", "none.json"], "o such file"),
        (["check", "nul\0.json"], "null"),
        (["check", "nul\0.vipr"], "null"),
        (["check", "/dev/zero"], "no regular file"),
        (["check", "pipe"], "no regular file"),
        (["check", "pipe.vipr"], "no regular file"),
        (["check", "deep.json"], "too deep"),
        (["sweep", "/dev/zero"], "no regular file"),
        (["sweep", "pipe"], "no regular file"),
        (["sweep", "deep.json"], "too deep"),
        (["sweep", "pipe", "--ratios"], "no regular file"),
        (["sweep", "/dev/zero", "--report", "x.html"], "no regular file"),
        (["import", "gavel", "pipe", "--kind", "coded"], "no regular file"),
        (["run", "tiny.json", "-a", "mlbroker.local", "-o", "loop"], "circle"),
        (["run", "tiny.json", "-a", "mlbroker.local", "-o", "loop/x.json"], "no directory"),
        (["generate", "mlbroker", "-o", "nul\0"], "null"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "-s", "pyomo:./tiny.json"], "unknown"),
        (["check", "folder.json"], "directory"),
        (["check", "words.json"], "words.json"),
        (["claims", "mlbroker.no_such_claim"], "unknown claim"),
        (["prove", "none.lp"], "none.lp"),
        (["prove", "evil.lp"], "unexpected"),
        (["show", "mlbroker.offlin"], "did you mean mlbroker.offline"),
        (["show", ""], "unknown name"),
        (["show", LONG], "unknown name"),
        (["show", f"{LONG}/x"], "unknown name"),
        (["sweep", LONG, "--ratios"], "no store of results"),
        (["sweep", LONG, "--report", "x.html"], "no store of results"),
        (["solve", "tiny.json", "-p", "mlbroker.offline", "--write", "pipe.vipr"], "No such dev"),
        (["solve", "tiny.json", "-p", LONG], "unknown program"),
        (["run", "tiny.json", "-a", "mlbroker.fractional", "--set", f"epsilon={LONG}"], "epsilon"),
        (["run", "tiny.json", "-a", "mlbroker.fractional", "--set", f"{LONG}=1"], "no option"),
        (["demo", "extra"], "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(map(ascii, value)) if isinstance(value, list) else "",
)  # fmt: skip
def test_bad_words(words: list[str], part: str, capsys: Capture) -> None:
    code, line = one_line(words, capsys)
    assert part.encode().decode("unicode_escape") in line
    assert len(line) < 1000
    assert code == 2


def test_a_failing_write_keeps_the_old_file(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (here / "out.json").write_text("old")

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    code, line = one_line(["generate", "mlbroker", "--preset", "small", "-o", "out.json"], capsys)
    assert code == 2
    assert "out.json: cannot be written: No space left on device" in line
    assert (here / "out.json").read_text() == "old"


WRITERS = [
    (["run", "tiny.json", "-a", "mlbroker.fractional", "-o"], ".json", "farkas.api.run.run"),
    (["solve", "tiny.json", "-p", "mlbroker.offline", "--write"], ".mps",
     "farkas.api.solve.solve"),
    (["solve", "tiny.json", "-p", "mlbroker.offline", "--write"], ".vipr",
     "farkas.api.solve.solve"),
    (["check", "tiny.json", "--stand-alone"], ".json", "farkas.api.stand_alone.stand_alone"),
    (["generate", "mlbroker", "-o"], ".json", "farkas.instances.generate.generate"),
    (["figure", "all", "-o"], "", "farkas.experiments.figures.exhibit.Exhibit.data"),
    (["figure", "mlbroker", "5", "-o"], ".json", "farkas.experiments.figures.exhibit.Exhibit.data"),
    (["sweep", "no.store", "--report"], ".html", "farkas.experiments.sweeps.Store"),
]  # fmt: skip
"""Commands that end with an output, its suffix, and what must not happen before it is refused."""


@pytest.mark.parametrize("place", ["pipe", "system"])
@pytest.mark.parametrize(
    ("words", "suffix", "work"), WRITERS, ids=lambda words: words[0] if words else ""
)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    words: list[str],
    suffix: str,
    work: str,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    def worked(*given: object, **more: object) -> None:
        raise AssertionError("the work came first")

    target = f"out{suffix}" if place == "pipe" else f"/proc/out{suffix}"
    if place == "pipe":
        os.mkfifo(target)
    elif not Path("/proc").is_dir():
        target = f"/dev/null/out{suffix}"
    monkeypatch.setattr(work, worked)
    code, text = one_line([*words, target], capsys)
    assert code == 2
    assert target in text


OWN = """
import farkas

class Own(farkas.Policy):
    kind = "mlbroker"

class Other(farkas.Policy):
    kind = "gadget"

    def step(self, state, arrival):
        return state, None
"""


@pytest.mark.parametrize("words", [
    ["run", "tiny.json", "-a", "mlbroker.local", "-o", "tiny.json"],
    ["run", "tiny.json", "own.py:Other", "-o", "tiny.json"],
    ["compare", "tiny.json", "-a", "mlbroker.local", "-o", "./tiny.json"],
    ["optimum", "tiny.json", "-o", "tiny.json"],
    ["worst", "mlbroker.local", "--from", "tiny.json", "-o", "tiny.json"],
    ["prove", "tiny.json", "-p", "mlbroker.relaxed", "--write", "tiny.json"],
    ["solve", "tiny.json", "-p", "mlbroker.relaxed", "--write", "tiny.json"],
    ["figure", "picture.svg", "-o", "picture.svg"],
    ["check", "tiny.json", "--stand-alone", "tiny.json"],
    ["import", "csv", "tiny.json", "--kind", "eris", "-o", "tiny.json"],
])  # fmt: skip
def test_nothing_is_written_over_what_a_command_reads(
    words: list[str], here: Path, capsys: Capture
) -> None:
    (here / "own.py").write_text(OWN.replace("gadget", "mlbroker"))
    (here / "picture.svg").write_text("<svg/>")
    before = {name: (here / name).read_bytes() for name in ("tiny.json", "own.py", "picture.svg")}
    code, line = one_line(words, capsys)
    assert code == 2
    assert "the command reads this file; write another one" in line
    assert {name: (here / name).read_bytes() for name in before} == before


def test_the_source_of_a_policy_is_not_written_over(here: Path, capsys: Capture) -> None:
    (here / "own.py").write_text(OWN.replace("gadget", "mlbroker"))
    code, line = one_line(["run", "tiny.json", "own.py:Other", "-o", "own.py"], capsys)
    assert (code, (here / "own.py").read_text()) == (2, OWN.replace("gadget", "mlbroker"))
    assert "the command reads this file" in line


@pytest.mark.parametrize("words", [
    ["run", "tiny.json", "-a"], ["solve", "-p"], ["compare", "tiny.json", "--json=3"],
    ["sweep", "x", "--report"], ["import", "csv", "--map"], ["figure", "--seed"],
])  # fmt: skip
def test_an_option_without_its_value_is_one_line(words: list[str], capsys: Capture) -> None:
    code, line = one_line(words, capsys)
    assert code == 2
    assert re.search(r"requires an argument|does not take a value", line)


def test_a_policy_of_another_kind_is_refused(here: Path, capsys: Capture) -> None:
    (here / "own.py").write_text(OWN)
    code, line = one_line(["run", "tiny.json", "own.py:Other"], capsys)
    assert code == 2
    assert "Other is of kind 'gadget', the instance is of mlbroker" in line


def test_a_file_has_no_number_of_a_figure(capsys: Capture) -> None:
    code, line = one_line(["figure", "tiny.json", "5"], capsys)
    assert code == 2
    assert "a file has no figure '5'" in line
