"""`farkas doctor` finds what is missing and says what to type."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from farkas.cli import health
from farkas.errors import NoAnswer

REQUIRED = [
    "numpy>=2.0",
    "nosuchpackage>=1",
    "numpy; extra == 'here'",
    "nosuchextra>=2; extra == 'there'",
    "ruff; extra == 'dev'",
    "farkas[here]; extra == 'all'",
]


def test_a_missing_package_is_broken_and_a_missing_extra_only_absent() -> None:
    found = {one.what: one for one in health._packages(REQUIRED)}
    assert set(found) == {"packages", "extra here", "extra there"}
    assert (found["packages"].state, found["packages"].detail) == (
        "broken", "missing: nosuchpackage",
    )  # fmt: skip
    assert found["extra here"].state == "fine"
    assert (found["extra there"].state, found["extra there"].remedy) == (
        "absent", "pip install 'farkas[there]'",
    )  # fmt: skip
    (good, *_) = health._packages(REQUIRED[:1])
    assert (good.state, good.detail) == ("fine", f"numpy {importlib.metadata.version('numpy')}")


def test_a_python_that_is_too_old_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert health._python().state == "fine"
    monkeypatch.setattr(health, "OLDEST_PYTHON", (99, 0))
    assert health._python().state == "broken"
    assert "99.0" in health._python().remedy


def test_machine_code_needs_a_folder_that_is_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "yet"))
    found = health._kernels()
    assert (found.state, found.detail) == ("fine", f"kept below {tmp_path / 'not' / 'yet'}")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert health._kernels().state == "broken"
    assert "NUMBA_CACHE_DIR" in health._kernels().remedy
    monkeypatch.setattr(health, "_version", lambda package: "")
    assert health._kernels().state == "absent"


def test_one_proof_is_made_from_end_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert health._proof().state == "fine"

    def none(*given: object, **options: object) -> None:
        raise NoAnswer("no solver")

    monkeypatch.setattr("farkas.verbs.solve.solve", none)
    assert (health._proof().state, health._proof().detail) == ("broken", "no solver")


def test_every_solver_is_looked_at() -> None:
    from farkas.solvers import backends

    found = {one.what: one for one in health._solvers()}
    assert set(found) == {f"solver {name}" for name in backends}
    assert found["solver highs"].state == "fine"
