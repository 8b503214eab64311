"""Programs and certificates as files, by suffix."""

from __future__ import annotations

from pathlib import Path

from farkas.certificates import write as write_certificate
from farkas.errors import InvalidOption, NoAnswer, suggestion
from farkas.experiments.solving import Solution
from farkas.forms.writers import write_lp, write_mps

PROGRAMS = {".mps": write_mps, ".lp": write_lp}
CERTIFICATES = (".json",)


def check_suffix(path: str) -> None:
    """Refuse a file name whose suffix says nothing; raises `InvalidOption`."""
    suffix = Path(path).suffix
    known = [*PROGRAMS, *CERTIFICATES]
    if suffix not in known:
        raise InvalidOption(f"{path}: unknown suffix {suffix!r}{suggestion(suffix, known)}")


def needs_proof(path: str) -> bool:
    """Whether the file holds a certificate."""
    return Path(path).suffix in CERTIFICATES


def write(solution: Solution, path: str) -> None:
    """Write the program (``.mps``, ``.lp``) or its certificate (``.json``)."""
    suffix = Path(path).suffix
    if suffix in PROGRAMS:
        PROGRAMS[suffix](solution.form, path)
        return
    if solution.certificate is None:
        raise NoAnswer(f"{path}: {solution.form.name} was solved without a certificate to write")
    write_certificate(solution.certificate, path)
