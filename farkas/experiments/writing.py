"""Programs and certificates as files, by suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from farkas.errors import InvalidOption, suggestion
from farkas.experiments.solving import Solution
from farkas.forms.writers import write_lp, write_mps

PROGRAMS = {".mps": write_mps, ".lp": write_lp}
CERTIFICATES = (".json", ".vipr")


def check_suffix(path: str) -> None:
    """Refuse a file name whose suffix says nothing; raises `InvalidOption`."""
    suffix = Path(path).suffix
    known = [*PROGRAMS, *CERTIFICATES]
    if suffix not in known:
        raise InvalidOption(f"{path}: unknown suffix {suffix!r}{suggestion(suffix, known)}")


def needs_proof(path: str) -> bool:
    """Whether the file holds a certificate."""
    return Path(path).suffix in CERTIFICATES


def write(solution: Solution, instance: Any, path: str) -> None:
    """Write the program (``.mps``, ``.lp``) or its certificate (``.json``, ``.vipr``)."""
    suffix = Path(path).suffix
    PROGRAMS[suffix](solution.form, path)
