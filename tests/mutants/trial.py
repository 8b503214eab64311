"""Trees in which mutants are tried, and which tests they meet."""

import ast
import dataclasses
import difflib
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.bench import Bench
from tests.tools.shared import ROOT

LEAST = 10
"""Seconds of processor time that a mutant has at least; one that never ends is noticed."""

PATIENCE = 5
"""How many times as long as unchanged code a mutant may take."""

SECONDS = 4
"""So long may those tests take that call the changed function, the fastest first."""

UNSEEN = 20
"""The same where nothing says which tests call it: compiled code, or code that fixtures run."""

FIRST = 60
"""Tests that a mutant meets first: those that noticed most, then the fastest."""


def tree(folder: Path) -> Path:
    """Copy what git would keep of the checkout into a folder."""
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
        check=True,
    ).stdout.splitlines()  # fmt: skip
    for name in names:
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """New text of a module below ``farkas``."""

    module: str
    text: str


class Trial:
    """A tree, the process that forks in it, and what is known of the tests.

    Parameters
    ----------
    folder
        Empty, for the tree.
    tests
        Files or folders of tests that mutants meet.
    """

    def __init__(self, folder: Path, tests: Sequence[str]) -> None:
        self.tree = tree(folder)
        self.tests = list(tests)
        self.bench = Bench(self.tree)
        self.noticed: Counter[str] = Counter()
        begun = self.bench.run(
            self.tests, seconds=60 * LEAST, follow=str(self.tree / "farkas") + os.sep
        )
        if begun.red:
            raise SystemExit(f"{begun.red}: red before anything is changed")
        self.seconds = begun.seconds
        self.reaching: dict[tuple[str, int], set[str]] = {}
        for test, calls in begun.reached.items():
            for path, line in calls:
                module = Path(path).relative_to(self.tree / "farkas").as_posix()
                self.reaching.setdefault((module, line), set()).add(test)
                self.reaching.setdefault((module, 0), set()).add(test)

    def red(self, change: Change, line: int = 0, files: Sequence[str] = ()) -> str:
        """The test that notices, or "".

        Parameters
        ----------
        line
            Of the change: tests that call the function around it are tried.
        files
            Or all tests of these files or folders.
        """
        path = self.tree / "farkas" / change.module
        source, times, near = path.read_text(), path.stat(), self._near(change.module, line)
        if files:
            near = self._ordered(test for test in self.seconds if test.startswith(tuple(files)))
        path.write_text(change.text)
        os.utime(path, (times.st_atime + 10, times.st_mtime + 10))  # compiled code is by time
        try:
            for tests in (near[:FIRST], near[FIRST:]):
                if tests and (red := self._run(tests)):
                    return red
            return ""
        finally:
            path.write_text(source)
            os.utime(path, (times.st_atime, times.st_mtime))

    def _near(self, module: str, line: int) -> list[str]:
        """Tests that call the function around a line, and those of the module's own file.

        What a fixture, a cache or an import calls was followed for one test only; hence the latter.
        """
        first = _function(self.tree / "farkas" / module, line) if line else 0
        path = Path(module)
        own = f"tests/{path.parent.as_posix()}/test_{path.name}::"
        everywhere = self.reaching.get((module, 0), set())
        seen = self.reaching.get((module, first))
        near = seen or everywhere or set(self.seconds)
        budget, few = SECONDS if seen else UNSEEN, []
        for test in sorted(near, key=lambda test: (self.seconds[test], test)):
            budget -= self.seconds[test]
            few += [test] if budget > 0 else []
        others = [test for test in self.seconds if test.startswith(own) and test not in few]
        return self._ordered(few) + self._ordered(others)

    def _ordered(self, tests) -> list[str]:  # type: ignore[no-untyped-def]
        return sorted(tests, key=lambda test: (-self.noticed[test], self.seconds[test], test))

    def _run(self, tests: list[str]) -> str:
        files = list(dict.fromkeys(test.split("::")[0] for test in tests))
        allowed = LEAST + PATIENCE * sum(self.seconds[test] for test in tests)
        red = self.bench.run(files, tests, seconds=allowed).red if tests else ""
        if red in self.seconds:
            self.noticed[red] += 1
        return red


def told(source: str, changed: str) -> str:
    """A change in a line: what was, and what is."""
    lines = difflib.unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm="")
    parts = [line for line in list(lines)[3:] if not line.startswith("@@")]
    was = " ".join(part[1:].strip() for part in parts if part.startswith("-"))
    now = " ".join(part[1:].strip() for part in parts if part.startswith("+"))
    return f"{was} -> {now}"


def _function(path: Path, line: int) -> int:
    """First line of the innermost function around a line, decorators included; 0 outside."""
    first = 0
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            begins = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            if node.lineno < line <= node.end_lineno or line == node.lineno == node.end_lineno:
                first = max(first, begins)
    return first
