"""How files are written: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from farkas.errors import FileProblem
from farkas.messages import named

Target = str | os.PathLike[str]

#: Pipes that `require_target` opened: who reads one must not see it close before it is written.
_held: dict[str, int] = {}


@contextlib.contextmanager
def replacing(path: Target) -> Iterator[IO[bytes]]:
    """Binary stream that becomes ``path`` when the block ends well, and vanishes otherwise.

    Readers never see a partial file.  A device such as ``/dev/stdout`` is written directly, and so
    is a pipe that is being read.  Raises `FileProblem`, which names the path and the reason.
    """
    target = Path(path)
    require_target(path)
    try:
        if target.exists() and not target.is_file():
            with _directly(target) as stream:
                yield stream
            return
        target = target.resolve()  # the file behind a link is replaced, not the link
        handle, name = tempfile.mkstemp(prefix=".farkas-", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
            os.chmod(name, _mode(target))
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(os.fspath(path), error) from error


def require_target(path: Target) -> None:
    """Refuse a path that can never become a file, before any work is done for it.

    Nothing is left behind, but a pipe stays open until it is written.  Raises `FileProblem`.
    """
    name, target = named(os.fspath(path)), Path(path)
    if not os.fspath(path):
        raise FileProblem("the output file has an empty name")
    if "\0" in os.fspath(path):
        raise FileProblem(f"{name}: a file name holds no null character")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise FileProblem(f"{name}: is no file name of this system") from None
    if os.path.isdir(target):
        raise FileProblem(f"{name}: is a directory; give a file name")
    if not os.path.isdir(target.parent):
        raise FileProblem(f"{name}: there is no directory {named(str(target.parent))}")
    if os.path.islink(os.path.realpath(target)):
        raise FileProblem(f"{name}: its links lead round in a circle")
    try:
        target = target.resolve()
        if not target.exists() or target.is_file():
            tempfile.TemporaryFile(dir=target.parent).close()
        elif target.is_fifo():
            _held[str(target)] = _held.get(str(target)) or _open(target)
        else:
            os.close(_open(target))
    except OSError as error:
        raise _unwritable(os.fspath(path), error) from None


def require_folder(path: Target) -> None:
    """Refuse a folder that cannot be made or written into, and make none; raises `FileProblem`."""
    folder, name = Path(path), named(os.fspath(path))
    try:
        if "\0" in os.fspath(path):
            raise ValueError("a file name holds no null character")
        made = next(
            place for place in (folder, *folder.absolute().parents) if os.path.lexists(place)
        )
        tempfile.TemporaryFile(dir=made).close()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileProblem(f"{name}: no folder: {reason}") from None


def make_folder(path: Target) -> None:
    """Make a folder, and those above it, where there is none; raises `FileProblem`."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        name = named(os.fspath(path))
        raise FileProblem(f"{name}: no folder: {error.strerror or error}") from None


def _unwritable(path: str, error: OSError) -> FileProblem:
    return FileProblem(f"{named(path)}: cannot be written: {error.strerror or error}")


def write_bytes(path: Target, content: bytes) -> None:
    """Write ``content`` to ``path`` in one step; raises :class:`FileProblem`."""
    with replacing(path) as stream:
        stream.write(content)


def write_text(path: Target, content: str) -> None:
    """Write ``content`` to ``path`` in UTF-8 in one step; raises :class:`FileProblem`."""
    write_bytes(path, content.encode())


def _directly(target: Path) -> IO[bytes]:
    """Open a device or a pipe; one that nobody reads is an error at once, not an endless wait."""
    handle = _held.pop(str(target.resolve()), None) or _open(target)
    return open(handle, "wb")


def _open(target: Path) -> int:
    handle = os.open(target, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(handle, True)
    return handle


def _mode(target: Path) -> int:
    """Permissions of the file that is replaced, or what ``open`` would have given."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
