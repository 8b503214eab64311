"""The application: finds the commands, runs one, turns every error into one line."""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import farkas
from farkas.cli.printing import complain
from farkas.errors import Exit, FarkasError

#: In the order a newcomer needs, each with its module and function.
COMMANDS = {
    "demo": "show:demo", "run": "run:command", "compare": "compare:command",
    "solve": "solve:command", "optimum": "solve:optimum", "worst": "worst:command",
    "prove": "solve:prove", "check": "check:command", "claims": "claims:command",
    "list": "show:list_names", "show": "show:command", "generate": "generate:command",
    "import": "generate:import_", "sweep": "sweep:command", "figure": "figure:command",
}  # fmt: skip
UNLISTED = {"evaluate": "show:evaluate"}  #: Case files are evaluated by it.


class Commands(TyperGroup):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Parser of one command; None when there is none of that name."""
        place = (COMMANDS | UNLISTED).get(cmd_name)
        if place is not None and cmd_name not in self.commands:
            module, _, function = place.partition(":")
            command = getattr(importlib.import_module(f"farkas.cli.commands.{module}"), function)
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(cmd_name, short_help=command.__doc__.split("\n")[0])(command)
            self.commands[cmd_name] = typer.main.get_command(alone)
        return self.commands.get(cmd_name)


app = typer.Typer(
    name="farkas",
    cls=Commands,
    rich_markup_mode=None,  # help of rich cuts lines in a pipe at 80 characters
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"farkas {farkas.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Certified online resource allocation for distributed machine-learning jobs.

    Start with `farkas demo`.  Every command takes --json (one JSON object on standard output) and
    --help.  Exit codes: 0 done, 1 a negative result (mismatch, rejected certificate, refuted
    claim), 2 bad input or usage, 3 no answer (solver missing, limit reached without a point).
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@functools.cache
def _parser() -> Any:
    """Build the parser once: it takes ten times as long as refusing a bad command."""
    return typer.main.get_command(app)


def call(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; nothing escapes but the exit code.

    Parameters
    ----------
    arguments
        Words after ``farkas``; those of the process by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    try:
        if "_FARKAS_COMPLETE" in os.environ:  # a shell asks for words
            app(words, prog_name="farkas")
        parser = _parser()
        # not by its own way to end, which tells Ctrl-C, closed pipes and errors otherwise
        with parser.make_context("farkas", words) as context:
            parser.invoke(context)
        sys.stdout.flush()
        return Exit.DONE
    except (Exception, KeyboardInterrupt) as error:
        return ended(error)


def _open_closed_streams() -> None:
    """Give a process started with closed streams (``>&-``) somewhere to write."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


# How a command ends that does not finish: one line and an exit code, whatever happened.


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
    from farkas.messages.refusals import suggestion  # here: names are seldom wrong

    name = asked[1]
    hint = f"; use farkas {ELSEWHERE[name]}" if name in ELSEWHERE else suggestion(name, COMMANDS)
    return f"no command {name!r}{hint}"
