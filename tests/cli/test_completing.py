"""Shells complete names of what there is, without importing it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from farkas.algebra import programs
from farkas.cli import completing
from farkas.cli.listed import SORTS
from farkas.instances import library
from farkas.instances.files import own_kinds
from farkas.instances.generate import presets
from farkas.instances.traces import sources
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.solvers.base import backends
from tests.tools.shared import ROOT

HEAVY = (
    "numba",
    "scipy",
    "numpy",
    "pyomo",
    "cvxpy",
    "sympy",
    "highspy",
    "matplotlib",
    "rich.table",
)
CALL = """
import json, os, sys
from farkas.cli import call
code = call()
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def completed(*words: str, folder: Path = ROOT) -> tuple[list[str], set[str]]:
    """What bash is offered for the last of the words, and what was imported."""
    asked = {"COMP_WORDS": " ".join(["farkas", *words]), "COMP_CWORD": str(len(words)),
             "_FARKAS_COMPLETE": "complete_bash", "PYTHONPATH": str(ROOT)}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        env={**os.environ, **asked},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    return done.stdout.split(), set(modules)


def test_the_cheap_names_are_the_registered_ones() -> None:
    assert completing.kinds() == list(own_kinds())
    assert completing.instances() == library.names()
    for kind in own_kinds():
        assert completing.names("algorithms", kind) == algorithms.names(f"{kind}.")
        assert completing.names("programs", kind) == programs.names(f"{kind}.")
        assert completing.names("claims", kind) == claims.names(f"{kind}.")
        assert completing.presets(kind) == sorted(presets(kind))
    assert completing.presets("") == sorted({p for k in own_kinds() for p in presets(k)})
    assert completing.solvers() == backends.names()
    assert completing.sources() == sources()
    assert tuple(SORTS) == completing.SORTS


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sol"], ["solve", "solvers"]),
        (["run", "eris/ti"], ["eris/tiny"]),
        (["run", "eris/tiny", "eris.an"], ["eris.antman"]),
        (["run", "gadget/tiny", "--algorithm", "gadget.f"], ["gadget.fifo"]),
        (["solve", "mlbroker/tiny", "-p", "mlbroker.reg"], ["mlbroker.regularized"]),
        (["list", "al"], ["algorithms"]),
        (["list", "algorithms", "ga"], ["gadget"]),
        (["claims", "eris.competitive_r"], ["eris.competitive_ratio"]),
        (["show", "mlbroker.oas"], ["mlbroker.oasis"]),
        (["generate", "cod"], ["coded"]),
        (["import", "ph"], ["philly"]),
        (["worst", "gadget.fi"], ["gadget.fifo"]),
        (["figure", "er"], ["eris"]),
        (["prove", "mlbroker/tiny", "-p", "mlbroker.off"], ["mlbroker.offline"]),
        (
            ["solve", "mlbroker/tiny", "-p", "dps.interval_dual["],
            ["dps.interval_dual[budget]", "dps.interval_dual[capped]"],
        ),
        (["show", "dps.offline[f"], ["dps.offline[free]", "dps.offline[forced]"]),
        (["show", "dps.ofline[f"], []),
        (["prove", "eris/tiny", "-s", "hi"], ["highs"]),
        (["solve", "eris/tiny", "--solver", "cl"], ["clarabel"]),
        (["generate", "gadget", "--preset", "sc"], ["scarce_links"]),
        (["worst", "dps.simple", "--preset", "m"], ["moving"]),
        (["plot", "run.json", "--instance", "eris/ti"], ["eris/tiny"]),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else None,
)
def test_bash_is_offered_what_begins_so(words: list[str], offered: list[str]) -> None:
    found, modules = completed(*words)
    assert found == offered
    if "[" not in words[-1]:  # variants are told by their program
        assert not [name for name in HEAVY if name in modules]


def test_only_what_fits_the_kind_of_the_file_is_offered(tmp_path: Path) -> None:
    instance = tmp_path / "mine.json"
    instance.write_bytes(library.path("gadget/tiny").read_bytes())
    found, modules = completed("run", "mine.json", "-a", "", folder=tmp_path)
    assert found == algorithms.names("gadget.")
    assert not [name for name in HEAVY if name in modules]
    assert completed("run", "mi", folder=tmp_path)[0] == ["mine.json"]


def test_the_script_for_a_shell_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "farkas", "--show-completion", "bash"],
        env={**os.environ, "PYTHONPATH": str(ROOT),
             "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "complete -o default -F _farkas_completion farkas" in done.stdout


def test_the_kind_of_a_file_is_read_off_its_begin(tmp_path: Path) -> None:
    assert completing.kind_of("eris/tiny") == "eris"
    assert completing.kind_of(str(tmp_path / "none.json")) == ""
    assert completing.kind_of(str(tmp_path)) == ""
    (tmp_path / "odd.json").write_bytes(b"\xff\xfe")
    assert completing.kind_of(str(tmp_path / "odd.json")) == ""


def test_files_and_folders_are_offered_and_hidden_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("zz.json", "zz.lp", "zz.mps.gz", "zz.txt", ".zz.json", "other.json"):
        (tmp_path / name).touch()
    for folder in ("zzz", ".zzz"):
        (tmp_path / folder).mkdir()
    (tmp_path / "zzz" / "in.mps").touch()
    assert completing.complete_instance("zz") == ["zz.json", "zz.lp", "zz.mps.gz", "zzz/"]
    assert completing.complete_instance("zzz/") == ["zzz/in.mps"]
    assert completing.complete_name("zz") == [
        "zz.json", "zz.lp", "zz.mps.gz", "zz.txt", "zzz/",
    ]  # fmt: skip
    assert completing.complete_instance(".zz") == completing.complete_name(".zz") == []
    assert completing.complete_instance("none/") == []
