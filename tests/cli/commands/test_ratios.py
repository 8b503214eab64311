"""`farkas ratios` sums up a store, and proves it again on demand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.experiments.sweeps import Store
from farkas.instances import read
from tests.experiments.sweeps.made import INSTANCES, result
from tests.tools.cells import rows

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Runs of one algorithm with ratios 1.5 and 3, the second on the second instance."""
    with Store(tmp_path / "made.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result("mlbroker.fractional", at=0, value=1.5, ratio=1.5))
        made.add(result("mlbroker.fractional", at=1, value=3.0, ratio=3.0))
    return str(tmp_path / "made.sqlite")


def test_the_table_shows_the_mean_the_worst_and_the_theorems(store: str, capsys: Capture) -> None:
    assert call(["ratios", store, "--recheck", "0"]) == 0
    first, second = capsys.readouterr().out.split("theorems, ")
    (first,), theorems = rows(first), rows(second)
    # two of two certified, mean and median (1.5 + 3) / 2, no interval of two instances
    assert first[0].startswith("mlbroker.fractional")
    assert first[1:] == ["2", "2", "2.25", "2.25", "-", "2.25", "3", INSTANCES[1].name]
    assert [row[1] for row in theorems] == ["printed", "repaired"]


def test_the_worst_instance_is_written(store: str, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "worst"
    assert call(["ratios", store, "--recheck", "0", "--worst", str(folder), "--json"]) == 0
    (path,) = json.loads(capsys.readouterr().out)["worst"]
    assert Path(path).parent == folder
    assert read(path).sha256 == INSTANCES[1].sha256


def test_a_certificate_that_proves_nothing_is_a_negative_result(
    store: str, capsys: Capture
) -> None:
    assert call(["ratios", store, "--recheck", "0"]) == 0
    assert "proved again" not in capsys.readouterr().out
    assert call(["ratios", store, "--recheck", "1"]) == 1
    captured = capsys.readouterr()
    assert "proved again: 0 of 2" in captured.out
    assert captured.err.count("rejected") == 2
