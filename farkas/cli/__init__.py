"""The command line: parse, call, print."""

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from farkas.errors import Exit


def call(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code, see :func:`farkas.cli.app.call`."""
    from farkas.cli.app import call as run

    return run(arguments)


def main() -> NoReturn:
    """Entry point of the console script; Ctrl-C while modules load is one line as well."""
    try:
        code = call()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # in Python's own end,
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # it would be a traceback
    except KeyboardInterrupt:
        print("farkas: interrupted", file=sys.stderr)
        code = Exit.INTERRUPTED
    sys.exit(code)


__all__ = ["call", "main"]
