"""A command on a terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from tests.tools.shared import ROOT


def on_terminal(*words: str, columns: int, folder: Path = ROOT) -> str:
    """What a command writes to standard output where that is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    settings = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-m", "farkas", *words],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env={**settings, "PYTHONPATH": str(ROOT)},
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    process.wait()
    return re.sub(r"\r\n", "\n", written.decode())
