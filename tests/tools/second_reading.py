"""VIPR files are proved as soon as farkas has written them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from farkas.files.writing import Target
from farkas.standalone.checker import Vipr

Replacing = Callable[[Target], AbstractContextManager[IO[bytes]]]


def read_again(replacing: Replacing) -> Replacing:
    """Return `farkas.files.writing.replacing` with the checker behind it."""

    @contextlib.contextmanager
    def written(path: Target) -> Iterator[IO[bytes]]:
        with replacing(path) as stream:
            yield stream
        if Path(path).is_file():
            Vipr(Path(path).read_bytes()).check()

    return written
