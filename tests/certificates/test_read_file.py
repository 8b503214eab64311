"""Certificate files by their paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.certificates.files import read, write
from farkas.errors import FileProblem
from tests.generators.certificates import good


def test_a_file_is_read_or_named(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    write(good(), path)
    assert read(str(path)) == good()
    path.write_text("{}")
    with pytest.raises(FileProblem, match=r"c\.json: no certificate"):
        read(path)
    with pytest.raises(FileProblem, match="no such file"):
        read(tmp_path / "none.json")
