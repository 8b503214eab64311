"""Adding is one file: what `examples/howto` shows is put into a copy of the house, as it stands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.tools.shared import ROOT

HOW_TO = ROOT / "examples" / "howto"

PLACES = {
    "program": ("farkas/models/mlbroker/home_site.py", "tests/models/mlbroker/test_home_site.py"),
    "policy": ("farkas/online/mlbroker/stay_home.py", "tests/online/mlbroker/test_stay_home.py"),
    "claim": ("farkas/proofs/mlbroker/example.py", "tests/proofs/mlbroker/test_example.py"),
    "solver": ("farkas/solvers/linprog.py", "tests/solvers/test_linprog.py"),
}
"""Where a how-to and its tests would stand."""

CLAIMS = {f"mlbroker.example_{name}" for name in ("chord", "same_cost", "strict_costs_more")}


class House:
    """A copy of the checkout with one new file for each of ``things``, and their tests."""

    def __init__(self, folder: Path, *things: str) -> None:
        self.folder = folder
        for part in ("farkas", "tests", "docs", "examples"):
            left_out = shutil.ignore_patterns("generated", "_build")
            shutil.copytree(ROOT / part, folder / part, ignore=left_out)
        locks = ("requirements.lock", "requirements-core.lock")
        for name in ("pyproject.toml", *locks, "Makefile", "README.md"):
            shutil.copy2(ROOT / name, folder)
        self.own = [PLACES[thing][1] for thing in things]
        for thing in things:
            for source, place in zip((thing, f"test_{thing}"), PLACES[thing], strict=True):
                assert not (folder / place).exists()
                shutil.copy(HOW_TO / f"{source}.py", folder / place)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        # its tests are no part of this run of tests
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        return subprocess.run(
            words,
            cwd=self.folder,
            env={**env, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )

    def test(self, *words: str) -> tuple[set[str], set[str], str]:
        """Names of tests that pass and that fail, and what was printed."""
        report = self.folder / "report.xml"
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", f"--junitxml={report}"]
        done = self.run(sys.executable, "-m", "pytest", *options, *self.own, *words)
        passed: set[str] = set()
        failed: set[str] = set()
        for case in ET.parse(report).getroot().iter("testcase"):
            (failed if case.find("failure") is not None else passed).add(case.get("name", ""))
        assert done.returncode == (1 if failed else 0), done.stdout
        return passed, failed, done.stdout

    def record(self) -> str:
        """Obey the red tests; the tools are those that run this test."""
        stamp = self.folder / "installed"
        stamp.touch()
        here = Path(sys.executable).parent  # nothing is installed into it
        done = self.run("make", "record", f"BIN={here}", f"CORE={stamp}", f"STAMP={stamp}")
        assert done.returncode == 0, done.stderr
        return done.stdout


def told(printed: str) -> set[str]:
    """Names in the commands that red tests give."""
    commands = re.findall(r'run: make record NAMES="([^"]+)"', printed)
    return {name for names in commands for name in names.split()}


GENERIC = (
    "tests/architecture/test_names.py",
    "tests/architecture/test_registration.py",
    "tests/conformance/test_algorithms.py",
    "tests/conformance/test_programs.py",
    "tests/docs/test_figures.py",
    "tests/test_testing.py",
)
NEW = (
    "home_site or stay_home or mlbroker.example or registration or test_names or ledger_lists"
    " or golden"
)


@pytest.mark.slow
def test_a_program_a_policy_and_a_claim_are_one_file_each_and_one_command(tmp_path: Path) -> None:
    house = House(tmp_path, "program", "policy", "claim")
    passed, failed, printed = house.test(*GENERIC, "-k", NEW)
    golden = "test_one_row_per_family_reads_as_it_did[mlbroker.home_site]"
    foreign = {name for name in failed - {golden} if name.startswith(golden.partition("[")[0])}
    assert failed - foreign == {golden, "test_the_ledger_lists_exactly_the_registered_claims"}
    # what else the checkout has not recorded yet is told as well
    assert told(printed) >= {"mlbroker.home_site", *CLAIMS}
    # nothing is kept of a policy; what is asked of all asks it too
    assert sum("mlbroker.stay_home" in name for name in passed) >= 5
    assert sum("mlbroker.home_site[free]" in name for name in passed) >= 4

    said = house.record()
    assert "mlbroker.home_site: golden text written" in said
    assert "mlbroker.example_chord: new -> proved: the difference is 0 or e (1 - s)" in said
    assert "mlbroker.example_same_cost: new -> refuted: by mlbroker/surplus_worker" in said
    own = [line for line in said.splitlines() if "mlbroker.home_site" in line or "example_" in line]
    assert len(own) == 4

    pages = "every_program or every_claim or every_algorithm or page_of_a_paper or errata"
    passed, failed, printed = house.test(
        *GENERIC, "tests/docs/test_pages.py", "-k", f"{NEW} or {pages}"
    )
    assert not failed, printed
    now = {name for name in passed if name.startswith("test_a_verdict_in_the_ledger")}
    assert now == {f"test_a_verdict_in_the_ledger_is_that_of_the_code[{name}]" for name in CLAIMS}
    assert {golden, "test_a_job_does_not_move_when_its_data_do"} <= passed


@pytest.mark.slow
def test_a_solver_is_one_file_and_meets_the_tests_of_all(tmp_path: Path) -> None:
    house = House(tmp_path, "solver")
    suite = ("tests/conformance/solvers", "tests/docs/test_figures.py", "-k", "linprog or matrix")
    passed, failed, printed = house.test(*suite)
    assert failed == {"test_the_matrix_covers_the_solvers_and_tests_of_the_suite"}
    assert told(printed) == {"solvers"}
    assert sum("linprog" in name for name in passed) >= 25
    assert "test_linear_program linprog: none -> 6" in house.record()
    assert not house.test(*suite)[1]


@pytest.mark.slow
def test_what_how_tos_show_meets_the_style_the_types_and_the_floors(tmp_path: Path) -> None:
    house = House(tmp_path, *PLACES)
    files = [place for places in PLACES.values() for place in places]
    tools = Path(sys.executable).parent
    for words in (
        ("ruff", "check", *files),
        ("ruff", "format", "--check", *files),
        ("lint-imports", "--no-cache"),
        ("mypy", "--cache-dir", str(tmp_path / ".mypy_cache"), *(PLACES[t][0] for t in PLACES)),
    ):
        done = house.run(str(tools / words[0]), *words[1:])
        assert done.returncode == 0, done.stdout + done.stderr
