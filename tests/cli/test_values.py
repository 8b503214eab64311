"""Words of the command line as values."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.cli.values import (
    assignments,
    check_writable,
    choices,
    deliver,
    json_assignments,
    measured,
)
from farkas.errors import FileProblem, InvalidOption
from farkas.instances import library, to_bytes


def test_only_the_first_equals_sign_separates_and_spaces_around_it_do_not_count() -> None:
    assert assignments(["a = 1", "b=x=y", "c="], "--set") == {"a": "1", "b": "x=y", "c": ""}
    assert assignments(None, "--set") == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a"], "--set 'a': write KEY=VALUE"),
        ([" =1"], "write KEY=VALUE"),
        (["a=1", "a =2"], "--set a: given twice"),
    ],
)
def test_a_word_that_sets_nothing_once_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        assignments(words, "--set")


def test_values_are_json_where_they_can_be_and_text_where_not() -> None:
    words = ["a=2", "b=[1, 2.5]", "c=true", "d=2017-10-03", 'e="2"', "f=" + "[" * 10_000]
    assert json_assignments(words, "--set") == {
        "a": 2, "b": [1, 2.5], "c": True, "d": "2017-10-03", "e": "2", "f": "[" * 10_000,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "message"),
    [("", "empty name"), (".", "is a directory"), ("no/x.json", "directory no")],
)
def test_a_path_that_cannot_be_written_is_refused(
    path: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileProblem, match=message):
        check_writable(path)


def test_a_new_file_an_old_file_and_no_file_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}")
    for path in (None, str(tmp_path / "new.json"), str(tmp_path / "old.json")):
        check_writable(path)


def test_two_outputs_are_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.json").write_text("{}")
    (tmp_path / "link.json").symlink_to("old.json")
    check_writable("a.json", None, "b.json", None, "/dev/null", "/dev/null")
    for first, second in (("a.json", "./a.json"), ("old.json", "link.json")):
        with pytest.raises(InvalidOption, match="a file of its own"):
            check_writable(first, "b.json", second)


def test_on_a_terminal_an_instance_goes_into_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = library.load("mlbroker/tiny").replace(name="../a b\n/c")
    deliver(odd, None, False)  # a pipe gets the instance itself
    assert capsys.readouterr().out.encode() == to_bytes(odd)
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    deliver(odd, None, False)
    assert (tmp_path / ".._a_b_c.json").read_bytes() == to_bytes(odd)
    with pytest.raises(FileProblem, match="is there already; name a file with -o"):
        deliver(odd, None, False)


def test_what_values_are_is_said_with_their_unit() -> None:
    assert measured(library.load("mlbroker/tiny")) == ", cost (USD)"
    assert measured(library.load("coded/tiny").replace(time_unit="h")) == ", time (h)"
    assert measured(library.load("eris/tiny")) == ", worth"


def test_a_missing_name_is_answered_with_those_of_the_kind() -> None:
    error = choices("an algorithm", "algorithms", "-a", "x.json", "eris")
    assert str(error).startswith("x.json is of kind eris: name an algorithm (-a), one of eris.")
    assert "eris.tiresias" in str(error)
    assert "gadget" not in str(error)
