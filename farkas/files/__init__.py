"""How files are read: regular ones, of limited size and depth; `writing` writes them.

A device never ends, a pipe may never begin, and a small file can unfold into more than the memory
holds.  Everything that farkas opens to read is opened here.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterator
from typing import IO, Any

from farkas.errors import FarkasError, FileProblem
from farkas.messages import named

LARGEST_FILE = 2**30  #: Bytes; a larger file is refused unread.

DEEPEST = 100  #: Brackets within brackets in a file; records of farkas need fewer than twenty.

_NO_BRACKETS = bytes(code for code in range(256) if code not in b"[]{}")
_CHUNK = 2**20
# possessive: long strings take neither time nor memory for ways back
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)

Source = str | os.PathLike[str]


#: Path that means standard input.
STANDARD_INPUT = "-"
MODEL_SUFFIXES = ("mps", "lp")
PACKINGS = ("gz", "bz2", "xz", "zip")


def is_model(path: object) -> bool:
    """Whether a path names a model of its own, by its suffix; ``-`` is standard input."""
    if not isinstance(path, str | os.PathLike):
        return False
    text = os.fspath(path)
    return isinstance(text, str) and (text == STANDARD_INPUT or bool(model_suffixes(text)[0]))


def model_suffixes(path: str) -> tuple[str, str]:
    """Format and packing of a model by the suffixes of its path; empty where there is none."""
    parts = os.path.basename(path).lower().split(".")
    packing = parts.pop() if parts[-1] in PACKINGS else ""
    return (parts[-1], packing) if len(parts) > 1 and parts[-1] in MODEL_SUFFIXES else ("", "")


@contextlib.contextmanager
def opened(path: Source, most: int | None = None) -> Iterator[IO[bytes]]:
    """Binary stream of a regular file of at most ``most`` bytes, :data:`LARGEST_FILE` if left out.

    Raises `FileProblem`: it is missing, unreadable, too large, or something else than a file.
    """
    name, limit = named(os.fspath(path)), LARGEST_FILE if most is None else most
    try:
        _require_regular(os.stat(path), name)  # first: opening a device may already do something
        # should a pipe have taken the file's place since, opening it must not wait for a writer
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:  # a null character in the name is a ValueError
        raise _refusal(name, error) from None
    with open(handle, "rb") as stream:
        found = os.fstat(handle)
        _require_regular(found, name)
        if found.st_size > limit:
            raise FileProblem(f"{name}: holds {found.st_size} bytes; {limit} are the most")
        try:
            yield stream
        except OSError as error:
            raise _refusal(name, error) from None


def read_bytes(path: Source, most: int | None = None) -> bytes:
    """Content of a regular file; raises `FileProblem` as :func:`opened` does."""
    limit = LARGEST_FILE if most is None else most
    with opened(path, limit) as stream:
        content = stream.read(limit + 1) or b""  # None: the system has yet to write it
    if len(content) > limit:  # it grew, or the system did not know its size
        raise FileProblem(f"{named(os.fspath(path))}: holds more than {limit} bytes")
    return content


def read_record(path: Source, most: int | None = None) -> bytes:
    """Content of a file of brackets (JSON, TOML), refused when they are nested too deep."""
    content = read_bytes(path, most)
    require_shallow(content, named(os.fspath(path)))
    return content


def require_shallow(content: bytes, where: str, most: int = DEEPEST) -> None:
    """Refuse text whose brackets are nested deeper than ``most``; raises `FileProblem`.

    Brackets inside of JSON strings do not count.

    >>> require_shallow(b"[" * 101, "deep.json")
    Traceback (most recent call last):
    ...
    farkas.errors.FileProblem: deep.json: lists or objects are nested too deep
    """
    if content.count(b"[") + content.count(b"{") <= most:
        return
    import numpy as np  # here: most records end above, and commands start without it

    table = np.zeros(256, dtype=np.int64)
    table[list(b"[{")], table[list(b"]}")] = 1, -1
    bare = _STRING.sub(b"", content)
    brackets = np.frombuffer(bare.translate(None, _NO_BRACKETS), dtype=np.uint8)
    depth = 0
    for start in range(0, len(brackets), _CHUNK):
        steps = table[brackets[start : start + _CHUNK]]
        steps[0] += depth
        level = np.cumsum(steps)
        # no closing bracket too many may hide a level that follows
        level -= np.minimum(np.minimum.accumulate(level), 0)
        if level.max() > most:
            raise FileProblem(f"{where}: lists or objects are nested too deep")
        depth = int(level[-1])


def require_single(content: bytes, where: str, refusal: type[FarkasError] = FileProblem) -> None:
    """Refuse JSON in which a key stands twice: readers keep one of its values in silence.

    Raises `FileProblem`, or the ``refusal`` that is given.  Text that is no JSON passes; its reader
    says what is wrong.

    >>> require_single(b'{"bound": "1", "bound": "2"}', "two.json")
    Traceback (most recent call last):
    ...
    farkas.errors.FileProblem: two.json: key 'bound' stands twice
    """
    with contextlib.suppress(ValueError, RecursionError):
        try:
            json.loads(content, object_pairs_hook=_single, parse_int=len, parse_float=len)
        except _TwiceError as error:
            key = str(error)[:40]
            raise refusal(f"{where}: key {key!a} stands twice") from None


class _TwiceError(Exception):
    """A key stands twice; readers would keep one of its values."""


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return plain


def _refusal(name: str, error: OSError | ValueError) -> FileProblem:
    if isinstance(error, FileNotFoundError):
        return FileProblem(f"{name}: no such file")
    reason = str(getattr(error, "strerror", None) or error).lower()
    return FileProblem(f"{name}: cannot be read: {reason}")


def _require_regular(found: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise FileProblem(f"{name}: is a directory; name a file")
    if not stat.S_ISREG(found.st_mode):
        raise FileProblem(f"{name}: is no regular file; write what it gives into one first")
