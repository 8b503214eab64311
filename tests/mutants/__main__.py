"""``python -m tests.mutants certificates --sample 30``: a score a folder, and who survived."""

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.mutants import record
from tests.mutants.by_hand import HAND, change_of, entries
from tests.mutants.places import Place, mutated, places
from tests.mutants.record import Folder, Module, Survivor
from tests.mutants.trial import Change, Trial, told
from tests.tools.shared import ROOT

FOLDERS = tuple(
    path.relative_to(ROOT / "farkas").as_posix()
    for pattern in ("*", "online/*", "experiments/*")
    for path in sorted((ROOT / "farkas").glob(f"{pattern}/"))
    if list(path.glob("*.py")) and (ROOT / "tests" / path.relative_to(ROOT / "farkas")).is_dir()
)
"""Folders of the product that have a folder of tests."""

ALSO = {
    "certificates": ["tests/standalone", "tests/fuzz"],
    "decomposition": ["tests/relaxations/eris/test_spans.py"],
    "instances": ["tests/test_messages.py"],
    "models": ["tests/instances/test_utilities.py"],
    "online/gadget": ["tests/relaxations/gadget/test_pricing.py"],
    "standalone": ["tests/fuzz"],
    "proofs": ["tests/docs/test_figures.py::test_a_verdict_in_the_ledger_is_that_of_the_code"],
    "quantities": ["tests/cases", "tests/conformance/test_programs.py"],
    "solvers": ["tests/conformance/solvers"],
    "api": ["tests/cli/commands"],
}
"""Tests of other folders that hold a folder's code."""


def there_are(root: Path, folder: str) -> dict[str, list[Place]]:
    """Mutants of a folder's modules, without those of folders inside it that have their own."""
    found = {}
    inside = tuple(f"{other}/" for other in FOLDERS if other.startswith(f"{folder}/"))
    for path in sorted((root / "farkas" / folder).rglob("*.py")):
        module = path.relative_to(root / "farkas").as_posix()
        if module.startswith(inside):
            continue
        found[module] = [
            place for _, some in sorted(places(root, module).items()) for place in some
        ]
    return {module: some for module, some in found.items() if some}


def drawn(all_of_them: dict[str, list[Place]], sample: int, seed: int) -> dict[str, list[Place]]:
    """All mutants, so many of a folder, or (below 0) so many of a module.

    Every place in the code is as likely as the next.
    """
    if not sample:
        return all_of_them
    if sample < 0:
        of_modules = (drawn({name: some}, -sample, seed) for name, some in all_of_them.items())
        return {name: some for found in of_modules for name, some in found.items()}
    rng = random.Random(seed)
    by_place: dict[tuple[str, int, int], list[Place]] = {}
    for some in all_of_them.values():
        for place in some:
            by_place.setdefault((place.module, place.line, place.column), []).append(place)
    chosen = rng.sample(sorted(by_place), min(sample, len(by_place)))
    found: dict[str, list[Place]] = {}
    for at in sorted(chosen):
        found.setdefault(at[0], []).append(rng.choice(by_place[at]))
    return found


def explained(survivor: Survivor, before: Sequence[Survivor]) -> Survivor:
    """A survivor with the reasons that were written for the same change before."""
    for other in before:
        if other.change == survivor.change:
            survivor.equivalent, survivor.effort = other.equivalent, other.effort
    return survivor


def score(folder: str, sample: int, seed: int, only: str) -> None:
    """Try a folder's mutants and keep, module by module, what became of them."""
    with tempfile.TemporaryDirectory() as place_for_tree:
        trial = Trial(Path(place_for_tree), [f"tests/{folder}", *ALSO.get(folder, [])])
        everything, noticed, all_tried = there_are(trial.tree, folder), 0, 0
        for module, some in drawn(everything, sample, seed).items():
            if only not in module:
                continue
            tried, found = 0, []
            source = (trial.tree / "farkas" / module).read_text()
            for place in some:
                if (changed := mutated(source, place)) is not None:
                    tried += 1
                    if not trial.red(Change(module, changed), place.line):
                        operator = place.operator.removeprefix("core/")
                        found.append(Survivor(place.line, operator, told(source, changed)))
            noticed, all_tried = noticed + tried - len(found), all_tried + tried
            kept = record.read()
            of_folder = kept.folders.setdefault(folder, Folder())
            of_folder.seeds = [seed] if sample else []
            of_folder.fresh = (noticed, all_tried) if sample else None
            before = of_folder.modules.get(module, Module(0, 0, 0, []))
            of_folder.modules[module] = Module(
                len(everything[module]), tried, tried - len(found),
                [explained(survivor, before.survivors) for survivor in found],
            )  # fmt: skip
            of_folder.modules = {
                name: entry for name, entry in sorted(of_folder.modules.items())
                if name in everything
            }  # fmt: skip
            record.write(kept)
            print(f"{module}: {tried - len(found)} of {tried} noticed", flush=True)
            for survivor in found:
                print(f"  {survivor.line}  {survivor.change}", flush=True)
        trial.bench.close()
    of_folder = record.read().folders[folder]
    print(
        f"{folder}: {of_folder.killed} of {of_folder.tried} noticed, {of_folder.equivalent} of the "
        f"others change nothing: {of_folder.score:.1%}"
    )


def there_now(root: Path, module: str, entry: Module) -> dict[str, tuple[int, str]]:
    """Survivors of a module that its code still allows: by change, the line and the new text."""
    source, now = (root / "farkas" / module).read_text(), {}
    lines = source.splitlines()
    found = [place for some in places(root, module).values() for place in some]
    entry.mutants = len(found)
    for place in found:
        line = lines[place.line - 1].strip()
        if any(line in survivor.change for survivor in entry.survivors):
            changed = mutated(source, place)
            if changed is not None:
                now[told(source, changed)] = place.line, changed
    return now


def again(folder: str, only: str) -> None:
    """Try only the survivors that are kept and that the code still allows."""
    kept, tests = record.read(), [f"tests/{folder}", *ALSO.get(folder, [])]
    with tempfile.TemporaryDirectory() as place_for_tree:
        trial = Trial(Path(place_for_tree), tests)
        modules = kept.folders[folder].modules
        for module, entry in list(modules.items()):
            if not (ROOT / "farkas" / module).exists():
                del modules[module]
            if only not in module or module not in modules:
                continue
            now = there_now(trial.tree, module, entry)
            left = []
            for survivor in entry.survivors:
                if survivor.change not in now:  # its line was rewritten
                    continue
                survivor.line, changed = now[survivor.change]
                line = survivor.line
                if not (survivor.equivalent or survivor.effort):
                    if trial.red(Change(module, changed), line):
                        entry.killed += 1
                        continue
                    print(f"  {module}:{survivor.line}  {survivor.change}", flush=True)
                left.append(survivor)
            entry.survivors = left
            entry.killed = min(entry.killed, entry.mutants - len(left))
            entry.tried = entry.killed + len(left)
        trial.bench.close()
    record.write(kept)


def by_hand(only: str, unnoticed: bool) -> None:
    """Try the changes that were written by hand: all, or those that nothing noticed before."""
    before = record.read().by_hand if unnoticed else {}
    chosen = {
        name: entry for name, entry in entries().items() if only in name and not before.get(name)
    }
    tests = sorted({file for entry in chosen.values() for file in entry["tests"]})
    with tempfile.TemporaryDirectory() as place_for_tree:
        trial = Trial(Path(place_for_tree), tests)
        for name, entry in chosen.items():
            noticed = trial.red(change_of(name, trial.tree), files=entry["tests"])
            kept = record.read()
            kept.by_hand[name] = noticed
            record.write(kept)
            print(f"{name}: {noticed or 'NOT NOTICED'}", flush=True)
        trial.bench.close()
    kept = record.read()
    kept.by_hand = {name: kept.by_hand.get(name, "") for name in entries()}
    record.write(kept)


def main() -> None:
    """Draw, try, print and keep."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("folders", nargs="*", help=f"of farkas; by default {' '.join(FOLDERS)}")
    parser.add_argument(
        "--sample", type=int, default=100, help="mutants a folder; 0 for all, -30 for 30 a module"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of the name of a module or change")
    parser.add_argument("--again", action="store_true", help="only the survivors that are kept")
    asked = parser.parse_args()
    for folder in asked.folders or [*FOLDERS, HAND]:
        if folder == HAND:
            by_hand(asked.only, asked.again)
        elif asked.again:
            again(folder, asked.only)
        else:
            score(folder, asked.sample, asked.seed, asked.only)


if __name__ == "__main__":
    main()
