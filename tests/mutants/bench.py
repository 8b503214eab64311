"""Runs tests in forks of one process that has loaded what all of them need, farkas excepted.

A fork imports farkas from the current folder, so that it sees the change that was written there a
moment ago, and has neither numpy nor pytest nor a solver to load.
"""

import contextlib
import dataclasses
import gc
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

LOADED = (
    "numpy", "scipy.optimize", "scipy.sparse", "scipy.stats", "scipy.integrate", "msgspec",
    "hypothesis.strategies", "hypothesis.extra.numpy", "numba", "highspy", "pyomo.environ", "cvxpy",
    "sympy", "clarabel", "pytest",
)  # fmt: skip
WALL = 20
"""How many times its processor time a fork may take by the clock, on a machine that others use."""

MEMORY = 12 << 30

IN_BROWSERS = (
    "tests/experiments/report/test_in_browser.py", "tests/standalone/test_page.py",
    "tests/api/test_proof_page.py",
)  # fmt: skip
"""Tests that are left out: a browser reserves more memory than a fork may have."""


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """How a run of tests ended.

    Parameters
    ----------
    red
        The first test that failed; "did not end", or what pytest's exit code says; "" if green.
    seconds
        Processor time that each test took; only when asked to follow.
    reached
        For every test the functions it called, as (path, first line); only when asked to follow.
    """

    red: str
    seconds: dict[str, float]
    reached: dict[str, list[tuple[str, int]]]


class Bench:
    """A process that forks; one for each tree."""

    def __init__(self, tree: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(tree), "NUMBA_DISABLE_JIT": "1"}
        command = [sys.executable, "-m", "tests.mutants.bench"]
        self.process = subprocess.Popen(
            command, cwd=tree, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def run(
        self, files: Sequence[str], only: Sequence[str] = (), *, seconds: float, follow: str = ""
    ) -> Outcome:
        """Run files of tests until one fails: those of ``only``, in that order, or all.

        Parameters
        ----------
        seconds
            Of processor time.
        follow
            Run all instead, and note the functions of files below this path that they call.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"files": files, "only": only, "seconds": seconds, "follow": follow}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return Outcome(**json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self.process.communicate()


class Watch:
    """What the tests of a fork did; a plugin of pytest."""

    def __init__(self, only: Sequence[str], follow: str) -> None:
        self.rank = {name: number for number, name in enumerate(only)}
        self.follow = follow
        self.red = ""
        self.seconds: dict[str, float] = {}
        self.reached: dict[str, list[tuple[str, int]]] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the tests that are asked for, in their order."""
        if self.rank:
            items[:] = sorted(
                (item for item in items if item.nodeid in self.rank),
                key=lambda item: self.rank[item.nodeid],
            )

    def pytest_collectreport(self, report: Any) -> None:
        """Note a module that cannot be imported."""
        if report.failed and not self.red:
            self.red = report.nodeid or "import"

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the first failure."""
        if report.failed and not self.red:
            self.red = report.nodeid

    def pytest_runtest_protocol(self, item: Any) -> None:
        """Follow the calls of a test, its fixtures included, from here to its end."""
        self.seconds[item.nodeid] = -_processor_seconds()
        if self.follow:
            sys.settrace(_tracer(self.follow, self.reached.setdefault(item.nodeid, [])))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Follow no longer."""
        sys.settrace(None)
        self.seconds[nodeid] += _processor_seconds()


def _processor_seconds() -> float:
    """Of this process and those that it started and that have ended."""
    return sum(os.times()[:4])


def _tracer(below: str, calls: list[tuple[str, int]]) -> Callable[[FrameType, str, object], None]:
    seen: dict[object, None] = {}

    def trace(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if code not in seen:
            seen[code] = None
            if code.co_filename.startswith(below):
                calls.append((code.co_filename, code.co_firstlineno))

    return trace


def _inside(asked: dict[str, Any], answer: Path) -> int:
    """What a fork does."""
    import pytest

    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    sys.dont_write_bytecode = not asked["follow"]
    processor = int(asked["seconds"]) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    importlib.invalidate_caches()
    watch = Watch(asked["only"], asked["follow"])
    options = ["-q", "-p", "no:cacheprovider", "--quick", f"--basetemp={answer}.d"]
    options += [f"--ignore={file}" for file in IN_BROWSERS]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins that are loaded here
    options += [] if asked["follow"] else ["-x"]
    code = pytest.main([*options, *asked["files"]], plugins=[watch])
    red = watch.red or ("" if code == 0 else f"pytest said {int(code)}")
    seconds = watch.seconds if asked["follow"] else {}
    answer.write_text(json.dumps({"red": red, "seconds": seconds, "reached": watch.reached}))
    return 0


def _fork(asked: dict[str, Any]) -> str:
    """Run the tests in a fork; what it writes, or that it never ended."""
    answer = Path(tempfile.gettempdir(), f"bench-{os.getpid()}")
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            os._exit(_inside(asked, answer))
        except BaseException:
            answer.write_text(
                json.dumps({"red": traceback.format_exc(), "seconds": {}, "reached": {}})
            )
        os._exit(1)
    handle = os.pidfd_open(child)
    ended, _, _ = select.select([handle], [], [], WALL * asked["seconds"])
    os.close(handle)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # also what its tests started
    os.waitpid(child, 0)
    if ended and answer.exists():
        return answer.read_text()
    return json.dumps({"red": "did not end", "seconds": {}, "reached": {}})


def serve() -> None:
    """Answer questions from the standard input, one a line, until it ends."""
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        print(_fork(json.loads(line)), flush=True)


if __name__ == "__main__":
    serve()
