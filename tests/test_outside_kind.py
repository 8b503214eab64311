"""A kind that another distribution brings: found by its entry point, used by every command.

The package ``ration``, which ``farkas new kind`` writes, is a distribution that was installed
without farkas knowing of it.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from farkas.cli import call
from tests.tools.shared import ROOT


@functools.cache
def outside() -> Path:
    """Where the kind of the templates is installed."""
    folder = Path(tempfile.mkdtemp())
    assert call(["new", "kind", "ration", "-o", str(folder)]) == 0
    return distribution(folder, "ration", "ration")


def farkas(*words: str, path: Path | None = None, code: int = 0) -> dict[str, Any]:
    """What a command prints with ``--json``, in a process that has ``path`` installed."""
    places = os.pathsep.join([str(ROOT), str(path or outside())])
    done = subprocess.run(
        [sys.executable, "-m", "farkas", *words, "--json"],
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if code == 0 else {"complaint": done.stderr}


@pytest.mark.slow
def test_it_is_listed_beside_the_others() -> None:
    assert "ration" in farkas("show")["kinds"]
    names = farkas("show", "ration")
    assert names["programs"] == ["ration.shares"]
    assert names["algorithms"] == ["ration.first_come"]
    assert names["claims"] == ["ration.first_come_is_best"]
    assert names["quantities"] == ["ration.best"]
    assert names["instances"] == ["ration/demo", "ration/tiny"]


def test_it_is_run_compared_and_checked(tmp_path: Path) -> None:
    # 4 units: first come first served takes 3 units for 3; the other two requests earn 6.
    out = str(tmp_path / "run.json")
    run = farkas("run", "ration/tiny", "-a", "ration.first_come", "--out", out)
    assert (run["value"], run["certificate"]["exact"], run["ratio"]) == (3.0, "6", 2.0)
    assert farkas("check", out, "--instance", "ration/tiny")["bound"] == 6.0
    compared = farkas("compare", "ration/tiny")
    assert [entry["ratio"] for entry in compared["algorithms"]] == [2.0]


@pytest.mark.slow
def test_it_is_generated_solved_and_evaluated(tmp_path: Path) -> None:
    file = str(tmp_path / "stock.json")
    farkas("generate", "ration", "--preset", "small", "--seed", "3", "-o", file)
    solution = farkas("solve", file, "-p", "ration.shares", "--certify")
    best = farkas("evaluate", file)["ration.best"]
    assert solution["proved_bound"] >= best > 0


@pytest.mark.slow
def test_it_is_swept_held_against_its_theorem_and_reported(tmp_path: Path) -> None:
    # the bound 6 over 3: twice, which is what its theorem allows
    (tmp_path / "tiny.json").write_text(
        (outside() / "ration" / "library" / "tiny.json").read_text()
    )
    config = tmp_path / "sweep.toml"
    config.write_text(
        'name = "sixth"\n[[instances]]\nfiles = ["tiny.json"]\n'
        '[[algorithms]]\nname = "ration.first_come"\n'
    )
    swept = farkas("sweep", str(config), "--workers", "1")
    assert swept["performed"] == {"done": 1}
    (run,) = farkas("sweep", swept["store"], "--ratios")["ratios"]
    assert (run["by_instance"].popitem()[1], run["promises"][0]["kept"]) == ([2.0], 1)
    page = tmp_path / "page.html"
    assert farkas("sweep", swept["store"], "--report", str(page))["certified"] == 1
    assert "ration.first_come" in page.read_text()


@pytest.mark.slow
def test_its_figures_are_recomputed() -> None:
    figure = farkas("figure", "ration", "1", "--preset", "reduced")
    assert (figure["figure"], figure["source"]) == ("ration.figure1", "Ration Fig. 1")
    assert "something is served: yes" in figure["caption"]


@pytest.mark.slow
def test_its_claims_have_verdicts() -> None:
    verdict = farkas("claims", "ration", "--run")["claims"][0]["verdict"]
    assert verdict["standing"] == "refuted"
    assert verdict["counterexample"] == "ration/tiny"
    assert verdict["numbers"] == {"best": 6.0, "first_come": 3.0}


def distribution(folder: Path, package: str, kind: str = "odd") -> Path:
    """Install a distribution that says that ``package`` brings ``kind``."""
    info = folder / f"{package}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[farkas.kinds]\n{kind} = {package}\n")
    return folder


@pytest.mark.slow
def test_a_kind_that_cannot_be_imported_says_so_and_spoils_no_other(tmp_path: Path) -> None:
    broken = distribution(tmp_path, "not_there")
    said = farkas("generate", "odd", path=broken, code=2)["complaint"]
    assert "kind 'odd': not_there cannot be imported: ModuleNotFoundError" in said
    assert "Traceback" not in said
    assert farkas("run", "mlbroker/tiny", "-a", "mlbroker.local", path=broken)["value"] > 0


def test_a_package_without_an_instance_class_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty_kind").mkdir()
    (tmp_path / "empty_kind" / "__init__.py").write_text("")
    file = tmp_path / "odd.json"
    file.write_text('{"farkas": 1, "kind": "odd", "name": "x"}')
    path = distribution(tmp_path, "empty_kind")
    said = farkas("evaluate", str(file), path=path, code=2)["complaint"]
    assert "empty_kind defines no Instance with tag='odd'" in said


def test_two_distributions_cannot_bring_one_kind(tmp_path: Path) -> None:
    distribution(tmp_path, "one_package")
    path = distribution(tmp_path, "other_package")
    said = farkas("show", "odd", path=path, code=2)["complaint"]
    assert "kind 'odd' is brought by" in said


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mlbroker"])
def test_a_kind_of_farkas_cannot_be_taken_over(tmp_path: Path, kind: str) -> None:
    path = distribution(tmp_path, "usurper", kind)
    run = farkas("run", "mlbroker/tiny", "-a", "mlbroker.local", path=path)
    assert run["kind"] == "mlbroker"
