"""``python -m tests.mutants certificates --sample 100``: a score a folder, and who survived."""

import argparse
import dataclasses
import difflib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import msgspec

from tests.mutants.places import Place, mutated, places
from tests.tools.shared import ROOT

KEPT = ROOT / "tests" / "recorded" / "mutants.json"
FOLDERS = ("certificates", "replay", "duals", "relaxations", "models", "forms", "rounding")
SECONDS = 120
"""Least time for the tests of a mutant; one that never ends is noticed."""

PATIENCE = 5
"""How many times as long as unchanged code a mutant may take."""


@dataclasses.dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no test of its folder noticed."""

    module: str
    line: int
    operator: str
    change: str


class Score(msgspec.Struct):
    """What is kept of a folder.

    Parameters
    ----------
    tried, killed
        Mutants, and those that a test noticed.
    seed
        Of the draw.
    survivors
        Those that none did.
    reasons
        Why a survivor changes nothing, by ``module:change``; written by hand.
    """

    tried: int
    killed: int
    seed: int
    survivors: list[Survivor]
    reasons: dict[str, str] = {}


def drawn(folder: str, sample: int, seed: int) -> list[Place]:
    """Places of a folder, each with one of its changes; every place is as likely as the next."""
    rng = random.Random(seed)
    everything = [
        changes
        for path in sorted((ROOT / "farkas" / folder).rglob("*.py"))
        for _, changes in sorted(places(ROOT, str(path.relative_to(ROOT / "farkas"))).items())
    ]
    chosen = rng.sample(everything, min(sample, len(everything)))
    return [rng.choice(changes) for changes in chosen]


def tests_of(module: str) -> Iterator[list[str]]:
    """What a mutant meets: the tests of its module, then those of its folder."""
    path = Path(module)
    own = Path("tests") / path.parent / f"test_{path.name}"
    if (ROOT / own).exists():
        yield [str(own)]
    yield [f"tests/{path.parts[0]}"]


def notices(tree: Path, tests: Sequence[str], seconds: float) -> bool:
    """Whether the tests fail in a tree, or do not end in so many seconds."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    inside = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(
            [*command, "-m", "not slow", *tests],
            cwd=tree, env=inside, timeout=seconds, capture_output=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    return run.returncode != 0


def survives(tree: Path, place: Place, seconds: float) -> Survivor | None:
    """Try one mutant in a tree of its own; None when a test noticed."""
    path = tree / "farkas" / place.module
    source = path.read_text()
    changed = mutated(source, place)
    if changed == source:
        return None
    path.write_text(changed)
    try:
        if any(notices(tree, tests, seconds) for tests in tests_of(place.module)):
            return None
    finally:
        path.write_text(source)
    lines = difflib.unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm="")
    change = " -> ".join(line[1:].strip() for line in list(lines)[3:])
    return Survivor(place.module, place.line, place.operator.removeprefix("core/"), change)


def tried(chosen: Sequence[Place], jobs: int) -> list[Survivor]:
    """Try every place, some at a time, each in a copy of the tree."""
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
        check=True,
    ).stdout.split("\n")  # fmt: skip
    with tempfile.TemporaryDirectory() as place_for_trees:
        trees: Queue[Path] = Queue()
        for number in range(jobs):
            tree = Path(place_for_trees) / str(number)
            for name in filter(None, names):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
            trees.put(tree)
        folders = sorted({f"tests/{Path(place.module).parts[0]}" for place in chosen})
        began = time.monotonic()
        if notices(tree, folders, 10 * SECONDS):
            raise SystemExit(f"{' '.join(folders)}: red before anything is changed")
        seconds = max(SECONDS, PATIENCE * (time.monotonic() - began))

        def one(place: Place) -> Survivor | None:
            tree = trees.get()
            try:
                return survives(tree, place, seconds)
            finally:
                trees.put(tree)

        found: list[Survivor] = []
        with ThreadPoolExecutor(jobs) as pool:
            for count, survivor in enumerate(pool.map(one, chosen), 1):
                if survivor is not None:
                    found.append(survivor)
                    print(f"  {survivor.module}:{survivor.line}  {survivor.change}", flush=True)
                if count % 20 == 0:
                    print(f"  {count} of {len(chosen)}, {len(found)} unnoticed", flush=True)
        return found


def main() -> None:
    """Draw, try, print and keep."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("folders", nargs="*", help=f"of farkas; by default {' '.join(FOLDERS)}")
    parser.add_argument("--sample", type=int, default=100, help="places a folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    kept = msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Score]) if KEPT.exists() else {}
    for folder in asked.folders or FOLDERS:
        chosen = drawn(folder, asked.sample, asked.seed)
        print(f"{folder}: {len(chosen)} mutants", flush=True)
        survivors = tried(chosen, asked.jobs)
        killed = len(chosen) - len(survivors)
        reasons = kept[folder].reasons if folder in kept else {}
        kept[folder] = Score(len(chosen), killed, asked.seed, survivors, reasons)
        print(f"{folder}: {killed} of {len(chosen)} noticed ({killed / len(chosen):.1%})")
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


if __name__ == "__main__":
    main()
