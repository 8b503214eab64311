"""Files to begin with work as they are, and nothing is written over."""

from __future__ import annotations

from pathlib import Path

import pytest

import farkas
from farkas.cli import call
from farkas.instances.files import own_kinds


@pytest.mark.parametrize("kind", own_kinds())
def test_a_new_policy_runs_with_a_proved_bound(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(["new", "policy", kind]) == 0
    run = farkas.run(f"{kind}/tiny", "mine.py:Mine")
    assert run.algorithm == f"{kind}.Mine"
    assert run.certificate is not None
    assert not run.violations
    assert call(["new", "policy", kind]) == 2


def test_a_new_kind_has_its_name_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["new", "kind", "parcels", "-o", str(tmp_path / "here")]) == 0
    assert "parcels/tiny" in capsys.readouterr().out
    names = {str(path.relative_to(tmp_path / "here")) for path in tmp_path.rglob("*.*")}
    assert {"pyproject.toml", "parcels/online.py", "parcels/library/tiny.json"} <= names
    for path in tmp_path.rglob("*.*"):
        assert "ration" not in path.read_text().replace("generation", "").lower()
    assert call(["new", "kind", "parcels", "-o", str(tmp_path / "here")]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gadget", "Two Words", "../up", "", "class", "json", "numpy"])
def test_a_name_that_is_taken_or_none_is_refused(name: str, tmp_path: Path) -> None:
    assert call(["new", "kind", name, "-o", str(tmp_path / "here")]) == 2
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(("name", "what"), [("class", "a word of Python"), ("json", "is a module")])
def test_a_name_that_python_uses_is_refused_by_name(name: str, what: str, capsys) -> None:
    assert call(["new", "kind", name]) == 2
    said = capsys.readouterr().err
    assert name in said
    assert what in said
