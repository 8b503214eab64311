"""The application: finds the commands, runs one, turns every error into one line."""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import farkas
from farkas.errors import Exit

#: In the order a newcomer needs, each with its module and function.
COMMANDS = {
    "demo": "show:demo", "run": "run:command", "compare": "run:compare",
    "solve": "solve:command", "optimum": "solve:optimum", "worst": "worst:command",
    "prove": "solve:prove", "check": "check:command", "claims": "claims:command",
    "list": "show:list_names", "show": "show:command", "generate": "generate:command",
    "import": "generate:import_", "new": "new:command", "sweep": "sweep:command",
    "figure": "figure:command",
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
        from farkas.cli.exit_codes import ended

        return ended(error)


def _open_closed_streams() -> None:
    """Give a process started with closed streams (``>&-``) somewhere to write."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
