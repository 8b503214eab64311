"""Words that a shell completes: found in the text of modules, so that nothing heavy is imported."""

from __future__ import annotations

import itertools
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


def variants(program: str) -> list[str]:
    """Full names of the variants of a program; none of an unknown one."""
    from farkas.algebra import programs  # here: only a begun bracket is worth the time

    if program not in programs:
        return []
    choices = programs[program].options().values()
    return [f"{program}[{','.join(words)}]" for words in itertools.product(*choices) if words]


def sources() -> list[str]:
    """Trace sources whose text registers them."""
    says = re.compile(r'^@importers\.register\("(\w+):', re.MULTILINE)
    paths = (ROOT / "instances" / "traces").glob("*.py")
    return sorted({name for path in paths for name in says.findall(path.read_text("utf-8"))})


def presets(kind: str) -> list[str]:
    """Presets of a kind's generator, from its text; of all kinds for an empty one."""
    found = {"published"}
    for each in [kind] if kind else kinds():
        path = ROOT / "instances" / "generate" / f"{each}.py"
        text = path.read_text("utf-8").partition("\nPRESETS")[2].partition("\n}")[0]
        found |= set(re.findall(r'^    "(\w+)":', text, re.MULTILINE))
    return sorted(found)


def solvers() -> list[str]:
    """Solvers whose text registers them; bridges, without the names behind them."""
    says = re.compile(r'^@backend\("(\w+)"', re.MULTILINE)
    paths = (ROOT / "solvers").glob("*.py")
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
    """Files of instances and of models, and shipped instances."""
    kept = (".json", ".mps", ".lp", ".gz", ".bz2", ".xz", ".zip", "/")
    files = [f for f in _files(incomplete) if f.endswith(kept)]
    return [*files, *_starting(instances(), incomplete)]


def complete_algorithm(context: typer.Context, incomplete: str) -> list[str]:
    """Algorithms, of the kind of the file where one stands before."""
    return _starting(names("algorithms", _kind(context)), incomplete)


def complete_program(context: typer.Context, incomplete: str) -> list[str]:
    """Programs, of the kind of the file where one stands before; after a bracket, variants."""
    name, bracket, _ = incomplete.partition("[")
    if bracket:
        return _starting(variants(name), incomplete)
    return _starting(names("programs", _kind(context)), incomplete)


def complete_preset(context: typer.Context, incomplete: str) -> list[str]:
    """Presets of the kind that stands before."""
    words = {str(word) for word in context.params.values() if word} | set(_words())
    stated = (word.partition(".")[0] for word in words)
    return _starting(presets(next((k for k in stated if k in kinds()), "")), incomplete)


def complete_solver(incomplete: str) -> list[str]:
    """Solvers."""
    return _starting(solvers(), incomplete)


def complete_claim(incomplete: str) -> list[str]:
    """Kinds and claims."""
    return _starting([*kinds(), *names("claims")], incomplete)


def complete_name(incomplete: str) -> list[str]:
    """Whatever `farkas show` shows: kinds, instances, algorithms, programs, claims, files."""
    if "[" in incomplete:
        return _starting(variants(incomplete.partition("[")[0]), incomplete)
    every = [*kinds(), *instances(), *(name for sort in _PLACES for name in names(sort))]
    return sorted({*_starting(every, incomplete), *_files(incomplete)})


def _kind(context: typer.Context) -> str:
    """Kind of the first word on the line that names an instance."""
    words = [str(context.params.get("file") or ""), *_words()]
    found = (kind_of(word) for word in words if "/" in word or word.endswith(".json"))
    return next((kind for kind in found if kind), "")


def _words() -> list[str]:
    """Words of the line that is completed."""
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()
