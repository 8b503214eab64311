"""Words of the command line as values."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.cli.values import assignments, check_writable, json_assignments, summary
from farkas.errors import FileProblem, InvalidOption
from farkas.instances import library


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


def test_a_summary_names_the_file_and_the_hash() -> None:
    tiny = library.load("mlbroker/tiny")
    assert summary(tiny, "a.json") == {
        "file": "a.json", "kind": "mlbroker", "name": "tiny", "seed": None, "sha256": tiny.sha256,
    }  # fmt: skip
