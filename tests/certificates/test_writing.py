"""Certificates as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.certificates.files import read, to_json, write
from farkas.errors import FileProblem
from tests.generators.certificates import good


def test_a_file_holds_one_line_that_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    write(good(), path)
    assert path.read_bytes() == to_json(good())
    assert path.read_bytes().count(b"\n") == 1
    assert read(path) == good()


def test_a_folder_that_is_missing_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="none"):
        write(good(), tmp_path / "none" / "c.json")


def test_a_file_ends_with_a_line_break():
    assert to_json(good()).endswith(b"}\n")
