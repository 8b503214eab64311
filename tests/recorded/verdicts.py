"""The ledger of claims in ``docs/ledger``: the verdict of every claim, as the code last gave it."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from farkas.api import attack as attacks
from farkas.instances.files import own_kinds
from farkas.proofs import Standing, Verdict, claims
from farkas.proofs.claim import Claim
from farkas.proofs.verdict import AttackRecord
from tests.recorded import relations
from tests.tools.shared import ROOT

FOLDER = ROOT / "docs" / "ledger"

SLOW = 0.6
"""Seconds beyond which the quick tests do not repeat a claim."""

Entry = dict[str, Any]


def names() -> list[str]:
    """Claims about this package's kinds."""
    return [name for kind in own_kinds() for name in claims.names(f"{kind}.")]


def path(kind: str) -> Path:
    return FOLDER / f"{kind}.json"


def kept() -> dict[str, Entry]:
    """Entries in the tree, by claim."""
    pages = [json.loads(path(kind).read_text()) for kind in own_kinds() if path(kind).exists()]
    return {entry["claim"]: entry for page in pages for entry in page["claims"]}


def out_of_date() -> list[str]:
    """Claims whose entry is missing, has another source, or is about no claim any more."""
    sources = {name: entry["source"] for name, entry in kept().items()}
    now = {name: claims[name].source for name in names()}
    return sorted(n for n in sources.keys() | now.keys() if sources.get(n) != now.get(n))


def differences(said: Mapping[str, Any], verdict: Verdict) -> list[str]:
    """Parts of a kept verdict that are not those of the code; floats differ from CPU to CPU."""
    now = verdict.to_builtins()
    exact = ("standing", "runs", "tolerance", "note")
    parts = [part for part in exact if now.get(part) != said.get(part)]
    sides = {f"side {key}": side for key, side in _sides(said)}
    parts += list(_moved(sides, {f"side {key}": side for key, side in _sides(now)}))
    before, after = said.get("counterexample"), now.get("counterexample")
    inline = isinstance(before, Mapping) and isinstance(after, Mapping)  # its floats stand there
    return parts + (["counterexample"] if before != after and not inline else []) + [
        f"number {name}" for name in _moved(said.get("numbers", {}), now.get("numbers", {}))
    ]  # fmt: skip


def _sides(said: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Stated of the relations of a verdict's plain data, by what they are in."""
    for part in ("fails", "given"):
        for at, relation in enumerate(said.get(part, ())):
            for side in ("left", "right"):
                yield f"{side} {relation['sign']} {part} {at}", float(relation[side])


def _moved(said: Mapping[str, float], now: Mapping[str, float]) -> Iterator[str]:
    for name in sorted(said.keys() | now.keys()):
        pair = said.get(name), now.get(name)
        if None in pair or not math.isclose(*pair, rel_tol=1e-4, abs_tol=1e-6):
            yield name


def renew(name: str, *, told: bool = False) -> tuple[str, bool]:
    """Check a claim and write its entry where it changes.

    Parameters
    ----------
    told
        Whether the entry may change its standing.

    Returns
    -------
    What changes, in words, empty if nothing does; and whether it was written.
    """
    entries = kept()
    before = entries.pop(name, None)
    if name not in claims:
        _write(name, entries)
        relations.write(name, None)
        return f"{name}: {_words(before)} -> no such claim", True
    entry, verdict, stated = _entry(claims[name], before)
    changes = f"{name}: {_words(before)} -> {verdict}"
    moved = relations.differences(name, stated)
    if before is not None:
        said = before["verdict"]
        same = entry["source"] == before["source"] and not differences(said, verdict)
        if same and not moved:
            return "", True
        if said["standing"] != verdict.standing and not told:
            return changes, False
        if same:
            relations.write(name, stated)
            return f"{name}: {'; '.join(moved)}", True
    _write(name, entries | {name: entry})
    relations.write(name, stated)
    return changes, True


def attack(name: str, seconds: float, seed: int = 0) -> str:
    """Attack a claim and write how far that got beside its verdict, or say what breaks it.

    A claim that is broken is left as it is: its text, its check and what ships are a person's to
    correct.

    Returns
    -------
    What was found, in words.
    """
    found = attacks.attack(name, seconds=seconds, seed=seed)
    if found.found is not None and kept()[name]["verdict"]["standing"] != Standing.REFUTED:
        return f"{name}: broken by {found.found.data}: {found.found.said.broken[0]}  (not written)"
    tried = found.verdict.attacked
    assert tried is not None
    entries = kept()
    verdict = entries[name]["verdict"] | {
        "attacked": shortened(dataclasses.replace(tried, seconds=seconds).to_builtins())
    }
    _write(name, entries | {name: entries[name] | {"verdict": verdict}})
    return f"{name}: {tried}"


def attacked() -> dict[str, AttackRecord]:
    """How far attacks got that are kept, by claim."""
    found = {}
    for name, entry in kept().items():
        said = entry["verdict"].get("attacked")
        if said is not None:
            slack = said["slack"]
            found[name] = AttackRecord(**{**said, "slack": None if slack is None else float(slack)})
    return found


def attackable() -> list[str]:
    """Claims that hold in runs and say something of single examples."""
    return [
        name
        for name, entry in kept().items()
        if name in claims
        and claims[name].says is not None
        and entry["verdict"]["standing"] == Standing.HELD
    ]


def _entry(claim: Claim, before: Entry | None) -> tuple[Entry, Verdict, relations.RunStatement]:
    begin = time.perf_counter()
    verdict, stated = relations.heard(claim.run)
    seconds = time.perf_counter() - begin
    # a claim that takes about as long as that stays where it was
    doubtful = before is not None and SLOW / 2 < seconds < 2 * SLOW
    slow = before["slow"] if before is not None and doubtful else seconds > SLOW
    entry = {"claim": claim.name, "source": claim.source, "slow": slow}
    said = shortened(verdict.to_builtins())
    if before is not None and "attacked" in before["verdict"]:
        said["attacked"] = before["verdict"]["attacked"]
    return entry | {"verdict": said}, verdict, stated


def _words(entry: Entry | None) -> str:
    if entry is None:
        return "new"
    said = entry["verdict"]
    parts = [f"in {said['runs']} runs" if "runs" in said else "", _example(said), said.get("note")]
    words = "; ".join(part for part in parts if part)
    return said["standing"] + (f": {words}" if words else "")


def _example(said: Mapping[str, Any]) -> str:
    example = said.get("counterexample")
    return f"by {example}" if isinstance(example, str) else ""


def _write(name: str, entries: Mapping[str, Entry]) -> None:
    """Write the page of a claim's kind."""
    kind = name.partition(".")[0]
    listed = [entries[other] for other in sorted(entries) if other.startswith(f"{kind}.")]
    text = json.dumps({"claims": listed}, indent=1, ensure_ascii=False)
    path(kind).write_text(text + "\n")


def shortened(value: Any) -> Any:
    """Floats to nine digits: enough to compare, few enough that the last bits do not show."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, Mapping):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(item) for item in value]
    return value
