"""How a command ends that does not finish: one line and an exit code, whatever happened."""

from __future__ import annotations

import os
import re
import sys
import traceback

from farkas.cli.printing import complain
from farkas.errors import Exit, FarkasError


class Ended(Exception):
    """Ctrl-C or a closed pipe, on its way past the parser, which would swallow the difference."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def ended(error: BaseException) -> int:
    """Say what ended a command; return the exit code."""
    if isinstance(error, FarkasError):
        complain(str(error))
        return error.exit_code
    if isinstance(error, Ended | KeyboardInterrupt | BrokenPipeError):
        return _stopped(error)
    if isinstance(error, SystemExit):  # the parser's own way to end, on a closed pipe or Ctrl-C
        if error.code == Exit.INTERRUPTED:
            return _stopped(error)
        return _silent_end() if error.code == Exit.NEGATIVE else int(error.code or 0)
    return _unexpected(error)


def _unexpected(error: BaseException) -> int:
    usage = getattr(error, "format_message", None)  # the parser's errors; their class is private
    if usage is not None:
        where = getattr(getattr(error, "ctx", None), "command_path", "farkas")
        complain(f"{_of_commands(error) or in_words(usage())} (see {where} --help)")
        return Exit.BAD_INPUT
    if sys.flags.optimize > 1:  # names, sources and statements of claims stand in docstrings
        complain("needs its docstrings, which python -OO and PYTHONOPTIMIZE=2 strip")
        return Exit.BAD_INPUT
    if os.environ.get("FARKAS_DEBUG") == "1":
        traceback.print_exc()
    if isinstance(error, MemoryError):
        complain("takes more memory than there is")
        return Exit.NO_ANSWER
    if isinstance(error, OSError) and error.filename is None:
        complain(f"cannot write to standard output: {error.strerror or error}")
        return Exit.BAD_INPUT
    complain(f"internal error: {type(error).__name__}: {error} (FARKAS_DEBUG=1 shows where)")
    return Exit.INTERNAL_ERROR


def in_words(usage: str) -> str:
    """Say what a number should be as all other messages say it; parsers say it in many ways.

    >>> in_words("Invalid value for '--seed': Input should be a valid integer, unable to parse")
    "Invalid value for '--seed': expected a whole number"
    """
    whole = r"Input should be a valid integer.*|'[^']*' is not a valid int.*"
    number = r"Input should be a valid number.*|'[^']*' is not a valid float.*"
    return re.sub(number, "expected a number", re.sub(whole, "expected a whole number", usage))


def _of_commands(error: BaseException) -> str:
    """Say which command does what a command that does not exist promises; empty for others."""
    asked = re.match(r"No such command '([^']*)'", str(getattr(error, "message", "")))
    if asked is None:
        return ""
    from farkas.guesses import no_command

    context = getattr(error, "ctx", None)
    return no_command(asked[1], [] if context is None else context.command.list_commands(context))


def _stopped(end: BaseException) -> int:
    if isinstance(end, BrokenPipeError) or getattr(end, "code", None) == Exit.BROKEN_PIPE:
        return _silent_end()
    complain("interrupted")
    return Exit.INTERRUPTED


def _silent_end() -> int:
    # Whoever read our output has left.  Python would complain once more when it flushes at exit.
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, sys.stdout.fileno())
    return Exit.BROKEN_PIPE
