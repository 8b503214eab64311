"""Certificate files by their paths."""

from __future__ import annotations

import os

from farkas.certificates.files import Certificate, from_json
from farkas.files import read_record
from farkas.messages import named


def read(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate file; nothing in it is believed before `check`.

    Raises
    ------
    FileProblem
        When the file cannot be read or is no certificate; names the JSON path.
    """
    return from_json(read_record(path), named(os.fspath(path)))
