"""Every example runs as it stands; `tests/test_adding.py` is about those of how-tos."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.shared import ROOT, SHARED

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONG = "import_philly_eris"  # five thousand jobs at auction
COMPILING = "farkas: compiling loops, once where a folder can keep them: farkas show --compile\n"
WHOLE_TRACE = ROOT / "examples" / "philly_market.py"  # sixty thousand jobs


def short(path: Path) -> str:
    return path.relative_to(ROOT / "examples").with_suffix("").as_posix()


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own: examples register names that would stay."""
    return subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:farkas", *words],
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "MPLBACKEND": "Agg",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def succeeds(*words: str, cwd: Path) -> None:
    done = run(*words, cwd=cwd)
    if done.stderr == COMPILING:  # the first in this checkout; the next one loads what it kept
        done = run(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr


def test_there_is_an_example_for_each_use() -> None:
    assert {short(path) for path in EXAMPLES} >= {
        "solve_to_optimality",
        "swap_solvers",
        "certify_a_run",
        "verify_a_theorem",
        "write_a_policy",
        "write_a_program",
        "import_a_trace",
        "read_a_vipr_certificate",
        "explain_infeasibility",
        "sweep_and_report",
        "optimum_of_a_trace",
        "jobs_one_by_one",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path != WHOLE_TRACE and short(path) != LONG], ids=short
)
def test_an_example_runs_and_prints_something(path: Path, tmp_path: Path) -> None:
    succeeds(str(path), cwd=tmp_path)


@pytest.mark.slow
def test_the_example_of_a_long_auction_takes_a_short_one(tmp_path: Path) -> None:
    table = tmp_path / "philly.csv"
    head = "timestamp,duration,num_gpus,gpu_time,cluster"
    jobs = [
        f"2017-10-10 {k // 4:02d}:{k % 4 * 15:02d}:00,7200.0,4,28800.0,cluster{k % 3}"
        for k in range(40)
    ]
    table.write_text("\n".join([head, *jobs, ""]))
    succeeds(str(ROOT / "examples" / f"{LONG}.py"), str(table), cwd=tmp_path)


@pytest.mark.slow
def test_the_example_of_a_whole_trace_takes_the_head_of_one(tmp_path: Path) -> None:
    table = SHARED / "data" / "philly" / "philly.csv"
    head = tmp_path / "head.csv"
    if table.exists():
        head.write_text("".join(table.read_text().splitlines(keepends=True)[:3000]))
    # without the trace the example draws a small one of its own
    succeeds(str(WHOLE_TRACE), *([str(head)] if table.exists() else []), cwd=tmp_path)


@pytest.mark.slow
def test_the_example_of_a_whole_trace_takes_all_of_it(tmp_path: Path) -> None:
    succeeds(str(WHOLE_TRACE), cwd=tmp_path)


@pytest.mark.parametrize("path", EXAMPLES, ids=short)
def test_an_example_is_short_enough_to_read(path: Path) -> None:
    assert 20 <= len(path.read_text().splitlines()) <= 85


def test_the_import_also_takes_two_paths(tmp_path: Path) -> None:
    done = run(str(ROOT / "examples" / "import_a_trace.py"), "none.csv", "no.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert "none.csv: no such file" in done.stderr
