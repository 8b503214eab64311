"""A store that is not there is refused."""

from __future__ import annotations

import pytest

from farkas.cli import call
from farkas.errors import FileProblem
from farkas.experiments.sweeps import Store


def test_a_store_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(FileProblem, match="farkas sweep first"):
        Store(tmp_path / "none.sqlite", create=False)
    assert call(["ratios", str(tmp_path / "none.sqlite")]) == 2
