"""Files that stand alone have names that say what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.certificates.writing import write
from farkas.cli.alone import restated_in
from farkas.errors import InvalidOption
from tests.generators.certificates import good


def test_a_linear_certificate_is_written_as_json_and_nothing_else(tmp_path: Path) -> None:
    given = tmp_path / "c.json"
    write(good(), given)
    with pytest.raises(InvalidOption, match="trees are written as"):
        restated_in(str(given), None, None, str(tmp_path / "out.vipr"), None)
    assert not (tmp_path / "out.vipr").exists()
    found = restated_in(str(given), None, None, str(tmp_path / "out.json"), None)
    assert (tmp_path / "out.json").read_bytes() == found.content
