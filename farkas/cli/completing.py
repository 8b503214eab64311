"""Words that a shell completes: found in the text of modules, so that nothing heavy is imported."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

ROOT = Path(__file__).resolve().parents[1]
SORTS = ("kinds", "instances", "algorithms", "programs", "claims", "quantities", "sources",
         "presets", "figures", "solvers")  # fmt: skip
_PLACES = {
    "algorithms": (("online",), r'^@algorithm\(\s*"([\w.]+)"'),
    "programs": (("models", "relaxations", "duals"), r'^    name = "([\w.]+)"'),
    "claims": (("proofs",), r'^@claim\(\s*"([\w.]+)"'),
}


def kinds() -> list[str]:
    """Kinds of this package."""
    folders = (ROOT / "instances" / "library").iterdir()
    return sorted(f.name for f in folders if (ROOT / "instances" / f"{f.name}.py").exists())


def instances() -> list[str]:
    """Names of the shipped instances."""
    folder = ROOT / "instances" / "library"
    paths = (path for kind in kinds() for path in (folder / kind).glob("*.json"))
    return sorted(f"{path.parent.name}/{path.stem}" for path in paths)


def names(sort: str, kind: str = "") -> list[str]:
    """Names of ``algorithms``, ``programs`` or ``claims`` whose text registers them."""
    folders, pattern = _PLACES[sort]
    says = re.compile(pattern, re.MULTILINE)
    found = {
        name
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        for name in says.findall(path.read_text(encoding="utf-8"))
    }
    return sorted(name for name in found if name.startswith(f"{kind}." if kind else ""))


def sources() -> list[str]:
    """Trace sources whose text registers them."""
    says = re.compile(r'^@importers\.register\("(\w+):', re.MULTILINE)
    paths = (ROOT / "instances" / "traces").glob("*.py")
    return sorted({name for path in paths for name in says.findall(path.read_text("utf-8"))})


def kind_of(file: str) -> str:
    """Kind of a shipped instance or of the instance in a file; empty where it cannot be told."""
    kind = file.partition("/")[0]
    if kind in kinds():
        return kind
    try:
        with open(file, encoding="utf-8") as opened:
            begin = opened.read(4096)
    except (OSError, ValueError):
        return ""
    said = re.search(r'"kind":\s*"(\w+)"', begin)
    return said[1] if said else ""


def _starting(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def _files(incomplete: str) -> Iterator[str]:
    folder, _, start = incomplete.rpartition("/")
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(start) and not entry.name.startswith("."):
            path = f"{folder}/{entry.name}" if folder else entry.name
            yield f"{path}/" if entry.is_dir() else path


def complete_kind(incomplete: str) -> list[str]:
    """Kinds."""
    return _starting(kinds(), incomplete)


def complete_source(incomplete: str) -> list[str]:
    """Trace sources."""
    return _starting(sources(), incomplete)


def complete_sort(incomplete: str) -> list[str]:
    """Sorts that ``farkas list`` lists."""
    return _starting(SORTS, incomplete)


def complete_instance(incomplete: str) -> list[str]:
    """Instance files, and shipped instances."""
    files = [f for f in _files(incomplete) if f.endswith((".json", "/"))]
    return [*files, *_starting(instances(), incomplete)]


def complete_algorithm(context: typer.Context, incomplete: str) -> list[str]:
    """Algorithms, of the kind of the file where one stands before."""
    return _starting(names("algorithms", _kind(context)), incomplete)


def complete_program(context: typer.Context, incomplete: str) -> list[str]:
    """Programs, of the kind of the file where one stands before."""
    return _starting(names("programs", _kind(context)), incomplete)


def complete_claim(incomplete: str) -> list[str]:
    """Kinds and claims."""
    return _starting([*kinds(), *names("claims")], incomplete)


def complete_name(incomplete: str) -> list[str]:
    """Whatever `farkas show` shows: kinds, instances, algorithms, programs, claims, files."""
    every = [*kinds(), *instances(), *(name for sort in _PLACES for name in names(sort))]
    return sorted({*_starting(every, incomplete), *_files(incomplete)})


def _kind(context: typer.Context) -> str:
    """Kind of the first word on the line that names an instance."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = [str(context.params.get("file") or ""), *line.split()]
    found = (kind_of(word) for word in words if "/" in word or word.endswith(".json"))
    return next((kind for kind in found if kind), "")
