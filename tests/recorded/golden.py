"""Golden texts: one row a family of every linear program, as it reads on its example."""

from __future__ import annotations

import difflib
from pathlib import Path

from farkas.algebra import Program, programs
from farkas.instances.files import own_kinds
from farkas.testing import variants
from tests.conformance.oracle import golden_lines
from tests.tools.shared import ROOT

FOLDER = ROOT / "tests" / "models" / "golden"


def names() -> list[str]:
    """Linear programs of this package's kinds."""
    found = [name for kind in own_kinds() for name in programs.names(f"{kind}.")]
    return [name for name in found if issubclass(programs[name], Program)]


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def kept(name: str) -> str:
    """Text in the tree; empty where there is none."""
    return path(name).read_text() if path(name).exists() else ""


def strays() -> list[str]:
    """Programs of kept texts that are no programs any more."""
    return sorted({file.stem for file in FOLDER.glob("*.txt")} - set(names()))


def text(name: str) -> str:
    """Fullest row of every family and first bounds of every variable, variant by variant."""
    lines: list[str] = []
    for variant in variants(programs[name]):
        example = golden_lines(variant.form(variant.example()))
        fresh = [line for line in example if line not in lines]
        lines += [f"# {variant.full_name}", *fresh] if fresh else []
    return "\n".join(lines) + "\n"


def renew(name: str) -> str:
    """Write the text of a program, or remove that of none; say what changes, if anything."""
    if name in strays():
        path(name).unlink()
        return f"{name}: golden text removed, there is no such program"
    before, now = kept(name), text(name)
    if now == before:
        return ""
    path(name).write_text(now)
    if not before:
        return f"{name}: golden text written"
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=0)
    changes = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join([f"{name}: golden text changes", *(f"  {line}" for line in changes)])
