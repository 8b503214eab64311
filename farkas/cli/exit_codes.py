"""How a command ends that does not finish: one line and an exit code, whatever happened."""

from __future__ import annotations

import os
import re
import sys
import traceback
from typing import Any

import typer

from farkas.cli.printing import complain
from farkas.errors import Exit, FarkasError
from farkas.messages.refusals import suggestion


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
        complain(f"{_of_names(error) or in_words(usage())} (see {where} --help)")
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


def _of_names(error: Any) -> str:
    """Say what there is instead of a command, option or argument; empty for other errors."""
    context: Any = getattr(error, "ctx", None)
    name = getattr(error, "option_name", None)
    if name and context is not None:  # without one the option exists and its value is missing
        options = [one for param in context.command.params for one in param.opts]
        return f"no option {name}{suggestion(name, [o for o in options if o.startswith('-')])}"
    if context is not None and "unexpected extra argument" in str(getattr(error, "message", "")):
        pieces = " ".join(context.command.collect_usage_pieces(context))
        presets = any("--preset" in one.opts for one in context.command.params)
        remedy = "; write a preset as --preset NAME" if presets else ""
        return f"{error.message}: the command takes {pieces}{remedy}"
    asked = re.match(r"No such command '([^']*)'", str(getattr(error, "message", "")))
    if asked is None:
        return ""
    from farkas.api.load import role_of
    from farkas.cli.app import COMMANDS

    name = asked[1]
    role, what = role_of(name)
    if role:
        return f"no command {name!r}: the file is {what}"
    if re.search(r"[./]", name):
        return f"no command {name!r}: a name or file comes behind one, as in farkas show {name}"
    return f"no command {name!r}{suggestion(name, [*COMMANDS, '--help', '--version'])}"
