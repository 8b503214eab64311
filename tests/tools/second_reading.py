"""VIPR files are read by both checkers as soon as farkas has written them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from farkas.certificates.vipr_check import check_vipr
from farkas.errors import FarkasError
from farkas.files.writing import Target
from farkas.standalone.checker import Refused, Vipr

Replacing = Callable[[Target], AbstractContextManager[IO[bytes]]]


def read_again(replacing: Replacing) -> Replacing:
    """Return `farkas.files.writing.replacing` with a comparison behind it."""

    @contextlib.contextmanager
    def written(path: Target) -> Iterator[IO[bytes]]:
        with replacing(path) as stream:
            yield stream
        if Path(path).is_file():
            compare(Path(path))

    return written


def compare(path: Path) -> None:
    """Raise where the checkers differ about a file, or about what it proves."""
    theirs, why = None, ""
    try:
        theirs = Vipr(path.read_bytes()).check()
    except Refused as refusal:
        why = str(refusal.args[0])
    try:
        ours = check_vipr(path)
    except FarkasError as refusal:
        if theirs is None:
            return
        raise AssertionError(f"{path} is refused by farkas alone: {refusal}") from refusal
    assert theirs is not None, f"{path} is accepted by farkas alone: {why}"
    said = (ours.infeasible, ours.lower, ours.upper)
    assert said == (theirs["infeasible"], theirs["lower"], theirs["upper"]), path
