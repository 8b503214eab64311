"""`farkas doctor` finds what is missing and says what to type."""

from __future__ import annotations

import importlib.metadata
import os
import types
from pathlib import Path

import pytest

from farkas.cli import health
from farkas.errors import NoAnswer
from farkas.solvers.access import Access, Availability

REQUIRED = [
    "numpy>=2.0",
    "nosuchpackage>=1",
    "numpy; extra == 'here'",
    "nosuchextra>=2; extra == 'there'",
    "ruff; extra == 'dev'",
    "nosuchtest; extra == 'test'",
    "nosuchdocs; extra == 'docs'",
    "nosuchmutants; extra == 'mutants'",
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


def test_a_solver_is_fine_where_it_solves_something(monkeypatch: pytest.MonkeyPatch) -> None:
    def line(name: str, standing: Access) -> object:
        available = Availability(standing, f"detail of {name}")
        return types.SimpleNamespace(name=name, version="1.2", availability=available)

    every = [line(str(standing), standing) for standing in Access]
    monkeypatch.setattr("farkas.solvers.status", lambda: every)
    found = {one.what: (one.state, one.detail) for one in health._solvers()}
    assert found == {
        "solver full": ("fine", "1.2, no limit"),
        "solver limited": ("fine", "1.2, detail of limited"),
        "solver missing": ("absent", "missing"),
        "solver unlicensed": ("absent", "unlicensed"),
    }


@pytest.mark.parametrize(("may", "state"), [(os.R_OK, "broken"), (os.W_OK, "fine")])
def test_to_keep_machine_code_a_folder_must_be_writable(
    may: int, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(health, "_version", lambda package: "1")
    monkeypatch.setattr("os.access", lambda path, mode: mode == may)
    assert health._kernels().state == state
