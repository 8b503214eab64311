"""How a command ends that does not finish: one line and an exit code, whatever happened."""

from __future__ import annotations

import os
import re
import sys
import traceback

import typer

from farkas.cli.printing import complain
from farkas.errors import Exit, FarkasError
from farkas.messages.refusals import suggestion

#: What does it here, by the words that people try and by those of the version before.
ELSEWHERE = {
    "bound": "optimum, or solve --certify",
    "certify": "prove, or solve --certify",
    "doctor": "show install",
    "explain": "solve, which explains infeasible programs",
    "load": "show",
    "page": "check --page OUT.html",
    "plot": "figure FILE",
    "ratios": "sweep STORE --ratios",
    "read": "show",
    "replay": "check",
    "report": "sweep STORE --report OUT.html",
    "save": "solve --write, run -o",
    "simulate": "run",
    "solvers": "show solvers",
    "validate": "check",
    "verify": "check",
    "warm": "show --compile",
}


def ended(error: BaseException) -> int:
    """Say what ended a command; return the exit code."""
    if isinstance(error, typer.Exit):
        try:
            sys.stdout.flush()
            return error.exit_code
        except OSError as unwritten:
            return ended(unwritten)
    if isinstance(error, FarkasError):
        complain(str(error))
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        complain("interrupted")
        return Exit.INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # The reader has left.  Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.BROKEN_PIPE
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
    from farkas.cli.app import COMMANDS

    name = asked[1]
    hint = f"; use farkas {ELSEWHERE[name]}" if name in ELSEWHERE else suggestion(name, COMMANDS)
    return f"no command {name!r}{hint}"
