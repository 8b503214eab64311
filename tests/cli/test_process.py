"""The command as a process: pipes, signals, streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from farkas.instances.library import path as shipped
from tests.tools.shared import ROOT

TINY = str(shipped("mlbroker/tiny"))
FARKAS = [sys.executable, "-m", "farkas"]


def run(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*FARKAS, *words], cwd=ROOT, capture_output=True, text=True, check=False, **options
    )  # type: ignore[call-overload, no-any-return]


def test_the_console_script_is_installed_and_the_same() -> None:
    script = Path(sys.executable).with_name("farkas")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == run("--version").stdout


@pytest.mark.parametrize("words", [["--help"], ["list"], ["claims", "--json"]])
def test_a_closed_pipe_ends_silently(words: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)  # whoever should read has left, as in `farkas ... | head -0`
    done = subprocess.run(
        [*FARKAS, *words], cwd=ROOT, stdout=write_end, stderr=subprocess.PIPE, check=False
    )
    os.close(write_end)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*FARKAS, "list", "--json"],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "farkas: cannot write to standard output: No space left on device\n"


def test_closed_standard_streams_are_no_crash() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m farkas --version >&- 2>&- <&-"], cwd=ROOT, check=False
    )
    assert done.returncode in (0, 2)


WAITING = """
import time, sys
import farkas.solvers
def wait(**_):
    print("ready", file=sys.stderr, flush=True)
    time.sleep(3600)
farkas.solvers.status = wait
from farkas.cli import main
sys.argv = ["farkas", "show", "solvers"]
main()
"""


def test_control_c_is_one_line_and_130() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING], cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err) == (130, "", "farkas: interrupted\n")


LOADING = """
import os, signal, sys
module = sys.argv.pop(1)
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from farkas.cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "farkas.cli.commands.show", "farkas.solvers"])
def test_control_c_while_modules_load_is_one_line_and_130(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADING, module, "show", "solvers"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "farkas: interrupted\n")


@pytest.mark.parametrize("words", [["check", TINY], ["claims"], ["show", "solvers"], ["--help"]])
def test_python_without_docstrings_is_refused_in_one_line(words: list[str]) -> None:
    done = run(*words, env={**os.environ, "PYTHONOPTIMIZE": "2"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "farkas: needs its docstrings, which python -OO and PYTHONOPTIMIZE=2 strip\n"
    )


def test_python_without_assertions_proves_the_same() -> None:
    words = ("run", "eris/tiny", "-a", "eris.eris", "--json")
    bare_words = {**os.environ, "PYTHONOPTIMIZE": "1"}
    plain, bare = (json.loads(run(*words, env=env).stdout) for env in (None, bare_words))
    assert bare["certificate"] == plain["certificate"]
    assert bare["value_exact"] == plain["value_exact"]


LEAVING = """
import atexit, os, signal, sys
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
sys.argv = ["farkas", "--version"]
from farkas.cli import main
main()
"""


def test_control_c_after_the_last_line_is_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVING], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert done.stdout.startswith("farkas ")


SOLVING = """
import sys, time
from farkas.solvers import columns, session
from farkas.solvers.answer import Answer, Reason
from farkas.solvers.base import backends
from farkas.solvers.options import CtrlC
def run(*_):
    with CtrlC() as key:
        print("ready", file=sys.stderr, flush=True)
        while not key.pressed:
            time.sleep(0.01)
    return Answer(reason=Reason.INTERRUPTED)
session.solve_loaded = run
columns.ColumnProgram.solve = lambda *_: run() and None
for name in ("highs", "clarabel", "scip", "gurobi"):
    backends[name].run = run
from farkas.cli import main
main()
"""


@pytest.mark.ids(3)
@pytest.mark.parametrize(
    "words",
    [
        ["run", "gadget/tiny", "-a", "gadget.gadget", "-o", "out.json"],
        ["run", "eris/tiny", "-a", "eris.eris", "-o", "out.json"],
        ["solve", "eris/tiny", "-p", "eris.schedule_lp", "--certify", "--write", "out.json"],
        ["solve", "dps/tiny", "-p", "dps.offline", "--write", "out.json"],
        ["compare", "mlbroker/tiny"],
        ["evaluate", "dps/tiny"],
    ],
    ids=" ".join,
)
def test_control_c_ends_a_solve_and_everything_above_it(words: list[str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SOLVING, *words],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    # no solver is asked after the one that was stopped
    assert (process.returncode, err) == (130, "farkas: interrupted\n")
    assert "optimal" not in out
    assert list(tmp_path.iterdir()) == []


def test_control_c_ends_a_sweep_that_goes_on_later(tmp_path: Path) -> None:
    tasks = (
        'name = "c"\nalgorithms = [{name = "gadget.columns"}]\n'
        'instances = [{kind = "gadget", preset = "published", seeds = "0..3"}]\n'
    )
    (tmp_path / "c.toml").write_text(tasks)
    process = subprocess.Popen(
        [*FARKAS, "sweep", str(tmp_path / "c.toml"), "--workers", "1"],
        cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while not (tmp_path / "c.sqlite").exists() and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert (process.returncode, err.count("\n")) == (130, 1)
    assert err.startswith("farkas: interrupted")
