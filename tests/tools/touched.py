"""Folders of tests of the layers that git says are touched, for `make quick`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator

from tests.tools.shared import ROOT


def changed() -> list[str]:
    """Files that differ from the last commit, or those of the last commit where none does."""
    now = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return now or git("show", "--name-only", "--format=", "HEAD")


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def tests_of(paths: Iterable[str]) -> Iterator[str]:
    """Folders of tests, one a layer; the files right below ``tests`` for those below ``farkas``."""
    yield "tests/architecture"
    for path in paths:
        top, *inside = path.split("/")
        layer = inside[0] if len(inside) > 1 else ""
        if top in ("docs", "examples", "benchmarks"):
            yield f"tests/{top}"
        elif top in ("farkas", "tests") and (ROOT / "tests" / layer).is_dir() and layer:
            yield f"tests/{layer}"
        elif top in ("farkas", "tests"):
            yield from (f"tests/{each.name}" for each in (ROOT / "tests").glob("test_*.py"))


if __name__ == "__main__":
    print(*dict.fromkeys(tests_of(changed())))
